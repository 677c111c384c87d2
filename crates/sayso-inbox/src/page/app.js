// The page of the inbox: lets the person in, keeps the views together, and says what happens.

import { call, gate, keep, key } from "./page/api.js";
import { Detail } from "./page/detail.js";
import { Here } from "./page/here.js";
import { History } from "./page/history.js";
import { Inbox } from "./page/inbox.js";
import { help, listen } from "./page/keys.js";
import { List } from "./page/list.js";
import * as login from "./page/login.js";
import * as notify from "./page/notify.js";
import { Remembered } from "./page/standing.js";
import { el, neutral, said } from "./page/text.js";
import { count, ending, isAllowed } from "./page/words.js";

const at = (id) => document.getElementById(id);
const main = at("main");
let now = null;

/** Everything that is there while somebody is let in. */
class Page {
  constructor(me) {
    this.me = me;
    this.inbox = new Inbox(me);
    this.list = new List(this.inbox, (id, byHand) => this.choose(id, byHand));
    this.detail = new Detail(this.inbox, {
      me,
      next: (id) => this.goOn(id),
      back: () => this.back(),
      answered: (prompt, taken) => this.answered(prompt, taken),
      tooLate: (prompt, ended) => this.inbox.end(prompt.id, ended),
    });
    this.history = new History();
    this.remembered = new Remembered(me);
    this.split = el("div", { class: "split" }, this.list.element, this.detail.element);
    this.second = null;
    this.hear();
    this.view("inbox");
    this.timer = setInterval(() => this.tick(), 1000);
    this.here = new Here((isHere) => this.away(!isHere));
  }

  hear() {
    const on = (name, does) => this.inbox.addEventListener(name, (event) => does(event.detail));
    on("changed", () => this.redraw());
    on("came", ({ prompt }) => this.came(prompt));
    on("ended", (what) => this.ended(what));
    on("activity", ({ id }) => {
      this.detail.watchedBy();
      this.detail.tick();
      this.list.moved(id);
    });
    on("line", ({ state, wait }) => this.line(state, wait));
    on("stopping", () => this.lost("The inbox was stopped: what was open is denied. Start it again with `sayso serve`."));
    on("entry", () => this.shows === "history" && this.history.later());
    on("updated", () => this.shows === "standing" && this.remembered.draw());
  }

  async start() {
    await this.inbox.start();
    const first = this.list.order()[0];
    if (first && !isNarrow()) this.choose(first.id, false);
    else this.detail.clear();
  }

  close() {
    clearInterval(this.timer);
    this.here.close();
    this.inbox.close();
  }

  view(name) {
    this.shows = name;
    main.className = `shows-${name}`;
    main.replaceChildren({ inbox: this.split, history: this.history.element, standing: this.remembered.element }[name]);
    for (const one of document.querySelectorAll("[data-view]")) {
      if (one.dataset.view === name) one.setAttribute("aria-current", "page");
      else one.removeAttribute("aria-current");
    }
    if (name === "history") this.history.draw();
    if (name === "standing") this.remembered.draw();
    // What was not on the screen has to be seen anew.
    if (name === "inbox") this.detail.answers?.arm();
  }

  redraw() {
    this.list.draw();
    const { total } = this.inbox;
    document.title = total > 0 ? `(${total}) sayso` : "sayso";
    at("count").hidden = total === 0;
    at("count").textContent = String(total);
    if (!this.detail.prompt && !this.list.selected) this.detail.clear();
  }

  choose(id, byHand) {
    const prompt = this.inbox.open.get(id);
    if (!prompt) return;
    this.second = null;
    if (byHand) this.split.classList.add("deep");
    this.list.select(prompt);
    this.detail.show(prompt);
  }

  back() {
    this.split.classList.remove("deep", "wide");
    this.list.box.focus();
  }

  /** Another one that is open, or the list. */
  goOn(id) {
    const next = this.list.after(id);
    this.list.selected = null;
    if (next && !isNarrow()) return this.choose(next.id, false);
    this.detail.wanted = null;
    this.detail.clear();
    this.list.draw();
    this.split.classList.remove("deep", "wide");
  }

  came(prompt) {
    // The second of two confirmations follows the first one.
    if (this.isSecond(prompt)) return this.choose(prompt.id, true);
    const words = neutral(prompt.sentence);
    at("live").textContent = `${prompt.is_dangerous ? "Dangerous: " : ""}${words}. ${count(this.inbox.total, "prompt")} open.`;
    notify.tell(prompt, (id) => {
      this.view("inbox");
      this.choose(id, true);
    });
    if (!this.list.selected && !isNarrow()) this.choose(prompt.id, false);
  }

  isSecond(prompt) {
    return this.second !== null && prompt.round === "second" && prompt.digest === this.second.digest && prompt.call_id === this.second.call_id;
  }

  answered(prompt, taken) {
    this.inbox.end(prompt.id, taken);
    told(ending(taken, this.me.name));
    if (prompt.round === "first" && isAllowed(taken.answer)) {
      this.second = prompt;
      this.detail.answers = null;
      this.detail.foot.replaceChildren(el("p", { class: "over", role: "status" }, "One more confirmation follows…"));
      // It may have come before this answer was known to be taken.
      for (const open of this.inbox.open.values()) if (this.isSecond(open)) return this.choose(open.id, true);
      return;
    }
    this.goOn(prompt.id);
  }

