/** The confirm dialog: the rest of the page is out of reach, Esc is Cancel, one confirm is one rewind. */

import { composing } from "./keys.js";

/**
 * @param {{cancel: () => void, confirm: (digest: string) => void, adjust: (set: object, done: () => void) => void}} does
 */
export function dialogView(does) {
  const place = /** @type {HTMLElement} */ (document.getElementById("dialog"));
  const page = /** @type {HTMLElement} */ (document.getElementById("app"));
  let open = false;
  let before = "";
  let sent = "";
  /** Settings the host has not yet taken over: until then nothing can be confirmed. */
  let unsettled = 0;

  const box = () => /** @type {HTMLElement | null} */ (document.getElementById("dialog-box"));
  const busy = () => box()?.getAttribute("aria-busy") === "true";

  /** After patches. @param {Set<string>} changed */
  function refresh(changed) {
    if (!changed.has("dialog")) return;
    const shown = box() !== null;
    if (shown && !open) {
      before = document.activeElement?.id ?? "";
      page.inert = true;
      focusFirst();
    } else if (!shown && open) {
      page.inert = false;
      sent = "";
      unsettled = 0;
      returnFocus();
    } else if (shown && !place.contains(document.activeElement)) focusFirst();
    if (!busy() && box()?.dataset.digest !== sent) sent = "";
    open = shown;
  }

  /** What has to be decided: a consent that is missing, else the confirm button. */
  function focusFirst() {
    const wanted = place.querySelector(".consents input:not(:checked):not(:disabled)") ?? place.querySelector("#confirm:not(:disabled)");
    /** @type {HTMLElement | null} */ (wanted ?? place.querySelector("#cancel:not(:disabled)") ?? box())?.focus();
  }

  function returnFocus() {
    const back = document.getElementById(before);
    (back && back.offsetParent !== null ? back : document.getElementById("input"))?.focus();
  }

  function hide() {
    place.replaceChildren();
    refresh(new Set(["dialog"]));
  }

  function confirm() {
    const digest = box()?.dataset.digest ?? "";
    const button = /** @type {HTMLButtonElement | null} */ (place.querySelector("#confirm"));
    if (!button || button.disabled || unsettled > 0 || sent === digest) return;
    sent = digest;
    does.confirm(digest);
  }

  /** All that is set now. */
  function settings() {
    const all = (/** @type {string} */ selector) => /** @type {HTMLInputElement[]} */ ([...place.querySelectorAll(selector)]);
    const consent = Object.fromEntries(all("[data-intent=consent]").map((box) => [box.dataset.name ?? "", box.checked]));
    const except = all("[data-intent=leave]").filter((box) => !box.checked).map((box) => box.dataset.path ?? "");
    return { mode: all("[name=mode]:checked")[0]?.value ?? "both", except, consent };
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it was for the dialog */
  function key(event) {
    if (!open) return false;
    if (composing(event)) return true;
    const onButton = event.target instanceof HTMLButtonElement;
    if (event.key === "Escape") {
      event.preventDefault();
      if (!busy()) does.cancel();
    } else if (event.key === "Enter") {
      if (event.repeat || !onButton) event.preventDefault();
      if (!event.repeat && !onButton) confirm();
    } else if (event.key === "Tab") wrap(event);
    return true;
  }

  /** The focus goes round inside. @param {KeyboardEvent} event */
  function wrap(event) {
    const stops = /** @type {HTMLElement[]} */ ([...place.querySelectorAll("input, button, [tabindex='0']")]).filter(
      (stop) => !(/** @type {HTMLInputElement} */ (stop).disabled) && !stop.closest("fieldset:disabled"),
    );
    const [first, last] = [stops[0], stops.at(-1)];
    const leaving = event.shiftKey ? document.activeElement === first : document.activeElement === last;
    if (!leaving) return;
    event.preventDefault();
    (event.shiftKey ? last : first)?.focus();
  }

  place.addEventListener("change", () => {
    const set = settings();
    unsettled += 1;
    does.adjust(set, () => (unsettled = Math.max(0, unsettled - 1)));
  });
  place.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("#cancel")) does.cancel();
    else if (target.closest("#confirm")) confirm();
  });
  return { refresh, key, hide, isOpen: () => open };
}
