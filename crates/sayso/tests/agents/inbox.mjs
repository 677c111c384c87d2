// A person at the page of the inbox, for a real agent: looks at the first prompt and allows it, and denies the second with a note.
// What was read on the page comes out as one line of JSON.

import { createRequire } from "node:module";
import path from "node:path";

const [link, first, second, note, picture] = process.argv.slice(2);
const { chromium } = createRequire(path.join(process.env.SAYSO_BROWSER, "package.json"))("playwright-core");
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: process.env.SAYSO_CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
const page = await (await browser.newContext({ viewport: { width: 1200, height: 800 }, reducedMotion: "reduce" })).newPage();
page.setDefaultTimeout(120_000);

/** Chooses a prompt, waits until it can be answered, and gives what is to be read of it. */
async function look(text) {
  await page.locator(".prompt-row", { hasText: text }).click();
  await page.locator(".body", { hasText: text }).waitFor();
  await page.waitForSelector(".foot.armed");
  return page.locator(".detail").innerText();
}

await page.goto(link);
await page.waitForSelector(".line.live", { state: "attached" });
const shown = await look(first);
if (picture) await page.screenshot({ path: picture });
await page.keyboard.press("y");
const allowed = await page.locator("#told", { hasText: "You allowed it once." }).innerText();
await look(second);
await page.keyboard.press("d");
await page.keyboard.type(note);
await page.keyboard.press("Enter");
const denied = await page.locator("#told", { hasText: "denied" }).innerText();
console.log(JSON.stringify({ shown, allowed, denied }));
await browser.close();
