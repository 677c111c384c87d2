// A change of a file, unified or side by side. Long ones are built in parts, when they come near the screen.

import { el, escapes, marked, neutral } from "./text.js";
import { highlight } from "./highlight.js";

/** A part has so many lines or characters, whichever is reached first. */
const LINES = 200;
const CHARACTERS = 48_000;

const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) fill(entry.target);
  },
  { rootMargin: "1200px 0px" },
);
const waiting = new WeakMap();

function fill(part) {
  const build = waiting.get(part);
  if (!build) return;
  waiting.delete(part);
  near.unobserve(part);
  part.replaceChildren(...build());
  part.classList.remove("empty");
}

/** Rows as parts of a long text; `size` says how many characters a row has. */
export function parts(rows, size, draw) {
  const out = [];
  let from = 0;
  while (from < rows.length) {
    let to = from;
    let characters = 0;
    while (to < rows.length && to - from < LINES && characters < CHARACTERS) characters += size(rows[to++]);
    const [start, end] = [from, to];
    const part = el("div", { class: "part empty" });
    // About as tall as it will be, so that the bar beside it does not jump.
    part.style.setProperty("--lines", String(Math.max(end - start, Math.ceil(characters / 90))));
    waiting.set(part, () => rows.slice(start, end).map(draw));
    if (out.length === 0) fill(part);
    else near.observe(part);
    out.push(part);
    from = end;
  }
  return out;
}

/** The text of a line, with its colours, with what differs in it, and with what was spelled out. */
export function code(pieces, language) {
  const ranges = [];
  let text = "";
  for (const piece of pieces) {
    const part = neutral(piece.text);
    if (piece.emphasised && part !== "") ranges.push({ from: text.length, to: text.length + part.length, name: "differs" });
    text += part;
  }
  return marked(text, [...highlight(text, language), ...ranges, ...escapes(text)]);
}

const SIGNS = { same: " ", removed: "-", added: "+" };
const length = (line) => line.pieces.reduce((sum, piece) => sum + piece.text.length, 0);

function number(value) {
  return el("span", { class: "number" }, value ?? "");
}

function unified(diff) {
  const rows = [];
  for (const hunk of diff.hunks) {
    rows.push({ hunk });
    for (const line of hunk.lines) rows.push({ line });
  }
  const draw = ({ hunk, line }) => {
    if (hunk) return place(hunk);
    const sign = el("span", { class: "sign" }, SIGNS[line.change] ?? " ");
    return el("div", { class: `row ${line.change}` }, number(line.old), number(line.new), sign, el("code", {}, code(line.pieces, diff.language)));
  };
  return parts(rows, (row) => (row.line ? length(row.line) : 0), draw);
}

function place(hunk) {
  return el("div", { class: "row place" }, `line ${hunk.old_start} → ${hunk.new_start}`);
}

/** Lines that go stand beside the lines that come for them. */
function pairs(hunk) {
  const rows = [];
  let [gone, come] = [[], []];
  const flush = () => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1) rows.push({ left: gone[at] ?? null, right: come[at] ?? null });
    [gone, come] = [[], []];
  };
  for (const line of hunk.lines) {
    if (line.change === "removed") {
      if (come.length > 0) flush();
      gone.push(line);
    } else if (line.change === "added") {
      come.push(line);
    } else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}

function beside(diff) {
  const rows = diff.hunks.flatMap((hunk) => [{ hunk }, ...pairs(hunk)]);
  const half = (line, which) => {
    if (!line) return el("div", { class: "half none" });
    const sign = el("span", { class: "sign" }, SIGNS[line.change] ?? " ");
    return el("div", { class: `half ${line.change}` }, number(which === "left" ? line.old : line.new), sign, el("code", {}, code(line.pieces, diff.language)));
  };
  const draw = ({ hunk, left, right }) => (hunk ? place(hunk) : el("div", { class: "row pair" }, half(left, "left"), half(right, "right")));
  return parts(rows, (row) => (row.left ? length(row.left) : 0) + (row.right ? length(row.right) : 0), draw);
}

/** A diff. `side` is true for side by side. */
export function diff(change, side) {
  const box = el("div", { class: side ? "diff beside" : "diff", tabindex: "0", role: "group", "aria-label": `change of ${neutral(change.path)}` });
  const highest = change.hunks.reduce((most, hunk) => Math.max(most, hunk.old_start + hunk.lines.length, hunk.new_start + hunk.lines.length), 0);
  box.style.setProperty("--digits", String(String(highest).length));
  box.append(...(side ? beside(change) : unified(change)));
  return box;
}
