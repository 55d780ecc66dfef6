// Durable answers over real HTTP, against a small gateway: cuts, lost responses, coming back, leaving.

import assert from "node:assert/strict";
import test from "node:test";
import { createClient, unload } from "./holdfast.mjs";
import { ending, saying, startKeeper } from "./keeper.mjs";

const TEXT = Array.from({ length: 60 }, (_, i) => `w${i}ord${i * 7}`).join(" ") + " 🌊 end.";
const PATH = "/v1/chat/completions";
const BODY = { model: "fast", messages: [{ role: "user", content: "Go" }] };
let said = { messages: saying(TEXT) };
const keeper = await startKeeper(() => said);
const options = { provider: "openai", baseURL: keeper.address, token: "t", breaker: false, throttle: false, policy: { interactive: { backoffBaseMs: 1, backoffCapMs: 2 } } };
const client = await createClient(options);

/** Makes the gateway behave for one test. */
function set({ messages = saying(TEXT), gapMs, batch, cut = () => Infinity, refuse = () => null } = {}) {
  said = { messages, gapMs, batch };
  Object.assign(keeper, { cut, refuse, asked: 0 });
  keeper.log.length = 0;
  keeper.answers.clear();
}

const until = async (so) => {
  for (const end = Date.now() + 3000; !so(); await new Promise((resolve) => setTimeout(resolve, 5))) assert.ok(Date.now() < end, "not in time");
};

test("what the gateway came to is the result", async () => {
  set({ messages: [{ type: "reasoning", text: "Hm." }, ...saying(TEXT, { reasoning: "Hm.", warnings: ["w"] })] });
  const answer = client.stream(PATH, BODY, { durable: true });
  const result = await answer.result;
  const { callId, ...rest } = result;
  assert.deepEqual(rest, { ...ending, reasoning: "Hm.", warnings: ["w"], text: TEXT });
  assert.equal(callId, answer.id);
  assert.equal(answer.partial, TEXT);
  assert.equal(await answer.text(), TEXT);
  assert.deepEqual(keeper.log, [`POST /answers${PATH}`]);
});

test("the way is cut again and again: the text is whole, the model was asked once", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    let random = seed;
    set({ batch: 1 + (seed % 5), gapMs: seed % 4 === 0 ? 1 : 0, cut: () => 150 + ((random = (random * 48271) % 2147483647) % 1500) });
    const seen = [];
    const answer = client.stream(PATH, BODY, { durable: true, onDelta: (delta) => seen.push(delta) });
    const result = await answer.result;
    assert.equal(result.status, "complete");
    assert.equal(result.text, TEXT);
    assert.equal(seen.map(({ text }) => text).join(""), TEXT);
    assert.equal(keeper.asked, 1);
    assert.ok(keeper.log.every((line, i) => i === 0 || line.startsWith(`GET /answers/${answer.id}?offset=`)), keeper.log.join("\n"));
  }
});

test("a POST that got no answer is sent again under the same id", async () => {
  set({ refuse: (request, n) => (n <= 2 ? "reset" : n === 3 ? 503 : null) });
  const { status, text } = await client.stream(PATH, BODY, { durable: true }).result;
  assert.deepEqual([status, text, keeper.asked], ["complete", TEXT, 1]);
  assert.equal(keeper.log.length, 4);
});

