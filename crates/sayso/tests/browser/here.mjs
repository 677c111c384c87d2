// Whether somebody looks at the page: only then questions of hooks come here.

import assert from "node:assert/strict";
import { Scene } from "./scene.mjs";

async function present(scene, wanted) {
  for (let tries = 0; tries < 500; tries += 1) {
    const { body } = await scene.request("GET", "/v1/me");
    if (body.present === wanted) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.fail(`${wanted} screens are looked at`);
}

function hide(page, state) {
  return page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
}

/** finding W-07: a page that is hidden, idle or closed is nobody; one that somebody looks at is. */
export async function finding_w_07_a_page_counts_while_somebody_looks_at_it({ open }) {
  const scene = await new Scene("hooks: {ask: auto}\n").open();
  try {
    const ask = () => scene.hook("Bash", { command: "make it" });
    assert.equal((await ask().said).permissionDecision, "ask");
    const page = await open({}, { scene });
    await present(scene, 1);
    const held = ask();
    await page.locator(".prompt-row", { hasText: "make it" }).waitFor();
    assert.ok(held.isWaiting());
    await scene.clear();
    await hide(page, "hidden");
    await present(scene, 0);
    assert.equal((await ask().said).permissionDecision, "ask", "a hidden tab takes no question");
    await hide(page, "visible");
    await present(scene, 1);
    // Nobody moved for long.
    await page.evaluate(() => {
      const real = Date.now;
      Date.now = () => real() + 6 * 60_000;
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await present(scene, 0);
    assert.match(await page.locator("#line").getAttribute("title"), /agents ask in their own dialogs/);
    await page.mouse.move(40, 40);
    await present(scene, 1);
    await page.goto("about:blank");
    await present(scene, 0);
  } finally {
    await scene.close();
  }
}
