// The host's side of the protocol against a scripted program: reads, demand, re-entry, timers, death.

import assert from "node:assert/strict";
import test from "node:test";
import { Answer } from "../../wasm/js/answer.js";
import { Call } from "../../wasm/js/call.js";
import { HoldfastError } from "../../wasm/js/error.js";
import { echo, fakePort, fakeSession, pulled, settle } from "./fake.mjs";

const collect = async (answer) => {
  const texts = [];
  for await (const delta of answer) texts.push(delta.text);
  return texts;
};

function answerOf(chunks, { options, script, body } = {}) {
  const { response, state } = pulled(chunks, body);
  const { port, log, memory } = fakePort(echo(script));
  const session = fakeSession(port, { fetch: async () => response });
  return { answer: new Answer(session, "/x", {}, options), state, port, log, memory, session };
}

test("an iterated answer gives its deltas in order and then ends", async () => {
  const { answer, port, log } = answerOf(["a", "b", "c"]);
  assert.deepEqual(await collect(answer), ["a", "b", "c"]);
  assert.equal((await answer.result).status, "complete");
  assert.equal(port.calls.size, 0);
  assert.equal(log.at(-1), "free");
});

test("a slow reader does not make the client read ahead", async () => {
  const { answer, state } = answerOf(["a", "b", "c", "d"]);
  await settle();
  assert.equal(state.pulls, 0, "nobody asked yet");
  const deltas = answer[Symbol.asyncIterator]();
  for (const [i, text] of ["a", "b", "c"].entries()) {
    assert.equal((await deltas.next()).value.text, text);
    await settle();
    assert.ok(state.pulls <= i + 1, `after ${i + 1} deltas ${state.pulls} chunks were read`);
  }
});

test("a ReadableStream pulls only what is read from it", async () => {
  const { answer, state } = answerOf(["a", "b", "c"]);
  const reader = answer.toReadableStream().getReader();
  await settle();
  assert.equal(state.pulls, 0);
  assert.equal((await reader.read()).value, "a");
  await settle();
  assert.ok(state.pulls <= 1);
  await reader.cancel();
  assert.equal((await answer.result).status, "cancelled");
  await settle();
  assert.equal(state.cancelled, true);
});

test("an answer with onDelta runs by itself", async () => {
  const texts = [];
  answerOf(["a", "b", "c"], { options: { onDelta: (delta) => texts.push(delta.text) } });
  await settle();
  assert.deepEqual(texts, ["a", "b", "c"]);
});

test("result and text() read an answer that nobody iterates", async () => {
  const { answer } = answerOf(["a", "b", "c"]);
  assert.equal(await answer.text(), "abc");
  assert.equal(answer.partial, "abc");
});

test("an iterator sets the pace although the result is awaited", async () => {
  const { answer, state } = answerOf(["a", "b", "c"]);
  const result = answer.result;
  const deltas = answer[Symbol.asyncIterator]();
  await settle();
  assert.equal(state.pulls, 0);
  let n = 0;
  while (!(await deltas.next()).done) n++;
  assert.equal(n, 3);
  assert.equal((await result).text, "abc");
});

test("iterating late gives everything from the beginning; iterating twice throws", async () => {
  const { answer } = answerOf(["a", "b", "c"]);
  await answer.result;
  assert.equal((await collect(answer)).join(""), "abc");
  assert.throws(() => answer[Symbol.asyncIterator](), { code: "bad_option" });
});

test("break cancels the answer and its exchange", async () => {
  const { answer, state } = answerOf(["a", "b", "c"]);
  for await (const _ of answer) break;
  assert.equal((await answer.result).status, "cancelled");
  await settle();
  assert.equal(state.cancelled, true);
});

test("cancel() from inside onDelta, and a new stream from inside onEvent, are safe", async () => {
  const script = echo();
  const items = [{ event: { type: "streaming" } }, { delta: { type: "text", text: "1" } }, { delta: { type: "text", text: "2" } }];
  const { port } = fakePort({ ...script, received: (...args) => ({ items, read: script.received(...args).read }) });
  const session = fakeSession(port, { fetch: async () => pulled(["x", "y"]).response });
  const seen = [];
  let second;
  const first = new Answer(session, "/x", {}, {
    onEvent: () => (second ??= new Answer(session, "/x", {}, { onDelta: (delta) => seen.push(`second ${delta.text}`) })),
    onDelta(delta) {
      seen.push(`first ${delta.text}`);
      first.cancel();
    },
  });
  assert.equal((await first.result).status, "cancelled");
  await settle();
  assert.deepEqual(seen.filter((line) => line.startsWith("first")), ["first 1", "first 2"]);
  assert.equal((await second.result).status, "complete");
});

