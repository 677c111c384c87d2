// A folder of its own with the real `sayso serve` in it, real hooks that ask there, and browsers that are let in.

import { spawn, execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const need = (name) => {
  if (!process.env[name]) throw new Error(`${name} is not set; run ./test`);
  return process.env[name];
};
const SAYSO = need("SAYSO_PROGRAM");
const installed = createRequire(path.join(need("SAYSO_BROWSER"), "package.json"));
const { chromium } = installed("playwright-core");
const AXE = installed.resolve("axe-core/axe.min.js");
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A browser, with a folder of its own that goes with it. */
export async function browser() {
  return chromium.launch({ executablePath: process.env.SAYSO_CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** A desk: a home, a workspace, an inbox that is open. */
export class Scene {
  constructor(policy = "") {
    this.root = fs.mkdtempSync(path.join(os.tmpdir(), "sayso-browser-"));
    this.home = path.join(this.root, "home");
    this.workspace = path.join(this.root, "shop");
    this.state = path.join(this.home, "state");
    const config = path.join(this.home, "config");
    fs.mkdirSync(path.join(config, "sayso"), { recursive: true });
    fs.mkdirSync(this.workspace);
    fs.writeFileSync(path.join(config, "sayso/policy.yaml"), `version: 1\n${policy.includes("hooks:") ? "" : "hooks: {ask: inbox}\n"}${policy}`);
    this.environment = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", HOME: this.home, XDG_CONFIG_HOME: config, XDG_STATE_HOME: this.state };
    this.hooks = [];
    this.calls = 0;
  }

  file(name, text) {
    fs.writeFileSync(path.join(this.workspace, name), text);
    return path.join(this.workspace, name);
  }

  async open(listen = "127.0.0.1:0") {
    this.server = spawn(SAYSO, ["serve", "--json", "--listen", listen], { env: this.environment, cwd: this.root, stdio: ["ignore", "pipe", "inherit"] });
    const said = await new Promise((done, failed) => {
      let text = "";
      this.server.stdout.on("data", (piece) => {
        text += piece;
        if (text.includes("\n")) done(JSON.parse(text));
      });
      this.server.on("exit", () => failed(new Error("the inbox did not open")));
    });
    this.url = said.link.split("#")[0];
    const token = (name) => fs.readFileSync(path.join(this.state, "sayso/serve", name), "utf8").trim();
    [this.asking, this.answering] = [token("asking.token"), token("answering.token")];
    return this;
  }

  stop() {
    return new Promise((done) => {
      this.server.on("exit", done);
      this.server.kill("SIGKILL");
    });
  }

  async close() {
    for (const hook of this.hooks) hook.kill();
    if (this.server.exitCode === null && this.server.signalCode === null) await this.stop();
    fs.rmSync(this.root, { recursive: true, force: true });
  }

  link() {
    return execFileSync(SAYSO, ["serve", "--link"], { env: this.environment, cwd: this.root, encoding: "utf8" }).trim();
  }

  async request(method, where, body, token = this.answering) {
    const answer = await fetch(new URL(where, this.url), { method, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: body && JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  }

  /** An operation as a program submits it. */
  async submit(tool, args, more = {}) {
    const { status, body } = await this.request("POST", "/v1/operations", { tool, args, workspace: this.workspace, ...more }, this.asking);
    if (status !== 202) throw new Error(`it is not asked for: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async operation(id) {
    return (await this.request("GET", `/v1/operations/${id}?wait=20`, undefined, this.asking)).body;
  }

  /** A call of Claude Code's, as its hook is started for it. `said` is what the agent hears. */
  hook(tool, input, session = "0f6d1c52-shop") {
    const child = spawn(SAYSO, ["hook", "claude", "--wait", "600"], { env: { ...this.environment, CLAUDE_PROJECT_DIR: this.workspace }, cwd: this.workspace, stdio: ["pipe", "pipe", "pipe"] });
    this.hooks.push(child);
    const event = { session_id: session, transcript_path: path.join(this.home, "none.jsonl"), cwd: this.workspace, permission_mode: "default", hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, tool_use_id: `toolu_${(this.calls += 1)}` };
    child.stdin.end(JSON.stringify(event));
    let [out, err] = ["", ""];
    child.stdout.on("data", (piece) => (out += piece));
    child.stderr.on("data", (piece) => (err += piece));
    const said = new Promise((done) => {
      child.on("close", (...end) => done(out ? JSON.parse(out).hookSpecificOutput : { permissionDecision: "none", permissionDecisionReason: `${end} ${err}` }));
    });
    return { said, isWaiting: () => child.exitCode === null };
  }

  /** Ends hooks that still wait, and denies whatever is open. */
  async clear() {
    const waiting = this.hooks.filter((hook) => hook.exitCode === null && hook.signalCode === null);
    await Promise.all(waiting.map((hook) => new Promise((done) => hook.on("close", done).kill("SIGKILL"))));
    this.hooks = [];
    const { body } = await this.request("GET", "/v1/prompts?limit=1000");
    for (const prompt of body.prompts) await this.request("POST", `/v1/prompts/${prompt.id}/answer`, { digest: prompt.digest, choice: "deny" });
  }
}

/** A window that is let in, and everything in it that must not happen. */
export async function visit(launched, scene, options = {}, { letIn = true, fresh = false } = {}) {
  // Who was let in stays so, unless it shall be somebody else.
  const storageState = letIn && !fresh ? scene.letIn : undefined;
  const context = await launched.newContext({ viewport: { width: 1200, height: 800 }, reducedMotion: "reduce", storageState, ...options });
  const bad = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== new URL(scene.url).origin && url.protocol !== "data:") bad.push(`a request to ${request.url()}`);
  });
  await context.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await context.addInitScript({ path: AXE });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (error) => bad.push(`an error: ${error.stack}`));
  page.on("dialog", (dialog) => {
    bad.push("a dialog");
    dialog.dismiss();
  });
  const window1 = { page, context, bad };
  if (letIn) {
    await page.goto(storageState ? scene.url : scene.link());
    await page.waitForSelector(".line.live", { state: "attached" });
    scene.letIn ??= await context.storageState();
  }
  return window1;
}

/** What went wrong in a window all the while. */
export async function wrong({ page, bad }) {
  return [...bad, ...(await page.evaluate(() => [...window.violations, ...(window.hacked ? ["a script of somebody else ran"] : [])]))];
}

/** What axe finds that is serious, as lines. */
export async function axe(page) {
  return page.evaluate(async () => {
    const found = await window.axe.run(document, { resultTypes: ["violations"] });
    return found.violations
      .filter((one) => ["serious", "critical"].includes(one.impact))
      .flatMap((one) => one.nodes.slice(0, 3).map((node) => `${one.impact} ${one.id}: ${node.target.join(" ")} ${node.failureSummary.split("\n").slice(1, 2).join("")}`));
  });
}

/** Chooses a prompt in the list, and waits until it can be answered. */
export async function look(page, text) {
  await page.locator(".prompt-row", { hasText: text }).click();
  await page.locator(".body", { hasText: text }).waitFor();
  await page.waitForSelector(".foot.armed");
}
