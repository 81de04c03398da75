/** Wires the page: messages in, intents out. State that is not on the page lives in the modules it wires. */

import { connect } from "./bridge.js";
import { composer } from "./composer.js";
import { dialogView } from "./dialog.js";
import { composing } from "./keys.js";
import { anchor, apply, hold } from "./patches.js";
import { pickerView } from "./picker_view.js";
import * as tracks from "./track.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Effect} Effect */

const SLOW_MS = 300;
const scroller = /** @type {HTMLElement} */ (document.getElementById("main"));
const messages = /** @type {HTMLElement} */ (document.getElementById("messages"));
const offline = /** @type {HTMLElement} */ (document.getElementById("offline"));
/** The name of this view, where an editor has several over one connection. */
const view = document.body.dataset.view;
const address = new URLSearchParams(location.search);
let track = tracks.start();
let calls = 0;
/** Intents under way; one that takes a while shows. @type {Set<number>} */
const pending = new Set();
/** What to do with an answer; without a result it is an error. @type {Map<number, (result?: View) => void>} */
const waiting = new Map();

const bridge = connect({
  opened: () => {
    offline.hidden = true;
    reopen();
  },
  lost: () => {
    offline.hidden = false;
    waiting.clear();
    pending.clear();
    document.body.classList.remove("waiting");
  },
  received(message) {
    if (message.method === "respool/view/patch") patched(/** @type {View} */ (message.params));
    else if (message.id !== undefined) answered(message);
  },
});

/** @param {import("./types.js").Message} message */
function answered(message) {
  const id = message.id ?? 0;
  pending.delete(id);
  document.body.classList.toggle("waiting", pending.size > 0 && document.body.classList.contains("waiting"));
  const then = waiting.get(id);
  waiting.delete(id);
  then?.(/** @type {View | undefined} */ (message.result));
}

/** @param {string} method @param {object} params @param {(result?: View) => void} [then] */
function call(method, params, then) {
  calls += 1;
  const id = calls;
  if (then) waiting.set(id, then);
  if (!bridge.send({ jsonrpc: "2.0", id, method, params: { ...(view && { view }), ...params } })) return 0;
  return id;
}

/** @param {number} id */
function showIfSlow(id) {
  pending.add(id);
  setTimeout(() => document.body.classList.toggle("waiting", pending.size > 0), SLOW_MS);
}

/** Draw everything anew: at the start, after a lost connection, after a missed patch. */
function reopen(session = current()) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const where = session ? { session } : {};
  const params = { ...where, language: document.documentElement.lang, timezone: zone, request: track.next };
  call("respool/view/open", params, (drawn) => {
    address.delete("session");
    if (!drawn) return session ? reopen("") : undefined;
    track = tracks.reopened(track, drawn);
    show(drawn);
    clean();
    scroller.scrollTop = scroller.scrollHeight;
    if (document.activeElement === document.body) input.focus();
  });
}

const current = () => document.querySelector(".box")?.getAttribute("data-session") ?? address.get("session") ?? bridge.recall();

/** @param {View} patches */
function patched(patches) {
  if (view && patches.view !== view) return;
  const taken = tracks.accept(track, patches);
  track = taken.track;
  if (taken.resync) reopen();
  else if (taken.view) show(taken.view);
}

/** @param {View} drawn */
function show(drawn) {
  const kept = anchor(scroller, messages);
  const changed = apply(document, drawn.patches);
  picker.refresh(changed);
  dialog.refresh(changed);
  hold(scroller, kept);
  for (const effect of drawn.effects ?? []) perform(effect);
  if (changed.has("composer")) bridge.remember(document.querySelector(".box")?.getAttribute("data-session") ?? "");
  if (changed.has("top")) document.title = `${document.querySelector("#top h1")?.textContent ?? ""} · Respool`;
}

/** @param {Effect} effect */
function perform(effect) {
  if (effect.kind === "focus") document.getElementById(effect.id ?? "")?.focus();
  else if (effect.kind === "input") input.put(effect.text ?? "");
  else if (effect.kind === "clear") input.clear();
  else scroller.scrollTop = scroller.scrollHeight;
}

/** @param {string} intent @param {object} [params] @param {{closes?: boolean, done?: () => void}} [options] */
function ask(intent, params = {}, { closes = false, done } = {}) {
  const numbered = tracks.number(track, closes);
  track = numbered.track;
  const id = call("respool/view/intent", { intent, request: numbered.request, ...params }, done);
  if (id && intent !== "counts") showIfSlow(id);
}

function closePicker() {
  picker.hide();
  ask("close", {}, { closes: true });
  input.focus();
}

const picker = pickerView({
  choose: (to) => {
    picker.hide();
    input.focus();
    ask("choose", { to });
  },
  close: closePicker,
  count: (to) => ask("counts", { to }),
});
const dialog = dialogView({
  cancel: () => {
    dialog.hide();
    ask("cancel", {}, { closes: true });
  },
  confirm: (digest) => ask("confirm", { digest }),
  adjust: (settings, done) => ask("adjust", settings, { done }),
});
const input = composer((command) => ask(command));
gutter();
window.addEventListener("resize", gutter);

document.addEventListener("keydown", (event) => {
  if (dialog.key(event) || picker.key(event) || input.key(event)) event.stopPropagation();
  else if (event.key === "Escape" && pending.size > 0 && !composing(event)) ask("close", {}, { closes: true });
});
document.addEventListener("mousedown", (event) => {
  if (picker.isOpen() && !dialog.isOpen() && !(/** @type {Element} */ (event.target).closest("#picker, #open-picker"))) closePicker();
});
document.addEventListener("click", (event) => {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("button"));
  if (!button) return;
  if (button.id === "picker-close") closePicker();
  else if (button.id === "open-picker") picker.isOpen() ? closePicker() : ask("rewind");
  else if (button.id === "copy-input") copy(input.text());
  else if (button.dataset.copy) copy(document.getElementById(button.dataset.copy)?.textContent ?? "");
  else if (button.closest("#app") && button.dataset.intent) pressed(button);
});

/** @param {HTMLElement} button */
function pressed(button) {
  const { intent = "", to, path, everywhere } = button.dataset;
  const named = { ...(to && { to }), ...(path && { path }), ...(everywhere && { everywhere: everywhere === "true" }) };
  ask(intent, named);
  if (intent === "dismiss") input.focus();
}

/** @param {string} text */
function copy(text) {
  navigator.clipboard?.writeText(text).catch(() => undefined);
}

/** What a scroll bar takes of each side, so that the conversation stands exactly above the input. */
function gutter() {
  document.body.style.setProperty("--gutter", `${(scroller.offsetWidth - scroller.clientWidth) / 2}px`);
}

/** The token is used up, and where one is changes: neither stays in the address. */
function clean() {
  address.delete("token");
  history.replaceState(null, "", `${location.pathname}${address.size > 0 ? `?${address}` : ""}`);
}