test("user code that runs inside the program cannot enter it", async () => {
  let inside = false;
  let nested = false;
  const script = echo();
  const { port, log } = fakePort({
    ...script,
    open(host, ...rest) {
      inside = true;
      host.random();
      const given = script.open(host, ...rest);
      inside = false;
      return given;
    },
    abort(...args) {
      nested ||= inside;
      return script.abort(...args);
    },
  });
  let answer;
  const session = fakeSession(port, {
    random() {
      for (const call of session.calls) call.abort();
      return 0.5;
    },
    fetch: () => assert.fail("nothing may be sent"),
  });
  answer = new Answer(session, "/x", {});
  assert.equal((await answer.result).status, "cancelled");
  assert.equal(nested, false);
  assert.deepEqual(log.slice(0, 2), ["open", "abort"]);
});

test("fetch starts after the program has returned", async () => {
  let inside = false;
  const script = echo();
  const { port } = fakePort({ ...script, open: (...args) => ((inside = true), script.open(...args), (inside = false), undefined) });
  const session = fakeSession(port, { fetch: async () => (assert.equal(inside, false), new Response("ok")) });
  assert.equal(await new Answer(session, "/x", {}).text(), "ok");
});

test("wsm-007: a large chunk enters in pieces, through memory that grows", async () => {
  const big = new Uint8Array(5 * 1024 * 1024 + 7).fill(0x61);
  const sizes = [];
  const script = echo();
  const { answer } = answerOf([big], { script: { received: (host, bytes, call) => (sizes.push(bytes.length), script.received(host, bytes.subarray(0, 1), call), { read: true }) } });
  await answer.result;
  assert.deepEqual(sizes, [1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 7]);
});

test("wsm-004: 5000 chunks of 40 bytes go through one buffer", async () => {
  const { answer, memory } = answerOf(Array(5000).fill("x".repeat(40)));
  const before = memory.buffer;
  let n = 0;
  for await (const { text } of answer) {
    n += text.length;
    assert.ok(memory.buffer === before, "the memory grew");
    if (n === 200_000) break;
  }
  assert.equal(n, 200_000);
});

test("ui-003: bodies are read by getReader: Safari's streams have no iterator", async () => {
  const { response } = pulled(["a", "b"]);
  Object.defineProperty(response.body, Symbol.asyncIterator, { value: undefined });
  const { port } = fakePort(echo());
  const answer = new Answer(fakeSession(port, { fetch: async () => response }), "/x", {});
  assert.equal(await answer.text(), "ab");
});

test("text with a BOM, with emoji and with NUL arrives as it was", async () => {
  const text = "\ufeffa\0😀語";
  const { answer } = answerOf([text]);
  assert.equal(await answer.text(), text);
});

test("wsm-008: a timer is clamped, replaced, and gone after the end", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const ticks = [];
  const { port } = fakePort({ tick: (host, bytes, call, now) => void ticks.push(now) });
  const call = new Call(port, fakeSession(port), { done() {}, fail() {} });
  call.open(true, new Uint8Array(2), new Uint8Array(2));
  port.imports.wake(call.handle, 2 ** 40, false);
  t.mock.timers.tick(1000);
  assert.deepEqual(ticks, [], "a long timer does not fire at once");
  port.imports.wake(call.handle, 10, false);
  port.imports.wake(call.handle, 20, false);
  t.mock.timers.tick(15);
  assert.deepEqual(ticks, []);
  t.mock.timers.tick(10);
  assert.equal(ticks.length, 1);
  port.imports.wake(call.handle, 10, false);
  port.imports.wake(call.handle, -1, false);
  t.mock.timers.tick(100);
  assert.equal(ticks.length, 1);
  port.imports.wake(call.handle, 10, false);
  call.take({ done: {} });
  t.mock.timers.tick(100);
  assert.equal(ticks.length, 1);
});

