// What official SDKs make of failures by themselves, their retries on, and with client.fetch, their
// retries off: prints the table of README.md. Run it with `node tests/sdk/without.mjs`.
import { readFileSync } from "node:fs";
import { impatient, network } from "./fetching.js";
import { createClient } from "./package.js";
import { answer, startProvider } from "./provider.js";
import { outcome, runs } from "./runs.js";

const PATIENCE_MS = 10_000;
const CUTS = 20;
const address = await startProvider();

const tool = { tool: { parts: 4, name: "find_tidepool", arguments: { near: "Monterey" } }, endAfterParts: 2, end: "close" };

/** What happens, and a script for it, which may be another one for each API. */
const rows = [
  [`cut at ${CUTS} places`, Array.from({ length: CUTS }, (_, i) => ({ requests: [{ endAt: (i + 0.5) / CUTS, end: i % 2 ? "reset" : "close" }, {}] }))],
  ["the stream ends cleanly without its terminal", { requests: [{ endAfterWords: 8, end: "close" }, {}] }],
  ["the socket breaks in the middle", { requests: [{ endAfterWords: 8, end: "reset" }, {}] }],
  ["an error event first, on HTTP 200", { requests: [{ error: "overloaded", errorAfterWords: 0 }, {}] }],
  ["an error event in the middle", { requests: [{ error: "overloaded", errorAfterWords: 8 }, {}] }],
  ["silence after two words, timeout 500 ms", { requests: [{ endAfterWords: 2, end: "hang" }, {}] }, { timeout: 500 }],
  ["a tool call that ends in the middle", { requests: [tool, tool], continuations: [tool] }, { calls: true }],
  ["503 twice", { requests: [{ error: "overloaded" }, { error: "overloaded" }, {}] }],
  ["429, and the money is spent", { chat: { error: "quota" }, responses: { error: "quota" }, messages: { error: "spend_limit" }, generate: { error: "daily_quota" } }],
  ["429, `retry-after: 90`", { requests: [{ error: "rate_limit", retryAfter: 90 }, {}] }, { hint: 90 }],
];

const columns = [
  ["openai", "openai chat"],
  ["@anthropic-ai/sdk", "anthropic"],
  ["@google/genai", "google genai"],
  ["ai", "ai openai responses"],
];

/** One run: how it ended (whole, short, hangs, or the error's name), the requests that it took, and seconds. */
async function run(name, script, { timeout, calls } = {}, mended) {
  const { stream, loop = stream, api } = runs[name];
  let requests = 0;
  const fetch = (...args) => (requests++, network(...args));
  const client = mended ? await impatient(createClient, { fetch, policy: { idleMs: 500 } }) : null;
  const began = Date.now();
  const stop = new AbortController();
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(() => resolve({ late: true }), PATIENCE_MS)));
  const own = mended ? { fetch: client.fetch } : { fetch, maxRetries: 2, timeout };
  const { value, error, late: hangs } = await Promise.race([outcome(loop, { address, script: script[api] ?? script, signal: stop.signal, ...own }), late]);
  clearTimeout(timer);
  stop.abort();
  client?.close();
  const facts = { requests, seconds: Math.round((Date.now() - began) / 1000) };
  if (hangs) return { ...facts, end: "hangs" };
  if (error) return { ...facts, end: error.constructor?.name === "Object" ? "the error event" : error.constructor?.name ?? "error" };
  return { ...facts, end: value.text === answer && (!calls || isWhole(value.calls)) ? "whole" : "short" };
}

/** Whether there is a tool call with all its arguments. */
function isWhole([call] = []) {
  try {
    const input = call.input ?? call.args;
    return (typeof input === "string" ? JSON.parse(input) : input).near === "Monterey";
  } catch {
    return false;
  }
}

const WORDS = { whole: "the whole answer", short: "**a short answer as success**", hangs: `no end after ${PATIENCE_MS / 1000} s` };

/** A cell of the table. */
async function told(name, script, options = {}, mended) {
  if (Array.isArray(script)) {
    const ends = [];
    for (const one of script) ends.push((await run(name, one, options, mended)).end);
    const count = (what) => ends.filter((end) => end === what).length;
    const broken = ends.length - count("whole") - count("short");
    return [`${count("whole")} whole`, count("short") && `**${count("short")} short as success**`, broken && `${broken} errors`].filter(Boolean).join(", ");
  }
  const { end, requests, seconds } = await run(name, script, options, mended);
  if (end === "whole" && options.hint > seconds) return `asks again after ${seconds} s`;
  const cost = [requests > 1 && `${requests} requests`, end !== "hangs" && seconds > 2 && `${seconds} s`].filter(Boolean);
  return (WORDS[end] ?? end) + (cost.length ? ` (${cost.join(", ")})` : "");
}

const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
const print = (cells) => console.log(`| ${cells.join(" | ")} |`);

print(["what happens", ...columns.map(([title]) => `${title} ${version(title)}`), "each with `client.fetch`"]);
print([":-", ...columns.map(() => ":-"), ":-"]);
for (const [what, script, options] of rows) {
  const all = (mended) => Promise.all(columns.map(([, name]) => told(name, script, options, mended)));
  print([what, ...(await all(false)), [...new Set(await all(true))].join(" · ")]);
}
process.exit(0);
