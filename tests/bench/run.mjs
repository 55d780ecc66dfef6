// Run measures this module beside its peers and prints one table a question. Compare numbers within one run only.
//
//   node tests/bench/run.mjs             everything, some minutes; builds what is missing
//   node tests/bench/run.mjs --smoke     a moment: does everything still work? No number means anything
//   node tests/bench/run.mjs --node      without a browser
//
// CHROMIUM names the browser, TINYGO the compiler of the small build.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { launchOptions } from "../browser/launch.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const flags = new Set(process.argv.slice(2));
const smoke = flags.has("--smoke");
const options = smoke ? { deltas: 50, rounds: 1, latencies: 20 } : { deltas: 2000, rounds: 15, latencies: 1000 };
const counts = smoke ? [1, 10] : [1, 100, 1000];

if (!global.gc) {
  const { status } = spawnSync(process.execPath, ["--expose-gc", ...process.argv.slice(1)], { stdio: "inherit" });
  process.exit(status ?? 1);
}
if (!existsSync(join(here, "node_modules/openai"))) execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: here, stdio: "inherit" });
if (!existsSync(join(root, "dist/holdfast/holdfast.wasm"))) execFileSync("bash", ["build.sh"], { cwd: root, stdio: "inherit" });

/** What Go's runtime is alone. */
const empty = join(root, "dist/bench/empty.wasm");
mkdirSync(join(root, "dist/bench"), { recursive: true });
execFileSync("bash", ["build.sh", "-program", "./tests/bench/empty", empty], { cwd: root, stdio: "inherit" });

const esbuild = createRequire(import.meta.url)("esbuild");
const dist = pathToFileURL(join(root, "dist/holdfast")).href;
const tiny = existsSync(join(root, "dist/holdfast/tiny/holdfast.wasm")) ? pathToFileURL(join(root, "dist/bench/holdfast")).href : "";
if (tiny) cpSync(join(root, "dist/holdfast"), fileURLToPath(tiny), { recursive: true });
const { hold, measure, median, names, programs } = await import("./measure.mjs");

const KB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const number = (x) => (x >= 100 ? x.toFixed(0) : x.toFixed(1));

function table(title, columns, rows) {
  const lines = [columns, ...rows];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  console.log(`\n${title}\n`);
  for (const line of lines) console.log(line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  "));
}

const REFERENCE = "eventsource-parser + JSON.parse";

function report(host, { single, large, latency }) {
  table(
    `${host}: ${options.deltas} events of 200 bytes`,
    ["", "one a chunk: µs/event", "MB/s", "times parser", "16 kB chunks: µs/event", "MB/s", "times parser", "latency p50 µs", "p99 µs"],
    Object.keys(single).map((name) => [
      name,
      single[name].us.toFixed(2),
      number(single[name].mbs),
      (single[name].us / single[REFERENCE].us).toFixed(2),
      large[name].us.toFixed(2),
      number(large[name].mbs),
      (large[name].us / large[REFERENCE].us).toFixed(2),
      number(latency[name].p50),
      number(latency[name].p99),
    ]),
  );
}

// Bytes: what an application's bundle grows by, and the program beside it.

const USES = {
  holdfast: `export { createClient } from "${root}/dist/holdfast/holdfast.js"`,
  "holdfast/tiny": `export { createClient } from "${root}/dist/holdfast/tiny/holdfast.js"`,
  [REFERENCE]: `export { createParser } from "eventsource-parser"`,
  openai: `export { default } from "openai"`,
  "@anthropic-ai/sdk": `export { default } from "@anthropic-ai/sdk"`,
  "ai + @ai-sdk/openai": `export { streamText } from "ai"; export { createOpenAI } from "@ai-sdk/openai"`,
};

/** The folders of the programs, of which a page loads one. */
const PROGRAMS = { holdfast: "dist/holdfast", "holdfast/tiny": "dist/holdfast/tiny" };

async function bundle(contents, plugins = []) {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: here },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["browser"],
    external: ["node:*"],
    write: false,
    plugins,
    logLevel: "error",
  });
  return Buffer.from(outputFiles[0].contents);
}

function weigh(...files) {
  const brotli = (data) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: data.length, [constants.BROTLI_PARAM_LGWIN]: 24 } });
  const sum = (size) => files.reduce((total, data) => total + size(data), 0);
  return [sum((d) => d.length), sum((d) => gzipSync(d, { level: 9 }).length), sum((d) => brotli(d).length)];
}

async function bytes() {
  const rows = [];
  for (const name of Object.keys(USES)) {
    const script = await bundle(USES[name]);
    if (!(name in PROGRAMS)) {
      rows.push([name, ...weigh(script).map(KB)]);
      continue;
    }
    const program = (file) => join(root, PROGRAMS[name], file);
    if (!existsSync(program("holdfast.wasm"))) continue;
    rows.push([`${name}: JavaScript alone`, ...weigh(script).map(KB)]);
    rows.push([`${name}, lean`, ...weigh(script, readFileSync(program("holdfast.wasm"))).map(KB)]);
    rows.push([`${name}, full`, ...weigh(script, readFileSync(program("holdfast-full.wasm"))).map(KB)]);
  }
  rows.push(["an empty Go program, without JavaScript", ...weigh(readFileSync(empty)).map(KB)]);
  table("Bytes, bundled by esbuild", ["", "min", "gzip", "brotli"], rows);
}

// Memory of open streams.

