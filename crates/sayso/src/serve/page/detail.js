// One prompt with everything that there is to know about it, how long it waits, and its answers.

import { call, part } from "./api.js";
import { Answers } from "./answers.js";
import { body, facts, toggleSide } from "./body.js";
import { badge } from "./list.js";
import { button, el, raw, said, shown, visible } from "./text.js";
import { clock, ending, isAllowed, moment, wants } from "./words.js";

/** Somebody looks at it: that is said this often at most. */
const ACTIVITY = 20_000;

export class Detail {
  /** `moves.next` goes on to another prompt, `moves.back` to the list; `moves.answered` hears of an answer from here. */
  constructor(inbox, moves) {
    this.inbox = inbox;
    this.moves = moves;
    this.prompt = null;
    this.answers = null;
    this.told = 0;
    this.element = el("section", { class: "detail", "aria-label": "the prompt" });
    for (const kind of ["scroll", "pointerdown", "keydown"]) this.element.addEventListener(kind, () => this.activity(), { passive: true, capture: true });
    this.clear();
  }

  clear() {
    this.prompt = null;
    this.answers = null;
    const words = this.inbox.open.size > 0 ? "Choose a prompt: j and k move, ? shows all keys." : "Nothing waits for you.";
    this.element.className = "detail idle";
    this.element.replaceChildren(el("p", { class: "nothing" }, words));
  }

  /** Shows a prompt. Nothing on the screen can be answered until all of it is there. */
  async show(summary) {
    this.prompt = null;
    this.answers = null;
    this.wanted = summary.id;
    this.element.className = "detail idle";
    this.element.replaceChildren(el("p", { class: "nothing" }, "looking…"));
    let prompt;
    try {
      prompt = await call("GET", `/v1/prompts/${part(summary.id)}`);
    } catch (problem) {
      if (this.wanted !== summary.id) return;
      if (problem.ended) return this.inbox.ended.has(summary.id) ? this.draw({ ...summary, isShort: true }) : this.inbox.end(summary.id, problem.ended);
      const again = button({}, () => this.show(summary), "try again");
      this.element.replaceChildren(el("p", { class: "nothing", role: "alert" }, said(problem.words)), again);
      return;
    }
    if (this.wanted !== summary.id) return;
    this.draw(prompt);
    this.activity();
  }

  draw(prompt) {
    this.prompt = prompt;
    this.answers = null;
    const ended = this.inbox.ended.get(prompt.id);
    this.element.className = `detail${prompt.is_dangerous ? " dangerous" : ""}${prompt.round === "second" ? " second" : ""}`;
    this.clock = el("span", { class: "clock" });
    this.beside = el("p", { class: "beside-you", role: "status", hidden: true });
    const again = () => this.redrawBody();
    this.body = el("div", { class: "body" }, ...(prompt.isShort ? [el("p", {}, said(prompt.message))] : [body(prompt.preview, again), ...others(prompt, again)]));
    const scrolled = el("div", { class: "scrolled" }, this.head(prompt), this.beside, warnings(prompt), this.body, prompt.isShort ? null : rest(prompt));
    this.foot = el("div", { class: "foot" });
    this.element.replaceChildren(scrolled, this.foot);
    if (ended) this.over(ended);
    else {
      this.answers = new Answers(prompt, this.foot, this.moves);
      // Armed only once it has been painted.
      requestAnimationFrame(() => requestAnimationFrame(() => this.answers?.arm()));
    }
    this.tick();
    this.watchedBy();
  }

  redrawBody() {
    const prompt = this.prompt;
    if (prompt && !prompt.isShort) this.body.replaceChildren(body(prompt.preview, () => this.redrawBody()), ...others(prompt, () => this.redrawBody()));
  }

  /** Turns its diff, if it has one. */
  turn() {
    if (this.element.querySelector(".diff")) toggleSide(() => this.redrawBody());
  }

  head(prompt) {
    const lineage = prompt.parents.map((parent) => [" ← ", said(parent)]);
    const title = el("h2", { id: "title" }, said(prompt.agent || "An agent"), ` wants to ${wants(prompt.kind)}`);
    const place = prompt.place && prompt.place.total > 1 ? el("span", { class: "badge" }, `${prompt.place.index} of ${prompt.place.total}`) : null;
    const round = { first: "confirmation 1 of 2", second: "confirmation 2 of 2" }[prompt.round];
    return el(
      "header",
      { class: "prompt-head" },
      button({ class: "quiet back" }, () => this.moves.back(), "‹ list"),
      title,
      el("p", { class: "badges" }, badge(prompt), round && el("span", { class: "badge dangerous" }, round), place, this.clock),
      el("p", { class: "who" }, said(prompt.agent || "an agent"), ...lineage, prompt.session ? [" · session ", el("bdi", {}, raw(prompt.session))] : null, " · tool ", said(prompt.tool), " · ", prompt.door === "hook" ? "its call is held" : "submitted"),
    );
  }

