// An isolate with more chunks than turns takes several of them in one read, and nothing is lost by it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace, PacedReader } from "../../wasm/worker/pace.js";
import { asking, startGateway, TOKEN } from "./gateway.js";

/** A clock that stands until it is moved. */
const clock = (t, now = 1_000_000) => (t.mock.method(Date, "now", () => now), (ms) => (now += ms));

/** A body, as far as a reader of it knows: each read takes what is there, but at least as much as it is asked for. */
function body(bytes) {
  const asked = [];
  const reader = {
    async readAtLeast(least, view) {
      asked.push(least);
      const n = Math.min(Math.max(least, 100), view.length, bytes.length);
      view.set(bytes.subarray(0, n));
      bytes = bytes.subarray(n);
      return n > 0 ? { done: false, value: view.subarray(0, n) } : { done: true, value: view.subarray(0, 0) };
    },
  };
  return { asked, getReader: () => reader };
}

test("few chunks are read one by one, many as one", () => {
  const pace = new Pace();
  /** A second of so many reads, each of what was waited for. */
  const second = (chunksPerMs, bytes) => {
    let now = pace.now ?? 0;
    let due = 0;
    for (let ms = 0; ms < 1000; ms++) {
      now++;
      due += chunksPerMs * bytes;
      for (; due >= Math.max(bytes, pace.leastBytes); due -= Math.max(bytes, pace.leastBytes)) pace.count(Math.max(bytes, pace.leastBytes), now);
    }
    pace.now = now;
    return pace.leastBytes;
  };
  assert.equal(second(1, 250), 1);
  const many = second(20, 250);
  assert.ok(many > 1000 && many < 1500, `${many} bytes`); // 5 MB in 4000 reads
  const still = second(20, 250);
  assert.ok(still > 1000 && still < 1500, `${still} bytes`);
  assert.equal(second(1, 250), 1);
});

test("a stream waits for no more than it brings in a quarter of a second", async (t) => {
  const move = clock(t);
  const { asked, getReader } = body(new Uint8Array(10_000));
  const reader = new PacedReader({ getReader }, { leastBytes: 1_000_000, count() {} });
  for (let i = 0; i < 6; i++, move(125)) await reader.read();
  assert.deepEqual(asked.slice(0, 4), [1, 1, 1, 300]); // three reads of 100 bytes in the first quarter
  assert.ok(Math.max(...asked) <= 600, `${asked}`); // and then two, which it has made larger itself
});

test("law: whatever a read waits for, the bytes are the same", async (t) => {
  const move = clock(t);
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 2654435761) >>> 24);
  const { getReader } = body(bytes);
  const pace = { leastBytes: 1, count() {} };
  const reader = new PacedReader({ getReader }, pace);
  const read = [];
  for (let next, i = 0; !(next = await reader.read()).done; i++) {
    read.push(next.value);
    pace.leastBytes = [1, 5000, 100, 80_000][i % 4];
    move(i % 60);
  }
  assert.deepEqual(Buffer.concat(read), Buffer.from(bytes));
  assert.ok(read.some(({ length }) => length > 10_000), "no read was large");
});

test("many fast streams, of which some break, are whole", async () => {
  const { address, stop } = await startGateway({ breaker: false, throttle: false });
  // Deltas come faster here than an isolate has turns.
  const words = (n) => Array.from({ length: 300 }, (_, i) => `w${n}.${i}`).join(" ");
  const kinds = [{ requests: [{ gapMs: 2 }] }, { requests: [{ gapMs: 2, endAfterWords: 200, end: "reset" }, { gapMs: 2 }] }, { requests: [{ gapMs: 2, endAfterWords: 150, end: "close" }, { gapMs: 2 }] }];
  const texts = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const response = await fetch(`${address}/openai/v1/chat/completions`, {
        method: "POST", headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...asking({ text: words(n), ...kinds[n % kinds.length] }) },
        body: JSON.stringify({ model: "gpt-x", stream: true, messages: [{ role: "user", content: "Say it" }] }),
      });
      assert.equal(response.status, 200, `stream ${n}`);
      const events = (await response.text()).split("\n\n").filter((event) => event.startsWith("data: {"));
      return events.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? "").join("");
    }),
  );
  for (const [n, text] of texts.entries()) assert.ok(text === words(n), `stream ${n} has ${text.length} characters of ${words(n).length}: …${text.slice(-50)}`);
  await stop();
});
