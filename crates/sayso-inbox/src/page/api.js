// Requests to the server: with the key that only this page knows, and with its problems as errors.

const KEY = "sayso-key";

export function key() {
  return localStorage.getItem(KEY);
}

export function keep(word) {
  if (word === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, word);
}

/** What the server says is wrong (RFC 9457). Status 0: it was not reached. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `the server answered ${status}`);
    this.status = status;
    this.kind = String(body.type ?? "").replace(/^sayso:/, "");
    this.hint = body.hint ?? null;
    this.ended = body.ended ?? null;
  }

  /** All of it in a line. */
  get words() {
    return this.hint ? `${this.message}; ${this.hint}` : this.message;
  }
}

/** Where this page hears that it is not let in any more. */
export const gate = new EventTarget();

export function headers(more = {}) {
  const word = key();
  return word ? { "sayso-key": word, ...more } : more;
}

/** Asks the server for something; what it says is no, or cannot be read, is thrown. */
export async function call(method, path, { body, query, pin, keepalive } = {}) {
  const asked = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== "");
  // Not as forms write it: the server takes `+` for a plus.
  const tail = asked.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  const more = {};
  if (body !== undefined) more["content-type"] = "application/json";
  if (pin) more["sayso-pin"] = pin;
  let answer;
  try {
    answer = await fetch(tail ? `${path}?${tail}` : path, {
      method,
      headers: headers(more),
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "same-origin",
      redirect: "error",
      keepalive: keepalive === true,
    });
  } catch {
    throw new Problem(0, { title: "the inbox could not be reached" });
  }
  const text = await answer.text().catch(() => "");
  let read = null;
  try {
    read = text === "" ? null : JSON.parse(text);
  } catch {
    throw new Problem(answer.status, { title: "the answer of the inbox could not be read" });
  }
  if (answer.ok) return read;
  const problem = new Problem(answer.status, read ?? {});
  if (answer.status === 401) gate.dispatchEvent(new Event("out"));
  throw problem;
}

/** Part of a path. */
export function part(text) {
  return encodeURIComponent(text);
}
