// The list of what is open, by agent and session; the oldest first. It can be searched, and one of it is selected.

import { button, el, neutral, raw, said, visible } from "./text.js";
import { clock, count, levelWords } from "./words.js";

/** So many rows are drawn; more when they are asked for. */
const DRAWN = 200;

export class List {
  constructor(inbox, chosen) {
    this.inbox = inbox;
    this.chosen = chosen;
    this.selected = null;
    this.drawn = DRAWN;
    this.search = el("input", { type: "search", placeholder: "search  /", "aria-label": "search what is open", autocomplete: "off", spellcheck: "false", maxlength: "200" });
    this.search.addEventListener("input", () => this.draw());
    this.box = el("div", { class: "rows", role: "listbox", tabindex: "0", "aria-label": "open prompts" });
    this.box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-id]");
      if (row) this.chosen(row.dataset.id, true);
    });
    this.more = button({ class: "quiet more", hidden: true }, () => {
      this.drawn += DRAWN;
      this.draw();
    });
    this.empty = el("p", { class: "nothing" });
    this.element = el("section", { class: "list", "aria-label": "what is open" }, this.search, this.empty, this.box, this.more);
  }

  /** What fits the search, in groups; what is selected stays until another one is, though it has ended. */
  groups() {
    const wanted = this.search.value.trim().toLowerCase();
    const groups = new Map();
    const ended = this.selected && !this.inbox.open.has(this.selected.id) ? [this.selected] : [];
    for (const prompt of [...this.inbox.open.values(), ...ended]) {
      const text = [prompt.sentence, prompt.message, prompt.tool, prompt.agent, prompt.workspace, prompt.level, visible(prompt.session), prompt.parents.join(" ")].join("\n");
      if (wanted && !text.toLowerCase().includes(wanted)) continue;
      const name = JSON.stringify([prompt.agent, prompt.session, prompt.workspace]);
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(prompt);
    }
    for (const prompts of groups.values()) prompts.sort((one, two) => one.opened_at - two.opened_at);
    return [...groups.values()];
  }

  /** The rows as they stand on the screen. */
  order() {
    return this.groups().flat();
  }

  select(prompt) {
    this.selected = prompt;
    this.draw();
    const row = this.box.querySelector("[aria-selected=true]");
    row?.scrollIntoView({ block: "nearest" });
  }

  /** The next one, or the one before. Those that have ended are left behind. */
  step(by) {
    const order = this.order();
    const at = this.selected ? order.findIndex((prompt) => prompt.id === this.selected.id) : -1;
    const open = (prompt) => prompt && this.inbox.open.has(prompt.id);
    let next = at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by;
    while (next >= 0 && next < order.length && !open(order[next])) next += by;
    if (next >= this.drawn) this.drawn = next + DRAWN;
    if (open(order[next])) this.chosen(order[next].id, true);
  }

  /** The one to look at after this one. */
  after(id) {
    const order = this.order();
    const at = order.findIndex((prompt) => prompt.id === id);
    const rest = [...order.slice(at + 1), ...order.slice(0, Math.max(at, 0))];
    return rest.find((prompt) => this.inbox.open.has(prompt.id)) ?? null;
  }

  draw() {
    let left = this.drawn;
    const groups = this.groups();
    const total = groups.reduce((sum, group) => sum + group.length, 0);
    const parts = [];
    groups.forEach((prompts, at) => {
      const rows = prompts.slice(0, Math.max(left, 0));
      left -= rows.length;
      if (rows.length > 0) parts.push(this.group(prompts, rows, at));
    });
    this.box.replaceChildren(...parts);
    this.box.hidden = total === 0;
    const active = this.box.querySelector("[aria-selected=true]");
    if (active) this.box.setAttribute("aria-activedescendant", active.id);
    else this.box.removeAttribute("aria-activedescendant");
    const beyond = this.inbox.total - this.inbox.open.size;
    this.more.hidden = total <= this.drawn && beyond <= 0;
    this.more.textContent = total > this.drawn ? `show more of ${count(total, "prompt")}` : `${count(beyond, "more", "more")} follow when these are answered`;
    this.empty.hidden = total > 0;
    this.empty.textContent = this.search.value.trim() ? "nothing open fits the search" : "nothing is open";
  }

  group(prompts, rows, at) {
    const first = prompts[0];
    const name = `group-${at}`;
    const folder = neutral(first.workspace).split("/").pop() || "/";
    const head = el(
      "div",
      { class: "group-head", id: name },
      el("strong", {}, said(first.agent || "an agent")),
      el("span", { class: "faint" }, el("bdi", {}, folder)),
      first.session && el("span", { class: "faint session" }, el("bdi", {}, raw(first.session))),
      el("span", { class: "count" }, prompts.length),
    );
    return el("div", { class: "group", role: "group", "aria-labelledby": name }, head, ...rows.map((prompt) => this.row(prompt)));
  }

  row(prompt) {
    const ended = !this.inbox.open.has(prompt.id);
    const state = prompt.is_dangerous ? "dangerous" : `risk-${neutral(prompt.level)}`;
    const isSelected = this.selected?.id === prompt.id;
    return el(
      "div",
      { class: `prompt-row ${state}${ended ? " done" : ""}`, role: "option", id: `row-${prompt.id}`, "data-id": prompt.id, "aria-selected": isSelected ? "true" : "false" },
      el("span", { class: "brief" }, said(prompt.sentence)),
      el("span", { class: "faint call" }, said(prompt.message)),
      el(
        "span",
        { class: "under" },
        badge(prompt),
        prompt.round === "second" && el("span", { class: "badge dangerous" }, "2 of 2"),
        el("span", { class: "faint left", "data-until": ended ? null : prompt.expires_at }, ended ? "over" : left(prompt, this.inbox.now())),
      ),
    );
  }

  /** The deadline of a prompt has moved: its row shows the new one. */
  moved(id) {
    const prompt = this.inbox.open.get(id);
    const one = prompt && this.box.querySelector(`[data-id="${CSS.escape(id)}"] [data-until]`);
    if (!one || prompt.expires_at === null) return;
    one.dataset.until = prompt.expires_at;
    one.textContent = left(prompt, this.inbox.now());
  }

  /** Only the clocks. */
  tick() {
    const now = this.inbox.now();
    for (const one of this.box.querySelectorAll("[data-until]")) one.textContent = clock((Number(one.dataset.until) - now) / 1000);
  }
}

function left(prompt, now) {
  return prompt.expires_at === null ? "" : clock((prompt.expires_at - now) / 1000);
}

/** How risky it is, in a word that does not need its colour. */
export function badge(prompt) {
  const kind = prompt.is_dangerous ? "dangerous" : `risk-${["low", "medium"].includes(prompt.level) ? prompt.level : "high"}`;
  return el("span", { class: `badge ${kind}` }, levelWords(prompt.level));
}
