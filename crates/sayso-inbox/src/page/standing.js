// What is remembered: grants and rules, each with what it allows, and the way to take it back.

import { call, part } from "./api.js";
import { button, el, raw, said } from "./text.js";
import { count, moment } from "./words.js";

/** The second click has to come within this time. */
const SURE = 5000;

export class Remembered {
  constructor(me) {
    this.me = me;
    /** What was pressed once, and until when the second click counts: it outlives a list that is drawn anew. */
    this.sure = null;
    this.grants = el("div", {});
    this.rules = el("div", {});
    this.problem = el("p", { class: "problem", role: "alert", hidden: true });
    this.pin = el("input", { type: "password", maxlength: "64", autocomplete: "off", "aria-label": "PIN" });
    const pin = me.pin === "wider" && el("label", { class: "pin" }, "PIN, to take a rule back ", this.pin);
    this.element = el("section", { class: "page", "aria-label": "what is remembered" }, el("h2", {}, "What is remembered"), this.problem, el("h3", {}, "Grants"), this.grants, el("h3", {}, "Rules"), pin, this.rules);
  }

  async draw() {
    try {
      const [grants, rules] = await Promise.all([call("GET", "/v1/grants"), call("GET", "/v1/rules")]);
      this.grants.replaceChildren(this.listed(grants.grants, "No answer is remembered."));
      this.rules.replaceChildren(this.listed(rules.rules, "No rule was learned. Those of policy files stand in the files."));
      this.say(null);
    } catch (problem) {
      this.say(problem.words);
    }
  }

  say(words) {
    this.problem.hidden = !words;
    this.problem.replaceChildren(...(words ? [said(words)] : []));
  }

  listed(found, nothing) {
    if (found.length === 0) return el("p", { class: "nothing" }, nothing);
    return el("ul", { class: "standing" }, ...found.map((one) => this.row(one)));
  }

  row(one) {
    const facts = [
      one.enabled ? null : "switched off",
      one.project ? ["project ", el("bdi", {}, raw(one.project))] : null,
      one.session ? ["session ", el("bdi", {}, raw(one.session))] : null,
      `since ${moment(one.created)}`,
      one.expires === null ? null : `until ${moment(one.expires * 1000)}`,
      one.uses_left === null ? null : `${count(one.uses_left, "use")} left`,
      `used ${count(one.uses, "time")}`,
      ["from ", el("bdi", {}, raw(one.source))],
    ].filter(Boolean);
    const remove = button({ class: "answer no", "aria-label": `take back: ${one.words}` }, () => this.remove(one, remove), "take back");
    if (this.isSure(one)) this.ask(remove);
    return el("li", {}, el("div", {}, said(one.words, { class: "words" }), el("p", { class: "faint" }, ...facts.flatMap((fact, at) => (at > 0 ? [" · ", fact] : [fact])))), remove);
  }

  isSure(one) {
    return this.sure !== null && this.sure.id === one.id && Date.now() < this.sure.until;
  }

  /** Shows on a button that the next click counts, as long as it does. */
  ask(pressed) {
    pressed.classList.add("sure");
    pressed.textContent = "really?";
    setTimeout(() => {
      pressed.classList.remove("sure");
      pressed.textContent = "take back";
    }, this.sure.until - Date.now());
  }

  /** Takes one back, at the second click. */
  async remove(one, pressed) {
    if (!this.isSure(one)) {
      this.sure = { id: one.id, until: Date.now() + SURE };
      this.ask(pressed);
      return;
    }
    this.sure = null;
    try {
      await call("DELETE", `/v1/${one.kind === "rule" ? "rules" : "grants"}/${part(one.id)}`, { pin: this.pin.value || undefined });
    } catch (problem) {
      this.say(problem.words);
      return;
    }
    await this.draw();
  }
}