test("an injected sleep counts as time that passed", async () => {
  const ticks = [];
  const { port } = fakePort({ tick: (host, bytes, call, now) => void ticks.push(now) });
  const waits = [];
  const session = fakeSession(port, { now: () => 1000, sleep: async (ms) => void waits.push(ms) });
  const call = new Call(port, session, { done() {}, fail() {} });
  call.open(true, new Uint8Array(2), new Uint8Array(2));
  port.imports.wake(call.handle, 500, true);
  await settle();
  port.imports.wake(call.handle, 250, true);
  await settle();
  assert.deepEqual(waits, [500, 250]);
  assert.deepEqual(ticks, [1500, 1750]);
  call.take({ done: {} });
});

test("a sleep is told when it is no longer needed, and a sleep that fails does not hurry", async () => {
  const { port, log } = fakePort({});
  let signal;
  const session = fakeSession(port, { sleep: (ms, s) => ((signal = s), new Promise((_, reject) => s.addEventListener("abort", () => reject(s.reason)))) });
  const call = new Call(port, session, { done() {}, fail() {} });
  call.open(true, new Uint8Array(2), new Uint8Array(2));
  port.imports.wake(call.handle, 500, true);
  await settle();
  port.imports.wake(call.handle, -1, false);
  await settle();
  assert.equal(signal.aborted, true);
  assert.ok(!log.includes("tick"));
  call.take({ done: {} });
});

test("a trap ends everything that is open, with the partial text", async () => {
  let n = 0;
  const script = echo();
  const received = (...args) => {
    if (++n === 2) throw new WebAssembly.RuntimeError("unreachable");
    return script.received(...args);
  };
  const { port } = fakePort({ ...script, received });
  let deaths = 0;
  port.ondeath = () => deaths++;
  const session = fakeSession(port, { fetch: async () => pulled(["a", "b", "c"]).response });
  const idle = new Answer(session, "/x", {});
  const answer = new Answer(session, "/x", {});
  const texts = [];
  await assert.rejects(
    async () => {
      for await (const delta of answer) texts.push(delta.text);
    },
    { name: "HoldfastError", code: "program_died", partial: "a" },
  );
  assert.deepEqual(texts, ["a"]);
  await assert.rejects(answer.result, { code: "program_died", partial: "a" });
  await assert.rejects(idle.result, { code: "program_died" });
  assert.equal(deaths, 1);
  assert.equal(port.calls.size, 0);
});

for (const [what, fetch] of Object.entries({
  "throws at once": () => {
    throw new Error("no");
  },
  "rejects with nothing": () => Promise.reject(undefined),
  "rejects with null": () => Promise.reject(null),
  "rejects with text": () => Promise.reject("no"),
  "gives nothing": async () => undefined,
  "gives a number": () => 7,
  "gives an opaque answer": async () => ({ status: 0, type: "opaque", headers: new Headers(), body: null }),
  "gives a body of objects": async () => new Response(new ReadableStream({ start: (c) => c.enqueue({}) })),
  "gives a locked body": async () => {
    const response = new Response("x");
    response.body.getReader();
    return response;
  },
  "gives hostile getters": async () => ({
    get status() {
      throw new Error("no");
    },
  }),
})) {
  test(`a fetch that ${what} is a transport failure`, async () => {
    let failure;
    const script = echo();
    const { port } = fakePort({ ...script, broke: (host, bytes, ...rest) => ((failure = JSON.parse(new TextDecoder().decode(bytes))), script.broke(host, bytes, ...rest)) });
    const answer = new Answer(fakeSession(port, { fetch }), "/x", {});
    assert.equal((await answer.result).status, "interrupted");
    assert.equal(typeof failure.name, "string");
    assert.ok(failure.message);
  });
}

for (const [what, response, want] of [
  ["without a body", { status: 200, headers: { A: "b" } }, ""],
  ["with a null body", new Response(null), ""],
  ["with headers as pairs and a body that is no stream", { status: 200, headers: [["A", "b"]], arrayBuffer: async () => new TextEncoder().encode("hi").buffer }, "hi"],
  ["with text chunks", { status: 200, body: new ReadableStream({ start: (c) => (c.enqueue("hi"), c.close()) }) }, "hi"],
]) {
  test(`a response ${what} is read as far as it goes`, async () => {
    const { port } = fakePort(echo());
    assert.equal(await new Answer(fakeSession(port, { fetch: async () => response }), "/x", {}).text(), want);
  });
}

