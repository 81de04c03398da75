import assert from "node:assert/strict";
import { test } from "node:test";

import { composing, modified, moved } from "../../webview/static/keys.js";

/** @param {Partial<KeyboardEvent>} event */
const key = (event) => /** @type {KeyboardEvent} */ ({ isComposing: false, keyCode: 13, ctrlKey: false, metaKey: false, altKey: false, ...event });

test("keys of an input method are not ours", () => {
  assert.equal(composing(key({ isComposing: true })), true);
  assert.equal(composing(key({ keyCode: 229 })), true);
  assert.equal(composing(key({})), false);
});

test("a shortcut of somebody else is not ours", () => {
  assert.equal(modified(key({ ctrlKey: true })), true);
  assert.equal(modified(key({})), false);
});

test("nothing moves in an empty list", () => {
  assert.equal(moved("ArrowUp", -1, 0, 5), null);
});

test("from no selection an arrow enters the list", () => {
  assert.equal(moved("ArrowDown", -1, 3, 5), 0);
});
