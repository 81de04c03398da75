/** The one module that knows what is on the other side: an editor's webview host, or a WebSocket. */

/** @typedef {import("./types.js").Bridge} Bridge */
/** @typedef {import("./types.js").Listener} Listener */
/** @typedef {import("./types.js").Message} Message */

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

/** @param {Listener} listener @returns {Bridge} */
export function connect(listener) {
  return typeof acquireVsCodeApi === "function" ? editor(listener) : browser(listener);
}

/** @param {Listener} listener @returns {Bridge} */
function editor(listener) {
  const host = acquireVsCodeApi();
  window.addEventListener("message", (event) => listener.received(event.data));
  queueMicrotask(() => listener.opened());
  return {
    send(message) {
      host.postMessage(message);
      return true;
    },
    remember: (session) => host.setState({ session }),
    recall: () => /** @type {{session?: string} | undefined} */ (host.getState())?.session ?? "",
  };
}

/** @param {Listener} listener @returns {Bridge} */
function browser(listener) {
  /** @type {WebSocket | undefined} */
  let socket;
  let wait = FIRST_WAIT_MS;
  const open = () => {
    const fresh = new WebSocket(`ws://${location.host}/socket`);
    socket = fresh;
    fresh.addEventListener("open", () => {
      wait = FIRST_WAIT_MS;
      listener.opened();
    });
    fresh.addEventListener("message", (event) => listener.received(/** @type {Message} */ (JSON.parse(event.data))));
    fresh.addEventListener("close", () => {
      listener.lost();
      setTimeout(open, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    });
  };
  queueMicrotask(open);
  return {
    send(message) {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
    remember: (session) => sessionStorage.setItem("session", session),
    recall: () => sessionStorage.getItem("session") ?? "",
  };
}
