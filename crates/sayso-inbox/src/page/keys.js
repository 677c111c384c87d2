// Which key does what, and the page that says so.

import { button, el } from "./text.js";

const KEYS = [
  ["j  k", "the next prompt, the one before (also ↓ ↑)"],
  ["y", "allow once; what is dangerous takes a second prompt and a second y"],
  ["n", "deny"],
  ["d", "deny, and say why: the agent is told"],
  ["s", "allow further: shows what would be kept, word by word; a number chooses"],
  ["p", "allow a pattern of your own, where one is possible"],
  ["r", "allow the rest of its batch, where one is possible"],
  ["q", "deny, and stop its batch"],
  ["v", "the prompt over the whole window, and back"],
  ["u", "a change unified, or side by side"],
  ["/", "search"],
  ["i  h  g", "inbox, history, what is remembered"],
  ["Esc", "leave a choice, a search, or a wide prompt"],
  ["?", "this"],
];

/** Whether keys are text where the cursor is. */
function isTyping(target) {
  // Nothing is typed into a choice of scopes.
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.type !== "radio";
  return target instanceof HTMLElement && (target.isContentEditable || isField);
}

/** Calls `pressed` with each key that may mean something. A key that is held down counts once, but for those that move. */
export function listen(pressed) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    const moves = ["j", "k", "ArrowDown", "ArrowUp"].includes(event.key);
    if (event.repeat && !moves) return;
    if (isTyping(event.target) && event.key !== "Escape") return;
    const inside = event.target instanceof HTMLElement && event.target.closest(".diff, .command, .arguments, .scopes");
    if (inside && event.key.startsWith("Arrow")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (pressed(key, event.target)) event.preventDefault();
  });
}

/** Shows what the keys do. */
export function help() {
  const rows = KEYS.map(([keys, words]) => el("tr", {}, el("th", { scope: "row" }, ...keys.split("  ").map((key) => [el("kbd", {}, key), " "])), el("td", {}, words)));
  const dialog = el(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Keys"),
    el("table", {}, el("tbody", {}, ...rows)),
    el("p", { class: "faint" }, "Enter never allows anything. What is pressed less than 300 ms after a prompt came to the screen does not count."),
  );
  dialog.append(button({}, () => dialog.close(), "close"));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "?") dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
