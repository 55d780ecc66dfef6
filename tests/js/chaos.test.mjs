// Random providers against random consumers: whatever happens, each answer ends once, what was
// shown is what is reported, and nothing stays open. A failure names its seed: SEED=n repeats it.

import assert from "node:assert/strict";
import test from "node:test";
import { settle } from "./fake.mjs";
import { createClient, HoldfastError } from "./holdfast.mjs";

const RUNS = Number(process.env.RUNS ?? 600);
const WORDS = "The tide returns with the force of a falling wall, 潮が満ちる, and 🦀 hide; ```js\nlet x = 1;\n``` then it ebbs again. ".repeat(3).split(/(?<= )/);

function dice(seed) {
  let a = seed >>> 0;
  const random = () => {
    a = (a + 0x6d2b79f5) | 0; // mulberry32
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { random, below: (n) => Math.floor(random() * n), one: (list) => list[Math.floor(random() * list.length)] };
}

const event = (text, finish = null) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: finish }] })}\n\n`;
const breath = () => new Promise((resolve) => setImmediate(resolve));

/** A provider that does anything. */
function provider({ below, one, random }) {
  return async (url, { signal }) => {
    switch (below(9)) {
      case 0:
        throw new TypeError("fetch failed");
      case 1:
        return new Response(one(["", "<html>", '{"error":{"retryable":true}}', "null", "[", '{"detail":"x"}']), { status: one([200, 400, 401, 408, 429, 500, 503, 504]), headers: { "retry-after": one(["0", "1", "-3", "soon", "1e400"]) } });
      case 2:
        return one([undefined, null, 5, {}, { status: 200 }, new Response(null), { status: 0 }]);
    }
    if (random() < 0.1) await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    let bytes = [...new TextEncoder().encode(WORDS.slice(0, below(WORDS.length)).map((word) => event(word)).join("") + one([event("", "stop") + "data: [DONE]\n\n", event("", "content_filter"), "", "data: {\n\n", 'data: {"error":{"retryable":false}}\n\n']))];
    if (random() < 0.5) bytes = bytes.slice(0, below(bytes.length + 1));
    const end = one(["close", "break", "close"]);
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (random() < 0.2) await breath();
          if (bytes.length > 0) controller.enqueue(new Uint8Array(bytes.splice(0, 1 + below(one([3, 40, 4000])))));
          else if (end === "close") controller.close();
          else controller.error(new Error("cut"));
        },
      }),
      { headers: { "content-type": one(["text/event-stream", "text/event-stream", "text/plain"]) } },
    );
  };
}

async function play(seed) {
  const { random, below, one } = dice(seed);
  const events = [];
  const client = await createClient({
    provider: "gloo",
    baseURL: "http://test",
    fetch: provider({ random, below, one }),
    sleep: async () => {},
    random,
    onEvent: (e) => events.push(e),
    policy: { headersMs: 30, firstDeltaMs: 30, idleMs: 30 },
  });
  const controller = new AbortController();
  const signal = random() < 0.3 ? controller.signal : undefined;
  let text = "";
  const take = (delta) => {
    if (delta.type === "restart") text = "";
    if (delta.type === "text") text += delta.text;
    if (random() < 0.005) answer.cancel();
    if (random() < 0.005) controller.abort();
  };
  const how = one(["iterate", "callback", "text", "result", "leave", "stream"]);
  const background = random() < 0.3;
  const answer = client.stream("/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }] }, { background, signal, onDelta: how === "callback" ? take : undefined });
  if (random() < 0.05) answer.cancel();
  if (random() < 0.05) setImmediate(() => controller.abort());
  if (how === "text") text = await answer.text().catch((error) => (assert.ok(error instanceof HoldfastError, String(error)), error.partial));
  if (how === "iterate") for await (const delta of answer) take(delta), random() < 0.1 && (await breath());
  if (how === "leave") for await (const delta of answer) if ((take(delta), random() < 0.05)) break;
  if (how === "stream") {
    const reader = answer.toReadableStream().getReader();
    for (;;) {
      const { done, value } = await reader.read().catch((error) => (assert.ok(error instanceof HoldfastError, String(error)), { done: true }));
      if (done) break;
      text += value;
    }
  }
  const result = await answer.result;
  assert.equal(result, await answer.result);
  assert.equal(answer.partial, result.text);
  const left = how === "leave" && result.status === "cancelled"; // what came with the last chunk was not taken
  const unfinished = how === "stream" && background && result.status !== "complete";
  if (left) assert.ok(background || result.text.startsWith(text)); // a restart may be among it
  else if (how !== "result" && !unfinished) assert.equal(text, result.text, how);
  assert.equal(events.filter((e) => e.type === "done").length, 1);
  assert.equal(events.filter((e) => e.type === "sent").length, result.attempts.length);
  if (result.status === "complete") assert.equal(result.attempts.at(-1).error, undefined);
  else if (result.status !== "content_filter" && result.status !== "cancelled") assert.ok(result.error.message);
  if (random() < 0.2 && result.offer.includes("continue")) assert.ok((await answer.continue({ onDelta: undefined, signal: undefined }).result).text.startsWith(result.text));
  client.close();
  return `${result.status}${result.continued ? " continued" : ""}`;
}

test(`${RUNS} random stories end well`, { timeout: 240_000 }, async (t) => {
  const ends = {};
  const seeds = process.env.SEED ? [Number(process.env.SEED)] : Array.from({ length: RUNS }, (_, i) => i + 1);
  for (const seed of seeds) {
    let timer;
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("it never ended")), 5000)));
    try {
      const end = await Promise.race([play(seed), late]);
      ends[end] = (ends[end] ?? 0) + 1;
    } catch (error) {
      throw new Error(`SEED=${seed}: ${error.message}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
  t.diagnostic(JSON.stringify(ends));
  await settle(5);
  assert.deepEqual(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout"), []);
});
