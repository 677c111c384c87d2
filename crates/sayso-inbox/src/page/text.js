// Builds what is on the page: text gets in as text only, and nothing in it can hide or turn the reading direction.

/** Names that would make text into code, an address or a style. Nothing here needs them. */
const REFUSED = /^(on|href$|src|style$|action$|formaction$|xlink)/i;

/** An element with attributes and children; children that are no elements become text. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (REFUSED.test(name)) throw new Error(`\`${name}\` is not set from here`);
    made.setAttribute(name, value === true ? "" : String(value));
  }
  add(made, children);
  return made;
}

function add(to, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    to.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** A button that does something. */
export function button(attributes, does, ...children) {
  const made = el("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", does);
  return made;
}

/** Every character that the server spells out for what it is: the same table as `sayso_core::text::visible`. */
const HIDDEN = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffc\\u{13430}-\\u{1343f}\\u{16fe4}\\u{1bca0}-\\u{1bca3}\\u{1d159}" +
    "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u2800\\u3000\\ue000-\\uf8ff\\ufdd0-\\ufdef" +
    "\\u{f0000}-\\u{10ffff}\\p{Cs}" +
    Array.from({ length: 15 }, (_, plane) => `\\u{${(plane * 65536 + 65534).toString(16)}}\\u{${(plane * 65536 + 65535).toString(16)}}`).join("") +
    "]",
  "gu",
);
/** What the spelling itself is made of. */
const SPELLING = /[\u2039\u2400-\u2421]/gu;
const EVERY = new RegExp(`${HIDDEN.source}|${SPELLING.source}`, "gu");
const OF_SPELLING = new RegExp(SPELLING.source, "u");
/** A character as the server or this page spelled it out. */
const SPELLED = /\u2039U\+[0-9A-F]{4,6}\u203a|[\u2400-\u2421]/gu;

function code(character) {
  return `\u2039U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u203a`;
}

function spelled(character) {
  const point = character.codePointAt(0);
  if (point < 32) return String.fromCharCode(0x2400 + point);
  return point === 127 ? "\u2421" : code(character);
}

/** A text as it came, on one line, with everything spelled out that is not plainly visible. */
export function visible(text) {
  // In one go, so that what is written here is not spelled out again.
  return String(text).replace(EVERY, (character) => (OF_SPELLING.test(character) ? code(character) : spelled(character)));
}

/** A text that the server has spelled out already. Should it hide something all the same, that is spelled out; line breaks and tabs stay. */
export function neutral(text) {
  return String(text ?? "").replace(HIDDEN, (character) => (character === "\n" || character === "\t" ? character : spelled(character)));
}

const CALLED = "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US SP DEL".split(" ");

/** What a control character is called: few fonts have its picture. None for a code, which says it itself. */
function called(spelling) {
  return spelling.length === 1 ? (CALLED[spelling.charCodeAt(0) - 0x2400] ?? null) : null;
}

/** Ranges of a text that were spelled out. */
export function escapes(text) {
  if (!OF_SPELLING.test(text)) return [];
  return Array.from(text.matchAll(SPELLED), (found) => ({ from: found.index, to: found.index + found[0].length, name: "escape", title: called(found[0]) }));
}

/** A text with marked ranges, as nodes. It is cut at the ends of the ranges and nothing else is done to it, so that it stays what it was. */
export function marked(text, ranges) {
  const out = document.createDocumentFragment();
  if (ranges.length === 0) {
    if (text !== "") out.append(document.createTextNode(text));
    return out;
  }
  const cuts = new Set([0, text.length]);
  for (const range of ranges) cuts.add(range.from).add(range.to);
  const ends = [...cuts].filter((at) => at >= 0 && at <= text.length).sort((one, two) => one - two);
  const byStart = [...ranges].sort((one, two) => one.from - two.from);
  let open = [];
  let next = 0;
  for (let at = 0; at + 1 < ends.length; at += 1) {
    const from = ends[at];
    while (next < byStart.length && byStart[next].from <= from) open.push(byStart[next++]);
    open = open.filter((range) => range.to > from);
    const part = document.createTextNode(text.slice(from, ends[at + 1]));
    if (open.length === 0) out.append(part);
    else out.append(el("span", { class: open.map((range) => range.name).join(" "), "data-called": open.find((range) => range.title)?.title }, part));
  }
  return out;
}

/** A text of the server's as nodes, with a warning style on what was spelled out. */
export function shown(text) {
  const safe = neutral(text);
  return marked(safe, escapes(safe));
}

/** A text as it came, as nodes. */
export function raw(text) {
  const safe = visible(text);
  return marked(safe, escapes(safe));
}

/** A text in a box of its own, in which its direction stays. */
export function said(text, attributes = {}) {
  return el("bdi", attributes, shown(text));
}
