// What a model wrote is drawn as text, whatever it is: markup, control characters, other directions, and a megabyte of it.

import assert from "node:assert/strict";
import { look } from "./scene.mjs";

const MARKUP = `"'><img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg onload=window.hacked=1>\${window.hacked=1}{{hacked}}`;
const HIDDEN = "a\u202eb\u2066c\u200bd\u{e0041}e\u001b[2J\u0007f\u00adg\ufeffh\u0085i\u2028j\u00a0k";
const SPELLED = "a‹U+202E›b‹U+2066›c‹U+200B›d‹U+E0041›e␛[2J␇f‹U+00AD›g‹U+FEFF›h‹U+0085›i‹U+2028›j‹U+00A0›k";

/** Every text and attribute of the page that hides something. */
async function hiding(page) {
  return page.evaluate(() => {
    const odd = /[\p{Cf}\p{Co}\p{Cs}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u2028\u2029]/u;
    const out = [];
    const walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walk.currentNode; node; node = walk.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE && odd.test(node.data)) out.push(node.data);
      if (node.nodeType === Node.ELEMENT_NODE) for (const one of node.attributes) if (odd.test(one.value)) out.push(`${one.name}=${one.value}`);
    }
    return out;
  });
}

/** The spelling of a name. */
function visible(name) {
  return name.replace(/[\p{Cf}\p{Zl}\u00a0]/gu, (one) => `‹U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
}

/** Elements that nothing of ours makes. */
function foreign(page) {
  return page.locator("img, svg, iframe, object, embed, body script, style, form, a[href]:not(.skip)").count();
}

async function in_every_field(text, shown, { scene, open }) {
  const page = await open();
  const args = { command: `echo ${text}`, description: text, [text]: text, env: { A: text }, nested: [{ b: text }] };
  // Names with control characters are refused before anybody sees them.
  const name = text.replace(/\p{Cc}/gu, "");
  const who = { agent: name, session: name };
  await scene.submit("Bash", args, { ...who, batch: name, id: name });
  const odd = await scene.submit(name, { path: text, [text]: [text] }, who);
  scene.file("odd.js", `const a = 1;\n`);
  await scene.submit("Write", { file_path: `${scene.workspace}/odd.js`, content: `const a = 1;\n// ${text}\nconst b = "${text}";\n` }, who);
  await scene.submit("Write", { file_path: `${scene.workspace}/new ${name.replaceAll("/", "_")}.py`, content: `${text}\n` }, who);
  await scene.submit("mcp__files__read", { [text]: text }, who);
  await scene.submit("WebFetch", { url: `https://example.com/${text}`, prompt: text }, who).catch(() => {});
  scene.file("plain.js", "const a = 1;\n");
  await scene.submit("Write", { file_path: `${scene.workspace}/plain.js`, content: "const a = 2;\n" }, who);
  await page.locator(".prompt-row").nth(5).waitFor();
  const rows = await page.locator(".prompt-row").count();
  for (let at = 0; at < rows; at += 1) {
    await page.locator(".prompt-row").nth(at).click();
    await page.waitForSelector(".foot.armed");
    await page.locator("details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
    const seen = await page.locator(".detail").evaluate((one) => one.textContent);
    assert.ok([shown, visible(name)].some((one) => seen.includes(one)), `${shown} is not in ${seen}`);
    assert.deepEqual(await hiding(page), []);
    assert.equal(await foreign(page), 0);
    await page.keyboard.press("u");
    await page.keyboard.press("s");
    assert.deepEqual(await hiding(page), []);
    await page.keyboard.press("Escape");
  }
  // A grant that is kept, then all of it in the other views.
  await page.locator(".prompt-row", { hasText: "plain.js" }).click();
  await page.waitForSelector(".foot.armed");
  await page.keyboard.press("s");
  await page.waitForSelector(".choice");
  await page.waitForSelector(".foot.armed");
  await page.keyboard.press("1");
  await page.locator("#told:visible").waitFor();
  await scene.clear();
  await scene.operation(odd.id);
  await page.keyboard.press("g");
  await page.locator(".standing li").first().waitFor();
  assert.deepEqual(await hiding(page), []);
  await page.keyboard.press("h");
  await page.locator(".history .link").nth(3).waitFor();
  for (let at = 0; at < 3; at += 1) await page.locator(".history .link").nth(at).click();
  await page.locator(".story pre").nth(2).waitFor();
  assert.deepEqual(await hiding(page), []);
  assert.equal(await foreign(page), 0);
}

export async function markup_is_text_in_every_field(all) {
  await in_every_field(MARKUP, MARKUP, all);
}

export async function what_hides_is_spelled_out_in_every_field(all) {
  await in_every_field(HIDDEN, SPELLED, all);
}

export async function the_page_spells_as_the_server_does({ scene, open }) {
  const page = await open();
  const points = [];
  for (let point = 1; point < 0x3100; point += 1) if (point !== 10) points.push(point);
  for (const [from, to] of [[0xd7f0, 0xd7ff], [0xe000, 0xe010], [0xf8f0, 0xfe20], [0xfe70, 0xffff], [0x13420, 0x13450], [0x16fe0, 0x16fe8], [0x1bc9c, 0x1bca8], [0x1d150, 0x1d180], [0x1f600, 0x1f610], [0x1fff0, 0x20010], [0x2fff0, 0x30000], [0xdfff0, 0xe0200], [0xe0ff0, 0xe1010], [0xeffff, 0xf0002], [0xffffe, 0x100001], [0x10fffd, 0x10ffff]]) {
    for (let point = from; point <= to; point += 1) points.push(point);
  }
  const text = points.map((point) => String.fromCodePoint(point)).join("");
  await scene.submit("Bash", { command: text });
  const { preview } = (await scene.request("GET", "/v1/prompts?full=true")).body.prompts[0];
  const server = (preview.full ?? preview).lines.join("\n");
  const [ours, again] = await page.evaluate(async ([text, server]) => {
    const { neutral, visible } = await import("/page/text.js");
    return [visible(text), neutral(server)];
  }, [text, server]);
  assert.equal(ours, server);
  assert.equal(again, server, "what the server spelled out stays as it is");
}

export async function colours_never_change_a_text({ open }) {
  const page = await open();
  const found = await page.evaluate(async () => {
    const { highlight } = await import("/page/highlight.js");
    const { marked, escapes } = await import("/page/text.js");
    const pieces = ["\"", "'", "`", "\\", "#", "//", "/*", "*/", "<!--", "-->", "--", "{-", "(*", " ", "\t", "if", "fn", "0x1F", "1e9", "‹U+202E›", "␛", "‹", "é", "𝒳", "שלום", "$x", "a-b", ";", "%", "\u0301"];
    const languages = ["bash", "rust", "python", "javascript", "yaml", "sql", "html", "haskell", "ocaml", "lua", "json", "go", "erlang", "css", "none", null, "constructor", "__proto__"];
    let seed = 7;
    const next = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
    for (let at = 0; at < 20000; at += 1) {
      const text = Array.from({ length: next(14) }, () => pieces[next(pieces.length)]).join("");
      const language = languages[next(languages.length)];
      const ranges = [...highlight(text, language), ...escapes(text), { from: Math.min(1, text.length), to: Math.min(5, text.length), name: "differs" }];
      if (marked(text, ranges).textContent !== text) return `${language}: ${text}`;
    }
    return null;
  });
  assert.equal(found, null);
}

export async function letters_that_are_written_from_the_right_move_nothing({ scene, open }) {
  const page = await open();
  await scene.submit("Bash", { command: "echo שלום ; make עולם" });
  await look(page, "make");
  // Where each character stands on the screen, from the left.
  const places = await page.locator(".body .command").evaluate((one) => {
    const range = document.createRange();
    const walk = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    const out = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      for (let at = 0; at < node.data.length; at += 1) {
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        out.push(range.getBoundingClientRect().left);
      }
    }
    return out;
  });
  assert.deepEqual(places, [...places].sort((one, two) => one - two), "on the screen as in the command");
}

export async function a_long_command_is_wrapped_and_whole({ scene, open }) {
  const page = await open();
  const command = `make ${Array.from({ length: 900 }, (_, at) => `target-${at}`).join(" ")} last-of-all`;
  await scene.submit("Bash", { command });
  await page.locator(".prompt-row").click();
  await page.locator(".body", { hasText: "last-of-all" }).waitFor();
  await page.waitForSelector(".foot.armed");
  const box = page.locator(".body .command");
  assert.equal(await box.evaluate((one) => one.textContent), command);
  assert.ok(await box.evaluate((one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight), "nothing of it is cut");
  assert.match(await page.locator(".long").innerText(), /all of them run/);
}

export async function a_diff_of_a_megabyte_stays_usable({ scene, open }) {
  const page = await open();
  const line = (at, word) => `let value_${at} = "${word} number ${at}"; // <b>${"x".repeat(at % 40)}</b>\n`;
  const text = (word) => Array.from({ length: 14_000 }, (_, at) => line(at, at % 3 === 0 ? word : "same")).join("");
  scene.file("big.rs", text("old"));
  const hook = scene.hook("Write", { file_path: `${scene.workspace}/big.rs`, content: text("new") });
  await page.locator(".prompt-row", { hasText: "big.rs" }).click();
  await page.waitForSelector(".foot.armed");
  const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok((await elements()) < 20_000, `${await elements()} elements`);
  await page.keyboard.press("u");
  assert.ok(await page.locator(".diff.beside").isVisible());
  await page.keyboard.press("u");
  // To the end, as a person would go there.
  await page.locator(".scrolled").evaluate(async (one) => {
    for (let at = 0; at < 12 && !one.querySelector(".diff .part:last-child:not(.empty)"); at += 1) {
      one.querySelector(".diff").scrollIntoView({ block: "end" });
      await new Promise((done) => setTimeout(done, 60));
    }
  });
  await page.locator(".diff code", { hasText: "new number 13998" }).waitFor();
  assert.ok((await elements()) < 40_000, `${await elements()} elements`);
  await page.keyboard.press("n");
  const said = await hook.said;
  assert.equal(said.permissionDecision, "deny", said.permissionDecisionReason);
}

export async function a_single_line_of_a_megabyte_too({ scene, open }) {
  const page = await open();
  scene.file("line.json", `{"a":"${"b".repeat(1000)}"}`);
  const hook = scene.hook("Write", { file_path: `${scene.workspace}/line.json`, content: `{"a":"${"c<i>".repeat(250_000)}"}` });
  await page.locator(".prompt-row", { hasText: "line.json" }).click();
  await page.waitForSelector(".foot.armed");
  assert.ok(await page.locator(".diff").evaluate((one) => one.textContent.length > 1_000_000), "all of it");
  await page.keyboard.press("n");
  assert.equal((await hook.said).permissionDecision, "deny");
}
