/** What a key means. Pure. */

/** Whether an input method is composing: its keys are not ours. @param {KeyboardEvent} event */
export const composing = (event) => event.isComposing || event.keyCode === 229;

/** Whether a modifier makes it somebody else's shortcut. @param {KeyboardEvent} event */
export const modified = (event) => event.ctrlKey || event.metaKey || event.altKey;

/**
 * Where a key moves in a list of `count`, from `at`: clamped, never around the end.
 * @param {string} key @param {number} at @param {number} count @param {number} page
 * @returns {number | null}
 */
export function moved(key, at, count, page) {
  if (count === 0) return null;
  const last = count - 1;
  /** @type {Record<string, number>} */
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last, PageUp: at - page, PageDown: at + page };
  const target = to[key];
  return target === undefined ? null : Math.max(0, Math.min(last, target));
}
