// The checks of Gloo's tutorial "Build a Resilient Client", step 7, and those that it asks readers to add.
// Failures are scripted by an injected fetch and sleep: nothing is called and nothing waits.

import assert from "node:assert/strict";
import test from "node:test";
import { pulled, settle } from "./fake.mjs";
import { createClient, classify, isRetryable, HoldfastError } from "./holdfast.mjs";

const error = (code, name, retryable) => ({ error: { code, name, retryable, message: "m" } });
const json = (status, body, headers = {}) => new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
const sse = (chunks, { headers, breaks } = {}) =>
  new Response(
    new ReadableStream({
      pull(controller) {
        if (chunks.length > 0) controller.enqueue(new TextEncoder().encode(chunks.shift()));
        else if (breaks) controller.error(Object.assign(new TypeError("terminated"), { cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }) }));
        else controller.close();
      },
    }, { highWaterMark: 0 }),
    { headers: { "content-type": "text/event-stream", ...headers } },
  );
const delta = (text, finish = null) => `data: ${JSON.stringify({ id: "c1", model: "m", choices: [{ index: 0, delta: text === null ? {} : { content: text }, finish_reason: finish }] })}\n\n`;
const DONE = "data: [DONE]\n\n";
const PATH = "/ai/v2/guarded/chat/completions";
const BODY = { model: "m", messages: [{ role: "user", content: "Explain Romans 8." }] };

/** A client over scripted answers; `waits` are seconds. An answer may be an Error, or a function. */
async function scripted(answers, options) {
  const state = { calls: 0, waits: [], requests: [] };
  const client = await createClient({
    provider: "gloo",
    apiKey: "test-key",
    fetch: async (url, init) => {
      state.calls++;
      state.requests.push({ url, ...init });
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(init) : answer;
    },
    sleep: async (ms) => void state.waits.push(ms / 1000),
    ...options,
  });
  return { client, state };
}

async function expectError(client, options) {
  try {
    await client.request("/x", {}, options);
  } catch (thrown) {
    assert.ok(thrown instanceof HoldfastError, String(thrown?.stack ?? thrown));
    return thrown;
  }
  throw new Error("expected a HoldfastError, but the call succeeded");
}

const unavailable = () => json(503, error(2002, "PROVIDER_UNAVAILABLE", true));
const five = () => Array.from({ length: 5 }, unavailable);

test("background honors Retry-After", async () => {
  const { client, state } = await scripted([json(429, error(2004, "RATE_LIMIT", true), { "Retry-After": "3" }), json(200, { model: "gloo-anthropic-claude-opus-5.5" })]);
  const result = await client.request("/x", {}, { background: true });
  assert.equal(result.attempts.length, 2);
  assert.equal(state.calls, 2);
  assert.equal(state.waits.length, 1);
  assert.ok(state.waits[0] >= 3 && state.waits[0] <= 3.5, `waited ${state.waits[0]} s`);
  assert.deepEqual(result.data, { model: "gloo-anthropic-claude-opus-5.5" });
  assert.equal(result.httpStatus, 200);
});

test("a sleep is asked for the whole wait, whatever timer ran before", async () => {
  const limited = json(429, error(2004, "RATE_LIMIT", true), { "Retry-After": "3" });
  const { client, state } = await scripted([limited, json(200, {})], { policy: { idleMs: 50 }, random: () => 0 });
  await client.request("/x", {}, { background: true });
  assert.deepEqual(state.waits, [3]);
});

test("interactive fails fast on a 30 s Retry-After", async () => {
  const { client, state } = await scripted([json(503, error(3003, "SERVICE_UNAVAILABLE", true), { "Retry-After": "30" })]);
  const failed = await expectError(client);
  assert.equal(state.calls, 1);
  assert.deepEqual(state.waits, []);
  assert.ok(failed.retryAtMs > Date.now() + 25_000, "it tells when");
});

test("3001 is not retried", async () => {
  const { client, state } = await scripted([json(500, error(3001, "INTERNAL_ERROR", false))]);
  const failed = await expectError(client, { background: true });
  assert.equal(failed.decision, "stop");
  assert.equal(state.calls, 1);
  assert.equal(failed.failure.number, 3001);
});

