// Tells the server whether somebody looks at this page: it is visible, and somebody moved or pressed something lately. While nobody does, agents
// ask in their own dialogs, so that a forgotten tab takes no question out of sight.

import { call } from "./api.js";

const EVERY = 15_000;
const IDLE = 5 * 60_000;
const MOVES = ["pointermove", "pointerdown", "keydown", "wheel", "touchstart", "focus"];

export class Here {
  constructor(tell) {
    // Two tabs of one browser are two screens.
    this.screen = crypto.randomUUID();
    this.tell = tell;
    this.moved = Date.now();
    this.said = null;
    this.heard = () => {
      this.moved = Date.now();
      if (this.said !== true) this.say();
    };
    this.changed = () => this.say();
    for (const move of MOVES) window.addEventListener(move, this.heard, { passive: true, capture: true });
    document.addEventListener("visibilitychange", this.changed);
    window.addEventListener("pagehide", this.changed);
    this.timer = setInterval(() => this.say(), EVERY);
    this.say();
  }

  get isHere() {
    return document.visibilityState === "visible" && Date.now() - this.moved < IDLE;
  }

  say() {
    const here = this.isHere;
    // That nobody is there is said once.
    if (!here && this.said === false) return;
    if (here !== this.said) this.tell(here);
    this.said = here;
    call("POST", "/v1/here", { body: { screen: this.screen, here }, keepalive: true }).catch(() => {
      this.said = null;
    });
  }

  close() {
    clearInterval(this.timer);
    for (const move of MOVES) window.removeEventListener(move, this.heard, { capture: true });
    document.removeEventListener("visibilitychange", this.changed);
    window.removeEventListener("pagehide", this.changed);
  }
}
