/** Which answers still count. Pure. */

/** @typedef {import("./types.js").Track} Track */
/** @typedef {import("./types.js").View} View */

/** Regions the user can close while their content is still on the way. */
const OVERLAYS = new Set(["picker-head", "dialog"]);

/** @returns {Track} */
export const start = () => ({ next: 1, seq: 0, floor: 0 });

/**
 * Number an intent. One that closes list or dialog makes all older answers about them late.
 * @param {Track} track @param {boolean} closes @returns {{track: Track, request: number}}
 */
export function number(track, closes) {
  const request = track.next;
  return { request, track: { ...track, next: request + 1, floor: closes ? request : track.floor } };
}

/** The page was drawn anew. @param {Track} track @param {View} view @returns {Track} */
export const reopened = (track, view) => ({ ...track, seq: view.seq, next: Math.max(track.next, view.request + 1) });

/**
 * Take a notification. A missing one before it means the page is no longer known: it must be drawn anew. A late answer
 * may not reopen what was closed since; its other patches count.
 * @param {Track} track @param {View} view
 * @returns {{track: Track, view: View | null, resync: boolean}}
 */
export function accept(track, view) {
  if (view.seq <= track.seq) return { track, view: null, resync: false };
  if (view.seq !== track.seq + 1) return { track, view: null, resync: true };
  const late = view.request < track.floor;
  const patches = late ? view.patches.filter((patch) => !OVERLAYS.has(patch.id)) : view.patches;
  return { track: { ...track, seq: view.seq }, view: { ...view, patches, effects: late ? [] : view.effects }, resync: false };
}
