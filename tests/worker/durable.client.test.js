// Durable answers with the library as their reader, through real workerd and a way there that breaks.
import assert from "node:assert/strict";
import { AsyncResource } from "node:async_hooks";
import { test } from "node:test";
import { createClient } from "../sdk/package.js";
import { asking, log, startGateway, storageFolder, TOKEN } from "./gateway.js";
import { until, wait } from "./until.js";
import { openWay } from "./way.js";

const storage = storageFolder();
let gateway = await startGateway({}, { storage });
const port = Number(new URL(gateway.address).port);
const restart = AsyncResource.bind(() => startGateway({}, { storage, port })); // what a test starts ends with that test

let random = 1;
const chance = (n) => (random = (random * 48271) % 2147483647) % n;
const way = await openWay(port, () => ({ bytes: 1000 + chance(4000), ms: 40 + chance(800) })); // a busy machine needs its time, too
const hurried = { interactive: { backoffBaseMs: 20, backoffCapMs: 500 } };
const open = (policy = hurried) => createClient({ provider: "openai", baseURL: way.address, token: TOKEN, breaker: false, throttle: false, policy });
const client = await open();

const PATH = "/openai/v1/chat/completions";
const BODY = { model: "gpt-x", messages: [{ role: "user", content: "Go" }] };
const words = (n, mark) => Array.from({ length: n }, (_, i) => `${mark}w${i}`).join(" ");
const asked = async (headers) => (await log(headers["x-sim-session"])).count;

test("40 answers over a way that breaks all the time: every text is whole, every model was asked once", { timeout: 90_000 }, async (t) => {
  await Promise.all(Array.from({ length: 40 }, async (_, n) => {
    const text = words(300, `a${n}`);
    const headers = asking({ text, requests: [{ gapMs: 5 + (n % 7) }] });
    let shown = "";
    const answer = client.stream(PATH, BODY, { durable: true, headers, onDelta: (delta) => (shown += delta.text) });
    const result = await answer.result;
    assert.deepEqual([result.status, result.text, shown], ["complete", text, text], result.error?.developerMessage);
    assert.deepEqual([result.finishReason, result.attempts.length, result.attempts[0].provider, result.callId], ["stop", 1, "openai", answer.id]);
    assert.equal(await asked(headers), 1);
  }));
  assert.ok(way.cuts > 80, `${way.cuts} cuts`);
  t.diagnostic(`the way broke ${way.cuts} times`);
});

test("pages that are closed at any moment, and opened again, read on from the exact character", { timeout: 90_000 }, async () => {
  await Promise.all(Array.from({ length: 20 }, async (_, n) => {
    const text = words(150, `b${n}`);
    const headers = asking({ text, requests: [{ gapMs: 6 }] });
    let shown = "";
    const onDelta = (delta) => (shown += delta.text);
    let page = await open();
    let answer = page.stream(PATH, BODY, { durable: true, headers, onDelta });
    for (let visits = 1; ; visits++) {
      const result = await Promise.race([answer.result, wait(chance(100 * visits)).then(() => null)]);
      if (result?.status === "complete") {
        assert.deepEqual([result.text, shown, await asked(headers)], [text, text, 1]);
        assert.ok(visits > 2, `${visits} visits`);
        return page.close();
      }
      const { id, offset, partial } = answer;
      assert.equal(partial, shown);
      page.close();
      page = await open();
      answer = page.resumeAnswer(id, offset, { text: partial, path: PATH, body: BODY, headers, onDelta });
    }
  }));
});

test("a gateway that is killed and started again: who reads on hears nothing of it", { timeout: 60_000 }, async () => {
  const patient = await open({ interactive: { backoffBaseMs: 200, backoffCapMs: 500 } });
  const readers = Array.from({ length: 10 }, (_, n) => {
    const text = words(150, `c${n}`);
    const headers = asking({ text, requests: [{ gapMs: 10 }], continuations: [{ gapMs: 5 }] });
    return { text, answer: patient.stream(PATH, BODY, { durable: true, headers, onDelta() {} }) };
  });
  await until(10_000, () => readers.every(({ answer }) => answer.partial.length > 100));
  await gateway.stop();
  gateway = await restart();
  for (const { text, answer } of readers) {
    const result = await answer.result;
    assert.deepEqual([result.status, result.text, answer.partial], ["complete", text, text]);
    assert.deepEqual(result.attempts.map(({ kind }) => kind), ["first", "continue"]);
  }
  patient.close();
});

