// What the person looks at: a command, a change, a new file, names and values. All of it; nothing is cut.

import { code, diff, parts } from "./diff.js";
import { button, el, neutral, said, shown } from "./text.js";
import { count } from "./words.js";

const SIDE = "sayso-side";
/** Longer than this, a command does not fit on a screen, and that is said. */
const LONG_LINES = 20;
const LONG_CHARACTERS = 1600;

function isBeside() {
  return localStorage.getItem(SIDE) === "yes";
}

/** The body of a preview, whole. */
export function body(preview, again) {
  const whole = preview.full ?? preview;
  switch (whole.type) {
    case "command":
      return command(whole);
    case "diff":
      return change(whole, again);
    case "file_content":
      return content(whole);
    case "structured":
      return facts(whole.rows);
    case "binary":
      return el("p", { class: "binary" }, said(whole.path), ": ", said(whole.words));
    default:
      return numbered(whole.lines ?? [], null, false);
  }
}

function command(whole) {
  const lines = whole.lines;
  const box = el("pre", { class: "command", tabindex: "0", "aria-label": "the command" });
  lines.forEach((line, at) => {
    if (at > 0) box.append("\n");
    // Without colours: what looks like a comment to a page may be run by a shell.
    box.append(shown(line));
  });
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  const long = lines.length > LONG_LINES || characters > LONG_CHARACTERS;
  const words = `${count(lines.length, "line")} and ${count(characters, "character")}, and all of them run: read to the end`;
  return el("div", {}, long && el("p", { class: "long" }, words), box, el("span", { "data-end": "unseen" }));
}

function change(whole, again) {
  const side = isBeside();
  const turn = button({ class: "quiet", "data-key": "u" }, () => toggleSide(again), side ? "unified" : "side by side", " ", el("kbd", {}, "u"));
  const head = el("p", { class: "file" }, said(whole.path, { class: "path" }), el("span", { class: "plus" }, `+${whole.added}`), " ", el("span", { class: "minus" }, `−${whole.removed}`), turn);
  return el("div", {}, head, diff(whole, side));
}

/** Turns a diff from one view to the other. */
export function toggleSide(again) {
  localStorage.setItem(SIDE, isBeside() ? "no" : "yes");
  again();
}

function content(whole) {
  const head = el("p", { class: "file" }, said(whole.path, { class: "path" }), `${whole.over ? "" : "new, "}${count(whole.lines.length, "line")}, ${count(whole.size, "byte")}`, whole.over ? [" ", said(whole.over)] : null);
  return el("div", {}, head, numbered(whole.lines, whole.language, true));
}

function numbered(lines, language, isNew) {
  const box = el("div", { class: "diff", tabindex: "0", role: "group", "aria-label": "the content" });
  box.style.setProperty("--digits", String(String(lines.length).length));
  const rows = lines.map((text, at) => ({ text, at: at + 1 }));
  const draw = ({ text, at }) => {
    const sign = isNew && el("span", { class: "sign" }, "+");
    return el("div", { class: isNew ? "row added new" : "row new" }, el("span", { class: "number" }, at), sign, el("code", {}, code([{ text, emphasised: false }], language)));
  };
  box.append(...parts(rows, (row) => row.text.length, draw));
  return box;
}

/** Names and values. */
export function facts(rows) {
  const list = el("dl", { class: "facts" });
  for (const { label, value } of rows) {
    list.append(el("dt", {}, said(label)), el("dd", {}, el("bdi", { class: isLong(value) ? "mono" : null }, shown(value))));
  }
  return list;
}

function isLong(value) {
  return neutral(value).includes("/") || neutral(value).includes("\n");
}
