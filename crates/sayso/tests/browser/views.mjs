// The other views: the way in, the record, what is remembered, and the PIN.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { Scene, axe, look } from "./scene.mjs";

export async function nobody_gets_in_without_a_link({ scene, open }) {
  const page = await open({}, { letIn: false });
  await page.goto(scene.url);
  await page.locator("h2", { hasText: "This browser is not let in yet" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.goto(`${scene.url}#login=${"0".repeat(64)}`);
  await page.locator(".problem:visible").waitFor();
  await page.getByRole("textbox", { name: "link or code" }).fill(scene.link());
  await page.getByRole("button", { name: "let me in" }).click();
  await page.locator(".line.live").waitFor();
  assert.equal(new URL(page.url()).hash, "", "the code stays in no history");
  await page.getByRole("button", { name: "log out" }).click();
  await page.locator("h2", { hasText: "This browser is not let in yet" }).waitFor();
}

export async function a_link_is_good_once({ scene, open }) {
  const link = scene.link();
  const page = await open({}, { letIn: false });
  await page.goto(link);
  await page.locator(".line.live").waitFor();
  const other = await open({}, { letIn: false });
  await other.goto(link);
  await other.locator(".problem:visible").waitFor();
}

export async function history_has_filters({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make remembered-yes" });
  await look(page, "make remembered-yes");
  await page.keyboard.press("y");
  await hook.said;
  const denied = scene.hook("Bash", { command: "make remembered-no" });
  await look(page, "make remembered-no");
  await page.keyboard.press("n");
  await denied.said;
  await page.keyboard.press("h");
  await page.getByRole("searchbox", { name: "text" }).fill("remembered");
  const yes = page.locator(".history tr.allowed", { hasText: "remembered-yes" });
  const no = page.locator(".history tr.refused", { hasText: "remembered-no" });
  await yes.waitFor();
  await no.waitFor();
  assert.match(await yes.innerText(), /by you, in the browser/);
  await page.getByRole("combobox", { name: "outcome" }).selectOption("denied");
  await yes.waitFor({ state: "detached" });
  assert.ok(await no.isVisible());
  await page.getByRole("searchbox", { name: "agent" }).fill("nobody-of-that-name");
  await page.locator("[role=status]", { hasText: "0 entries" }).waitFor();
}

export async function what_is_remembered_is_listed_and_taken_back({ scene, open }) {
  const page = await open();
  const hook = scene.hook("Bash", { command: "make kept" }, "session-kept");
  await look(page, "make kept");
  await page.keyboard.press("s");
  await page.waitForSelector(".choice");
  await page.getByRole("radio", { name: "this project" }).check();
  await page.waitForSelector(".foot.armed");
  await page.locator(".choice", { hasText: "make kept" }).first().click();
  assert.equal((await hook.said).permissionDecision, "allow");
  await page.keyboard.press("g");
  const one = page.locator(".standing li", { hasText: "make kept" });
  await one.waitFor();
  const take = one.getByRole("button");
  await take.click();
  assert.equal((await scene.request("GET", "/v1/rules")).body.rules.filter((rule) => rule.words.includes("make kept")).length, 1, "one click is not enough");
  await take.click();
  await one.waitFor({ state: "detached" });
  const again = scene.hook("Bash", { command: "make kept" }, "session-kept");
  await page.keyboard.press("i");
  await look(page, "make kept");
  await page.keyboard.press("n");
  assert.equal((await again.said).permissionDecision, "deny");
}

export async function a_wider_answer_takes_the_pin_where_there_is_one({ open }) {
  const scene = await new Scene().open();
  try {
    // It is read from a terminal, which `script` makes.
    const set = spawnSync("script", ["-qec", `'${process.env.SAYSO_PROGRAM}' serve --set-pin`, "/dev/null"], { env: scene.environment, cwd: scene.root, input: "2468\n2468\n", encoding: "utf8" });
    assert.equal(set.status, 0, set.stdout);
    const page = await open({}, { scene });
    const hook = scene.hook("Bash", { command: "make pinned" });
    await look(page, "make pinned");
    await page.keyboard.press("s");
    await page.waitForSelector(".choice");
    await page.waitForSelector(".foot.armed");
    await page.keyboard.press("1");
    const field = page.getByRole("textbox", { name: "PIN" });
    await field.fill("1111");
    await page.waitForSelector(".foot.armed");
    await field.press("Enter");
    await page.keyboard.press("Space");
    await page.locator(".problem", { hasText: "the PIN is wrong" }).waitFor();
    assert.ok(hook.isWaiting());
    await field.fill("2468");
    await page.waitForSelector(".foot.armed");
    await page.getByRole("button", { name: "allow with this PIN" }).click();
    assert.equal((await hook.said).permissionDecision, "allow");
  } finally {
    await scene.close();
  }
}

export async function nobody_is_notified_before_they_said_so({ scene, open }) {
  const page = await open({ permissions: [] });
  await page.evaluate(() => {
    window.asked = 0;
    const real = Notification.requestPermission.bind(Notification);
    Notification.requestPermission = () => ((window.asked += 1), real());
  });
  await scene.submit("Bash", { command: "make quiet" });
  await page.locator(".prompt-row").waitFor();
  assert.equal(await page.evaluate(() => window.asked), 0);
  await page.locator("#notify").click();
  assert.equal(await page.evaluate(() => window.asked), 1);
}
