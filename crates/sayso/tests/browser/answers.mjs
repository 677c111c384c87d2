// A prompt from a hooked call appears, is looked at, and is answered: by key, by click, with a note, further than once, and never by accident.

import assert from "node:assert/strict";
import { look } from "./scene.mjs";

const row = (page, text) => page.locator(".prompt-row", { hasText: text });
const armed = (page) => page.waitForSelector(".foot.armed");

export async function a_hooked_call_is_looked_at_and_allowed_by_a_key({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make all", timeout: 45000 });
  await look(page, "make all");
  // What is only known of it stands behind a fold.
  await page.locator(".detail details.rest > summary").click();
  const detail = await page.locator(".detail").innerText();
  for (const words of ["Claude wants to run the project's own code", "high risk", "0f6d1c52-shop", "what it does cannot be known before it runs", scene.workspace, "time limit", "45", "left, then it is denied", "sha256:"]) {
    assert.ok(detail.includes(words), `${words} is missing in: ${detail}`);
  }
  assert.ok(hook.isWaiting());
  await page.keyboard.press("y");
  const said = await hook.said;
  assert.equal(said.permissionDecision, "allow");
  await page.locator("#told", { hasText: "You allowed it once." }).waitFor();
  assert.equal(await row(page, "make all").count(), 0);
}

export async function it_is_allowed_by_a_click({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make click" });
  await look(page, "make click");
  await page.getByRole("button", { name: "allow once" }).click();
  assert.equal((await hook.said).permissionDecision, "allow");
}

export async function a_denial_takes_its_note_to_the_agent({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make noted" });
  await look(page, "make noted");
  await page.keyboard.press("d");
  await page.keyboard.type("use cargo, you know why");
  await page.keyboard.press("Enter");
  const said = await hook.said;
  assert.equal(said.permissionDecision, "deny");
  assert.ok(said.permissionDecisionReason.includes("use cargo, you know why"), said.permissionDecisionReason);
}

export async function n_denies({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make never" });
  await look(page, "make never");
  await page.keyboard.press("n");
  assert.equal((await hook.said).permissionDecision, "deny");
}

export async function keys_before_it_is_armed_do_not_count({ scene, open }) {
  const page = await open();
  // The clock of the page stands still when it is told to, so that nothing here depends on how busy the machine is.
  await page.evaluate(() => {
    const real = performance.now.bind(performance);
    window.standing = null;
    performance.now = () => window.standing ?? real();
  });
  await page.evaluate(() => (window.standing = 1_000_000));
  const hook = scene.hook("Bash", { command: "make early" });
  await row(page, "make early").click();
  await page.locator(".body", { hasText: "make early" }).waitFor();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
  const tries = async (at) => {
    await page.evaluate((at) => (window.standing = 1_000_000 + at), at);
    await page.keyboard.press("y");
    await page.keyboard.press("n");
    await page.getByRole("button", { name: "allow once" }).click();
  };
  // Each of them begins the wait anew: who types on answers nothing.
  for (const at of [0, 150, 299, 450, 700]) await tries(at);
  assert.equal((await scene.request("GET", "/v1/prompts")).body.prompts.length, 1);
  assert.ok(hook.isWaiting());
  await page.evaluate(() => (window.standing = 1_001_000));
  await page.keyboard.press("y");
  assert.equal((await hook.said).permissionDecision, "allow");
}

export async function a_key_that_is_held_down_goes_no_further_than_one_prompt({ scene, open }) {
  const page = await open();
  await scene.submit("Bash", { command: "make first" });
  await scene.submit("Bash", { command: "make second" });
  await look(page, "make first");
  await page.keyboard.down("y");
  await page.locator(".body", { hasText: "make second" }).waitFor();
  await armed(page);
  for (let at = 0; at < 5; at += 1) await page.keyboard.down("y");
  await page.keyboard.up("y");
  const { prompts } = (await scene.request("GET", "/v1/prompts")).body;
  assert.equal(prompts.length, 1, "the second one is still open");
}

export async function enter_never_approves({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make enter" });
  await look(page, "make enter");
  await page.keyboard.press("Enter");
  for (const name of ["allow once", "wider…", "pattern…"]) {
    await page.getByRole("button", { name }).focus();
    await page.keyboard.press("Enter");
  }
  await page.keyboard.press("s");
  await page.waitForSelector(".choice");
  await armed(page);
  await page.locator(".choice").first().focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await armed(page);
  await page.keyboard.press("p");
  await page.getByRole("textbox", { name: "pattern" }).press("Enter");
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".problem:visible").innerText(), /Enter never allows/);
  assert.ok(hook.isWaiting());
  assert.equal((await scene.request("GET", "/v1/prompts")).body.prompts.length, 1);
  await armed(page);
  await page.keyboard.press("Space");
  assert.equal((await hook.said).permissionDecision, "allow");
  await scene.request("GET", "/v1/rules").then(({ body }) => Promise.all(body.rules.map((rule) => scene.request("DELETE", `/v1/rules/${rule.id}`))));
}

export async function a_wider_answer_shows_what_it_stores_and_takes_a_second_key({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make wide" }, "session-wide");
  await look(page, "make wide");
  const { offers } = (await scene.request("GET", "/v1/prompts?full=true")).body.prompts[0];
  await page.keyboard.press("s");
  await page.waitForSelector(".choice");
  // How far is one choice, how wide another.
  for (const [scope, label] of [["always", "everywhere"], ["project", "this project"], ["session", "this session"]]) {
    await page.getByRole("radio", { name: label }).check();
    const shown = await page.locator(".choice").allInnerTexts();
    const wanted = offers.filter((one) => one.scope === scope);
    assert.equal(shown.length, wanted.length);
    for (const offer of wanted) assert.ok(shown.some((text) => text.includes(offer.words)), `${offer.words} in ${shown}`);
  }
  assert.ok(hook.isWaiting());
  await armed(page);
  await page.keyboard.press("y");
  assert.ok(hook.isWaiting(), "y is no second key");
  await page.keyboard.press("1");
  assert.equal((await hook.said).permissionDecision, "allow");
  const again = await scene.hook("Bash", { command: "make wide" }, "session-wide").said;
  assert.equal(again.permissionDecision, "allow", "nobody is asked again");
}

export async function a_pattern_of_ones_own_is_shown_before_it_is_kept({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make one" }, "session-pattern");
  await look(page, "make one");
  await page.keyboard.press("p");
  const field = page.getByRole("textbox", { name: "pattern" });
  await armed(page);
  const keep = page.getByRole("button", { name: "keep the pattern" });
  await field.fill("cargo *");
  await keep.click();
  await page.locator(".problem:visible").waitFor();
  assert.ok(hook.isWaiting(), "a pattern that does not fit is none");
  await field.fill("make one *");
  await page.locator(".would", { hasText: "this would allow `make one *` in this session" }).waitFor();
  await armed(page);
  await keep.click();
  const said = await hook.said;
  assert.equal(said.permissionDecision, "allow", said.permissionDecisionReason);
  assert.equal((await scene.hook("Bash", { command: "make one x=1" }, "session-pattern").said).permissionDecision, "allow");
}

export async function what_is_dangerous_looks_different_and_takes_two({ scene, open }) {
  const page = await open();
  scene.file("gone.txt", "x\n");
  const hook = scene.hook("Bash", { command: "rm -rf gone.txt" });
  await look(page, "gone.txt");
  assert.ok(await page.locator(".detail.dangerous").isVisible());
  assert.equal(await page.getByRole("button", { name: "wider…" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "pattern…" }).count(), 0);
  await page.keyboard.press("s");
  assert.match(await page.locator(".problem:visible").innerText(), /only allowed once/);
  await page.keyboard.press("y");
  await page.waitForSelector(".detail.second");
  assert.ok(hook.isWaiting());
  // finding W-02: the first of two allows nothing yet.
  assert.match(await page.locator("#told").innerText(), /You confirmed it, 1 of 2: it asks once more\./);
  await armed(page);
  assert.match(await page.locator(".badges").innerText(), /confirmation 2 of 2/);
  await page.keyboard.press("y");
  assert.equal((await hook.said).permissionDecision, "allow");
}

export async function it_is_answered_elsewhere_while_it_is_open({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make elsewhere" });
  await look(page, "make elsewhere");
  const prompt = (await scene.request("GET", "/v1/prompts")).body.prompts[0];
  await scene.request("POST", `/v1/prompts/${prompt.id}/answer`, { digest: prompt.digest, choice: "deny" });
  await page.locator(".over", { hasText: "Answered elsewhere. A program with the token for answering denied it." }).waitFor();
  assert.equal(await page.locator(".answer").count(), 0, "nothing is left to press");
  assert.equal((await hook.said).permissionDecision, "deny");
  await page.keyboard.press("y");
}

export async function two_browsers_and_the_first_answer_wins({ scene, open }) {
  const [one, two] = [await open(), await open({}, { fresh: true })];
  const hook = scene.hook("Bash", { command: "make twice" });
  await look(one, "make twice");
  await look(two, "make twice");
  await two.locator(".over, .beside-you").first().waitFor({ state: "attached" });
  await one.keyboard.press("n");
  await two.locator(".over", { hasText: "Answered elsewhere. You, in another browser, denied it." }).waitFor();
  assert.equal((await hook.said).permissionDecision, "deny");
}

export async function whoever_asked_is_gone({ scene, open }) {
  const page = await open();
  const { id } = await scene.submit("Bash", { command: "make nothing" });
  await look(page, "make nothing");
  await scene.request("DELETE", `/v1/operations/${id}`, undefined, scene.asking);
  await page.locator(".over", { hasText: "took it back" }).waitFor();
}

/** finding W-03: the list and the prompt count down to the same moment, also after somebody looked at it. */
export async function one_deadline_in_the_list_and_in_the_prompt({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make deadline" });
  await look(page, "make deadline");
  const prompt = (await scene.request("GET", "/v1/prompts")).body.prompts.find((one) => one.message.includes("make deadline"));
  await scene.request("POST", `/v1/prompts/${prompt.id}/activity`, {});
  const seconds = (words) => words.match(/(\d+):(\d\d)/).slice(1).reduce((sum, part) => sum * 60 + Number(part), 0);
  await page.waitForTimeout(1500);
  const [row, clock] = [await page.locator(`[data-id="${prompt.id}"] .left`).innerText(), await page.locator(".detail .clock").innerText()];
  assert.ok(Math.abs(seconds(row) - seconds(clock)) <= 1, `${row} and ${clock}`);
  const due = (await scene.request("GET", `/v1/prompts/${prompt.id}`)).body.expires_at;
  assert.ok(Math.abs((due - Date.now()) / 1000 - seconds(clock)) <= 3, `${clock}, and it is denied in ${(due - Date.now()) / 1000} s`);
  await page.keyboard.press("n");
  assert.equal((await hook.said).permissionDecision, "deny");
}