test("a late answer of a stopped exchange is dropped and freed", async () => {
  const { response, state } = pulled(["a"]);
  let give;
  const { port, log } = fakePort(echo());
  const answer = new Answer(fakeSession(port, { fetch: () => new Promise((resolve) => (give = resolve)) }), "/x", {});
  await settle();
  answer.cancel();
  assert.equal((await answer.result).status, "cancelled");
  give(response);
  await settle();
  assert.equal(state.cancelled, true);
  assert.ok(!log.includes("responded"));
});

test("a signal cancels, and its listener is gone after the end", async () => {
  const controller = new AbortController();
  let listeners = 0;
  const signal = controller.signal;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args) => (listeners++, add(...args));
  signal.removeEventListener = (...args) => (listeners--, remove(...args));
  const { answer } = answerOf(["a"], { options: { signal } });
  await answer.result;
  assert.equal(listeners, 0);

  const other = answerOf(["a"], { options: { signal }, body: { end: false } });
  controller.abort(new Error("enough"));
  await assert.rejects(other.answer.text(), (error) => error.code === "cancelled" && error.cause.message === "enough");
  const late = answerOf(["a"], { options: { signal } });
  assert.equal((await late.answer.result).status, "cancelled");
});

test("each reader has deltas of its own", async () => {
  const { answer } = answerOf(["a", "b", "c"], { options: { onDelta: (delta) => (delta.text = "mine") } });
  assert.deepEqual(await collect(answer), ["a", "b", "c"]);
  assert.equal(answer.partial, "abc");
});

test("callbacks that throw do not harm the stream", async (t) => {
  const reported = [];
  globalThis.reportError = (error) => reported.push(error.message);
  t.after(() => delete globalThis.reportError);
  const { answer } = answerOf(["a", "b"], {
    options: {
      onDelta() {
        throw new Error("mine");
      },
    },
  });
  assert.equal(await answer.text(), "ab");
  await settle();
  assert.deepEqual(reported, ["mine", "mine"]);
  assert.equal(await answerOf(["a"], { options: { onDelta: () => Promise.reject(new Error("later")) } }).answer.text(), "a");
  await settle();
  assert.deepEqual(reported, ["mine", "mine", "later"]);
});

test("an answer needs nothing of a clock that tests have put in the host's place", async (t) => {
  const { queueMicrotask, setTimeout, Date } = globalThis;
  t.after(() => Object.assign(globalThis, { queueMicrotask, setTimeout, Date }));
  Object.assign(globalThis, { queueMicrotask() {}, setTimeout: () => 0, Date: class extends Date { static now = () => 0 } });
  assert.equal(await answerOf(["a", "b"]).answer.text(), "ab");
  assert.deepEqual(await collect(answerOf(["a", "b"]).answer), ["a", "b"]);
});

test("a page that goes offline tells open calls, and only while there are some", async (t) => {
  const target = new EventTarget();
  const counts = { online: 0, offline: 0 };
  const saved = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true });
  globalThis.addEventListener = (name, f) => (counts[name]++, target.addEventListener(name, f));
  globalThis.removeEventListener = (name, f) => (counts[name]--, target.removeEventListener(name, f));
  t.after(() => {
    if (saved) Object.defineProperty(globalThis, "navigator", saved);
    else delete globalThis.navigator;
    delete globalThis.addEventListener;
    delete globalThis.removeEventListener;
  });
  const told = [];
  const { answer } = answerOf(["a"], { script: { online: (host, bytes, call, online) => void told.push(online) } });
  assert.deepEqual(counts, { online: 1, offline: 1 });
  target.dispatchEvent(new Event("offline"));
  target.dispatchEvent(new Event("online"));
  await answer.result;
  assert.deepEqual(told, [0, 1]);
  assert.deepEqual(counts, { online: 0, offline: 0 });
});

test("a HoldfastError tells its code and its cause", () => {
  const error = HoldfastError.of({ reason: "truncated", decision: "retry", message: "m" }, { reason: "overloaded", decision: "retry", message: "first" }, { partial: "x" });
  assert.equal(error.name, "HoldfastError");
  assert.equal(error.code, "truncated");
  assert.equal(error.cause.code, "overloaded");
  assert.ok(error instanceof Error);
  assert.deepEqual(Object.keys(new HoldfastError("a", "b", { partial: undefined })), ["code"]);
  assert.deepEqual(JSON.parse(JSON.stringify(error)), { name: "HoldfastError", message: "m", code: "truncated", decision: "retry", reason: "truncated", failure: { reason: "truncated", decision: "retry", message: "m" }, partial: "x" });
});
