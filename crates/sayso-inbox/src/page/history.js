// What was asked and how it ended: the record, by filters, and each entry with all that belongs to its call.

import { call, part } from "./api.js";
import { button, el, raw, said, shown } from "./text.js";
import { pretty } from "./detail.js";
import { count, moment } from "./words.js";

const LISTED = 100;
const KINDS = [["", "calls"], ["all", "everything"], ["refused", "refused requests"]];
const OUTCOMES = ["", "approved", "auto_approved", "denied", "blocked", "timed_out", "cancelled", "nobody"];
const TIMES = [["", "at any time"], ["3600", "in the last hour"], ["86400", "in the last day"], ["604800", "in the last week"]];

export class History {
  constructor() {
    this.limit = LISTED;
    this.round = 0;
    this.known = new Map();
    const select = (label, choices) => el("select", { "aria-label": label }, ...choices.map(([value, words]) => el("option", { value }, words)));
    const field = (label) => el("input", { type: "search", "aria-label": label, placeholder: label, autocomplete: "off", spellcheck: "false", maxlength: "200" });
    this.text = field("text");
    this.agent = field("agent");
    this.session = field("session");
    this.tool = field("tool");
    this.outcome = select("outcome", OUTCOMES.map((word) => [word, word ? word.replace("_", " ") : "any outcome"]));
    this.since = select("time", TIMES);
    this.kind = select("kind", KINDS);
    const filters = el("div", { class: "filters", role: "search", "aria-label": "filters" }, this.text, this.agent, this.session, this.tool, this.outcome, this.since, this.kind);
    filters.addEventListener("input", () => this.later());
    this.sum = el("p", { class: "faint", role: "status" });
    this.rows = el("tbody", {});
    const titles = ["when", "who", "tool", "what", "outcome"].map((title) => el("th", { scope: "col" }, title));
    this.table = el("table", { class: "history" }, el("thead", {}, el("tr", {}, ...titles)), this.rows);
    this.more = button({ class: "quiet more", hidden: true }, () => {
      this.limit = Math.min(1000, this.limit * 2);
      this.draw();
    });
    this.element = el("section", { class: "page", "aria-label": "history" }, el("h2", {}, "History"), filters, this.sum, this.table, this.more);
  }

  /** Soon, when nothing more is typed or heard. */
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.draw(), 250);
  }

  async draw() {
    this.round += 1;
    const round = this.round;
    const since = this.since.value ? Date.now() - Number(this.since.value) * 1000 : "";
    const query = { limit: this.limit, text: this.text.value, agent: this.agent.value, session: this.session.value, tool: this.tool.value, outcome: this.outcome.value, kind: this.kind.value, since };
    let found;
    try {
      found = await call("GET", "/v1/audit", { query });
    } catch (problem) {
      if (round === this.round) this.sum.replaceChildren(said(problem.words));
      return;
    }
    if (round !== this.round) return;
    const entries = [...found.entries].sort((one, two) => two.number - one.number);
    this.sum.textContent = entries.length < found.total ? `the last ${entries.length} of ${count(found.total, "entry", "entries")}` : count(found.total, "entry", "entries");
    // Rows that are still the same stay, with what was opened below them.
    const known = this.known;
    this.known = new Map(entries.map((entry) => [JSON.stringify(entry), known.get(JSON.stringify(entry)) ?? row(entry)]));
    this.rows.replaceChildren(...[...this.known.values()].flat());
    this.table.hidden = entries.length === 0;
    this.more.hidden = entries.length >= found.total || this.limit >= 1000;
    this.more.textContent = "show more";
  }
}

const SIGNS = { approved: "✓", auto_approved: "✓", dry_run: "·" };

function row(entry) {
  const outcome = entry.outcome ?? entry.kind;
  const tone = entry.outcome === "approved" || entry.outcome === "auto_approved" ? "allowed" : entry.outcome ? "refused" : "plain";
  const story = el("td", { colspan: "5" });
  const below = el("tr", { class: "story", hidden: true }, story);
  const look = button({ class: "link", "aria-expanded": "false" }, () => toggle(), entry.what ? raw(entry.what) : `entry ${entry.number}`);
  const toggle = async () => {
    below.hidden = !below.hidden;
    look.setAttribute("aria-expanded", below.hidden ? "false" : "true");
    if (below.hidden || story.hasChildNodes()) return;
    try {
      const found = await call("GET", `/v1/audit/${part(String(entry.number))}`);
      story.replaceChildren(el("pre", { class: "arguments", tabindex: "0", "aria-label": `entry ${entry.number}` }, shown(pretty(found.story))));
    } catch (problem) {
      story.replaceChildren(said(problem.words));
    }
  };
  const cell = (label, ...content) => el("td", { "data-label": label }, ...content);
  return [
    el(
      "tr",
      { class: tone },
      cell("when", el("time", {}, moment(Date.parse(entry.time)))),
      cell("who", el("bdi", {}, raw(entry.agent ?? "")), entry.session ? el("span", { class: "faint session" }, el("bdi", {}, raw(entry.session))) : null),
      cell("tool", el("bdi", {}, raw(entry.tool ?? ""))),
      cell("what", look),
      cell("outcome", el("span", { class: "outcome" }, `${entry.outcome ? SIGNS[entry.outcome] ?? "✗" : "·"} `, el("bdi", {}, raw(String(outcome).replace("_", " ")))), entry.by_words ? el("span", { class: "faint" }, " by ", el("bdi", {}, raw(entry.by_words))) : null),
    ),
    below,
  ];
}
