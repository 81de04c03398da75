import assert from "node:assert/strict";
import { test } from "node:test";

import { bounded, counted, divided, height, nearest, span, top } from "../../webview/static/picker_window.js";

/** Ten rows of 30, a divider of 24 above the third. */
const ten = { row: 30, shown: [...Array(10).keys()], above: counted([...Array(10).keys()].map((number) => number === 2)) };
const three = { row: 30, shown: [1, 5, 9], above: null };

test("rows stand one below the other, a divider above its row", () => {
  assert.deepEqual([0, 1, 2, 3].map((at) => top(ten, at)), [0, 30, 84, 114]);
  assert.deepEqual([1, 2, 3].map((at) => divided(ten, at)), [false, true, false]);
  assert.equal(height(ten), 10 * 30 + 24 + 4);
});

test("matches have no dividers", () => {
  assert.deepEqual([0, 1, 2].map((at) => top(three, at)), [0, 30, 60]);
  assert.equal(divided(three, 2), false);
  assert.equal(height(three), 94);
});

test("a view holds the rows that are at least partly in it", () => {
  assert.deepEqual(span(ten, 0, 60), { from: 0, to: 2 });
  assert.deepEqual(span(ten, 29, 85), { from: 0, to: 3 });
  assert.deepEqual(span(ten, 30, 84), { from: 1, to: 2 });
  assert.deepEqual(span(ten, -100, 10_000), { from: 0, to: 10 });
  assert.deepEqual(span({ ...three, shown: [] }, 0, 100), { from: 0, to: 0 });
});

test("a row is brought into view by the shortest way", () => {
  assert.equal(nearest(ten, 1, 0, 100), 0);
  assert.equal(nearest(ten, 4, 0, 100), 74);
  assert.equal(nearest(ten, 3, 150, 100), 114);
});

test("the ends are scrolled to entirely", () => {
  assert.equal(nearest(ten, 9, 0, 100), height(ten) - 100);
  assert.equal(nearest({ ...ten, above: counted(Array(10).fill(true)) }, 0, 200, 100), 0);
});

test("nobody can scroll further than there is something", () => {
  assert.equal(bounded(three, 500, 40), 54);
  assert.equal(bounded(three, 500, 400), 0);
});