async function memory() {
  const used = () => {
    for (let i = 0; i < 3; i++) gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external + (COUNTED ? 0 : programs());
  };
  const rows = [];
  for (const name of names(tiny)) {
    const row = [name];
    await (await hold(dist, tiny, name, 0))();
    for (const n of counts) {
      await (await hold(dist, tiny, name, 1))();
      const before = used();
      const release = await hold(dist, tiny, name, n);
      const after = used();
      await release();
      row.push(KB((after - before) / n));
    }
    rows.push(row);
  }
  table("Node: memory of an open stream, with its fetch and body", ["", ...counts.map((n) => `${n} open`)], rows);
}
/** Whether this host counts the memory of a program as external. */
const COUNTED = (() => {
  const before = process.memoryUsage().external;
  const held = new WebAssembly.Memory({ initial: 64 });
  return process.memoryUsage().external - before >= held.buffer.byteLength;
})();

// The browser.

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

async function serve() {
  // As an application would: one bundle a build, and its program beside it.
  const page = await bundle(`export * from ${JSON.stringify(join(here, "measure.mjs"))}`);
  const made = { "/measure.js": page };
  for (const build of tiny ? ["holdfast", "holdfast/tiny"] : ["holdfast"]) {
    const program = build === "holdfast" ? "holdfast.wasm" : "tiny/holdfast.wasm";
    made[`/bundled/${build}.js`] = Buffer.from(`${(await bundle(USES[build])).toString().replaceAll("./holdfast.wasm", `/dist/holdfast/${program}`)}`);
  }
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://host").pathname;
    const file = join(root, path);
    const found = path === "/" ? Buffer.from("<!doctype html><title>bench</title>") : (made[path] ?? (path.startsWith("/dist/") && existsSync(file) && statSync(file).isFile() ? readFileSync(file) : null));
    if (!found) return response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": path === "/" ? "text/html" : (TYPES[extname(path)] ?? "application/octet-stream"),
      "cache-control": "public, max-age=3600",
      // An isolated page has a clock that is fine enough.
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    });
    response.end(found);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

const EMPTY = "an empty Go program";

async function browser() {
  const { chromium } = await import("playwright-core");
  const { args, ...options } = launchOptions();
  const { server, origin } = await serve();
  const launched = await chromium.launch({ ...options, args: [...args, "--js-flags=--expose-gc"] });
  try {
    const context = await launched.newContext();
    const open = async () => {
      const page = await context.newPage();
      await page.goto(`${origin}/`);
      return page;
    };
    const there = `${origin}/dist/holdfast`;
    const small = tiny && `${origin}/dist/bench/holdfast`;

    const rows = [];
    for (const build of tiny ? ["holdfast", "holdfast/tiny", EMPTY] : ["holdfast", EMPTY]) {
      const times = [];
      for (let i = -5; i < (smoke ? 1 : 15); i++) {
        const page = await open();
        const ms =
          build === EMPTY
            ? await page.evaluate(async (dist) => (await import("/measure.js")).started(`${dist}/holdfast/wasm_exec.js`, `${dist}/bench/empty.wasm`), `${origin}/dist`)
            : await page.evaluate(async (url) => (await import("/measure.js")).ready(url), `${origin}/bundled/${build}.js`);
        if (i >= 0) times.push(ms);
        if (i < 0) await page.waitForTimeout(smoke ? 0 : 1500); // the browser caches compiled code in the background
        await page.close();
      }
      rows.push([build, number(median(times)), number(Math.min(...times))]);
    }
    table("Chromium: load to ready from a warm cache, ms", ["", "median", "best"], rows);

    const page = await open();
    report(`Chromium ${launched.version()}`, await page.evaluate(async ([dist, tiny, options]) => (await import("/measure.js")).measure(dist, tiny, options), [there, small, options]));
    await page.close();

    const open1000 = [];
    for (const name of names(tiny)) {
      const page = await open();
      const devtools = await context.newCDPSession(page);
      const used = async () => {
        await devtools.send("HeapProfiler.collectGarbage");
        const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await devtools.send("Runtime.getHeapUsage");
        return usedSize + embedderHeapUsedSize + backingStorageSize + (counted ? 0 : await page.evaluate(async () => (await import("/measure.js")).programs()));
      };
      let counted = true;
      const before = await used();
      await page.evaluate(() => (globalThis.held = new WebAssembly.Memory({ initial: 64 })));
      counted = (await used()) - before >= 64 * 65536;
      await page.evaluate(() => delete globalThis.held);
      const row = [name];
      const evaluate = (n, keep) =>
        page.evaluate(async ([dist, tiny, name, n, keep]) => {
          const release = await (await import("/measure.js")).hold(dist, tiny, name, n);
          if (keep) globalThis.release = release;
          else await release();
        }, [there, small, name, n, keep]);
      await evaluate(1, false);
      for (const n of counts) {
        const before = await used();
        await evaluate(n, true);
        row.push(KB(((await used()) - before) / n));
        await page.evaluate(() => globalThis.release());
      }
      open1000.push(row);
      await page.close();
    }
    table("Chromium: memory of an open stream, with its fetch and body", ["", ...counts.map((n) => `${n} open`)], open1000);
  } finally {
    await launched.close();
    server.close();
  }
}

await bytes();
report(`Node ${process.versions.node}`, await measure(dist, tiny, options));
await memory();
if (!flags.has("--node")) await browser();
