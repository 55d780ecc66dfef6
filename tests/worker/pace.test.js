// An isolate with more chunks than turns takes several of them in one read, and nothing is lost by it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace, PacedReader } from "../../wasm/worker/pace.js";
import { CHAT, ending, pause } from "../js/ending.mjs";
import { asking, startGateway, TOKEN } from "./gateway.js";

/** A clock that stands until it is moved. */
const clock = (t, now = 1_000_000) => (t.mock.method(Date, "now", () => now), (ms) => (now += ms));

/** A body, as far as a reader of it knows: a read takes what is there, after so long, but at least as much as it is asked for. */
function body(bytes, wait = () => {}) {
  const asked = [];
  const reader = {
    async readAtLeast(least, view) {
      asked.push(least);
      wait();
      const n = Math.min(Math.max(least, 100), view.length, bytes.length);
      view.set(bytes.subarray(0, n));
      bytes = bytes.subarray(n);
      return n > 0 ? { done: false, value: view.subarray(0, n) } : { done: true, value: view.subarray(0, 0) };
    },
  };
  return { asked, getReader: () => reader };
}

/**
 * An isolate in virtual time: each read costs it so long, and so does each chunk in it. Every stream brings
 * 20 chunks of 250 bytes a second, each of which says when it came. Returns how old chunks are when they
 * are read, by the seconds in which that is.
 */
async function isolate(t, { streams, readMs, chunkMs, seconds }) {
  let now = 1_000_000;
  let timers = [];
  t.mock.method(Date, "now", () => now);
  t.mock.method(globalThis, "setTimeout", (run, ms) => timers.push({ run, at: now + ms }));
  const began = now;
  const pace = new Pace();
  const waiting = [];
  const ages = Array.from({ length: seconds }, () => []);
  for (let i = 0; i < streams; i++) {
    const first = began + (i * 50) / streams;
    const stream = { came: 0, taken: 0 };
    const readAtLeast = (least, view) => new Promise((resolve) => waiting.push({ stream, first, least, view, resolve }));
    const reader = new PacedReader({ getReader: () => ({ readAtLeast }) }, pace);
    (async () => {
      for (;;) await reader.read();
    })();
  }
  const settled = async () => {
    for (let i = 0; i < 10; i++) await null;
  };
  await settled();
  const end = began + seconds * 1000;
  while (now < end) {
    for (const { run } of timers.filter(({ at }) => at <= now)) run();
    timers = timers.filter(({ at }) => at > now);
    const ready = waiting.filter(({ stream, first, least }) => {
      stream.came = Math.floor((now - first) / 50) + 1;
      return (stream.came - stream.taken) * 250 >= Math.max(least, 250);
    });
    if (ready.length === 0) now += 1;
    for (const read of ready) {
      const { stream, first, least, view, resolve } = read;
      waiting.splice(waiting.indexOf(read), 1);
      const chunks = Math.min(Math.ceil(least / 250), Math.floor(view.length / 250)); // workerd gives no more than it must
      now += readMs + chunks * chunkMs;
      if (now < end) ages[Math.floor((now - began) / 1000)].push(now - (first + stream.taken * 50));
      stream.taken += chunks;
      resolve({ done: false, value: view.subarray(0, chunks * 250) });
      await settled();
    }
  }
  return ages.map((list) => ({ reads: list.length, oldest: Math.max(...list) }));
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
  const { asked, getReader } = body(new Uint8Array(10_000), () => move(125));
  const reader = new PacedReader({ getReader }, { leastBytes: 1_000_000, holdMs: 250, lateMs: 0, count() {} });
  for (let i = 0; i < 6; i++) await reader.read();
  assert.deepEqual(asked.slice(0, 3), [1, 1, 200]); // two reads of 100 bytes in the first quarter
  assert.ok(Math.max(...asked) <= 400, `${asked}`); // and then one, which it has made larger itself
});

test("an isolate with time to spare reads chunk by chunk", async (t) => {
  const seconds = await isolate(t, { streams: 20, readMs: 0.25, chunkMs: 0.01, seconds: 3 });
  for (const { reads, oldest } of seconds) {
    assert.ok(reads > 390, `${reads} reads`);
    assert.ok(oldest < 20, `${oldest} ms`);
  }
});

for (const [streams, readMs] of [[100, 1.5], [300, 0.6], [1000, 0.25]]) {
  test(`a slow isolate of ${streams} streams, which has no time for a read a chunk, is not behind by more and more`, async (t) => {
    const seconds = await isolate(t, { streams, readMs, chunkMs: readMs / 20, seconds: 8 });
    for (const { oldest } of seconds) assert.ok(oldest < 1600, `${oldest} ms`);
    assert.ok(seconds[7].oldest < 1200, `${seconds[7].oldest} ms`);
  });
}

test("nobody looks how late turns are when nobody reads any more", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  const timers = t.mock.method(globalThis, "setTimeout");
  const pace = new Pace();
  for (let ms = 0; ms < 1000; ms++) {
    t.mock.timers.tick(1);
    for (let i = 0; i < 3; i++) pace.count(100, Date.now());
  }
  assert.ok(timers.mock.callCount() > 5, "it does while they read");
  for (let i = 0; i < 100; i++) t.mock.timers.tick(20);
  const calls = timers.mock.callCount();
  for (let i = 0; i < 500; i++) t.mock.timers.tick(20);
  assert.equal(timers.mock.callCount(), calls);
});

test("law: whatever a read waits for, the bytes are the same", async (t) => {
  const move = clock(t);
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 2654435761) >>> 24);
  const { getReader } = body(bytes);
  const pace = { leastBytes: 1, holdMs: 250, lateMs: 0, count() {} };
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

test("a connection to a provider serves the next request, also when its body ends behind the answer's own end", async () => {
  const { seen, url } = await ending(20);
  const { address, stop } = await startGateway({ providers: { openai: { baseURL: url } } });
  for (let i = 0; i < 5; i++, await pause(60)) {
    const response = await fetch(`${address}/openai/v1/chat/completions`, {
      method: "POST", headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" }, body: JSON.stringify({ ...CHAT, stream: true }),
    });
    assert.match(await response.text(), /DONE/);
  }
  assert.equal(seen.connections, 1);
  await stop();
});
