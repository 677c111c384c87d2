// The answers to a prompt: which there are, what each would store, and that none is given by accident.

import { call, part } from "./api.js";
import { button, el, said } from "./text.js";

/** So long after a prompt or a choice came to the screen, nothing counts that is pressed. */
export const ARMING = 300;

const WIDER = { batch: "the rest of this batch", session: "this session", project: "this project", always: "everywhere" };

export class Answers {
  constructor(prompt, foot, moves) {
    this.prompt = prompt;
    this.foot = foot;
    this.moves = moves;
    this.busy = false;
    this.armedAt = Infinity;
    this.panel = null;
    this.pressed = null;
    // The second confirmation has one offer: what was chosen at the first.
    this.once = prompt.round === "second" ? 0 : prompt.offers.findIndex((offer) => offer.scope === "once");
    this.bar = this.buttons();
    this.problem = el("p", { class: "problem", role: "alert", hidden: true });
    this.box = el("div", { class: "panel", hidden: true });
    foot.replaceChildren(this.problem, this.box, this.bar);
  }

  /** From now on it takes 300 milliseconds until something counts. */
  arm() {
    this.armedAt = performance.now();
    this.foot.classList.remove("armed");
    setTimeout(() => this.foot.classList.toggle("armed", this.isArmed()), ARMING + 5);
  }

  isArmed() {
    return performance.now() - this.armedAt >= ARMING;
  }

  buttons() {
    const { prompt } = this;
    const wider = this.wider(null).length > 0;
    const wide = prompt.round === "second" && prompt.offers[0]?.scope !== "once" ? `yes: ${prompt.offers[0]?.words ?? ""}` : null;
    const yes = wide ?? { first: "allow, 1 of 2", second: "yes, allow it" }[prompt.round] ?? "allow once";
    const one = (key, kind, words) => button({ class: `answer ${kind}`, "data-key": key, "aria-keyshortcuts": key }, () => this.press(key), words, " ", el("kbd", { "aria-hidden": "true" }, key));
    const bar = el("div", { class: "bar", role: "group", "aria-label": "answers" });
    if (this.once >= 0) bar.append(one("y", prompt.is_dangerous ? "yes grave" : "yes", wide ? said(yes) : yes));
    if (wider) bar.append(one("s", "wide", "wider…"));
    if (prompt.pattern_scopes.length > 0) bar.append(one("p", "wide", "pattern…"));
    bar.append(one("n", "no", "deny"), one("d", "no", "deny, and say why…"));
    if (prompt.context.batch !== null || prompt.door === "hook") bar.append(one("q", "no small", "stop the batch"));
    return this.guarded(bar);
  }

  /** Enter never approves: not on a button either. */
  guarded(element) {
    element.addEventListener("keydown", (event) => {
      const target = event.target.closest("button");
      if (event.key === "Enter" && target && !target.classList.contains("no")) {
        event.preventDefault();
        this.say("Enter never allows anything: press the key, or Space on the button.");
      }
    });
    return element;
  }

  /** Offers that reach further than once, of one scope or of all. */
  wider(scopes) {
    const all = this.prompt.offers.map((offer, at) => ({ offer, at })).filter(({ offer }) => offer.scope !== "once");
    return this.prompt.is_dangerous || this.prompt.round === "second" ? [] : all.filter(({ offer }) => !scopes || scopes.includes(offer.scope));
  }

  /** A key or a click. Returns whether it meant something here. */
  press(key) {
    const known = ["y", "n", "d", "s", "p", "r", "w", "q", "Escape"].includes(key) || (this.panel?.choices && /^[1-9]$/.test(key)) || (this.prompt.round === "second" && !this.panel && key.length === 1 && key !== " ");
    if (!known) return false;
    if (this.busy) return true;
    // Who is typing goes on typing: each key begins the wait anew.
    if (!this.isArmed()) {
      this.arm();
      return true;
    }
    this.pressed = key;
    if (key === "Escape" && this.panel) return this.close();
    // At the second confirmation only yes allows: every other answer cancels.
    if (this.prompt.round === "second" && !this.panel && !["y", "n", "d", "q"].includes(key)) {
      this.send({ choice: "deny" });
      return true;
    }
    if (key === "Escape") return this.close();
    if (!["n", "q", "d"].includes(key) && !this.sawEnd()) return true;
    if (/^[1-9]$/.test(key)) this.choose(Number(key) - 1);
    else if (key === "n") this.send({ choice: "deny" });
    else if (key === "q") this.send({ choice: "quit" });
    else if (key === "d") this.note();
    else if (key === "y" && !this.panel) this.yes();
    else if (key === "y") this.say("A wider answer is open: choose it by its number, or leave it with Esc.");
    else if (key === "p" && this.prompt.pattern_scopes.length > 0) this.pattern();
    else this.reach({ s: ["session", "project", "always", "batch"], w: null, p: ["project"], r: ["batch"] }[key]);
    return true;
  }

