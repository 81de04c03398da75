/** Where the rows of the /rewind list stand, by arithmetic: nothing has to be measured to know what is in view. Pure. */

/** @typedef {import("./types.js").Stack} Stack */

export const DIVIDER_PX = 24;
const BELOW_PX = 4;

/** How many dividers stand above the first so many rows. @param {boolean[]} divided whether one is above each row */
export function counted(divided) {
  const above = new Uint32Array(divided.length + 1);
  divided.forEach((one, index) => (above[index + 1] = (above[index] ?? 0) + (one ? 1 : 0)));
  return above;
}

/** Height of all, with some air below. @param {Stack} stack */
export const height = (stack) => stack.shown.length * stack.row + dividers(stack, stack.shown.length) * DIVIDER_PX + BELOW_PX;

/** Where a row begins. @param {Stack} stack @param {number} at its place among those shown */
export const top = (stack, at) => at * stack.row + dividers(stack, at + 1) * DIVIDER_PX;

/** Whether a divider stands above a row. @param {Stack} stack @param {number} at */
export const divided = (stack, at) => dividers(stack, at + 1) > dividers(stack, at);

/** Dividers above the first so many rows. @param {Stack} stack @param {number} count */
const dividers = (stack, count) => stack.above?.[count] ?? 0;

/** Places `from` to `to` (half-open) of the rows between two heights. @param {Stack} stack @param {number} upper @param {number} lower */
export function span(stack, upper, lower) {
  const from = first(stack, (at) => top(stack, at) + stack.row > upper);
  return { from, to: Math.max(from, first(stack, (at) => top(stack, at) >= lower)) };
}

/** How far to scroll, at least, so that a row is whole in a view. @param {Stack} stack @param {number} at @param {number} scrolled @param {number} view */
export function nearest(stack, at, scrolled, view) {
  const begin = at === 0 ? 0 : top(stack, at);
  const end = at === stack.shown.length - 1 ? height(stack) : top(stack, at) + stack.row;
  return bounded(stack, begin < scrolled ? begin : Math.max(scrolled, end - view), view);
}

/** As far as one can scroll. @param {Stack} stack @param {number} scrolled @param {number} view */
export const bounded = (stack, scrolled, view) => Math.max(0, Math.min(scrolled, height(stack) - view));

/** The first place for which it holds; it holds from there on. @param {Stack} stack @param {(at: number) => boolean} holds */
function first(stack, holds) {
  let low = 0;
  let high = stack.shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