test("id and offset belong to what was delivered, at every moment and in every way of reading", async () => {
  const messages = [{ type: "reasoning", text: "Hm." }, ...saying(TEXT)];
  messages.splice(9, 0, { type: "tool_call", id: "", name: "f", arguments: "{}" }, { type: "tool_call", id: "", name: "g", arguments: "{}" });
  const taken = (deltas) => ({
    text: deltas.filter(({ type }) => type === "text").map(({ text }) => text).join(""),
    thought: deltas.filter(({ type }) => type === "reasoning").map(({ text }) => text).join(""),
    tools: deltas.filter(({ type }) => type === "tool_call").map(({ name }) => name).join(""),
  });
  for (const batch of [1, 4, 1000]) {
    set({ messages, batch });
    const moments = [];
    const first = client.stream(PATH, BODY, { durable: true, onDelta: (delta) => note(delta, first) });
    let got = [];
    const note = (delta, answer) => {
      got.push(delta);
      assert.equal(answer.partial, taken(got).text);
      moments.push({ id: answer.id, offset: answer.offset, got: [...got] });
    };
    await first.result;
    got = [];
    const second = client.stream(PATH, BODY, { durable: true });
    assert.equal(second.offset, "-1");
    for await (const delta of second) note(delta, second);
    got = [];
    const third = client.stream(PATH, BODY, { durable: true });
    await third.result; // read ahead, and then from the beginning
    for await (const delta of third) note(delta, third);
    assert.ok(moments.length >= 9, moments.length);
    for (const { id, offset, got } of moments) {
      const { text } = taken(got);
      const more = [];
      const back = client.resumeAnswer(id, offset, { text, onDelta: (delta) => more.push(delta) });
      assert.equal(back.id, id);
      const result = await back.result;
      assert.deepEqual([result.status, result.text], ["complete", TEXT], `${batch}: ${offset}`);
      assert.deepEqual(taken([...got, ...more]), { text: TEXT, thought: "Hm.", tools: "fg" }, `${batch}: ${offset}`);
    }
    assert.equal(keeper.asked, 3);
  }
});

test("who comes back before anything was heard asks once more under the same id", async () => {
  set({ refuse: () => "reset" });
  const first = await createClient(options);
  const answer = first.stream(PATH, BODY, { durable: true, continues: "Before. ", onDelta() {} });
  await until(() => keeper.log.length > 0);
  first.close();
  assert.deepEqual([(await answer.result).status, answer.offset, keeper.asked], ["cancelled", "-1", 0]);
  set();
  for (let n = 0; n < 2; n++) {
    const back = client.resumeAnswer(answer.id, answer.offset, { text: answer.partial, path: PATH, body: BODY });
    const { status, text } = await back.result;
    assert.deepEqual([status, text, keeper.asked, back.id], ["complete", `Before. ${TEXT}`, 1, answer.id]);
  }
});

test("leaving lets the answer go on, and coming back hears the rest", async () => {
  set({ gapMs: 3 });
  const answer = client.stream(PATH, BODY, { durable: true, onDelta() {} });
  await until(() => answer.partial.length > 30);
  answer.leave();
  const { status, text, offer } = await answer.result;
  assert.deepEqual([status, text, offer, answer.resumable], ["cancelled", answer.partial, ["continue", "try_again"], true]);
  const result = await answer.continue().result;
  assert.deepEqual([result.status, result.text, keeper.asked], ["complete", TEXT, 1]);
  assert.ok(!keeper.log.some((line) => line.endsWith("/cancel")));
});

test("left before it was asked for, it is not asked for", async () => {
  set();
  unload();
  const answer = client.stream(PATH, BODY, { durable: true });
  answer.leave();
  assert.deepEqual([(await answer.result).status, answer.resumable, keeper.log.length], ["cancelled", true, 0]);
  assert.equal((await client.resumeAnswer(answer.id, answer.offset, { path: PATH, body: BODY }).result).text, TEXT);
});

test("cancel() stops it at the gateway, a closed client does not", async () => {
  set({ gapMs: 3 });
  const controller = new AbortController();
  for (const stop of [(answer) => answer.cancel(), () => controller.abort()]) {
    const answer = client.stream(PATH, BODY, { durable: true, signal: controller.signal, onDelta() {} });
    await until(() => answer.partial.length > 30);
    stop(answer);
    assert.equal((await answer.result).status, "cancelled");
    await until(() => keeper.answers.get(answer.id).closed);
    assert.equal(keeper.log.at(-1), `POST /answers/${answer.id}/cancel`);
  }
  const other = await createClient(options);
  const answer = other.stream(PATH, BODY, { durable: true, onDelta() {} });
  await until(() => answer.partial.length > 30);
  other.close();
  assert.equal((await answer.result).status, "cancelled");
  await until(() => keeper.answers.get(answer.id).closed);
  assert.equal(keeper.answers.get(answer.id).there.at(-1).result.status, "complete");
});