test("interactive: two retries", async () => {
  const { client, state } = await scripted(five());
  const failed = await expectError(client);
  assert.equal(state.calls, 3);
  assert.equal(failed.attempts.length, 3);
  assert.ok(state.waits.every((s) => s <= 2));
});

test("background: five requests in total, waits capped", async () => {
  const { client, state } = await scripted(five());
  await expectError(client, { background: true });
  assert.equal(state.calls, 5);
  assert.equal(state.waits.length, 4);
  assert.ok(state.waits.every((s) => s <= 31), String(state.waits));
});

test("a content-policy refusal is for the caller to fix", async () => {
  const { client, state } = await scripted([json(400, { detail: { code: "content_policy_violation", message: "This can't be answered.", retryable: false } })]);
  const failed = await expectError(client, { background: true });
  assert.equal(failed.decision, "fix_request");
  assert.equal(failed.code, "content_policy");
  assert.equal(failed.message, "This can't be answered.");
  assert.equal(state.calls, 1);
});

test("no response at all is retried within the budget", async () => {
  const reset = () => new TypeError("fetch failed", { cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }) });
  const first = await scripted([reset(), json(200, { ok: 1 })]);
  assert.equal((await first.client.request("/x", {})).attempts.length, 2);
  const second = await scripted([reset(), reset(), reset(), reset()]);
  const failed = await expectError(second.client);
  assert.equal(failed.code, "transport");
  assert.equal(second.state.calls, 3);
  const stream = await scripted([reset(), sse([delta("Hi"), delta(null, "stop"), DONE])]);
  const result = await stream.client.stream(PATH, BODY).result;
  assert.equal(result.status, "complete");
  assert.equal(result.fullRetries, 1);
});

for (const [how, options] of [["closes", {}], ["breaks", { breaks: true }]]) {
  test(`a stream that ${how} after the first chunk is continued once`, async () => {
    const { client, state } = await scripted([sse([delta("There is now ")], options), sse([delta("no condemnation."), delta(null, "stop"), DONE])]);
    const texts = [];
    const answer = client.stream(PATH, BODY, { onDelta: (d) => d.type === "text" && texts.push(d.text) });
    const result = await answer.result;
    assert.equal(result.status, "complete");
    assert.equal(result.text, "There is now no condemnation.");
    assert.equal(texts.join(""), result.text);
    assert.equal(result.continued, true);
    assert.equal(state.calls, 2);
    const sent = JSON.parse(state.requests[1].body);
    assert.equal(sent.messages.at(-1).role, "user");
    assert.ok(sent.messages.at(-1).content.includes("There is now"));
    assert.equal(sent.stream, true);
  });
}

test("a stream that drops twice is interrupted, keeps its text, and goes on when the user says so", async () => {
  const { client, state } = await scripted([sse([delta("one ")]), sse([delta("two ")]), sse([delta("three"), delta(null, "stop"), DONE])]);
  const answer = client.stream(PATH, BODY);
  const result = await answer.result;
  assert.equal(result.status, "interrupted");
  assert.equal(result.text, "one two ");
  assert.deepEqual(result.offer, ["continue", "try_again"]);
  assert.equal(answer.partial, "one two ");
  await assert.rejects(answer.text(), (e) => e.partial === "one two " && e.code === "truncated");

  const next = answer.continue();
  let fresh = "";
  for await (const d of next) fresh += d.text ?? "";
  assert.equal(fresh, "three");
  assert.equal((await next.result).status, "complete");
  assert.equal((await next.result).text, "one two three");
  assert.equal(next.partial, "one two three");
  assert.equal(state.calls, 3);
  assert.throws(() => next.continue(), { code: "bad_option" });
});

test("content_filter is final: shown, never retried, never continued", async () => {
  const { client, state } = await scripted([sse([delta("As far as "), delta("", "content_filter"), DONE])]);
  const answer = client.stream(PATH, BODY);
  const result = await answer.result;
  assert.equal(result.status, "content_filter");
  assert.equal(result.text, "As far as ");
  assert.deepEqual(result.offer, []);
  assert.equal(state.calls, 1);
  assert.throws(() => answer.continue(), { code: "bad_option" });
  await assert.rejects(answer.text(), { code: "content_policy", partial: "As far as " });
});