test("a gateway that is killed behind a reload of an answer that goes on from another one: that one's text stays", { timeout: 60_000 }, async () => {
  const patient = await open({ interactive: { backoffBaseMs: 200, backoffCapMs: 500 } });
  const text = words(100, "i");
  const reset = { endAfterWords: 30, end: "reset" };
  const headers = asking({ text, requests: [reset], continuations: [reset, { reasoning: "Let me see.", pauseAfterWords: 0, pauseMs: 60_000 }, {}] });
  const half = patient.stream(PATH, BODY, { durable: true, headers });
  const { status, text: before } = await half.result;
  assert.equal(status, "interrupted");
  const page = half.continue({ onDelta() {} });
  await until(10_000, () => page.offset !== "-1"); // it thinks
  const { id, offset, partial } = page;
  assert.equal(partial, before);
  page.leave();
  const back = patient.resumeAnswer(id, offset, { text: partial, onDelta() {} });
  await wait(300);
  await gateway.stop();
  gateway = await restart();
  const result = await back.result;
  assert.deepEqual([result.status, result.text, back.partial], ["complete", text, text], result.error?.developerMessage);
  patient.close();
});

test("a network that is away for a while", { timeout: 30_000 }, async () => {
  const text = words(100, "d");
  const headers = asking({ text, requests: [{ gapMs: 5 }] });
  const patient = await open({ interactive: { backoffBaseMs: 200, backoffCapMs: 500 } });
  const answer = patient.stream(PATH, BODY, { durable: true, headers, onDelta() {} });
  await until(10_000, () => answer.partial.length > 20);
  way.closed = true;
  await wait(1500);
  way.closed = false;
  const result = await answer.result;
  assert.deepEqual([result.status, result.text, await asked(headers)], ["complete", text, 1]);
  patient.close();
});

test("cancel() stops the model; leave() and a closed client do not", { timeout: 30_000 }, async () => {
  const start = async (page = client) => {
    const headers = asking({ text: words(150, "e"), requests: [{ gapMs: 10 }] });
    const answer = page.stream(PATH, BODY, { durable: true, headers, onDelta() {} });
    await until(10_000, () => answer.partial.length > 20);
    return { answer, live: async () => (await log(headers["x-sim-session"])).live };
  };
  const [cancelled, left] = [await start(), await start()];
  const page = await open();
  const closed = await start(page);
  cancelled.answer.cancel();
  left.answer.leave();
  page.close();
  await until(3000, async () => (await cancelled.live()) === 0);
  assert.deepEqual([await left.live(), await closed.live()], [1, 1]);
  const result = await client.resumeAnswer(cancelled.answer.id, cancelled.answer.offset, { text: cancelled.answer.partial }).result;
  assert.equal(result.status, "cancelled");
  for (const { answer } of [left, closed]) {
    const { id, offset, partial } = answer;
    assert.equal((await client.resumeAnswer(id, offset, { text: partial }).result).text, words(150, "e"));
  }
});

test("cancel() stops what runs in a provider's background, too", { timeout: 30_000 }, async () => {
  const headers = asking({ text: words(150, "h"), requests: [{ gapMs: 10 }] });
  const answer = client.stream("/openai/v1/responses", { model: "gpt-x", background: true, input: "Go" }, { durable: true, headers, onDelta() {} });
  await until(10_000, () => answer.partial.length > 20);
  answer.cancel();
  const { requests } = await until(5000, async () => ((found) => found.count > 1 && found)(await log(headers["x-sim-session"])));
  assert.match(requests.at(-1).path, /\/v1\/responses\/\w+\/cancel$/);
});

test("tool calls and reasoning come once; what the gateway could not mend can be gone on with", { timeout: 30_000 }, async () => {
  const tool = asking({ text: words(40, "f"), requests: [{ gapMs: 5, tool: true, reasoning: "Let me see." }] });
  const deltas = [];
  const result = await client.stream(PATH, BODY, { durable: true, headers: tool, onDelta: (delta) => deltas.push(delta) }).result;
  assert.equal(result.toolCalls.length, 1);
  assert.equal(deltas.filter(({ type }) => type === "tool_call").length, 1);
  assert.equal(deltas.filter(({ type }) => type === "reasoning").map(({ text }) => text).join(""), result.reasoning);

  const text = words(100, "g");
  const broken = asking({ text, requests: [{ endAfterWords: 30, end: "reset" }], continuations: [{ endAfterWords: 30, end: "reset" }, {}] });
  const half = client.stream(PATH, BODY, { durable: true, headers: broken });
  const { status, offer, error } = await half.result;
  assert.deepEqual([status, offer, half.resumable], ["interrupted", ["continue", "try_again"], false], error?.message);
  assert.equal((await half.continue().result).text, text);
});

test("a request that the gateway refuses says why", async () => {
  const refused = async (path, options) => (await client.stream(path, BODY, { durable: true, ...options }).result).error;
  assert.deepEqual([(await refused("/v1/chat/completions")).status, (await refused("/nobody/v1/x")).status], [404, 404]);
  const id = "one-and-the-same";
  await client.stream(PATH, BODY, { durable: true, id, headers: asking({ text: "Hi" }) }).result;
  const other = await client.stream(PATH, { ...BODY, temperature: 1 }, { durable: true, id }).result;
  assert.deepEqual([other.status, other.error.status, other.error.code], ["failed", 409, "idempotency_conflict"]);
  const stranger = await createClient({ provider: "openai", baseURL: way.address, token: "nobody" });
  assert.equal((await stranger.resumeAnswer(id).result).error.reason, "auth");
});