  /** Whether the end of the command has been on the screen; if not, it is brought there, and nothing is answered. */
  sawEnd() {
    const end = document.querySelector("[data-end]");
    if (!end || end.dataset.end === "seen") return true;
    const box = end.getBoundingClientRect();
    const foot = this.foot.getBoundingClientRect();
    const below = foot.top > 0 ? Math.min(window.innerHeight, foot.top) : window.innerHeight;
    if (box.top >= 0 && box.bottom <= below + 2) {
      end.dataset.end = "seen";
      return true;
    }
    end.scrollIntoView({ block: "center" });
    this.arm();
    this.say("Not all of the command was on the screen: here is its end. Press again to answer.");
    return false;
  }

  yes() {
    if (this.once < 0) return this.say("It cannot be allowed from here.");
    this.offer(this.once);
  }

  offer(at) {
    if (this.prompt.offers[at]?.needs_pin) this.pin((pin) => this.send({ choice: "offer", offer: at, pin }));
    else this.send({ choice: "offer", offer: at });
  }

  /** What a wider answer would store, word by word: how far it reaches, then how wide it is. It takes a second key or click. */
  reach(scopes) {
    const found = this.wider(scopes);
    if (found.length === 0) return this.say(this.prompt.is_dangerous ? "It is dangerous: it is only allowed once at a time." : "That is not offered here.");
    const far = [...new Set(found.map(({ offer }) => offer.scope))];
    const list = el("ol", { class: "choices" });
    const radios = far.map((scope, at) => this.radio(scope, at === 0));
    const show = () => {
      const scope = this.checked(radios);
      const widths = found.filter(({ offer }) => offer.scope === scope);
      list.replaceChildren(...widths.map((one, number) => el("li", {}, this.width(one, number))));
      if (this.panel) this.panel.choices = widths;
      this.arm();
      return widths;
    };
    const group = el("div", { class: "scopes", role: "radiogroup", "aria-label": "how far it reaches" }, ...radios);
    group.addEventListener("input", show);
    const widths = show();
    const how = el("p", { class: "faint" }, "How far, and how wide. It is kept exactly so, and this call is allowed with it.");
    this.open("What would be remembered", [how, group, list, el("div", { class: "bar" }, this.cancel())], widths);
  }

  /** One width of a wider answer, with what of the record it would have matched. */
  width({ offer, at }, number) {
    const earlier = el("span", { class: "stores" });
    if (offer.stores !== "nothing") this.preview({ scope: offer.scope, width: String(number + 1) }, (seen) => earlier.replaceChildren(said(seen.earlier ?? "")));
    const rule = offer.stores === "rule" ? el("span", { class: "stores" }, `stores a rule: ${offer.key} `, el("code", {}, said(offer.pattern ?? ""))) : null;
    const press = () => this.isArmed() && !this.busy && this.choose(number);
    return button({ class: "answer wide choice", "data-offer": at }, press, number < 9 && el("kbd", { "aria-hidden": "true" }, number + 1), " ", said(offer.words), rule, earlier);
  }

  radio(scope, checked) {
    const radio = el("input", { type: "radio", name: "scope", value: scope });
    radio.checked = checked;
    return el("label", {}, radio, ` ${WIDER[scope] ?? scope}`);
  }

  checked(labels) {
    return labels.map((label) => label.querySelector("input")).find((radio) => radio.checked)?.value;
  }

  /** Asks what an answer would store; where that cannot be told, why is given to `failed`. */
  async preview(body, told, failed = () => {}) {
    try {
      told(await call("POST", `/v1/prompts/${part(this.prompt.id)}/preview`, { body }));
    } catch (problem) {
      failed(problem);
    }
  }

