/** The input with its slash menu. Nothing is sent from here but commands. */

import { composing, modified } from "./keys.js";
import * as slash from "./slash.js";

/** @param {(command: string) => void} run  is given a command's name, or "say" for any other text */
export function composer(run) {
  let state = slash.closed();
  let given = "";

  const field = () => /** @type {HTMLTextAreaElement | null} */ (document.getElementById("input"));
  const menu = () => document.getElementById("slash");
  const options = () => /** @type {HTMLElement[]} */ ([...(menu()?.children ?? [])]);
  const commands = () => options().map((option) => option.dataset.command ?? "");

  function show() {
    const list = menu();
    const input = field();
    if (!list || !input) return;
    const selected = state.names[state.selected];
    for (const option of options()) {
      option.hidden = !state.names.includes(option.dataset.command ?? "");
      option.setAttribute("aria-selected", String(option.dataset.command === selected));
    }
    list.hidden = !state.open;
    if (state.open && selected) input.setAttribute("aria-activedescendant", `slash-${selected}`);
    else input.removeAttribute("aria-activedescendant");
  }

  function grow() {
    const input = field();
    if (!input) return;
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight, 220)}px`;
  }

  function close() {
    state = slash.closed();
    show();
  }

  /** @param {string} text */
  function put(text) {
    const input = field();
    if (!input) return;
    input.value = text;
    given = text;
    close();
    grow();
    input.setSelectionRange(text.length, text.length);
  }

  /** @param {string} name */
  function start(name) {
    put("");
    run(name);
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  function key(event) {
    const input = field();
    if (!input || event.target !== input || composing(event) || modified(event) || event.shiftKey) return false;
    if (state.open && (event.key === "ArrowUp" || event.key === "ArrowDown")) state = slash.stepped(state, event.key);
    else if (state.open && event.key === "Escape") state = slash.closed();
    else if (state.open && event.key === "Tab") put(`/${state.names[state.selected]}`);
    else if (event.key === "Enter") enter(input);
    else return false;
    show();
    event.preventDefault();
    return true;
  }

  /** @param {HTMLTextAreaElement} input */
  function enter(input) {
    const name = slash.command(commands(), input.value) || (state.open ? (state.names[state.selected] ?? "") : "");
    if (name) start(name);
    else if (input.value.trim()) run("say");
  }

  document.addEventListener("input", (event) => {
    if (event.target !== field()) return;
    state = slash.offered(commands(), field()?.value ?? "");
    show();
    grow();
  });
  document.addEventListener("mousedown", (event) => {
    const option = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("#slash [data-command]"));
    if (option) event.preventDefault();
    else if (state.open && event.target !== field()) close();
  });
  document.addEventListener("click", (event) => {
    const option = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("#slash [data-command]"));
    if (option) start(option.dataset.command ?? "");
  });
  return {
    key,
    put,
    focus: () => field()?.focus(),
    text: () => field()?.value ?? "",
    /** Take back the text a rewind put here, unless it was changed since. */
    clear: () => (field()?.value === given ? put("") : undefined),
  };
}