  ended({ id, ended }) {
    if (this.detail.wanted !== id || ended.by === this.me.name) return;
    if (this.detail.prompt) this.detail.over(ended);
    else this.detail.draw({ ...this.list.selected, isShort: true });
    at("live").textContent = ending(ended, this.me.name);
  }

  line(state, wait) {
    const words = { live: "live", connecting: "connecting", lost: "no connection" }[state];
    at("line").className = `line ${state}`;
    if (at("line-words").textContent !== words) at("line-words").textContent = words;
    if (state === "live") this.lost(null);
    else if (state === "lost" && at("lost").hidden) this.lost(`The connection to the inbox is lost: this may not be all that is open. It is tried again${wait > 1000 ? ` every ${Math.round(wait / 1000)} s` : ""}.`);
  }

  /** Nobody moved here for a while: agents ask in their own dialogs meanwhile. */
  away(isAway) {
    at("line").title = isAway ? "Nobody looked at this page for a while, so agents ask in their own dialogs. Move the pointer to be asked here." : "";
  }

  lost(words) {
    at("lost").hidden = !words;
    at("lost").textContent = words ?? "";
  }

  tick() {
    this.list.tick();
    this.detail.tick();
  }

  pressed(key, target) {
    const views = { i: "inbox", h: "history", g: "standing" };
    if (Object.hasOwn(views, key)) return this.view(views[key]), true;
    if (key === "?") return help(), true;
    if (key === "/") return (this.shows === "history" ? this.history.text : this.search()).focus(), true;
    if (this.shows !== "inbox") return false;
    if (key === "Escape") return this.escape(target);
    if (key === "j" || key === "ArrowDown") return this.list.step(1), true;
    if (key === "k" || key === "ArrowUp") return this.list.step(-1), true;
    if (key === "v") return this.split.classList.toggle("wide"), this.detail.answers?.arm(), true;
    if (key === "u") return this.detail.turn(), true;
    // Space and Enter belong to what has the focus.
    return this.detail.answers?.press(key) ?? false;
  }

  search() {
    this.view("inbox");
    this.split.classList.remove("deep", "wide");
    return this.list.search;
  }

  escape(target) {
    if (target === this.list.search) {
      this.list.search.value = "";
      this.list.draw();
      this.list.box.focus();
      return true;
    }
    if (this.detail.answers?.close()) return true;
    if (target instanceof HTMLElement) target.blur();
    this.split.classList.remove("wide");
    return true;
  }
}

function isNarrow() {
  return window.matchMedia("(max-width: 760px)").matches;
}

let toldTimer = 0;
function told(words) {
  clearTimeout(toldTimer);
  at("told").replaceChildren(said(words));
  at("told").hidden = false;
  at("live").textContent = words;
  toldTimer = setTimeout(() => {
    at("told").hidden = true;
  }, 4000);
}

/** Light, dark, or as the machine says. */
function themes() {
  const all = ["auto", "light", "dark"];
  const draw = () => {
    const theme = localStorage.getItem("sayso-theme") ?? "auto";
    document.documentElement.dataset.theme = all.includes(theme) ? theme : "auto";
    at("theme").textContent = `theme: ${document.documentElement.dataset.theme}`;
  };
  at("theme").addEventListener("click", () => {
    const next = all[(all.indexOf(document.documentElement.dataset.theme) + 1) % all.length];
    localStorage.setItem("sayso-theme", next);
    draw();
  });
  draw();
}

function out(why) {
  now?.close();
  now = null;
  document.body.classList.add("out");
  document.title = "sayso";
  main.className = "";
  main.replaceChildren(login.page(why, () => begin()));
}

async function begin() {
  const code = login.codeOfAddress();
  try {
    if (code) await login.enter(code);
    if (!key()) return out(null);
    const me = await call("GET", "/v1/me");
    now?.close();
    document.body.classList.remove("out");
    now = new Page(me);
    await now.start();
  } catch (problem) {
    if (problem.status === 401 || problem.status === 403) return out(code ? problem.words : null);
    if (!(problem.status >= 0)) throw problem;
    at("lost").hidden = false;
    at("lost").textContent = `${problem.words}. It is tried again.`;
    setTimeout(begin, 2000);
  }
}

themes();
notify.attach(at("notify"));
for (const one of document.querySelectorAll("[data-view]")) one.addEventListener("click", () => now?.view(one.dataset.view));
at("help").addEventListener("click", help);
at("leave").addEventListener("click", async () => {
  await call("POST", "/v1/logout").catch(() => {});
  keep(null);
  out(null);
});
listen((key, target) => now?.pressed(key, target) ?? false);
gate.addEventListener("out", () => {
  if (!document.body.classList.contains("out")) out(null);
});
window.addEventListener("hashchange", () => location.hash.startsWith("#login") && begin());
// Back at this window, what is on it has to be seen anew.
window.addEventListener("focus", () => now?.detail.answers?.arm());
begin();
