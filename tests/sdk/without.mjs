// What official SDKs make of failures by themselves, and with client.fetch: prints a table in
// Markdown. Run it with `node without.mjs`.
import { readFileSync } from "node:fs";
import { impatient, network } from "./fetching.js";
import { createClient } from "./package.js";
import { answer, startProvider } from "./provider.js";
import { outcome, runs } from "./runs.js";

const PATIENCE_MS = 4000;
const address = await startProvider();

const rows = [
  ["the stream ends cleanly without its terminal", { requests: [{ endAfterWords: 8, end: "close" }, {}] }],
  ["the socket breaks in the middle", { requests: [{ endAfterWords: 8, end: "reset" }, {}] }],
  ["an error event first, on HTTP 200", { requests: [{ error: "overloaded", errorAfterWords: 0 }, {}] }],
  ["an error event in the middle", { requests: [{ error: "overloaded", errorAfterWords: 8 }, {}] }],
  ["silence after two words, timeout 500 ms", { requests: [{ endAfterWords: 2, end: "hang" }, {}] }, { timeout: 500 }],
  ["a tool call that ends in the middle", { requests: [tool(), tool()], continuations: [tool()] }, { calls: true }],
  ["503 twice", { requests: [{ error: "overloaded" }, { error: "overloaded" }, {}] }],
  ["429, and the money is spent", { chat: { error: "quota" }, responses: { error: "quota" }, messages: { error: "spend_limit" }, generate: { error: "daily_quota" } }],
  ["429, retry-after: 90", { requests: [{ error: "rate_limit", retryAfter: 90 }, {}] }],
];

function tool() {
  return { tool: { parts: 4, name: "find_tidepool", arguments: { near: "Monterey" } }, endAfterParts: 2, end: "close" };
}

const columns = [
  ["openai", "openai chat", "openai"],
  ["@anthropic-ai/sdk", "anthropic", "@anthropic-ai/sdk"],
  ["@google/genai", "google genai", "@google/genai"],
  ["ai", "ai openai responses", "ai"],
];

/** One run in words. */
async function told(name, script, { timeout, calls }, client) {
  const { stream, loop = stream, api } = runs[name];
  let requests = 0;
  const fetch = (...args) => (requests++, network(...args));
  const behind = client && (await impatient(createClient, { fetch, policy: { idleMs: 500 } }));
  const began = Date.now();
  const stop = new AbortController();
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(() => resolve({ late: true }), PATIENCE_MS)));
  const own = client ? {} : { maxRetries: 2, timeout };
  const run = outcome(loop, { address, script: script[api] ?? script, signal: stop.signal, fetch: behind ? behind.fetch : fetch, ...own });
  const { value, error, late: hangs } = await Promise.race([run, late]);
  clearTimeout(timer);
  stop.abort();
  if (behind) behind.close();
  const seconds = (Date.now() - began) / 1000;
  const asked = `${requests} request${requests === 1 ? "" : "s"}${seconds > 1 ? `, ${seconds.toFixed(0)} s` : ""}`;
  if (hangs) return requests > 1 ? `still trying after ${PATIENCE_MS / 1000} s (${asked})` : `waits, no end after ${PATIENCE_MS / 1000} s`;
  if (error) return `${error.constructor?.name === "Object" ? "the error event" : error.constructor?.name ?? "error"} (${asked})`;
  const whole = value.text === answer && (!calls || isWhole(value.calls));
  return whole ? `the whole answer (${asked})` : `**a short answer as success** (${asked})`;
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

const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
const print = (cells) => console.log(`| ${cells.join(" | ")} |`);

for (const [title, client] of [["by themselves, their retries on", false], ["with client.fetch, their retries off", true]]) {
  console.log(`\nOfficial SDKs ${title}:\n`);
  print(["what happens", ...columns.map(([title, , name]) => `${title} ${version(name)}`)]);
  print([":-", ...columns.map(() => ":-")]);
  for (const [what, script, options = {}] of rows) {
    const cells = [];
    for (const [, name] of columns) cells.push(await told(name, script, options, client));
    print([what, ...cells]);
  }
}
process.exit(0);
