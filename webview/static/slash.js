/** The slash menu as a value. Pure. */

import { moved } from "./keys.js";

/** @typedef {import("./types.js").Slash} Slash */

/** @returns {Slash} */
export const closed = () => ({ open: false, names: [], selected: -1 });

/** What the menu offers for a text: commands that begin with the typed word. @param {string[]} commands @param {string} text @returns {Slash} */
export function offered(commands, text) {
  const match = /^\/(\S*)$/.exec(text);
  if (!match) return closed();
  const names = commands.filter((name) => name.startsWith((match[1] ?? "").toLowerCase()));
  return { open: names.length > 0, names, selected: names.length > 0 ? 0 : -1 };
}

/** @param {Slash} slash @param {string} key @returns {Slash} */
export function stepped(slash, key) {
  const to = moved(key, slash.selected, slash.names.length, 1);
  return to === null ? slash : { ...slash, selected: to };
}

/** The command a whole text stands for, or "". @param {string[]} commands @param {string} text */
export function command(commands, text) {
  const word = text.trim();
  return word.startsWith("/") && commands.includes(word.slice(1).toLowerCase()) ? word.slice(1).toLowerCase() : "";
}