  choose(number) {
    const found = this.panel?.choices?.[number];
    if (found) this.offer(found.at);
  }

  note() {
    const field = el("textarea", { rows: "2", maxlength: "2000", "aria-label": "what the agent is told", placeholder: "what the agent is told (Enter denies, Shift+Enter for a new line)" });
    const send = () => this.send({ choice: "deny", note: field.value });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      send();
    });
    this.open("Deny, and say why", [field, el("div", { class: "bar" }, button({ class: "answer no" }, send, "deny with this note"), this.cancel())]);
    field.focus();
  }

  pattern() {
    const { prompt } = this;
    const offered = prompt.offers.find((offer) => offer.stores === "rule");
    const field = el("input", { type: "text", class: "mono", maxlength: "1000", spellcheck: "false", autocomplete: "off", "aria-label": "pattern" });
    field.value = offered?.pattern ?? "";
    const scopes = prompt.pattern_scopes.map((scope, at) => this.radio(scope, at === 0));
    const would = el("p", { class: "would", role: "status" });
    const scope = () => this.checked(scopes);
    let last = 0;
    // The words are the server's own; an answer to what is no longer typed says nothing.
    const tell = () => {
      const mine = (last += 1);
      const put = (...words) => mine === last && would.replaceChildren(...words);
      this.preview({ pattern: field.value, scope: scope() }, (seen) => put(said(`this would ${seen.words}`), ...(seen.earlier ? [el("br"), said(seen.earlier)] : [])), (problem) => put(said(`✗ ${problem.words ?? problem.message}`)));
    };
    const send = () => this.isArmed() && this.weighty((pin) => this.send({ choice: "pattern", pattern: field.value, scope: scope(), pin }));
    const keep = button({ class: "answer wide" }, send, "keep the pattern, and allow");
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      keep.focus();
    });
    const form = el("div", {}, field, el("div", { class: "scopes", role: "radiogroup", "aria-label": "how far it reaches" }, ...scopes), would, el("div", { class: "bar" }, keep, this.cancel()));
    form.addEventListener("input", tell);
    tell();
    this.open("Allow a pattern", [form]);
    field.focus();
  }

  weighty(then) {
    if (this.moves.me.pin === "wider") this.pin(then);
    else then(undefined);
  }

  pin(then) {
    const field = el("input", { type: "password", maxlength: "64", autocomplete: "off", "aria-label": "PIN" });
    const go = button({ class: "answer yes" }, () => this.isArmed() && field.value !== "" && then(field.value), "allow with this PIN");
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      go.focus();
    });
    this.open("This answer takes the PIN", [field, el("div", { class: "bar" }, go, this.cancel())]);
    field.focus();
  }

  cancel() {
    return button({ class: "quiet no" }, () => this.close(), "leave it ", el("kbd", { "aria-hidden": "true" }, "Esc"));
  }

  open(title, content, choices = null) {
    this.panel = { choices };
    this.say(null);
    this.box.hidden = false;
    this.bar.hidden = true;
    this.box.replaceChildren(this.guarded(el("section", { "aria-label": title }, el("h3", {}, title), ...content)));
    this.arm();
  }

  close() {
    if (!this.panel) return false;
    this.panel = null;
    this.box.hidden = true;
    this.bar.hidden = false;
    this.box.replaceChildren();
    this.say(null);
    this.arm();
    return true;
  }

  say(words) {
    this.problem.hidden = !words;
    this.problem.replaceChildren(...(words ? [said(words)] : []));
  }

  async send(answer) {
    if (this.busy) return;
    this.busy = true;
    this.foot.classList.add("busy");
    const { prompt } = this;
    try {
      const taken = await call("POST", `/v1/prompts/${part(prompt.id)}/answer`, { body: { digest: prompt.digest, typed: this.pressed, ...answer } });
      this.moves.answered(prompt, taken);
    } catch (problem) {
      if (problem.ended) return this.moves.tooLate(prompt, problem.ended);
      this.say(problem.status === 0 ? `${problem.message}: nothing was answered from here` : problem.words);
      this.arm();
    } finally {
      this.busy = false;
      this.foot.classList.remove("busy");
    }
  }
}
