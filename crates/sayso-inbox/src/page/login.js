// The way in: by the code behind `#login=`, which is good once, or by one that is pasted.

import { call, keep } from "./api.js";
import { button, el, said } from "./text.js";

/** The code of the address, which is taken out of it, so that it lies in no history. */
export function codeOfAddress() {
  const found = /^#login=([0-9A-Za-z_-]{1,128})$/.exec(location.hash);
  if (location.hash.startsWith("#login")) history.replaceState(null, "", location.pathname);
  return found ? found[1] : null;
}

/** Lets this browser in by a code. */
export async function enter(code) {
  const let_in = await call("POST", "/v1/login", { body: { code } });
  keep(let_in.key);
}

/** The page of somebody who is not let in. */
export function page(why, done) {
  const field = el("input", { type: "text", class: "mono", autocomplete: "off", spellcheck: "false", maxlength: "400", "aria-label": "link or code", placeholder: "…/#login=…" });
  const problem = el("p", { class: "problem", role: "alert", hidden: !why }, why ? said(why) : null);
  const go = async () => {
    const code = field.value.trim().replace(/^.*#login=/, "");
    if (!code) return field.focus();
    try {
      await enter(code);
    } catch (wrong) {
      problem.hidden = false;
      problem.replaceChildren(said(wrong.words));
      return;
    }
    done();
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go();
  });
  return el(
    "section",
    { class: "login" },
    el("h2", {}, "This browser is not let in yet"),
    el("p", {}, "A link lets it in, once and within ten minutes. This makes one:"),
    el("pre", { class: "command" }, "sayso serve --link"),
    el("p", {}, "Open it in this browser, or paste it here:"),
    el("div", { class: "bar" }, field, button({ class: "answer wide" }, go, "let me in")),
    problem,
  );
}
