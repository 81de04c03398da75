/**
 * The rows of the /rewind list in the document, in blocks the browser draws only when they come into view.
 * Filtering sizes every block at once, and goes through the rows of those in view; the others follow when there is time.
 */

const SLICE_MS = 4;

/** @typedef {{block: HTMLElement, rows: HTMLElement[], first: number, off: Uint8Array, all: number[], shown: number[], done: boolean, size: number, none: boolean}} Part */

/** @param {HTMLElement} list */
export function pickerRows(list) {
  /** @type {Part[]} */
  let parts = [];
  /** @type {HTMLElement[]} */
  let rows = [];
  let later = 0;

  /** Look the rows up again. */
  function load() {
    let first = 0;
    parts = /** @type {HTMLElement[]} */ ([...list.children]).map((block) => {
      const own = /** @type {HTMLElement[]} */ ([...block.querySelectorAll(".row")]);
      const off = Uint8Array.from(own, (row) => (row.hidden ? 1 : 0));
      const all = Array.from(own, (_, index) => first + index);
      const part = { block, rows: own, first, off, all, shown: all, size: -1, done: true, none: block.classList.contains("none") };
      first += own.length;
      return part;
    });
    rows = parts.flatMap((part) => part.rows);
  }

  /** Show the rows with these indexes, ascending. @param {number[]} shown @param {boolean} filtered */
  function match(shown, filtered) {
    const height = Number.parseFloat(getComputedStyle(list).getPropertyValue("--row"));
    list.classList.toggle("filtered", filtered);
    let next = 0;
    for (const part of parts) {
      const from = next;
      const end = part.first + part.rows.length;
      while (next < shown.length && (shown[next] ?? end) < end) next += 1;
      const count = next - from;
      part.done = false;
      part.shown = count === part.rows.length ? part.all : shown.slice(from, next);
      if (part.none !== (count === 0)) part.block.classList.toggle("none", (part.none = count === 0));
      if (count > 0 && part.size !== count) part.block.style.containIntrinsicSize = `auto none auto ${count * height}px`;
      if (count > 0) part.size = count;
    }
    settleInView();
    settleLater();
  }

  /** @param {Part} part */
  function settle(part) {
    if (part.done) return;
    part.done = true;
    let at = 0;
    for (let index = 0; index < part.rows.length; index += 1) {
      const matches = part.shown[at] === part.first + index;
      if (matches) at += 1;
      if (part.off[index] === (matches ? 0 : 1)) continue;
      part.off[index] = matches ? 0 : 1;
      /** @type {HTMLElement} */ (part.rows[index]).hidden = !matches;
    }
  }

  function settleInView() {
    for (const part of partsInView()) settle(part);
  }

  function settleLater() {
    clearTimeout(later);
    later = window.setTimeout(() => {
      const until = performance.now() + SLICE_MS;
      for (const part of parts) {
        if (performance.now() > until) return settleLater();
        settle(part);
      }
    }, SLICE_MS);
  }

  /** @param {Element} element */
  function meets(element) {
    const frame = list.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    return box.height > 0 && box.bottom > frame.top && box.top < frame.bottom;
  }

  const partsInView = () => parts.filter((part) => !part.none && meets(part.block));

  /** Bring a row into view. @param {number} index */
  function reveal(index) {
    const part = parts.find((one) => index < one.first + one.rows.length);
    if (part) settle(part);
    rows[index]?.scrollIntoView({ block: "nearest" });
    settleInView();
  }

  list.addEventListener("scroll", settleInView, { passive: true });
  return {
    load,
    match,
    reveal,
    all: () => rows,
    inView: () => partsInView().flatMap((part) => part.rows.filter(meets)),
  };
}
