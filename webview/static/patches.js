/** Brings patches to the document: focus, scroll position and what is being read stay where they are. */

/** @typedef {import("./types.js").Patch} Patch */

/**
 * Law: patches applied to a stale page make the fresh one.
 * @param {Document} page @param {Patch[]} patches @returns {Set<string>} ids of the regions and items that changed
 */
export function apply(page, patches) {
  const focus = focused(page);
  const scrolled = [...page.querySelectorAll("[data-keep-scroll]")].map((element) => ({ id: element.id, top: element.scrollTop }));
  for (const patch of patches) applyOne(page, patch);
  for (const { id, top } of scrolled) {
    const element = page.getElementById(id);
    if (element && element.scrollTop !== top) element.scrollTop = top;
  }
  refocus(page, focus);
  return new Set(patches.map((patch) => patch.id));
}

/** @param {Document} page @param {Patch} patch */
function applyOne(page, patch) {
  const element = page.getElementById(patch.id);
  if (!element) return;
  if (patch.op === "replace") element.innerHTML = patch.html;
  else if (patch.op === "append") element.insertAdjacentHTML("beforeend", patch.html);
  else element.outerHTML = patch.html;
}

/** @param {Document} page */
function focused(page) {
  const element = page.activeElement;
  if (!(element instanceof HTMLElement) || !element.id) return null;
  const field = element instanceof HTMLInputElement && element.type === "text" ? element : null;
  return { element, id: element.id, value: field?.value ?? null, start: field?.selectionStart ?? 0, end: field?.selectionEnd ?? 0 };
}

/** An element that was drawn anew gets the focus its forerunner had, and the text typed so far. @param {Document} page @param {ReturnType<typeof focused>} focus */
function refocus(page, focus) {
  if (!focus || focus.element.isConnected) return;
  const element = page.getElementById(focus.id);
  if (!element) return;
  if (element instanceof HTMLInputElement && focus.value !== null) {
    element.value = focus.value;
    element.setSelectionRange(focus.start, focus.end);
  }
  element.focus({ preventScroll: true });
}

/** What is on top of a scrolled list, to come back to it after patches. @param {HTMLElement} scroller @param {Element} list */
export function anchor(scroller, list) {
  const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 48;
  const top = scroller.getBoundingClientRect().top;
  const first = [...list.children].find((child) => child.getBoundingClientRect().bottom > top);
  return { atEnd, id: first?.id ?? "", offset: first ? first.getBoundingClientRect().top - top : 0 };
}

/** @param {HTMLElement} scroller @param {ReturnType<typeof anchor>} kept */
export function hold(scroller, kept) {
  const element = kept.id ? document.getElementById(kept.id) : null;
  if (kept.atEnd) scroller.scrollTop = scroller.scrollHeight;
  else if (element) scroller.scrollTop += element.getBoundingClientRect().top - scroller.getBoundingClientRect().top - kept.offset;
}
