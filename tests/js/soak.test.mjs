// A thousand streams one after another, a third of them broken, leave nothing behind.

import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "./holdfast.mjs";
import { scenario, startSim } from "./sim.mjs";

const STREAMS = Number(process.env.STREAMS ?? 1000);
const WARM = 300; // by then every buffer has its size
const baseURL = await startSim();

// The program's memory and the references that it holds, watched from outside.
let memory;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const instance = await instantiate(...args);
  memory ??= instance.exports.mem ?? instance.exports.memory;
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
      wasm: memory.buffer.byteLength,
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
