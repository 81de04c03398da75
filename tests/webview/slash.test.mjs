import assert from "node:assert/strict";
import { test } from "node:test";

import { closed, command, offered, stepped } from "../../webview/static/slash.js";

const commands = ["rewind", "undo", "sessions", "help"];

test("a slash offers all commands", () => {
  assert.deepEqual(offered(commands, "/"), { open: true, names: commands, selected: 0 });
});

test("letters narrow them", () => {
  assert.deepEqual(offered(commands, "/RE").names, ["rewind"]);
});

for (const text of ["", "x", "x /rewind", "/rewind now", "/x", "//"]) {
  test(`nothing is offered for ${JSON.stringify(text)}`, () => {
    assert.deepEqual(offered(commands, text), closed());
  });
}

test("arrows move and stop at the ends", () => {
  const menu = offered(commands, "/");

  assert.equal(stepped(menu, "ArrowUp").selected, 0);
  assert.equal(stepped(stepped(menu, "ArrowDown"), "ArrowDown").selected, 2);
});

test("a command is one typed whole, whatever stands around it", () => {
  assert.equal(command(commands, " /rewind "), "rewind");
  assert.equal(command(commands, "/Undo"), "undo");
  assert.equal(command(commands, "/rew"), "");
  assert.equal(command(commands, "rewind"), "");
  assert.equal(command(commands, "/rewind now"), "");
});
