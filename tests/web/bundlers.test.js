// The published folder as people use it: by itself, through Vite and esbuild, in pages and in workers.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import * as esbuild from "esbuild";
import * as vite from "vite";
import { close, hasTiny, here, holdfast, open, out, serve, startChromium, startSim } from "./harness.js";

const sim = await startSim();
const browser = await startChromium();
const root = join(here, "page");
const whole = { status: "complete", continued: true, fetched: true };

/** Opens the page at an address; it and its worker must get the whole answer. */
async function works(address) {
  const page = await open(browser, `${address}/?sim=${encodeURIComponent(sim)}`);
  await page.waitForFunction(() => globalThis.outcome, null, { timeout: 30_000 });
  const outcome = await page.evaluate(() => globalThis.outcome);
  for (const where of ["page", "worker"]) {
    const { length, ...rest } = outcome[where];
    assert.deepEqual(rest, whole, where);
    assert.ok(length > 500);
  }
  await close(page);
}

test("a plain script", async () => {
  await works(await serve({ "/": root, "/holdfast/": holdfast }));
});

test("a plain script, with the small programs", { skip: !hasTiny && "they were not built" }, async () => {
  await works(await serve({ "/": root, "/holdfast/": holdfast }, "tiny/holdfast.js"));
});

test("Vite, built", async () => {
  const outDir = join(out, "vite");
  await vite.build({ root, base: "./", configFile: false, logLevel: "error", worker: { format: "es" }, build: { outDir, emptyOutDir: true } });
  await works(await serve({ "/": outDir }));
});

test("Vite, built, with the small programs", { skip: !hasTiny && "they were not built" }, async () => {
  const outDir = join(out, "vite-tiny");
  const resolve = { alias: [{ find: /^holdfast$/, replacement: "holdfast/tiny" }] };
  await vite.build({ root, base: "./", configFile: false, logLevel: "error", resolve, worker: { format: "es" }, build: { outDir, emptyOutDir: true } });
  await works(await serve({ "/": outDir }));
});

/** Vite as a developer starts it. */
async function developing(root) {
  const server = await vite.createServer({ root, configFile: false, logLevel: "error", cacheDir: join(out, "vite-dev"), optimizeDeps: { force: true }, server: { port: 0, host: "127.0.0.1" } });
  after(() => server.close());
  await server.listen();
  await works(server.resolvedUrls.local[0].replace(/\/$/, ""));
}

test("Vite, developing: without a word of configuration, as a package that is prepared in advance", () => developing(root));

test("Vite, developing, in a project of its own in which it was installed as the README says", async () => {
  const [, words] = /^npm (install .*)\.\/dist\/holdfast /m.exec(readFileSync(join(here, "../../README.md"), "utf8"));
  const project = join(out, "project");
  rmSync(project, { recursive: true, force: true });
  cpSync(root, project, { recursive: true });
  mkdirSync(join(project, "node_modules"));
  writeFileSync(join(project, "package.json"), "{}");
  execFileSync("npm", [...words.trim().split(" "), holdfast, "--offline", "--no-audit", "--no-fund"], { cwd: project, stdio: ["ignore", "ignore", "inherit"] });
  await developing(project);
});

test("esbuild, with the programs beside the bundle", async () => {
  const outdir = join(out, "esbuild");
  await esbuild.build({ absWorkingDir: root, entryPoints: ["main.js", "worker.js"], bundle: true, minify: true, format: "esm", outdir, logLevel: "error" });
  cpSync(join(root, "index.html"), join(outdir, "index.html"));
  for (const program of ["holdfast.wasm", "holdfast-full.wasm"]) cpSync(join(holdfast, program), join(outdir, program));
  await works(await serve({ "/": outdir }));
});