test("however it ended there, it ends here: continue() asks the gateway anew", async () => {
  const half = TEXT.slice(0, 200);
  set({ messages: saying(half, { status: "interrupted", error: { reason: "overloaded", message: "Busy." }, offer: ["continue", "try_again"] }) });
  const answer = client.stream(PATH, BODY, { durable: true });
  const { status, error } = await answer.result;
  assert.deepEqual([status, error.reason, keeper.log.length], ["interrupted", "overloaded", 1]);
  await assert.rejects(answer.text(), { code: "overloaded", partial: half });
  said = { messages: saying(TEXT.slice(TEXT.indexOf("w19"))) }; // it says some words again
  const next = answer.continue();
  const result = await next.result;
  assert.deepEqual([result.status, result.text, keeper.asked], ["complete", TEXT, 2]);
  assert.notEqual(next.id, answer.id);
  assert.match(keeper.answers.get(next.id).body, /w5ord35/);
});

test("an answer that the gateway has no longer keeps its text, and can be asked for anew", async () => {
  set({ cut: () => 900, refuse: (request) => (request.method === "GET" ? 404 : null) });
  const answer = client.stream(PATH, BODY, { durable: true });
  const { status, text, error, offer } = await answer.result;
  assert.equal(status, "interrupted");
  assert.ok(TEXT.startsWith(text) && text.length > 20);
  assert.equal(error.status, 404);
  assert.deepEqual([offer, answer.resumable], [["continue", "try_again"], false]);
  set({ messages: saying(TEXT.slice(text.length)) });
  assert.equal((await answer.continue().result).text, TEXT);
  assert.equal(keeper.log[0], `POST /answers${PATH}`);
});

test("a restart of the gateway's own takes back what this answer said, and no more", async () => {
  const messages = [{ type: "text", text: "Wrong." }, { type: "restart" }, ...saying(TEXT)];
  set({ messages, gapMs: 2 });
  const answer = client.stream(PATH, BODY, { durable: true, continues: "Before. ", onDelta() {} });
  const { text } = await answer.result;
  assert.equal(text, "Before. " + TEXT);
  assert.equal(answer.partial, text);
  set({ messages });
  const first = client.stream(PATH, BODY, { durable: true });
  for await (const { text } of first) if (text === "Wrong.") break; // cancelled there; the gateway had all of it
  const back = client.resumeAnswer(first.id, "off_1", { text: "Wrong.", onDelta() {} });
  assert.equal((await back.result).text, TEXT);
  assert.equal(back.partial, TEXT);

  // A stream of text cannot take anything back. It shows nothing twice.
  set({ messages, gapMs: 2 });
  const shown = [];
  await assert.rejects(async () => {
    for await (const text of client.stream(PATH, BODY, { durable: true }).toReadableStream()) shown.push(text);
  }, { code: "truncated", message: /iterate the answer/ });
  assert.deepEqual(shown, ["Wrong."]);
});

