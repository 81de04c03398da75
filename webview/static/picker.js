/** The /rewind list as a value: which rows match, which one is selected. Pure. */

import { moved } from "./keys.js";

/** @typedef {import("./types.js").Picker} Picker */

/** @returns {Picker} */
export const empty = () => ({ keys: [], texts: [], query: "", shown: [], selected: -1 });

/**
 * Rows as they stand now. Nothing was selected, or it is gone: the last one is.
 * @param {Picker} picker @param {string[]} keys @param {string[]} texts @returns {Picker}
 */
export function loaded(picker, keys, texts) {
  const key = picker.keys[picker.selected];
  const lower = texts.map((text) => text.toLowerCase());
  const kept = key === undefined ? -1 : keys.indexOf(key);
  return filtered({ ...picker, keys, texts: lower, selected: kept, query: "", shown: keys.map((_, index) => index) }, picker.query);
}

/** The list opened anew: all rows, the newest selected. @param {Picker} picker @returns {Picker} */
export const fresh = (picker) => filtered({ ...picker, selected: -1 }, "");

/**
 * Rows with every word of the query. The selection stays if it still matches, else the newest match is selected.
 * @param {Picker} picker @param {string} query @returns {Picker}
 */
export function filtered(picker, query) {
  const longer = query.startsWith(picker.query);
  const shown = matching(picker.texts, longer ? picker.shown : picker.texts.map((_, index) => index), query);
  const selected = position(shown, picker.selected) >= 0 ? picker.selected : (shown.at(-1) ?? -1);
  return { ...picker, query, shown, selected };
}

/** Those of the rows that hold every word. @param {string[]} texts @param {number[]} rows @param {string} query */
function matching(texts, rows, query) {
  let found = rows;
  for (const word of query.toLowerCase().split(/\s+/)) {
    if (word !== "") found = found.filter((index) => texts[index]?.includes(word));
  }
  return found;
}

/** @param {Picker} picker @param {string} key @param {number} page @returns {Picker} */
export function stepped(picker, key, page) {
  const to = moved(key, position(picker.shown, picker.selected), picker.shown.length, page);
  return to === null ? picker : { ...picker, selected: picker.shown[to] ?? -1 };
}

/** @param {Picker} picker @param {number} index @returns {Picker} */
export const pointed = (picker, index) => (position(picker.shown, index) < 0 ? picker : { ...picker, selected: index });

/** Where an index stands in an ascending list, or -1. @param {number[]} shown @param {number} index */
export function position(shown, index) {
  let low = 0;
  let high = shown.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = shown[middle] ?? 0;
    if (value === index) return middle;
    if (value < index) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
