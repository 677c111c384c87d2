// What is open, as far as this page knows: listed once, then kept true by events. Screens hear of changes.

import { call, part } from "./api.js";
import { Line } from "./events.js";
import { elsewhere } from "./words.js";

/** So many are kept at most; the rest follows when these are answered. */
const MOST = 2000;
const PAGE = 500;
/** How many ends are remembered. */
const ENDS = 500;

export class Inbox extends EventTarget {
  constructor(me) {
    super();
    this.me = me;
    this.open = new Map();
    this.ended = new Map();
    this.watched = new Map();
    this.total = 0;
    /** The server's clock minus ours, in milliseconds. */
    this.ahead = 0;
    this.line = null;
    this.state = "connecting";
  }

  now() {
    return Date.now() + this.ahead;
  }

  async start() {
    const event = await this.list();
    this.line = new Line(event, (name, data) => this.take(name, data), (state, wait) => this.tell("line", { state, wait }));
  }

  close() {
    this.line?.close();
  }

  /** Lists everything again; returns the event that the list knows of. */
  async list() {
    const open = new Map();
    let event = null;
    let after = null;
    do {
      const found = await call("GET", "/v1/prompts", { query: { limit: PAGE, after } });
      event ??= found.event_id;
      this.total = found.total;
      this.ahead = found.now - Date.now();
      for (const prompt of found.prompts) open.set(prompt.id, prompt);
      after = found.next;
    } while (after && open.size < MOST);
    for (const id of this.open.keys()) if (!open.has(id)) this.gone(id);
    this.open = open;
    this.tell("changed");
    return event;
  }

  /** Something that was open is not any more, and how it ended was not heard. */
  gone(id) {
    if (this.ended.has(id)) return;
    call("GET", `/v1/prompts/${part(id)}`).catch((problem) => {
      if (problem.ended) this.end(id, problem.ended);
    });
  }

  take(name, data) {
    switch (name) {
      case "hello":
        this.ahead = data.now - Date.now();
        break;
      case "reset":
        this.list().catch(() => this.line?.retry());
        break;
      case "requested":
        if (this.ended.has(data.prompt.id)) return;
        if (!this.open.has(data.prompt.id)) this.total += 1;
        if (this.open.size < MOST || this.open.has(data.prompt.id)) this.open.set(data.prompt.id, data.prompt);
        this.tell("came", { prompt: data.prompt });
        this.tell("changed");
        break;
      case "responded":
        this.end(data.prompt, data);
        break;
      case "activity": {
        const prompt = this.open.get(data.prompt);
        if (prompt) this.open.set(data.prompt, { ...prompt, expires_at: data.expires_at });
        if (data.by !== this.me.name) this.watched.set(data.prompt, elsewhere(data));
        this.tell("activity", { id: data.prompt });
        break;
      }
      case "stopping":
        this.tell("stopping");
        break;
      default:
        this.tell(name, { data });
    }
  }

  end(id, ended) {
    if (this.ended.has(id)) return;
    const prompt = this.open.get(id);
    if (this.open.delete(id)) this.total = Math.max(this.open.size, this.total - 1);
    this.watched.delete(id);
    this.ended.set(id, ended);
    if (this.ended.size > ENDS) this.ended.delete(this.ended.keys().next().value);
    this.tell("ended", { id, ended, prompt });
    this.tell("changed");
    // Those that did not fit come now.
    if (this.total > this.open.size && this.open.size < MOST / 2) this.list().catch(() => {});
  }

  tell(name, detail = {}) {
    if (name === "line") this.state = detail.state;
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
