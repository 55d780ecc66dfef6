// The module in Chromium, Firefox and WebKitGTK: one page of assertions, suite/suite.js, in each.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { browsers } from "./drivers.js";
import { here, holdfast, serve, startSim } from "./harness.js";

const [sim, address] = [await startSim(), await serve({ "/": join(here, "suite"), "/holdfast/": holdfast })];

for (const browser of browsers) {
  test(browser.name, { skip: !browser.here && `${browser.name} is not here: ${browser.get}`, timeout: 300_000 }, async (t) => {
    const report = await browser.drive(`${address}/?sim=${encodeURIComponent(sim)}`, browser.here);
    for (const { name, error } of report) await t.test(name, () => assert.equal(error, ""));
    assert.ok(report.length > 15);
  });
}
