// A thousand streams one after another, a third of them broken, leave nothing behind.

import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "./holdfast.mjs";
import { scenario, startSim } from "./sim.mjs";

const STREAMS = Number(process.env.STREAMS ?? 1000);
const WARM = 300; // by then every buffer has its size
const baseURL = await startSim();

// The programs' memory and the references that one holds, watched from outside.
const memories = [];
const wasm = () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const instance = await instantiate(...args);
  memories.push(instance.exports.mem ?? instance.exports.memory);
  return instance;
};
let go;
let Go;
Object.defineProperty(globalThis, "Go", {
  configurable: true,
  get: () => Go,
  set(Real) {
    Go = class extends Real {
      constructor() {
        super();
        go = this;
      }
    };
  },
});
const references = () => go?._values.length ?? 0; // TinyGo keeps none;

test(`wsm-003, wsm-008: ${STREAMS} streams leave no handle and no memory behind`, { timeout: 300_000 }, async (t) => {
  const client = await createClient({ provider: "gloo", baseURL, token: "sim", breaker: false, throttle: false, policy: { interactive: { backoffBaseMs: 1, backoffCapMs: 1 } } });
  // No two sentences alike: a seam in a text that repeats itself is a riddle, not a leak.
  const text = Array.from({ length: 8 }, (_, i) => `Pool number ${i} holds ${i * 7} limpets and ${i * 3 + 1} crabs. `).join("").trim();
  const scripts = [{ text, requests: [{ words: 4 }] }, { text, requests: [{ words: 4 }] }, { text, requests: [{ words: 4, endAfterWords: 20, end: "reset" }], continuations: [{ words: 4 }] }];
  const measure = () => {
    globalThis.gc?.();
    globalThis.gc?.();
    return {
      timers: process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length,
      handles: process.getActiveResourcesInfo().length,
      heap: process.memoryUsage().heapUsed,
      wasm: wasm(),
      references: references(),
    };
  };
  let warm;
  for (let i = 0; i < STREAMS; i++) {
    if (i === WARM) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      warm = measure();
    }
    const answer = client.stream("/ai/v2/guarded/chat/completions", { model: "m", messages: [{ role: "user", content: "Hi" }] }, { headers: scenario(scripts[i % 3]) });
    for await (const _ of answer);
    const result = await answer.result;
    assert.equal(result.status, "complete", JSON.stringify(result.error));
    assert.equal(result.text, text, `stream ${i}`);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  const end = measure();
  t.diagnostic(`after ${WARM}: ${JSON.stringify(warm)}; after ${STREAMS}: ${JSON.stringify(end)}`);
  assert.ok(end.timers <= warm.timers, "timers");
  assert.ok(end.handles <= warm.handles + 4, "handles"); // keep-alive sockets come and go
  if (globalThis.gc) assert.ok(end.heap < warm.heap + 4e6, `heap grew by ${end.heap - warm.heap} bytes`);
  // Go keeps some room between collections: it stays below 9 MB over 9,000 streams.
  assert.ok(end.wasm <= warm.wasm + 2 ** 20, `the program's memory grew by ${end.wasm - warm.wasm} bytes`);
  assert.ok(references() <= warm.references + 400, `the program holds ${references()} references`);
});

test("wsm-008: what many open streams leave behind is collected while they run", { timeout: 60_000 }, async (t) => {
  const [streams, deltas] = [500, 400];
  const chunk = (delta, finish) => `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}\n\n`;
  const [word, end] = [chunk('{"content":" word"}', null), `${chunk("{}", '"stop"')}data: [DONE]\n\n`].map((text) => new TextEncoder().encode(text));
  const body = () => {
    let left = deltas;
    return new ReadableStream({
      async pull(controller) {
        await new Promise(setImmediate); // the others have their turn
        if (left-- > 0) return controller.enqueue(word);
        controller.enqueue(end);
        controller.close();
      },
    });
  };
  const client = await createClient({ provider: "openai", baseURL, token: "sim", fetch: async () => new Response(body(), { headers: { "content-type": "text/event-stream" } }) });
  const asked = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] }) };
  await (await client.fetch(`${baseURL}/v1/chat/completions`, asked)).text();
  const before = wasm();
  await Promise.all(
    Array.from({ length: streams }, async () => {
      const response = await client.fetch(`${baseURL}/v1/chat/completions`, asked);
      assert.equal((await response.text()).split(" word").length, deltas + 1);
    }),
  );
  const grown = wasm() - before;
  t.diagnostic(`${streams} streams of ${deltas} deltas: the program's memory grew by ${grown} bytes`);
  assert.ok(grown <= streams * 48 * 1024, `the program's memory grew by ${grown} bytes`); // 25 kB a stream, 92 kB when nothing is collected
});
