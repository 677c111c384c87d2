// One prompt with everything that there is to know about it, how long it waits, and its answers.

import { call, part } from "./api.js";
import { Answers } from "./answers.js";
import { body, facts, toggleSide } from "./body.js";
import { badge } from "./list.js";
import { button, el, raw, said, shown, visible } from "./text.js";
import { clock, ending, isAllowed, moment } from "./words.js";

/** Somebody looks at it: that is said this often at most. */
const ACTIVITY = 20_000;
/** So many prompts of a group are shown with the one that is open. */
const MATES = 20;

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
    const mates = await this.mates(prompt);
    if (this.wanted !== summary.id) return;
    this.draw({ ...prompt, mates });
    this.activity();
  }

  /** Open prompts that whoever asks put into the same group, with everything that there is to see of them. */
  async mates(prompt) {
    if (!prompt.group_id || prompt.round !== "only") return [];
    const isMate = (other) => other.id !== prompt.id && other.group_id === prompt.group_id && other.session === prompt.session && other.agent === prompt.agent && other.round === "only";
    const found = [...this.inbox.open.values()].filter(isMate).slice(0, MATES);
    const all = await Promise.all(found.map((other) => call("GET", `/v1/prompts/${part(other.id)}`).catch(() => null)));
    return all.filter((other) => other !== null);
  }

  draw(prompt) {
    this.prompt = prompt;
    this.answers = null;
    const ended = this.inbox.ended.get(prompt.id);
    this.element.className = `detail${prompt.is_dangerous ? " dangerous" : ""}${prompt.round === "second" ? " second" : ""}`;
    this.clock = el("span", { class: "clock" });
    this.beside = el("p", { class: "beside-you", role: "status", hidden: true });
    const again = () => this.redrawBody();
    this.body = el("div", { class: "body" }, ...(prompt.isShort ? [el("p", {}, said(prompt.sentence))] : [body(prompt.preview, again), ...others(prompt, again)]));
    const scrolled = el("div", { class: "scrolled" }, this.head(prompt), this.beside, warnings(prompt), this.body, prompt.isShort ? null : reasons(prompt), prompt.isShort ? null : rest(prompt));
    this.foot = el("div", { class: "foot" });
    this.element.replaceChildren(scrolled, this.foot);
    if (ended) this.over(ended);
    else {
      this.answers = new Answers(prompt, this.foot, this.moves);
      if (prompt.mates?.length > 0) this.body.append(this.group(prompt));
      // Armed only once it has been painted.
      requestAnimationFrame(() => requestAnimationFrame(() => this.answers?.arm()));
    }
    this.tick();
    this.watchedBy();
  }

  /** The rest of its group, and one answer for all of it. */
  group(prompt) {
    const { mates } = prompt;
    const draw = (mate) => el("section", { class: "member" }, el("h3", {}, "and ", said(mate.message)), body(mate.preview, () => {}), facts(mate.details));
    const also = mates.map(({ id, digest }) => ({ id, digest }));
    const isReady = (choice) => this.answers?.isArmed() && (choice.choice === "deny" || this.answers.sawEnd());
    const answer = (choice, words, kind) => this.answers.guarded(button({ class: `answer ${kind}` }, () => isReady(choice) && this.answers.send({ ...choice, also }), words));
    const count = mates.length + 1;
    return el(
      "section",
      { class: "mates", "aria-label": "the rest of its group" },
      el("h3", {}, "Group ", said(prompt.group_id), `: ${count} prompts`),
      ...mates.map(draw),
      el("p", { class: "bar" }, answer({ choice: "offer", offer: 0 }, `allow these ${count} once`, "yes"), answer({ choice: "deny" }, `deny these ${count}`, "no")),
    );
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
    const title = el("h2", { id: "title" }, said(prompt.sentence));
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
    const tone = ended.round === "first" && isAllowed(ended.answer) ? "half" : isAllowed(ended.answer) ? "allowed" : "refused";
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
    this.beside.replaceChildren(...(by ? ["This is also looked at by ", said(by), "."] : []));
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
  const all = prompt.isShort ? [] : prompt.why.filter((why) => why.warning);
  if (all.length === 0) return null;
  return el("ul", { class: "warnings", "aria-label": "warnings" }, ...all.map((why) => el("li", {}, said(why.text))));
}

/** Other operations that the same answer is for. */
function others(prompt, again) {
  return prompt.group.map((member) => el("section", { class: "member" }, el("h3", {}, "and ", said(member.description)), body(member.preview, again)));
}

/** Why it asks, the strongest reason first, and what else decides. */
function reasons(prompt) {
  const all = prompt.why.filter((why) => !why.warning);
  const deciding = prompt.details.slice(0, prompt.preview.deciding);
  return el(
    "div",
    { class: "rest" },
    all.length > 0 && block("Why it asks", el("ul", {}, ...all.map((why) => el("li", {}, said(why.text))))),
    deciding.length > 0 && block("What decides", facts(deciding)),
  );
}

/** What is only known of it. */
function rest(prompt) {
  const { context } = prompt;
  const rules = prompt.reasons.map((reason) => el("li", {}, said(reason.text), " ", el("span", { class: "faint" }, "[", said(reason.rule), ", ", said(reason.source), "]")));
  const rows = [{ label: "folder", value: context.folder }, { label: "workspace", value: context.workspace }, ...prompt.details.slice(prompt.preview.deciding), { label: "digest", value: prompt.digest }];
  return el(
    "details",
    { class: "rest" },
    el("summary", {}, "details"),
    block("What it would do", context.effects.length > 0 ? el("ul", {}, ...context.effects.map((effect) => el("li", {}, said(effect)))) : el("p", {}, "nothing more is known")),
    block("Rules and checks", el("ul", {}, ...rules)),
    prompt.alike && block("Alike", el("p", {}, `${prompt.alike.count} prompts like this one are open.`), el("ul", {}, ...prompt.alike.differs.map((line) => el("li", {}, said(line))))),
    block("Facts", facts([...rows, { label: "asked", value: moment(prompt.opened_at) }])),
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
