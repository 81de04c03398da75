import assert from "node:assert/strict";
import { test } from "node:test";

import { accept, number, reopened, start } from "../../webview/static/track.js";

/** @param {number} seq @param {number} request @param {string[]} ids @returns {import("../../webview/static/types.js").View} */
const view = (seq, request, ...ids) => ({
  seq,
  request,
  patches: ids.map((id) => ({ op: "replace", id, html: "" })),
  effects: [{ kind: "focus", id: "input" }],
});

test("requests are numbered, and one that closes makes the older ones late", () => {
  const first = number(start(), false);
  const second = number(first.track, true);

  assert.deepEqual([first.request, second.request], [1, 2]);
  assert.deepEqual([first.track.floor, second.track.floor], [0, 2]);
});

test("a late answer does not reopen what was closed", () => {
  const { track } = number(number(start(), false).track, true);

  const taken = accept(track, view(1, 1, "picker-head", "dialog"));

  assert.deepEqual(taken.view?.patches, []);
  assert.deepEqual(taken.view?.effects, []);
});

test("the rest of a late answer counts", () => {
  const { track } = number(number(start(), false).track, true);

  const taken = accept(track, view(1, 1, "picker-head", "messages", "rows"));

  assert.deepEqual(taken.view?.patches.map((patch) => patch.id), ["messages", "rows"]);
});

test("an answer to what was asked after closing opens again", () => {
  const closed = number(number(start(), false).track, true);
  const again = number(closed.track, false);

  assert.equal(accept(again.track, view(1, again.request, "picker-head")).view?.patches.length, 1);
});

test("a gap means the page has to be drawn anew", () => {
  const taken = accept(start(), view(2, 1, "top"));

  assert.equal(taken.resync, true);
  assert.equal(taken.view, null);
});

test("what is known already is not applied twice", () => {
  const { track } = accept(start(), view(1, 0, "top"));

  assert.deepEqual(accept(track, view(1, 0, "top")), { track, view: null, resync: false });
});

test("after drawing anew the numbers go on from there", () => {
  const track = reopened(start(), { seq: 40, request: 7, patches: [] });

  assert.equal(number(track, false).request, 8);
  assert.equal(accept(track, view(41, 7, "top")).resync, false);
});
