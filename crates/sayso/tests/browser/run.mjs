// Runs every check in a browser, and ends with how many passed and failed. Several run at once, each in a scene of its own.

import { Scene, browser, visit, wrong } from "./scene.mjs";
import * as answers from "./answers.mjs";
import * as here from "./here.mjs";
import * as hostile from "./hostile.mjs";
import * as line from "./line.mjs";
import * as looks from "./looks.mjs";
import * as views from "./views.mjs";

/** A check that takes longer hangs. */
const LONGEST = 120_000;
const LANES = 2;
const only = process.argv[2] ?? "";
const launched = await browser();
let [passed, failed] = [0, 0];
/** Checks that failed once: they are tried again by themselves, and it is told. */
const unsteady = [];

async function run(title, check, scene, isLast = false) {
  const start = Date.now();
  const opened = [];
  const open = async (options, how) => {
    const one = await visit(launched, how?.scene ?? scene, options, how);
    opened.push(one);
    return one.page;
  };
  let timer;
  try {
    const late = new Promise((_, failed) => {
      timer = setTimeout(() => failed(new Error("it hangs")), LONGEST);
    });
    await Promise.race([check({ scene, open }), late]);
    const found = (await Promise.all(opened.map(wrong))).flat();
    if (found.length > 0) throw new Error(`beside it: ${found.join("; ")}`);
    passed += 1;
    console.log(`ok      ${title} (${Date.now() - start} ms)`);
  } catch (error) {
    if (isLast) failed += 1;
    else unsteady.push([title, check]);
    console.log(`${isLast ? "FAILED " : "AGAIN  "} ${title}\n${error.stack}`);
    const folder = process.env.SAYSO_PICTURES;
    if (folder && opened[0]) await opened[0].page.screenshot({ path: `${folder}/${title.replaceAll(/[^a-z]+/g, "-")}.png` }).catch(() => {});
  }
  clearTimeout(timer);
  for (const one of opened) await one.context.close();
  await scene.clear();
}

const waiting = Object.entries({ here, hostile, looks, answers, line, views })
  .flatMap(([file, checks]) => Object.entries(checks).map(([name, check]) => [`${file}: ${name.replaceAll("_", " ")}`, check]))
  .filter(([title]) => title.includes(only));

async function lane() {
  const scene = await new Scene().open();
  for (let next = waiting.shift(); next; next = waiting.shift()) await run(...next, scene);
  await scene.close();
}

await Promise.all(Array.from({ length: LANES }, lane));
// A busy machine makes a check late now and then; what is wrong fails again.
for (const one of unsteady) {
  const scene = await new Scene().open();
  await run(...one, scene, true);
  await scene.close();
}
if (unsteady.length > 0) console.log(`UNSTEADY: ${unsteady.map(([title]) => title).join("; ")}`);
await launched.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