test("who comes back to an answer that goes on from another one keeps that one's text, at every moment", async () => {
  const BEFORE = "Once there was a 🌊 sea. It was ";
  const WHOLE = `${BEFORE}wide and blue, and nobody knew its end.`;
  const say = (...texts) => texts.map((text) => ({ type: "text", text }));
  const end = saying("x").slice(1);
  const stories = {
    plain: [...say("wide ", "and ", "blue, ", "and nobody ", "knew its end."), ...end],
    "with a seam": [...say("sea. ", "It ", "was ", "wide ", "and ", "blue, ", "and nobody ", "knew its end."), ...end],
    "begun anew": [{ type: "reasoning", text: "Hm." }, ...say("wide ", "and ", "green, "), { type: "restart" }, ...say("It was ", "wide ", "and "), { type: "restart" }, ...say("wide ", "and ", "blue, ", "and nobody ", "knew its end."), ...end],
  };
  let seed = 1;
  for (const [story, messages] of Object.entries(stories)) {
    for (const [batch, cut] of [[1], [3], [1000], [1, () => 170 + ((seed = (seed * 48271) % 2147483647) % 400)]]) {
      set({ messages, batch, cut });
      const moments = [];
      const note = (answer) => moments.push({ id: answer.id, offset: answer.offset, text: answer.partial });
      const ask = (more) => client.stream(PATH, BODY, { durable: true, continues: BEFORE, ...more });
      const first = ask({ onDelta: () => note(first) });
      assert.equal((await first.result).text, WHOLE);
      const second = ask();
      for await (const _ of second) note(second);
      assert.equal(second.partial, WHOLE);
      for (const { id, offset, text } of moments) {
        const back = client.resumeAnswer(id, offset, { text, onDelta: () => again.push({ id, offset: back.offset, text: back.partial }) });
        const again = [];
        const where = `${story}, ${batch}: ${offset}, ${JSON.stringify(text)}`;
        assert.equal((await back.result).text, WHOLE, where);
        assert.equal(back.partial, WHOLE, where);
        for (const moment of again) { // and once more
          const { text, offset } = moment;
          assert.equal((await client.resumeAnswer(id, offset, { text }).result).text, WHOLE, `${where}, then ${offset}, ${JSON.stringify(text)}`);
        }
      }
    }
  }
});

test("who comes back with a signal that has aborted stops the answer at the gateway", async () => {
  set({ gapMs: 3 });
  const answer = client.stream(PATH, BODY, { durable: true, onDelta() {} });
  await until(() => answer.partial.length > 30);
  answer.leave();
  const back = client.resumeAnswer(answer.id, answer.offset, { signal: AbortSignal.abort() });
  assert.equal((await back.result).status, "cancelled");
  await until(() => keeper.log.some((line) => line.endsWith("/cancel")));
});

test("options that make no sense are refused", async () => {
  const refused = (answer, message) => assert.rejects(answer.result, { code: "bad_option", message });
  await refused(client.stream(PATH, BODY, { durable: true, id: "short" }), /^id: must be 8 to 64/);
  await refused(client.stream(PATH, BODY, { durable: true, api: "chat" }), /^api: /);
  await refused(client.stream(PATH, BODY, { durable: 1 }), /^durable: must be true or false/);
  await refused(client.stream(PATH, BODY, { from: {} }), /^from: is not an option of stream/);
  await refused(client.resumeAnswer("answer-1", "a,b"), /^offset: must be text/);
  await refused(client.resumeAnswer("../secrets", "-1"), /^id: /);
  await assert.rejects(client.request(PATH, BODY, { durable: true }), { code: "bad_option", message: /^durable: is an option of stream/ });
  const back = client.resumeAnswer("answer-00", "-1", null);
  assert.equal((await back.result).error.status, 404);
  assert.throws(() => back.tryAgain(), { code: "bad_option", message: /give path and body to resumeAnswer/ });
  const plain = client.stream(PATH, BODY);
  assert.deepEqual([plain.id, plain.offset], [undefined, undefined]);
  plain.leave();
  assert.equal((await plain.result).status, "cancelled");
  unload();
  const unsent = client.stream(PATH, BODY);
  unsent.leave(); // before the program is there
  const { status, attempts } = await unsent.result;
  assert.deepEqual([status, attempts.length, unsent.resumable], ["cancelled", 0, false]);
});
