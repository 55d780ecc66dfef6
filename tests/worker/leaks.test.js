// Many short requests, and many clients that leave at any moment, leave nothing behind: no live
// upstream, no call, no memory.
//
//	node --test tests/worker/leaks.test.js              500 requests, 50 clients that leave
//	LEAKS=20 node --test tests/worker/leaks.test.js     20 times as many
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { asking, log, startGateway, TOKEN } from "./gateway.js";

const times = Number(process.env.LEAKS ?? 1);
const requests = 500 * times;
const leavers = 50 * times;
const together = 20;
const MB = 1 << 20;

const { address, pid } = await startGateway(
  { models: { both: [{ provider: "openai", model: "gpt-x", headers: { "x-sim": JSON.stringify({ error: "overloaded" }) } }, { provider: "anthropic", model: "claude-x" }] } },
  { main: "counting.js" },
);

const messages = [{ role: "user", content: "Say it in one sentence" }];
const send = (path, body, script, signal) =>
  fetch(address + path, { method: "POST", signal, headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...asking(script) }, body: JSON.stringify(body) });
const chat = (script, { model = "gpt-x", stream = true, signal } = {}) => send("/openai/v1/chat/completions", { model, stream, messages }, script, signal);

/** Ways to ask that end by themselves, well or badly. */
const short = [
  () => chat({}),
  () => chat({}, { stream: false }),
  () => chat({ requests: [{ endAfterWords: 7, end: "reset" }, {}] }),
  () => chat({ requests: [{ error: "rate_limit" }, {}] }, { stream: false }),
  () => chat({ error: "context_length" }),
  () => chat({ beforeHeaders: true, end: "reset" }),
  () => chat({ endAfterWords: 5, end: "close" }),
  () => chat("refusal"),
  () => send("/v1/chat/completions", { model: "both", stream: true, messages }),
  () => send("/v1/responses", { model: "both", input: "Hi" }),
  () => send("/v1/chat/completions", { model: "nobody", messages }),
  () => send("/anthropic/v1/messages/count_tokens", { model: "m", messages }),
  () => send("/gemini/v1beta/models/g:streamGenerateContent?alt=sse", { contents: [{ parts: [{ text: "Hi" }] }] }, { requests: [{ endAfterWords: 7, end: "reset" }], continuations: [{ error: "auth" }] }),
];

const slow = { text: "word ".repeat(400), requests: [{ gapMs: 20 }] };
/**
 * Ways to be left: in an answer, before it, in a wait, in silence, in a passage that is no call. Local
 * workerd finds out only when it writes, so that what comes before an answer must be short here. Whoever
 * waits has a model of its own: what a provider asks of one holds back all who ask for the same model, and
 * a hundred who are told so one after another would wait for minutes.
 */
const left = [
  (signal) => chat(slow, { signal }),
  (signal) => chat({ requests: [{ delayMs: 2000 }] }, { signal }),
  (signal) => chat({ requests: [{ delayMs: 2000 }] }, { signal, stream: false }),
  (signal, n) => chat({ requests: [{ error: "rate_limit", retryAfter: 1 }, {}] }, { model: `gpt-x-${n}`, signal }),
  (signal) => chat([{ endAfterWords: 3, end: "hang" }], { signal }),
  (signal) => send("/openai/v1/chat/completions", { model: "gpt-x", stream: true, n: 2, messages }, slow, signal),
  (signal) => send("/v1/chat/completions", { model: "both", stream: true, messages }, undefined, signal),
];

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs something n times, some at once. */
async function repeat(n, run) {
  let next = 0;
  await Promise.all(Array.from({ length: together }, async () => {
    while (next < n) await run(next++);
  }));
}

const ask = async (n) => (await short[n % short.length]()).text().catch((error) => assert.match(String(error), /terminated/)); // Gemini's breaks off

async function leave(n) {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), (n * 37) % 400);
  await left[n % left.length](stop.signal, n).then((response) => response.text()).catch((error) => assert.equal(error.name, "AbortError"));
}

const holds = async () => (await fetch(`${address}/holds`)).json();
const resident = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;

/** Waits until nothing is under way. workerd itself takes some thousand requests until its heap has the size that it keeps. */
async function quiet() {
  const end = Date.now() + 15_000;
  for (;;) {
    const [{ live }, { calls, memory }] = [await log(), await holds()];
    if (live === 0 && calls === 0) return { memory, resident: resident() };
    assert.ok(Date.now() < end, `${live} live upstreams, ${calls} calls`);
    await wait(50);
  }
}

test(`${requests} short requests and ${leavers} clients that leave, and nothing is left of them`, { timeout: 60_000 * (1 + times) }, async () => {
  await repeat(requests / 2, ask); // whatever is made once is made now
  await repeat(leavers / 2, leave);
  const before = await quiet();
  await repeat(requests / 2, ask);
  await repeat(leavers / 2, leave);
  const after = await quiet();
  const grown = (what) => Math.round((after[what] - before[what]) / MB);
  console.log(`program ${Math.round(after.memory / MB)} MB, ${grown("memory")} more; workerd ${Math.round(after.resident / MB)} MB, ${grown("resident")} more`);
  assert.ok(grown("memory") <= 4, `${grown("memory")} MB more in the program`);
  assert.ok(grown("resident") <= 64, `${grown("resident")} MB more in workerd`);
});
