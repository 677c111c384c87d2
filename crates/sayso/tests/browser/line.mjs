// The line to the server: what is new comes by itself, a break is seen and survived, and time runs out.

import assert from "node:assert/strict";
import { Scene, look } from "./scene.mjs";

async function with_scene(policy, does) {
  const scene = await new Scene(policy).open();
  try {
    await does(scene);
  } finally {
    await scene.close();
  }
}

export async function a_prompt_expires_while_it_is_open({ open }) {
  await with_scene("approval_timeout: 2\n", async (scene) => {
    const page = await open({}, { scene });
    const hook = scene.hook("Bash", { command: "make late" });
    await page.locator(".body", { hasText: "make late" }).waitFor();
    await page.locator(".over", { hasText: "Nobody answered in time: it was denied." }).waitFor();
    assert.equal(await page.locator(".answer").count(), 0);
    assert.equal((await hook.said).permissionDecision, "deny");
  });
}

export async function new_prompts_come_by_themselves_and_are_told_aloud({ scene, open }) {
  const page = await open();
  assert.equal(await page.locator(".prompt-row").count(), 0);
  await scene.submit("Bash", { command: "make loud" }, { agent: "builder" });
  await page.locator(".prompt-row", { hasText: "make loud" }).waitFor();
  assert.match(await page.locator("#live[aria-live=polite]").innerText(), /builder .*wants to run/);
  assert.equal(await page.title(), "(1) sayso");
}

export async function the_server_goes_and_comes_back({ open }) {
  await with_scene("", async (scene) => {
    const page = await open({}, { scene });
    await scene.submit("Bash", { command: "make gone" });
    await look(page, "make gone");
    const address = new URL(scene.url).host;
    await scene.stop();
    await page.locator("#lost", { hasText: "The connection to the inbox is lost" }).waitFor();
    assert.match(await page.locator("#line-words").innerText(), /no connection|connecting/);
    await page.keyboard.press("y");
    await page.locator(".problem", { hasText: "nothing was answered" }).waitFor();
    // Another process knows neither the login nor the prompt.
    await scene.open(address);
    await page.locator("h2", { hasText: "This browser is not let in yet" }).waitFor();
    await page.goto(scene.link());
    await page.locator(".line.live").waitFor();
    assert.equal(await page.locator(".prompt-row").count(), 0);
  });
}

export async function after_a_break_it_goes_on_behind_the_last_event({ scene, open }) {
  const page = await open();
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/v1/events") && asked.push(request.headers()["last-event-id"]));
  // A line that ends at once, as one that breaks does.
  await page.route("**/v1/events", (route) => route.abort());
  await page.reload();
  await page.locator("#lost:visible").waitFor();
  await scene.submit("Bash", { command: "make meanwhile" });
  await page.unroute("**/v1/events");
  await page.locator(".prompt-row", { hasText: "make meanwhile" }).waitFor();
  await page.locator(".line.live").waitFor();
  assert.ok(await page.locator("#lost").isHidden());
  assert.ok(asked.length >= 2 && asked.every((id) => id), `each time behind an event: ${asked}`);
}
