// What `wrangler deploy` uploads: one bundle, small enough for every plan, that serves as its parts do.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { acting, folder, hashed, project, startGateway, TOKEN } from "./gateway.js";

/** A free plan takes so much, compressed. */
const MAX_KIB = 3000;

const TEXT = "Small pools outlive big storms because everything in them knows when to hold on and when to let go. 🐚";
const bundle = join(folder, "bundle");
const QUIET = { WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false", WRANGLER_LOG_PATH: folder, CI: "true" };

test("it is bundled, uploaded in one piece, and serves", async () => {
  const wrangler = join(project, "tests/worker/node_modules/.bin/wrangler");
  const args = ["deploy", "--dry-run", "--outdir", bundle, "-c", "wasm/worker/wrangler.jsonc"];
  const { stdout } = await promisify(execFile)(wrangler, args, { cwd: project, env: { ...process.env, ...QUIET } });
  const [, weight] = /gzip: ([\d.]+) KiB/.exec(stdout) ?? [];
  assert.ok(Number(weight) < MAX_KIB, stdout);
  for (const name of ["ANSWERS", "LEDGERS", "STORED", "STREAMS", "HOLDFAST"]) assert.match(stdout, new RegExp(`env\\.${name} `));

  const models = { fast: [acting("openai", "gpt-x", "cut_reset")] };
  const { address } = await startGateway({ tokens: { alice: { hash: hashed(TOKEN), limits: {}, admin: true } }, models }, { bundle });
  const ask = async (path, body) => {
    const response = await fetch(address + path, { method: body ? "POST" : "GET", headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" }, body: body && JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, text);
    return text;
  };
  const messages = [{ role: "user", content: "Say it in one sentence" }];
  const chunks = (await ask("/v1/chat/completions", { model: "fast", stream: true, messages })).split("\n\n");
  const words = chunks.filter((chunk) => chunk.startsWith("data: {")).map((chunk) => JSON.parse(chunk.slice(6)).choices[0]?.delta.content ?? "");
  assert.equal(words.join(""), TEXT);
  const { id } = JSON.parse(await ask("/answers", { model: "fast", messages }));
  const read = await ask(`/answers/${id}?offset=-1&live=sse`);
  const deltas = [...read.matchAll(/^data:(\[.*\])$/gm)].flatMap(([, data]) => JSON.parse(data));
  assert.equal(deltas.map(({ text = "" }) => text).join(""), TEXT);
  assert.equal(deltas.at(-1).result.status, "complete");
  assert.equal(JSON.parse(await ask("/control/health")).status, "ok");
});
