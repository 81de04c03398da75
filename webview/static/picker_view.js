/** The /rewind list in the document: keys, pointer, filter, and what the host says. */

import { composing, modified } from "./keys.js";
import * as picker from "./picker.js";
import { pickerRows } from "./picker_rows.js";

const LOOK_MS = 120;
const ASKED_AT_ONCE = 50;

/**
 * @param {{choose: (to: string) => void, close: () => void, count: (to: string[]) => void}} does
 */
export function pickerView(does) {
  const panel = element("picker");
  const list = element("list");
  const rows = pickerRows(element("rows"), list);
  let state = picker.empty();
  /** Rows have come that were not looked at yet. */
  let stale = true;
  let look = 0;

  const filter = () => /** @type {HTMLInputElement | null} */ (document.getElementById("filter"));

  function load() {
    if (!stale) return;
    stale = false;
    const { keys, texts } = rows.load();
    state = picker.loaded(state, keys, texts);
  }

  /** Say which row is selected. */
  function tell() {
    const field = filter();
    const id = rows.id(state.selected);
    if (id) field?.setAttribute("aria-activedescendant", id);
    else field?.removeAttribute("aria-activedescendant");
    const none = document.getElementById("no-match");
    if (none) none.hidden = state.shown.length > 0 || state.keys.length === 0;
  }

  /** @param {boolean} reveal @param {boolean} [resized] */
  function show(reveal, resized) {
    if (resized) rows.size();
    rows.show(state, reveal);
    tell();
  }

  /** @param {boolean} reveal */
  function select(reveal) {
    rows.select(state, reveal);
    tell();
  }

  /** Ask how many files the rows in view would change, soon. */
  function lookSoon() {
    clearTimeout(look);
    look = window.setTimeout(() => {
      if (panel.hidden) return;
      const wanted = [rows.row(state.selected), ...rows.inView()].filter((row) => row && !row.querySelector(".count")?.textContent);
      const to = [...new Set(wanted.map((row) => row?.dataset.to ?? ""))];
      if (to.length > 0) does.count(to.slice(0, ASKED_AT_ONCE));
    }, LOOK_MS);
  }

  /** After patches: open or close with what the host says, keep selection and filter. @param {Set<string>} changed */
  function refresh(changed) {
    const open = element("picker-head").childElementCount > 0;
    const opening = open && panel.hidden;
    const redrawn = taken(changed);
    if (panel.hidden === open) panel.hidden = !open;
    if (!open) return;
    load();
    if (opening) state = picker.fresh(state);
    if (opening || redrawn) show(opening, true);
    if (opening) (state.keys.length > 0 ? filter() : document.getElementById("no-rows"))?.focus();
    if (opening || redrawn) lookSoon();
  }

  /** Take rows over that were drawn anew. True if all have to be looked up: at once if they are shown, else soon. @param {Set<string>} changed */
  function taken(changed) {
    const about = [...changed].filter((id) => id === "rows" || id.startsWith("rows-") || id.startsWith("c-"));
    if (about.every((id) => !stale && id !== "rows" && rows.renew(id))) return false;
    stale = true;
    setTimeout(load, LOOK_MS);
    return true;
  }

  /** Close here and now; the host follows. */
  function hide() {
    element("picker-head").replaceChildren();
    panel.hidden = true;
  }

  function chooseSelected() {
    const to = rows.row(state.selected)?.dataset.to;
    if (to) does.choose(to);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it was for the list */
  function key(event) {
    if (panel.hidden || composing(event)) return false;
    if (event.key === "Escape") does.close();
    else if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement)) event.repeat || chooseSelected();
    else if (modified(event) || event.shiftKey || event.key === "Tab") return false;
    else {
      const next = picker.stepped(state, event.key, rows.page());
      if (next === state) return false;
      state = next;
      select(true);
      lookSoon();
    }
    event.preventDefault();
    return true;
  }

  list.addEventListener("scroll", lookSoon, { passive: true });
  list.addEventListener("pointermove", (event) => {
    const number = rows.number(rowOf(event));
    if (number < 0 || number === state.selected) return;
    state = picker.pointed(state, number);
    select(false);
  });
  list.addEventListener("click", (event) => {
    const to = rowOf(event)?.dataset.to;
    if (to) does.choose(to);
  });
  panel.addEventListener("input", () => {
    state = picker.filtered(state, filter()?.value ?? "");
    show(true);
    lookSoon();
  });
  window.addEventListener("resize", () => panel.hidden || show(true, true));
  return { refresh, key, isOpen: () => !panel.hidden, hide };
}

/** @param {Event} event */
const rowOf = (event) => /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".row"));

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
