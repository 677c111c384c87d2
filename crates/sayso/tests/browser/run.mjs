// Runs every check in a browser, and ends with how many passed and failed.

import { Scene, browser, visit, wrong } from "./scene.mjs";
import * as answers from "./answers.mjs";
import * as hostile from "./hostile.mjs";
import * as line from "./line.mjs";
import * as looks from "./looks.mjs";
import * as views from "./views.mjs";

/** A check that takes longer hangs. */
const LONGEST = 60_000;
const only = process.argv[2] ?? "";
const launched = await browser();
const scene = await new Scene().open();
let [passed, failed] = [0, 0];

for (const [file, checks] of Object.entries({ answers, hostile, line, looks, views })) {
  for (const [name, check] of Object.entries(checks)) {
    const title = `${file}: ${name.replaceAll("_", " ")}`;
    if (!title.includes(only)) continue;
    const start = Date.now();
    let opened = [];
    try {
      const open = async (options, how) => {
        const one = await visit(launched, how?.scene ?? scene, options, how);
        opened.push(one);
        return one.page;
      };
      await Promise.race([check({ scene, open }), new Promise((_, late) => setTimeout(() => late(new Error("it hangs")), LONGEST).unref())]);
      const found = (await Promise.all(opened.map(wrong))).flat();
      if (found.length > 0) throw new Error(`beside it: ${found.join("; ")}`);
      passed += 1;
      console.log(`ok      ${title} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${title}\n${error.stack}`);
      if (process.env.SAYSO_PICTURES && opened[0]) await opened[0].page.screenshot({ path: `${process.env.SAYSO_PICTURES}/${name}.png` }).catch(() => {});
    }
    for (const one of opened) await one.context.close();
    await scene.clear();
  }
}
await launched.close();
await scene.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
