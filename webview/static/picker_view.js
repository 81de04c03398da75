/** The /rewind list in the document. All rows are there; the browser draws only those in view. */

import { composing, modified } from "./keys.js";
import * as picker from "./picker.js";
import { pickerRows } from "./picker_rows.js";

const LOOK_MS = 120;

/**
 * @param {{choose: (to: string) => void, close: () => void, count: (to: string[]) => void}} does
 */
export function pickerView(does) {
  const panel = element("picker");
  const list = element("rows");
  const rows = pickerRows(list);
  let state = picker.empty();
  /** @type {HTMLElement | null} */
  let marked = null;
  let look = 0;

  const filter = () => /** @type {HTMLInputElement | null} */ (document.getElementById("filter"));

  function load() {
    rows.load();
    const all = rows.all();
    state = picker.loaded(state, all.map((row) => row.id), all.map((row) => row.firstElementChild?.textContent ?? ""));
  }

  const showMatches = () => rows.match(state.shown, state.query !== "");

  /** @param {boolean} scroll */
  function showSelected(scroll) {
    const row = rows.all()[state.selected] ?? null;
    if (marked !== row) {
      marked?.setAttribute("aria-selected", "false");
      row?.setAttribute("aria-selected", "true");
      marked = row;
    }
    const field = filter();
    if (row) field?.setAttribute("aria-activedescendant", row.id);
    else field?.removeAttribute("aria-activedescendant");
    if (row && scroll) rows.reveal(state.selected);
    const none = document.getElementById("no-match");
    if (none) none.hidden = state.shown.length > 0 || rows.all().length === 0;
  }

  /** Ask how many files the rows in view would change, soon. */
  function lookSoon() {
    clearTimeout(look);
    look = window.setTimeout(() => {
      if (panel.hidden) return;
      const wanted = [marked, ...rows.inView()].filter((row) => row && !row.querySelector(".count")?.textContent);
      const to = [...new Set(wanted.map((row) => row?.dataset.to ?? ""))];
      if (to.length > 0) does.count(to.slice(0, 50));
    }, LOOK_MS);
  }

  /** After patches: open or close with what the host says, keep selection and filter. @param {Set<string>} changed */
  function refresh(changed) {
    const open = element("picker-head").childElementCount > 0;
    const opening = open && panel.hidden;
    if (panel.hidden === open) panel.hidden = !open;
    if (!open) return reset();
    const drawn = [...changed].some((id) => id === "rows" || id.startsWith("rows-") || id.startsWith("c-"));
    if (opening || drawn) {
      load();
      marked = null;
      if (state.query !== "") showMatches();
      showSelected(opening);
    }
    if (opening) {
      list.scrollTop = list.scrollHeight;
      (rows.all().length > 0 ? filter() : document.getElementById("no-rows"))?.focus();
    }
    if (opening || changed.has("rows")) lookSoon();
  }

  function reset() {
    if (state.query !== "") {
      state = picker.filtered(state, "");
      showMatches();
    }
    marked?.setAttribute("aria-selected", "false");
    marked = null;
    state = picker.empty();
  }

  /** Close here and now; the host follows. */
  function hide() {
    element("picker-head").replaceChildren();
    panel.hidden = true;
    reset();
  }

  function chooseSelected() {
    const to = rows.all()[state.selected]?.dataset.to;
    if (to) does.choose(to);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it was for the list */
  function key(event) {
    if (panel.hidden || composing(event)) return false;
    if (event.key === "Escape") does.close();
    else if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement)) event.repeat || chooseSelected();
    else if (modified(event) || event.shiftKey || event.key === "Tab") return false;
    else {
      const page = Math.max(1, Math.floor(list.clientHeight / (marked?.offsetHeight || 32)) - 1);
      const next = picker.stepped(state, event.key, page);
      if (next === state) return false;
      state = next;
      showSelected(true);
      lookSoon();
    }
    event.preventDefault();
    return true;
  }

  list.addEventListener("scroll", lookSoon, { passive: true });
  list.addEventListener("pointermove", (event) => {
    const row = rowOf(event);
    if (!row || row === marked) return;
    state = picker.pointed(state, row.id);
    showSelected(false);
  });
  list.addEventListener("click", (event) => {
    const to = rowOf(event)?.dataset.to;
    if (to) does.choose(to);
  });
  panel.addEventListener("input", () => {
    state = picker.filtered(state, filter()?.value ?? "");
    showMatches();
    showSelected(true);
    lookSoon();
  });
  return { refresh, key, isOpen: () => !panel.hidden, hide };
}

/** @param {Event} event */
const rowOf = (event) => /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".row"));

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
