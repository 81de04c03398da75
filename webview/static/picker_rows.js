/**
 * The rows of the /rewind list on the screen. All rows are in the store, which is never drawn; the list shows copies of
 * those in view and of some around them, so a key costs the same however many there are.
 */

import { position } from "./picker.js";
import * as windows from "./picker_window.js";

/** @typedef {import("./types.js").Picker} Picker */
/** @typedef {import("./types.js").Stack} Stack */

/** Drawn above and below the view, so that not every step has to draw. */
const MARGIN_PX = 170;
const COPY = "o-";

/** @param {HTMLElement} store @param {HTMLElement} list */
export function pickerRows(store, list) {
  const sheet = /** @type {HTMLElement} */ (list.firstElementChild);
  /** @type {HTMLElement[]} */
  let rows = [];
  /** @type {Map<string, number>} */
  let numbers = new Map();
  /** Rows of each block. @type {Map<string, number>} */
  let sizes = new Map();
  /** All numbers, and the dividers above them. */
  let all = { shown: /** @type {number[]} */ ([]), above: windows.counted([]) };
  /** @type {Stack} */
  let stack = { row: 1, shown: [], above: null };
  let drawn = { from: 0, to: 0 };
  /** What is on the sheet, in order: copies by number of their row, dividers by `-1 - number`. @type {Map<number, HTMLElement>} */
  let copies = new Map();
  let chosen = -1;
  /** Where the chosen row stands among those shown, or -1. */
  let place = -1;

  /** Look the rows up in the store. @returns {{keys: string[], texts: string[]}} */
  function load() {
    rows = rowsOf(store);
    const keys = rows.map((row) => row.id);
    numbers = new Map(keys.map((key, number) => [key, number]));
    sizes = new Map([...store.children].map((block) => [block.id, block.getElementsByClassName("row").length]));
    const divided = rows.map((row) => row.previousElementSibling?.classList.contains("divider") ?? false);
    all = { shown: rows.map((_, number) => number), above: windows.counted(divided) };
    copies = new Map();
    return { keys, texts: rows.map(text) };
  }

  /** Take over a row or a block that was drawn anew. False if there is more to it, and all have to be looked up. @param {string} id */
  function renew(id) {
    const element = document.getElementById(id);
    const fresh = element ? (element.matches(".row") ? [element] : rowsOf(element)) : [];
    const known = (/** @type {HTMLElement} */ row) => text(row) === text(rows[numbers.get(row.id) ?? -1]);
    if (fresh.length !== (sizes.get(id) ?? 1) || !fresh.every(known)) return false;
    for (const row of fresh) {
      const number = numbers.get(row.id) ?? -1;
      rows[number] = row;
      copies.get(number)?.replaceChildren(...row.cloneNode(true).childNodes);
    }
    return true;
  }

  /** Give the list its place, as high as all rows need: it keeps it while fewer match, so that the filter above stays where it is. */
  function size() {
    const row = Number.parseFloat(getComputedStyle(list).getPropertyValue("--row"));
    stack = { row, ...all };
    list.style.minHeight = "";
    sheet.style.height = `${windows.height(stack)}px`;
    list.style.minHeight = `${list.offsetHeight}px`;
  }

  /** Show the rows that match, and which one is selected. @param {Picker} picker @param {boolean} reveal */
  function show(picker, reveal) {
    const [scrolled, view] = [list.scrollTop, list.clientHeight];
    stack = picker.query === "" ? { row: stack.row, ...all } : { row: stack.row, shown: picker.shown, above: null };
    place = position(picker.shown, picker.selected);
    const to = reveal && place >= 0 ? windows.nearest(stack, place, scrolled, view) : windows.bounded(stack, scrolled, view);
    sheet.style.height = `${windows.height(stack)}px`;
    draw(to, view);
    choose(picker.selected);
    if (to !== scrolled) list.scrollTop = to;
  }

  /** Select another of the rows shown. What is measured is measured before anything is changed. @param {Picker} picker @param {boolean} reveal */
  function select(picker, reveal) {
    place = position(picker.shown, picker.selected);
    const [scrolled, view] = [list.scrollTop, list.clientHeight];
    const to = reveal && place >= 0 ? windows.nearest(stack, place, scrolled, view) : scrolled;
    if (!covered(to, view) || !copies.has(picker.selected)) draw(to, view);
    choose(picker.selected);
    if (to !== scrolled) list.scrollTop = to;
  }

  /** @param {number} number */
  function choose(number) {
    copies.get(chosen)?.setAttribute("aria-selected", "false");
    copies.get(number)?.setAttribute("aria-selected", "true");
    chosen = number;
  }

  /** Whether all that would be in view is drawn. @param {number} upper @param {number} view */
  function covered(upper, view) {
    const { from, to } = windows.span(stack, upper, upper + view);
    return from >= drawn.from && to <= drawn.to;
  }

  /** Draw the rows in a view and around, and the chosen one wherever it is: the filter names it. @param {number} upper @param {number} view */
  function draw(upper, view) {
    drawn = windows.span(stack, upper - MARGIN_PX, upper + view + MARGIN_PX);
    const places = Array.from({ length: drawn.to - drawn.from }, (_, index) => drawn.from + index);
    if (place >= drawn.to) places.push(place);
    else if (place >= 0 && place < drawn.from) places.unshift(place);
    const wanted = new Map(places.flatMap(placed));
    for (const [number, copy] of copies) if (!wanted.has(number)) copy.remove();
    copies = wanted;
    let next = sheet.firstChild;
    for (const copy of wanted.values()) {
      if (copy === next) next = next.nextSibling;
      else sheet.insertBefore(copy, next);
    }
    while (next) {
      const after = next.nextSibling;
      next.remove();
      next = after;
    }
  }

  /** The row that stands at a place, with its divider. @param {number} at @returns {[number, HTMLElement][]} */
  function placed(at) {
    const number = stack.shown[at] ?? -1;
    const copy = copies.get(number) ?? copied(number);
    const top = windows.top(stack, at);
    copy.style.top = `${top}px`;
    copy.setAttribute("aria-posinset", String(at + 1));
    copy.setAttribute("aria-setsize", String(stack.shown.length));
    if (!windows.divided(stack, at)) return [[number, copy]];
    const divider = copies.get(-1 - number) ?? /** @type {HTMLElement} */ (rows[number]?.previousElementSibling?.cloneNode(true));
    divider.style.top = `${top - windows.DIVIDER_PX}px`;
    return [[-1 - number, divider], [number, copy]];
  }

  /** @param {number} number */
  function copied(number) {
    const copy = /** @type {HTMLElement} */ (rows[number]?.cloneNode(true));
    copy.id = COPY + copy.id;
    copy.setAttribute("aria-selected", String(number === chosen));
    return copy;
  }

  list.addEventListener("scroll", () => covered(list.scrollTop, list.clientHeight) || draw(list.scrollTop, list.clientHeight), { passive: true });
  return {
    load,
    renew,
    size,
    show,
    select,
    /** Row of the store with this number. @param {number} number */
    row: (number) => rows[number],
    /** Rows in a page: what fits, less one to hold on to. */
    page: () => Math.max(1, Math.floor(list.clientHeight / stack.row) - 1),
    /** Id of a row on the screen. @param {number} number */
    id: (number) => copies.get(number)?.id ?? "",
    /** Number of the row a copy stands for, or -1. @param {Element | null} copy */
    number: (copy) => numbers.get(copy?.id.slice(COPY.length) ?? "") ?? -1,
    /** Rows of the store that are in view. */
    inView() {
      const { from, to } = windows.span(stack, list.scrollTop, list.scrollTop + list.clientHeight);
      return stack.shown.slice(from, to).map((number) => rows[number]);
    },
  };
}

/** @param {Element} element */
const rowsOf = (element) => /** @type {HTMLElement[]} */ ([...element.getElementsByClassName("row")]);

/** What a row says. @param {HTMLElement | undefined} row */
const text = (row) => row?.firstElementChild?.textContent ?? "";
