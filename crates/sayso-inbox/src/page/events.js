// The stream of events: read with `fetch`, which can send headers; after a break it goes on behind the last event that was heard.

import { gate, headers } from "./api.js";

/** After so long without a sign of life, which comes every 15 seconds, the line is taken for dead. */
const SILENCE = 40_000;
const WAITS = [300, 1000, 2000, 4000, 8000];

/** Splits a stream into events. Returns a function that takes text as it comes. */
export function reader(heard) {
  let rest = "";
  let event = { name: "message", data: [], id: null };
  return (text) => {
    rest += text;
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (event.data.length > 0) heard({ name: event.name, data: event.data.join("\n"), id: event.id });
        event = { name: "message", data: [], id: null };
        continue;
      }
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") event.name = value;
      else if (field === "data") event.data.push(value);
      else if (field === "id") event.id = value;
    }
  };
}

/** Listens until it is closed. `state` hears `live`, `connecting` and `lost` with the milliseconds until the next try. */
export class Line {
  constructor(last, heard, state) {
    this.last = last;
    this.heard = heard;
    this.state = state;
    this.tries = 0;
    this.closed = false;
    this.wake = () => {};
    this.again = () => this.wake();
    window.addEventListener("online", this.again);
    document.addEventListener("visibilitychange", this.again);
    this.run();
  }

  close() {
    this.closed = true;
    this.stop?.abort();
    this.wake();
    window.removeEventListener("online", this.again);
    document.removeEventListener("visibilitychange", this.again);
  }

  /** Tries now. */
  retry() {
    this.wake();
  }

  async run() {
    while (!this.closed) {
      this.state("connecting");
      await this.once().catch(() => {});
      if (this.closed) return;
      const wait = WAITS[Math.min(this.tries, WAITS.length - 1)];
      this.tries += 1;
      this.state("lost", wait);
      await new Promise((done) => {
        const timer = setTimeout(done, wait);
        this.wake = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
  }

  async once() {
    this.stop = new AbortController();
    const more = { accept: "text/event-stream" };
    if (this.last) more["last-event-id"] = this.last;
    const answer = await fetch("/v1/events", { headers: headers(more), cache: "no-store", signal: this.stop.signal, redirect: "error" });
    if (answer.status === 401) {
      this.close();
      gate.dispatchEvent(new Event("out"));
    }
    if (!answer.ok || !answer.body) return;
    const stream = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let timer = 0;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.stop.abort(), SILENCE);
    };
    const take = reader((event) => this.take(event));
    try {
      for (;;) {
        alive();
        const { done, value } = await stream.read();
        if (done) return;
        if (this.tries > 0 || !this.isLive) this.state("live");
        this.tries = 0;
        this.isLive = true;
        take(value);
      }
    } finally {
      clearTimeout(timer);
      this.isLive = false;
    }
  }

  take(event) {
    if (event.id) this.last = event.id;
    let data;
    try {
      data = JSON.parse(event.data);
    } catch {
      return;
    }
    this.heard(event.name, data);
  }
}
