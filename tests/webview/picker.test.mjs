import assert from "node:assert/strict";
import { test } from "node:test";

import { empty, filtered, fresh, loaded, pointed, stepped } from "../../webview/static/picker.js";

const five = loaded(empty(), ["c-1", "c-2", "c-3", "c-4", "c-5"], ["Add a parser", "Write a test", "Fix the test", "Rename it", "Add docs"]);

test("the newest row is selected first", () => {
  assert.equal(five.selected, 4);
});

test("arrows move by one and stop at the ends", () => {
  const up = stepped(five, "ArrowUp", 3);

  assert.equal(up.selected, 3);
  assert.equal(stepped(five, "ArrowDown", 3).selected, 4);
  assert.equal(stepped(stepped(five, "Home", 3), "ArrowUp", 3).selected, 0);
});

test("Home, End and pages jump, clamped", () => {
  assert.equal(stepped(five, "Home", 3).selected, 0);
  assert.equal(stepped(stepped(five, "Home", 3), "End", 3).selected, 4);
  assert.equal(stepped(five, "PageUp", 3).selected, 1);
  assert.equal(stepped(stepped(five, "PageUp", 3), "PageUp", 3).selected, 0);
});

test("other keys do nothing", () => {
  assert.equal(stepped(five, "a", 3), five);
});

test("every word has to be in a row, in any case and order", () => {
  assert.deepEqual(filtered(five, "TEST  w").shown, [1]);
  assert.deepEqual(filtered(five, "test").shown, [1, 2]);
  assert.deepEqual(filtered(five, "nothing").shown, []);
});

test("a selection that matches is kept, else the newest match is selected", () => {
  assert.equal(filtered({ ...five, selected: 1 }, "test").selected, 1);
  assert.equal(filtered(five, "test").selected, 2);
  assert.equal(filtered(five, "nothing").selected, -1);
});

test("arrows move among the matches only", () => {
  const tests = filtered(five, "add");

  assert.equal(stepped(tests, "ArrowUp", 3).selected, 0);
});

test("clearing the filter brings all rows back", () => {
  assert.equal(filtered(filtered(five, "nothing"), "").shown.length, 5);
});

test("opened anew it has all rows, the newest selected", () => {
  const again = fresh({ ...filtered(five, "test"), selected: 1 });

  assert.equal(again.shown.length, 5);
  assert.equal(again.selected, 4);
});

test("rows that arrive keep the selection and the filter", () => {
  const chosen = filtered({ ...five, selected: 1 }, "test");

  const grown = loaded(chosen, [...five.keys, "c-6"], ["Add a parser", "Write a test", "Fix the test", "Rename it", "Add docs", "One more test"]);

  assert.deepEqual(grown.shown, [1, 2, 5]);
  assert.equal(grown.keys[grown.selected], "c-2");
});

test("the pointer selects", () => {
  assert.equal(pointed(five, 1).selected, 1);
  assert.equal(pointed(five, 99), five);
});

test("an empty list has no selection and takes no step", () => {
  const none = loaded(empty(), [], []);

  assert.equal(none.selected, -1);
  assert.equal(stepped(none, "ArrowUp", 3), none);
});

test("ten thousand rows are filtered", () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `c-${index}`);
  const many = loaded(empty(), keys, keys.map((key) => `do ${key} please`));

  assert.equal(filtered(many, "c-99 do").shown.length, 111);
});
