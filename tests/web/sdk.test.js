// The official SDKs with client.fetch in every browser, bundled by esbuild: the cases of tests/sdk. Each is
// cut at 20 places in Chromium and at 5 in the others; PLACES=200 cuts as often as the tests in Node do.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import * as esbuild from "esbuild";
import { browsers } from "./drivers.js";
import { here, holdfast, out, serve, startSim } from "./harness.js";

const outdir = join(out, "sdk");
await esbuild.build({ entryPoints: [join(here, "../sdk/page.js")], bundle: true, format: "esm", outdir, external: ["holdfast"], logLevel: "error" });
writeFileSync(join(outdir, "index.html"), '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="./page.js"></script>');

const [sim, address] = [await startSim(), await serve({ "/": outdir, "/holdfast/": holdfast })];

const long = process.env.PLACES ? Number(process.env.PLACES) : null;

for (const browser of browsers) {
  test(browser.name, { skip: !browser.here && `${browser.name} is not here: ${browser.get}`, timeout: 90_000 + (long ?? 0) * 2000 }, async (t) => {
    const places = long ?? (browser.name === "Chromium" ? 20 : 5);
    const report = await browser.drive(`${address}/?sim=${encodeURIComponent(sim)}&places=${places}`, browser.here);
    for (const { name, error } of report) await t.test(name, () => assert.equal(error, ""));
    assert.ok(report.length > 200);
  });
}