test("an error event before any text is retried, after text of retryable false it is not", async () => {
  const event = (retryable) => `data: ${JSON.stringify(error(2014, "PROVIDER_STREAM_ERROR", retryable))}\n\n`;
  const first = await scripted([sse([event(true)]), sse([delta("Hi", "stop"), DONE])]);
  assert.equal(await first.client.stream(PATH, BODY).text(), "Hi");
  assert.equal(first.state.waits.length, 1);
  const second = await scripted([sse([delta("Hi "), event(false)])]);
  const result = await second.client.stream(PATH, BODY).result;
  assert.equal(result.status, "failed");
  assert.equal(result.text, "Hi ");
  assert.equal(second.state.calls, 1);
});

test("background: a broken stream starts again after a restart delta", async () => {
  const { client } = await scripted([sse([delta("one ")]), sse([delta("uno "), delta("due", "stop"), DONE])]);
  const answer = client.stream(PATH, BODY, { background: true });
  let text = "";
  let restarts = 0;
  for await (const d of answer) {
    if (d.type === "restart") (text = ""), restarts++;
    else text += d.text;
  }
  assert.equal(text, "uno due");
  assert.equal(restarts, 1);
  assert.equal(answer.partial, "uno due");
  assert.equal((await answer.result).status, "complete");

  const other = await scripted([sse([delta("one ")]), sse([delta("uno "), delta("due", "stop"), DONE])]);
  let streamed = "";
  for await (const piece of other.client.stream(PATH, BODY, { background: true }).toReadableStream()) streamed += piece;
  assert.equal(streamed, "uno due", "a stream of text cannot take back, so it waits");
});

test("a slow reader does not make the client read ahead more than one chunk", async () => {
  const words = ["one ", "two ", "three ", "four ", "five"];
  for (const how of ["iterator", "stream"]) {
    const { response, state } = pulled([...words.map((word) => delta(word)), delta(null, "stop"), DONE]);
    const { client } = await scripted([response]);
    const answer = client.stream(PATH, BODY);
    await settle();
    assert.ok(state.pulls <= 1, "nobody asked yet");
    const deltas = how === "stream" ? answer.toReadableStream().getReader() : answer[Symbol.asyncIterator]();
    const next = () => (how === "stream" ? deltas.read() : deltas.next());
    for (const [i, word] of words.entries()) {
      const { value } = await next();
      assert.equal(value.text ?? value, word);
      await settle();
      assert.ok(state.pulls <= i + 2, `${how}: after ${i + 1} deltas ${state.pulls} chunks were read`);
    }
    assert.equal((await next()).done, true);
    assert.equal((await answer.result).status, "complete");
  }
});

test("many deltas in one chunk come out one by one, and a chunk a byte long costs nothing", async () => {
  const stream = [delta("日本"), delta("語 "), delta("😀"), delta("!", "stop"), DONE].join("");
  for (const chunks of [[stream], [...new TextEncoder().encode(stream)].map((byte) => new Uint8Array([byte]))]) {
    const { client } = await scripted([pulled(chunks).response]);
    const texts = [];
    for await (const d of client.stream(PATH, BODY)) texts.push(d.text);
    assert.equal(texts.join(""), "日本語 😀!");
  }
});

