// The module, with either build of its programs, in Chromium, Firefox and WebKitGTK: one page of assertions, suite/suite.js, in each.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { browsers } from "./drivers.js";
import { hasTiny, here, holdfast, serve, startSim } from "./harness.js";

const sim = await startSim();

for (const [build, entry] of [["the module", "holdfast.js"], ["the small one", "tiny/holdfast.js"]]) {
  const address = await serve({ "/": join(here, "suite"), "/holdfast/": holdfast }, entry);
  for (const browser of browsers) {
    const missing = !browser.here ? `${browser.name} is not here: ${browser.get}` : entry !== "holdfast.js" && !hasTiny && "it was not built";
    test(`${build} in ${browser.name}`, { skip: missing, timeout: 300_000 }, async (t) => {
      const report = await browser.drive(`${address}/?sim=${encodeURIComponent(sim)}`, browser.here);
      for (const { name, error } of report) await t.test(name, () => assert.equal(error, ""));
      assert.ok(report.length > 15);
    });
  }
}