  /** It ended while it was on the screen: that is said plainly, and there is nothing left to press but to go on. */
  over(ended) {
    this.answers = null;
    const mine = ended.by === this.inbox.me.name;
    const tone = isAllowed(ended.answer) ? "allowed" : "refused";
    const where = ended.by && !mine ? "Answered elsewhere. " : "";
    const next = button({ class: "next" }, () => this.moves.next(this.prompt?.id), "go on ", el("kbd", {}, "j"));
    this.foot.replaceChildren(el("p", { class: `over ${tone}`, role: "alert" }, el("strong", {}, where), said(ending(ended, this.inbox.me.name)), " ", el("span", { class: "faint" }, moment(ended.at))), next);
    this.clock?.replaceChildren();
    this.element.classList.add("ended");
  }

  /** Whoever else looks at it. */
  watchedBy() {
    const by = this.prompt && this.inbox.watched.get(this.prompt.id);
    if (!this.beside) return;
    this.beside.hidden = !by;
    this.beside.replaceChildren(...(by ? [said(by), " looks at this, too."] : []));
  }

  tick() {
    const prompt = this.prompt && this.inbox.open.get(this.prompt.id);
    if (!prompt || !this.clock) return;
    if (prompt.expires_at === null) return this.clock.replaceChildren("waits until it is answered");
    const seconds = (prompt.expires_at - this.inbox.now()) / 1000;
    this.clock.classList.toggle("soon", seconds < 30);
    this.clock.textContent = seconds > 0 ? `${clock(seconds)} left, then it is denied` : "its time is up";
  }

  activity() {
    const now = Date.now();
    if (!this.prompt || !this.answers || now - this.told < ACTIVITY) return;
    this.told = now;
    call("POST", `/v1/prompts/${part(this.prompt.id)}/activity`).catch(() => {});
  }
}

function warnings(prompt) {
  const all = prompt.isShort ? [] : prompt.warnings;
  if (all.length === 0) return null;
  return el("ul", { class: "warnings", "aria-label": "warnings" }, ...all.map((warning) => el("li", {}, said(warning))));
}

/** Other operations that the same answer is for. */
function others(prompt, again) {
  return prompt.group.map((member) => el("section", { class: "member" }, el("h3", {}, "and ", said(member.description)), body(member.preview, again)));
}

function rest(prompt) {
  const { context } = prompt;
  const said1 = new Set(prompt.warnings);
  const reasons = prompt.reasons.map((reason) =>
    el("li", {}, said1.has(reason.text) ? null : [said(reason.text), " "], el("span", { class: "faint" }, "[", said(reason.rule), ", ", said(reason.source), "]"), said1.has(reason.text) ? [" ", said(reason.text)] : null),
  );
  const rows = [{ label: "folder", value: context.folder }, { label: "workspace", value: context.workspace }, ...prompt.details, { label: "digest", value: prompt.digest }];
  const limit = prompt.timeout === null ? [] : [{ label: "waits", value: `${prompt.timeout} s, then it is denied` }];
  return el(
    "div",
    { class: "rest" },
    block("What it would do", context.effects.length > 0 ? el("ul", {}, ...context.effects.map((effect) => el("li", {}, said(effect)))) : el("p", {}, "nothing more is known")),
    block("Why it asks", el("ul", {}, ...reasons)),
    prompt.alike && block("Alike", el("p", {}, `${prompt.alike.count} prompts like this one are open.`), el("ul", {}, ...prompt.alike.differs.map((line) => el("li", {}, said(line))))),
    block("Facts", facts([...rows, ...limit, { label: "asked", value: moment(prompt.opened_at) }])),
    el("details", {}, el("summary", {}, "arguments, as they came"), el("pre", { class: "arguments", tabindex: "0", "aria-label": "arguments" }, shown(pretty(prompt.arguments)))),
  );
}

function block(title, ...content) {
  return el("section", { class: "block" }, el("h3", {}, title), ...content);
}

/** A value as text. Each text in it is spelled out first, so that its own line breaks can be told from ours. */
export function pretty(value) {
  const spelled = (one) => {
    if (typeof one === "string") return visible(one);
    if (Array.isArray(one)) return one.map(spelled);
    if (one && typeof one === "object") return Object.fromEntries(Object.entries(one).map(([name, inner]) => [visible(name), spelled(inner)]));
    return one;
  };
  return JSON.stringify(spelled(value), null, 2) ?? "";
}