test("a tool call comes whole, and nothing is continued after one", async () => {
  const tool = (part) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [part] }, finish_reason: null }] })}\n\n`;
  const parts = () => [delta("Let me look. "), tool({ index: 0, id: "t1", function: { name: "look", arguments: '{"q":' } }), tool({ index: 0, function: { arguments: '"x"}' } })];
  const whole = await scripted([sse([...parts(), delta(null, "tool_calls"), DONE])]);
  const deltas = [];
  const result = await whole.client.stream(PATH, BODY, { onDelta: (d) => deltas.push(d) }).result;
  assert.equal(result.status, "complete");
  assert.deepEqual(deltas.at(-1), { type: "tool_call", id: "t1", name: "look", arguments: '{"q":"x"}' });
  assert.deepEqual(result.toolCalls, [{ id: "t1", name: "look", arguments: '{"q":"x"}' }]);
  const cut = await scripted([sse(parts().slice(0, 2))]);
  const broken = await cut.client.stream(PATH, BODY).result;
  assert.equal(broken.status, "interrupted");
  assert.deepEqual(broken.toolCalls, []);
  assert.equal(cut.state.calls, 1);
});

test("events tell the story without text", async () => {
  const events = [];
  const { client } = await scripted([unavailable(), sse([delta("secret words")], { headers: { "x-request-id": "r2" } }), sse([delta("and more", "stop"), DONE])], { onEvent: (e) => events.push(e) });
  const own = [];
  await client.stream(PATH, BODY, { onEvent: (e) => own.push(e) }).result;
  assert.deepEqual(own, events);
  assert.deepEqual(events.map((e) => e.type), ["sent", "responded", "failed", "waiting", "sent", "responded", "streaming", "failed", "waiting", "sent", "responded", "streaming", "joined", "done"]);
  assert.ok(events.every((e) => Number.isInteger(e.call) && e.atMs > 1e12), JSON.stringify(events[0]));
  assert.equal(events.filter((e) => e.type === "failed")[0].error.name, "PROVIDER_UNAVAILABLE");
  const [first, second, third] = events.filter((e) => e.type === "sent").map((e) => e.mayCostUsd);
  assert.ok(first > 0 && second === first && third > second, `${first} ${second} ${third}`); // a refused attempt costs nothing, a cut one something
  assert.ok(events.at(-1).costUsd <= third);
  assert.ok(!JSON.stringify(events).includes("secret"));
  assert.ok(!JSON.stringify(events).includes("test-key"));
});

test("the key goes to the provider's own host, and the headers with it", async () => {
  const { client, state } = await scripted([json(200, {})], { headers: { "x-a": "1", "x-b": "1" } });
  await client.request("/ai/v2/x", { a: 1 }, { headers: { "X-B": "2" } });
  const { url, method, headers, body } = state.requests[0];
  assert.equal(url, "https://platform.ai.gloo.com/ai/v2/x");
  assert.equal(method, "POST");
  assert.equal(headers.authorization, "Bearer test-key");
  assert.equal(headers["x-a"], "1");
  assert.equal(headers["x-b"], "2");
  assert.equal(headers["content-type"], "application/json");
  assert.deepEqual(JSON.parse(body), { a: 1 });
});

test("a token function is asked before each attempt; one that fails is a transport failure", async () => {
  let n = 0;
  const { client, state } = await scripted([unavailable(), json(200, {})], { apiKey: undefined, token: async () => `t${++n}` });
  await client.request("/x", {});
  assert.deepEqual(state.requests.map((r) => r.headers.authorization), ["Bearer t1", "Bearer t2"]);
  const broken = await scripted([], { apiKey: undefined, token: () => Promise.reject(new Error("no session")) });
  const failed = await expectError(broken.client);
  assert.equal(broken.state.calls, 0);
  assert.match(failed.failure.developerMessage ?? failed.message, /no session/);
  assert.match(failed.message, /access could not be confirmed/);

  // However often it fails, the provider has done nothing.
  let session = "";
  const late = await scripted([json(200, {})], { apiKey: undefined, token: () => session });
  for (let i = 0; i < 3; i++) assert.equal((await expectError(late.client)).code, "transport");
  session = "here";
  assert.equal((await late.client.request("/x", {})).httpStatus, 200);
});

test("wsm-002: abort rejects with the reason: before, in flight, and in a wait", async () => {
  const hanging = (init) => new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)));
  const cancelled = async (make) => {
    const reason = new Error("enough");
    await assert.rejects(make(reason), (e) => e instanceof HoldfastError && e.code === "cancelled" && e.cause === reason);
  };
  const before = await scripted([() => assert.fail("nothing may be sent")]);
  await cancelled((reason) => before.client.request("/x", {}, { signal: AbortSignal.abort(reason) }));
  const answer0 = before.client.stream(PATH, BODY, { signal: AbortSignal.abort() });
  assert.deepEqual([(await answer0.result).status, (await answer0.result).attempts], ["cancelled", []]);
  assert.equal(before.state.calls, 0);
  assert.equal((await before.client.health()).spend.spentUsd, 0, "what was never sent costs nothing");

  const flight = await scripted([hanging]);
  await cancelled((reason) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 10);
    return flight.client.request("/x", {}, { signal: controller.signal });
  });

  let sleeping;
  const wait = await scripted([unavailable()], { sleep: (ms, signal) => new Promise((_, reject) => ((sleeping = signal), signal.addEventListener("abort", () => reject(signal.reason)))) });
  await cancelled((reason) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 10);
    return wait.client.request("/x", {}, { signal: controller.signal });
  });
  assert.equal(sleeping.aborted, true);

  const real = await scripted([json(429, error(2004, "RATE_LIMIT", true), { "Retry-After": "20" })], { sleep: undefined });
  const controller = new AbortController();
  const answer = real.client.stream(PATH, BODY, { background: true, signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  assert.equal((await answer.result).status, "cancelled");
});

test("cancel keeps the text", async () => {
  const { client } = await scripted([() => sse([delta("one "), delta("two ")]), sse([delta("new", "stop"), DONE])]);
  const answer = client.stream(PATH, BODY);
  for await (const d of answer) if (d.text) break;
  const result = await answer.result;
  assert.equal(result.status, "cancelled");
  assert.equal(result.text, "one ");
  answer.cancel();
  assert.equal(await answer.tryAgain().text(), "new");
});

test("callbacks may call into Holdfast: a new stream from onEvent, cancel from onDelta", async () => {
  const { client, state } = await scripted([() => sse([delta("one "), delta("two ")]), () => sse([delta("other", "stop"), DONE])]);
  let second;
  const first = client.stream(PATH, BODY, {
    onEvent: (event) => event.type === "streaming" && (second ??= client.stream(PATH, BODY)),
    onDelta: () => first.cancel(),
  });
  const result = await first.result;
  assert.equal(result.status, "cancelled");
  assert.equal(result.text, first.partial);
  assert.equal(await second.text(), "other");
  assert.equal(state.calls, 2);
});

test("owner: false makes one attempt", async () => {
  const { client, state } = await scripted([unavailable()], { policy: { owner: false } });
  await expectError(client);
  assert.equal(state.calls, 1);
  const stream = await scripted([sse([delta("one ")])]);
  const result = await stream.client.stream(PATH, BODY, { policy: { owner: false } }).result;
  assert.equal(result.status, "interrupted");
  assert.equal(stream.state.calls, 1);
});

for (const [options, word] of [
  [{ provider: "nope" }, "provider"],
  [{ provider: undefined }, "provider"],
  [{ retries: 3 }, "retries"],
  [{ policy: { idle: 3 } }, "idle"],
  [{ policy: { idleMs: "3" } }, "idleMs"],
  [{ policy: { idleMs: -1 } }, "idleMs"],
  [{ policy: { interactive: { attemps: 3 } } }, "attemps"],
  [{ policy: { interactive: { backoff: "linear" } } }, "backoff"],
  [{ policy: 3 }, "policy"],
]) {
  test(`createClient refuses ${JSON.stringify(options)}`, async () => {
    await assert.rejects(scripted([], options), (e) => e.code === "bad_option" && e.message.includes(word));
  });
}

for (const [options, word] of [
  [{ retries: 3 }, "retries"],
  [{ background: "yes" }, "background"],
  [{ timeoutMs: "3" }, "timeoutMs"],
  [{ path: "/y" }, "path"],
  [{ headers: 5 }, "headers"],
  [{ signal: 5 }, "signal"],
  [{ api: "telepathy" }, "api"],
  [{ fetch: globalThis.fetch }, "fetch"],
  [5, "request"],
]) {
  test(`a call refuses ${typeof options === "object" ? Object.keys(options) : options}`, async () => {
    const { client, state } = await scripted([]);
    const bad = (e) => e instanceof HoldfastError && e.code === "bad_option" && (word === "request" || e.message.includes(word));
    await assert.rejects(client.request("/x", {}, options), bad);
    await assert.rejects(client.stream(PATH, BODY, options).result, bad);
    assert.equal(state.calls, 0);
  });
}

test("bad bodies are typed errors", async () => {
  const { client, state } = await scripted([]);
  for (const body of ["not json", "", "[1", new Uint8Array([0xff]), undefined, { a: 1n }]) {
    await assert.rejects(client.request("/x", body), { code: "bad_body" }, String(body));
    await assert.rejects(client.stream(PATH, body).result, { code: "bad_body" });
  }
  await assert.rejects(client.stream(PATH, "[1]").result, { code: "bad_body" });
  await assert.rejects(client.request(PATH, { ...BODY, stream: true }), { code: "bad_body", message: /use stream/ });
  await assert.rejects(client.request("/x", JSON.stringify({ a: "x".repeat(20e6) })), { code: "body_too_large" });
  await assert.rejects(async () => {
    for await (const _ of client.stream(PATH, undefined)) assert.fail();
  }, { code: "bad_body" });
  assert.equal(state.calls, 0);
});

test("a response that is not JSON, or too large, is a typed error", async () => {
  const html = await scripted([new Response("<html>", { headers: { "content-type": "text/html" } })], { policy: { owner: false } });
  assert.ok((await expectError(html.client)).code);
  const large = await scripted([json(200, { a: "x".repeat(5000) })], { policy: { maxBodyBytes: 4000 } });
  const failed = await expectError(large.client);
  assert.match(failed.failure.developerMessage, /policy\.maxBodyBytes/);
});

test("timeoutMs bounds the whole call", async () => {
  const { client } = await scripted([(init) => new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)))]);
  const failed = await expectError(client, { timeoutMs: 30 });
  assert.equal(failed.code, "deadline");
});

test("classify and isRetryable answer for themselves", async () => {
  const verdict = await classify("gloo", 429, { "Retry-After": "3" }, error(2004, "RATE_LIMIT", true));
  assert.equal(verdict.decision, "retry");
  assert.equal(verdict.reason, "rate_limit");
  assert.equal(verdict.retryAfterMs, 3000);
  assert.equal((await classify("gloo", 500, new Headers(), JSON.stringify(error(3001, "INTERNAL_ERROR", false)))).decision, "stop");
  assert.equal((await classify("gloo", 502, null, "<html>")).retryable, undefined);
  assert.deepEqual(await classify("gloo", 200, [["X-Request-Id", "r"]], {}), { decision: "success", requestId: "r" });
  await assert.rejects(classify("nope", 200, {}, {}), { code: "bad_option" });
  await assert.rejects(classify("gloo", "200", {}, {}), { code: "bad_option" });

  const sdk = (status, body, headers = {}) => Object.assign(new Error(`${status}`), { status, error: body, headers: new Headers(headers) });
  assert.equal(await isRetryable(sdk(429, error(2004, "RATE_LIMIT", true).error), { provider: "gloo" }), true);
  for (const [code, decision, want] of [["truncated", "retry", true], ["auth", "stop", false], ["load_failed", undefined, true], ["bad_option", undefined, false]]) {
    const foreign = Object.assign(new Error("of another copy of the module"), { name: "HoldfastError", code, decision });
    assert.equal(await isRetryable(foreign, { provider: "gloo" }), want, code);
  }
  await assert.rejects(isRetryable(new Error("x"), null), { code: "bad_option" });
  assert.equal(await isRetryable(sdk(500, error(3001, "INTERNAL_ERROR", false).error), { provider: "gloo" }), false);
  const axios = { name: "AxiosError", code: "ERR_BAD_RESPONSE", response: { status: 503, headers: {}, data: error(2002, "PROVIDER_UNAVAILABLE", true) } };
  assert.equal(await isRetryable(Object.assign(new Error("Request failed with status code 503"), axios), { provider: "gloo" }), true);
  assert.equal(await isRetryable(new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNRESET" }) }), { provider: "gloo" }), true);
  assert.equal(await isRetryable(new DOMException("stop", "AbortError"), { provider: "gloo" }), false);
  for (const thrown of [undefined, null, "x", 5, {}]) assert.equal(typeof (await isRetryable(thrown, { provider: "gloo" })), "boolean");
  const { client } = await scripted([json(503, error(3003, "SERVICE_UNAVAILABLE", true), { "Retry-After": "30" })]);
  assert.equal(await isRetryable(await expectError(client), { provider: "gloo" }), true);
});
