// Durable answers in real workerd: whoever leaves and comes back misses nothing, and nobody asks twice.
import assert from "node:assert/strict";
import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import http from "node:http";
import { test } from "node:test";
import { stream } from "@durable-streams/client";
import { acting, asking, hashed, KEYS, log, startGateway, storageFolder, TOKEN } from "./gateway.js";
import { until, wait } from "./until.js";
import { Reader } from "./reader.js";

const BOB = "hf-token-of-bob";
const storage = storageFolder();

const config = {
  tokens: { alice: hashed(TOKEN), bob: hashed(BOB) },
  models: {
    gpt: [{ provider: "openai", model: "gpt-x" }],
    "cut-then-claude": [acting("openai", "gpt-x", { requests: [{ endAfterWords: 5, end: "reset" }] }), { provider: "anthropic", model: "claude-x" }],
  },
};
let gateway = await startGateway(config, { storage });
const port = Number(new URL(gateway.address).port);

// What a test starts ends with that test; this one is everybody's.
const revive = AsyncResource.bind(() => startGateway(config, { storage, port }));

/** Kills the gateway where it stands, and starts it again on what it has written. */
async function crash() {
  await gateway.stop();
  gateway = await revive();
}

/** Asks the gateway, on a new connection where the one at hand is that of a dead process. */
async function ask(path, { method = "GET", headers, token = TOKEN, ...init } = {}) {
  const go = () => fetch(gateway.address + path, { method, headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers }, ...init });
  return go().catch((error) => (error.name === "TypeError" ? go() : Promise.reject(error)));
}
const chat = { model: "gpt-x", messages: [{ role: "user", content: "Go" }] };
const words = (n) => Array.from({ length: n }, (_, i) => `word${i}`).join(" ");

/** Asks OpenAI's own API for an answer that the simulator gives as a script says. */
async function begin(script, { path = "/answers/openai/v1/chat/completions", body = chat, ...more } = {}) {
  const headers = { ...asking(script), "idempotency-key": randomUUID() };
  const response = await ask(path, { method: "POST", body: JSON.stringify(body), ...more, headers: { ...headers, ...more.headers } });
  assert.equal(response.status, 201, await response.clone().text());
  const { id } = await response.json();
  assert.deepEqual([id, response.headers.get("x-holdfast-answer")], [headers["idempotency-key"], id]);
  return { id, session: headers["x-sim-session"], reader: (token) => new Reader((at, init) => ask(at, { ...init, token }), id) };
}

test("the client of Durable Streams reads an answer as it reads any stream", async () => {
  const text = words(40);
  for (const live of ["sse", "long-poll", true]) {
    const { id } = await begin({ text, requests: [{ gapMs: 10 }] });
    const read = await stream({ url: `${gateway.address}/answers/${id}`, offset: "-1", live, headers: { authorization: `Bearer ${TOKEN}` } });
    const messages = [];
    for await (const message of read.jsonStream()) messages.push(message);
    assert.equal(messages.filter(({ type }) => type === "text").map((message) => message.text).join(""), text);
    const { type, result } = messages.at(-1);
    assert.deepEqual([type, result.status, result.finishReason, result.attempts.length, "text" in result], ["done", "complete", "stop", 1, false]);
    assert.equal(read.streamClosed, true);
  }
});

test("both of OpenAI's forms, told apart by the body or by the path, and the providers' own", async () => {
  const asked = [
    ["/answers", { model: "gpt", messages: chat.messages }], ["/answers", { model: "gpt", input: "Go" }],
    ["/answers/v1/chat/completions", { model: "gpt", messages: chat.messages }], ["/answers/v1/responses", { model: "gpt", input: "Go", stream: false }],
    ["/answers/openai/v1/responses", { model: "gpt-x", input: "Go" }], ["/answers/anthropic/v1/messages", { model: "claude-x", max_tokens: 999, messages: chat.messages }],
    ["/answers/gemini/v1beta/models/gemini-x:streamGenerateContent", { contents: [{ role: "user", parts: [{ text: "Go" }] }] }],
    ["/answers/gemini/v1beta/interactions", { model: "gemini-x", input: "Go" }], ["/answers/xai/v1/chat/completions", chat], ["/answers/gloo/ai/v2/chat/completions", chat],
    ["/answers", { models: ["cut-then-claude"], messages: chat.messages }],
  ];
  for (const [path, body] of asked) {
    const { reader } = await begin({}, { path, body });
    const answer = reader();
    await answer.follow();
    assert.equal(answer.result.status, "complete", `${path}: ${JSON.stringify(answer.result)}`);
    assert.ok(answer.text.length > 20, path);
  }
});

test("accept: text/event-stream is answered with the answer itself", async () => {
  const text = words(10);
  const response = await ask("/answers/openai/v1/chat/completions", { method: "POST", headers: { ...asking({ text }), accept: "text/event-stream" }, body: JSON.stringify(chat) });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const id = response.headers.get("x-holdfast-answer");
  const events = await response.text();
  assert.match(events, /"type":"done"[^\n]*"status":"complete"[^]*"streamClosed":true/);
  assert.equal((await new Reader((at, init) => ask(at, init), id).catchUp()).text, text);
});

test("a client that leaves and comes back at its offset gets every message once", async () => {
  const text = words(150);
  const { reader, session } = await begin({ text, requests: [{ gapMs: 15 }] });
  const answer = reader();
  for (let n = 0; n < 4; n++) {
    await answer.follow("sse", AbortSignal.timeout(150)).catch((error) => assert.equal(error.name, "TimeoutError"));
    await wait(50);
  }
  assert.ok(answer.messages.length > 5 && !answer.result);
  await answer.follow();
  assert.equal(answer.text, text);
  assert.deepEqual(answer.messages, (await reader().catchUp()).messages);
  assert.equal((await log(session)).count, 1);
});

test("nobody is connected until the end", async () => {
  const text = words(40);
  const { reader, session } = await begin({ text, requests: [{ gapMs: 15 }] });
  await until(5000, async () => (await log(session)).requests[0]?.ended); // by itself, or once its usage had come
  await wait(500);
  const answer = await reader().catchUp();
  assert.equal(answer.text, text);
  assert.equal(answer.result.status, "complete");
});

test("four readers at different points, in different ways", async () => {
  const text = words(60);
  const { reader } = await begin({ text, requests: [{ gapMs: 15 }] });
  const read = async (ms, live) => {
    await wait(ms);
    const answer = reader();
    await answer.follow(live);
    return answer.text;
  };
  assert.deepEqual(await Promise.all([read(0, "sse"), read(200, "long-poll"), read(400, "sse"), read(1500, "long-poll")]), Array(4).fill(text));
});

test("a disconnect stops nothing; an explicit cancel stops the model within a second", async () => {
  const { id, reader, session } = await begin({ text: words(1000), requests: [{ gapMs: 20 }] });
  const answer = reader();
  await answer.follow("sse", AbortSignal.timeout(200)).catch(() => {});
  await wait(500);
  assert.equal((await log(session)).live, 1);
  assert.equal((await ask(`/answers/${id}/cancel`, { method: "POST" })).status, 204);
  await until(1000, async () => (await log(session)).live === 0);
  await answer.follow();
  assert.equal(answer.result.status, "cancelled");
  assert.ok(answer.text.length > 50);
  assert.equal((await ask(`/answers/${id}/cancel`, { method: "POST" })).status, 204); // once more changes nothing
  assert.deepEqual(answer.messages, (await reader().catchUp()).messages);
});

test("DELETE stops the model and forgets the answer", async () => {
  const { id, reader, session } = await begin({ text: words(1000), requests: [{ gapMs: 20 }] });
  const reading = reader().follow().catch(() => {});
  await wait(200);
  assert.equal((await ask(`/answers/${id}`, { method: "DELETE" })).status, 204);
  await until(1000, async () => (await log(session)).live === 0);
  await reading;
  for (const method of ["GET", "HEAD", "DELETE"]) assert.equal((await ask(`/answers/${id}`, { method })).status, 404);
  assert.equal((await ask(`/answers/${id}/cancel`, { method: "POST" })).status, 404);
});

test("the same request again finds the answer that there is; another one under its id is refused", async () => {
  const id = randomUUID();
  const headers = { ...asking({ text: words(30), requests: [{ gapMs: 10 }] }), "idempotency-key": id };
  const post = (body, more) => ask("/answers/openai/v1/chat/completions", { method: "POST", headers, body: JSON.stringify(body), ...more });
  const first = await Promise.all([post(chat), post(chat), post(chat)]);
  assert.deepEqual(first.map(({ status }) => status).sort(), [200, 200, 201]);
  const answer = new Reader((at, init) => ask(at, init), id);
  await answer.follow();
  assert.equal((await post(chat)).status, 200);
  const streamed = await post(chat, { headers: { ...headers, accept: "text/event-stream" } });
  assert.match(await streamed.text(), /word29/);
  assert.equal((await log(headers["x-sim-session"])).count, 1);
  for (const body of [{ ...chat, model: "gpt-y" }, { ...chat, seed: 1 }]) {
    const refused = await post(body);
    assert.deepEqual([refused.status, (await refused.json()).error.code], [409, "idempotency_conflict"]);
  }
  for (const key of ["short", "with space here", "x".repeat(65)]) assert.equal((await post(chat, { headers: { ...headers, "idempotency-key": key } })).status, 400);
});

test("an answer is its owner's alone", async () => {
  const { id } = await begin({ text: "secret of alice" });
  for (const [path, method] of [[`/answers/${id}`, "GET"], [`/answers/${id}?offset=-1&live=sse`, "GET"], [`/answers/${id}`, "HEAD"], [`/answers/${id}`, "DELETE"], [`/answers/${id}/cancel`, "POST"]]) {
    assert.equal((await ask(path, { method, token: BOB })).status, 404, `${method} ${path}`);
  }
  await until(2000, async () => (await ask(`/answers/${id}`, { method: "HEAD" })).headers.has("stream-closed"));
  const { headers: kept } = await ask(`/answers/${id}`);
  assert.equal(kept.get("cache-control"), "private, no-cache"); // a browser that keeps it asks, with the token of whoever reads
  const again = { headers: { "if-none-match": kept.get("etag") } };
  assert.deepEqual([(await ask(`/answers/${id}`, again)).status, (await ask(`/answers/${id}`, { ...again, token: BOB })).status], [304, 404]);
  const script = asking({ text: "answer of bob" });
  const same = await ask("/answers/openai/v1/chat/completions", { method: "POST", token: BOB, headers: { ...script, "idempotency-key": id }, body: JSON.stringify(chat) });
  assert.equal(same.status, 201); // his own
  const his = new Reader((at, init) => ask(at, { ...init, token: BOB }), id);
  await his.follow();
  assert.equal(his.text, "answer of bob");
});

test("providers know a call by an id that nobody chose", async () => {
  const seen = [];
  const upstream = http.createServer((request, response) => {
    seen.push(JSON.stringify([request.url, request.headers]));
    response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"no","type":"invalid_request_error"}}');
  });
  await new Promise((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const baseURL = `http://127.0.0.1:${upstream.address().port}`;
  const there = await startGateway({ providers: { openai: { baseURL }, anthropic: { baseURL }, gemini: { baseURL }, xai: { baseURL }, gloo: { baseURL } } });
  const id = randomUUID();
  for (const [n, path] of ["openai/v1/chat/completions", "openai/v1/responses", "anthropic/v1/messages", "xai/v1/chat/completions", "gloo/ai/v2/chat/completions"].entries()) {
    const get = (at, init = {}) => fetch(there.address + at, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...init.headers } });
    const key = id.slice(0, -1) + n;
    const body = JSON.stringify({ ...chat, input: "Go", max_tokens: 9 });
    assert.equal((await get(`/answers/${path}`, { method: "POST", headers: { "content-type": "application/json", "idempotency-key": key }, body })).status, 201);
    await new Reader(get, key).follow();
  }
  assert.equal(seen.length, 5);
  for (const request of seen) assert.ok(!request.includes(id.slice(0, -1)), request);
  await there.stop();
  upstream.close();
});

test("what cannot be asked is refused, and leaves nothing", async () => {
  const id = randomUUID();
  const post = (path, body) => ask(path, { method: "POST", headers: { "idempotency-key": id }, body: typeof body === "string" ? body : JSON.stringify(body) });
  const wrong = [
    ["/answers", "{"], ["/answers", { model: "nobody", messages: [] }], ["/answers", []], ["/answers/openai/v1/embeddings", { input: "x" }], ["/answers/openai/v1/files", {}],
    ["/answers/gemini/v1beta/models/m:generateContent", {}], ["/answers/nobody/v1/chat/completions", chat], ["/answers/v1/embeddings", { model: "gpt", input: "x" }],
    ["/answers", { ...chat, n: 2 }], ["/answers/gemini/v1beta/models/m:streamGenerateContent", { contents: [], generationConfig: { candidateCount: 2 } }],
  ];
  for (const [path, body] of wrong) {
    const { status } = await post(path, body);
    assert.ok(status === 400 || status === 404, `${path}: ${status}`);
  }
  assert.equal((await ask(`/answers/${id}`)).status, 404);
  assert.equal((await ask("/answers")).status, 405);
  assert.equal((await ask(`/answers/${id}`, { method: "PUT", body: "{}" })).status, 404);
});

test("a failed answer says why, and no key", async () => {
  const { reader } = await begin({ requests: [{ status: 401, body: `{"error": {"message": "Incorrect API key: ${KEYS.OPENAI_API_KEY}", "code": "invalid_api_key"}}` }] });
  const answer = reader();
  await answer.follow();
  assert.deepEqual([answer.result.status, answer.result.error.reason, answer.text], ["failed", "auth", ""]);
  assert.doesNotMatch(JSON.stringify(answer.messages), new RegExp(KEYS.OPENAI_API_KEY));
});

test("a text that says the key is told without it", async () => {
  const { reader } = await begin({ text: `The key is ${KEYS.OPENAI_API_KEY} indeed` });
  const answer = reader();
  await answer.follow();
  assert.deepEqual([answer.result.status, answer.text], ["complete", "The key is [key] indeed"]);
});

test("a refusal and a tool call are messages of their own", async () => {
  const refused = (await begin({ requests: [{ refusal: "I will not." }] })).reader();
  await refused.follow();
  assert.equal(refused.messages.filter(({ type }) => type === "refusal").map(({ text }) => text).join(""), "I will not.");
  const called = (await begin({ requests: [{ tool: { name: "look", arguments: '{"at":"sea"}' } }] })).reader();
  await called.follow();
  assert.deepEqual(called.tools.map(({ name, arguments: given }) => [name, given]), [["look", '{"at":"sea"}']]);
  assert.deepEqual(called.result.toolCalls.map(({ name }) => name), ["look"]);
});

// The process is lost.

test("killed before anything was shown: the request again, from zero", { timeout: 30_000 }, async () => {
  const text = words(20);
  const { reader, session } = await begin({ text, requests: [{ firstMs: 2000 }, {}] });
  await until(2000, async () => (await log(session)).count === 1);
  await crash();
  const answer = reader();
  await answer.follow();
  assert.equal(answer.text, text);
  assert.deepEqual(answer.result.attempts.map(({ attempt, kind, shown }) => [attempt, kind, shown]), [[1, "first", false], [2, "retry", true]]);
  assert.deepEqual([answer.result.fullRetries, answer.result.costEstimated], [1, true]);
  assert.deepEqual((await log(session)).requests.map(({ continues }) => continues), [false, false]);
});

test("killed while it thought: the thoughts are taken back", { timeout: 30_000 }, async () => {
  const text = words(20);
  const claude = { path: "/answers/anthropic/v1/messages", body: { ...chat, model: "claude-x", max_tokens: 999, thinking: { type: "enabled", budget_tokens: 100 } } };
  const reasoning = "hm, let me see";
  const { reader } = await begin({ text, requests: [{ reasoning, pauseAfterWords: 0, pauseMs: 9000 }, { reasoning }] }, claude);
  const answer = reader();
  await until(3000, async () => (await answer.catchUp()).messages.filter(({ type }) => type === "reasoning").map((message) => message.text).join("") === reasoning);
  await crash();
  await answer.follow();
  assert.deepEqual([answer.text, answer.result.status, answer.result.reasoning], [text, "complete", reasoning]);
  assert.equal(answer.messages.filter(({ type }) => type === "restart").length, 1);
});

test("killed in the middle of the text: it is continued behind the last word", { timeout: 30_000 }, async () => {
  const text = words(60);
  const { reader, session } = await begin({ text, requests: [{ gapMs: 30 }] });
  const answer = reader();
  await answer.follow("sse", AbortSignal.timeout(600)).catch(() => {});
  const before = answer.text;
  assert.ok(before.length > 20);
  await crash();
  await answer.follow();
  assert.equal(answer.text, text);
  assert.ok(answer.text.startsWith(before));
  assert.deepEqual([answer.result.status, answer.result.continued], ["complete", true]);
  assert.deepEqual(answer.result.attempts.map(({ kind, shown }) => [kind, shown]), [["first", true], ["continue", true]]);
  assert.equal(answer.result.attempts[0].error.code, "gateway_lost");
  assert.deepEqual((await log(session)).requests.map(({ continues }) => continues), [false, true]);
});

test("killed where the provider keeps the answer: it is resumed, and the model is not asked again", { timeout: 30_000 }, async () => {
  const text = words(60);
  for (const [path, body] of [
    ["/answers/openai/v1/responses", { model: "gpt-x", input: "Go", background: true }],
    ["/answers/gemini/v1beta/interactions", { model: "gemini-x", input: "Go", background: true, store: true }],
  ]) {
    const { reader, session } = await begin({ text, requests: [{ gapMs: 30 }] }, { path, body });
    const answer = reader();
    await answer.follow("sse", AbortSignal.timeout(600)).catch(() => {});
    await crash();
    await answer.follow();
    assert.equal(answer.text, text, path);
    assert.equal(answer.result.status, "complete");
    assert.deepEqual(answer.result.attempts.map(({ kind }) => kind), ["first", "resume"], path);
    assert.deepEqual((await log(session)).requests.map(({ method }) => method), ["POST", "GET"], path);
  }
});

test("an object that is evicted takes up its answer, and leaves no call behind", { timeout: 30_000 }, async () => {
  const there = await startGateway(config, { main: "evicting.js" });
  const get = (path, init = {}) => fetch(there.address + path, { ...init, headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...init.headers } });
  const text = words(60);
  const headers = asking({ text, requests: [{ gapMs: 30 }], continuations: [{ gapMs: 30 }] });
  const { id } = await (await get("/answers/openai/v1/chat/completions", { method: "POST", headers, body: JSON.stringify(chat) })).json();
  const answer = new Reader(get, id);
  for (let n = 0; n < 2; n++) {
    await answer.follow("sse", AbortSignal.timeout(400)).catch(() => {});
    await get(`/evict/alice/${id}`);
    await until(1000, async () => (await log(headers["x-sim-session"])).live === 0);
    await get(`/answers/${id}`);
    await until(1000, async () => (await (await get("/calls")).text()) === "1");
  }
  await answer.follow();
  assert.equal(answer.text, text);
  assert.deepEqual(answer.result.attempts.map(({ kind }) => kind), ["first", "continue", "continue"]);
  await until(1000, async () => (await (await get("/calls")).text()) === "0");
  await there.stop();
});

test("killed, and then cancelled or deleted: what runs on at the provider is withdrawn", { timeout: 30_000 }, async () => {
  const background = { path: "/answers/openai/v1/responses", body: { model: "gpt-x", input: "Go", background: true } };
  for (const [method, action] of [["POST", "/cancel"], ["DELETE", ""]]) {
    const { id, reader, session } = await begin({ text: words(200), requests: [{ gapMs: 30 }] }, background);
    await reader().follow("sse", AbortSignal.timeout(400)).catch(() => {});
    await crash();
    assert.equal((await ask(`/answers/${id}${action}`, { method })).status, 204);
    await until(2000, async () => (await log(session)).requests.some(({ path }) => path.endsWith("/cancel")));
    if (action) assert.equal((await reader().catchUp()).result.status, "cancelled");
    else assert.equal((await ask(`/answers/${id}`)).status, 404);
  }
});

test("killed behind a tool call: it ends as interrupted, with what there is", { timeout: 30_000 }, async () => {
  const gemini = { path: "/answers/gemini/v1beta/models/gemini-x:streamGenerateContent", body: { contents: [{ role: "user", parts: [{ text: "Go" }] }] } };
  const { reader, session } = await begin({ requests: [{ tool: { name: "look", arguments: "{}" }, noTerminal: true, end: "hang" }] }, gemini);
  const answer = reader();
  await until(3000, async () => (await answer.catchUp()).messages.at(-1)?.type === "tool_call");
  await crash();
  await answer.follow();
  assert.equal(answer.result.status, "interrupted");
  assert.deepEqual([answer.result.error.code, answer.result.toolCalls.length, answer.result.offer], ["gateway_lost", 1, ["try_again"]]);
  assert.equal((await log(session)).count, 1);
});

test("killed, and started with other models: the same model in another place goes on, one that is gone ends the answer", { timeout: 30_000 }, async () => {
  const { models } = config;
  const slow = () => acting("openai", "gpt-x", { text: words(60), requests: [{ gapMs: 30 }], continuations: [{ gapMs: 0 }] });
  config.models = { kept: [slow()], gone: [{ ...slow(), model: "gpt-gone" }] };
  try {
    await crash();
    const body = (model) => ({ path: "/answers", body: { model, messages: chat.messages } });
    const [kept, gone] = [(await begin({}, body("kept"))).reader(), (await begin({}, body("gone"))).reader()];
    await until(3000, async () => (await kept.catchUp()).text !== "" && (await gone.catchUp()).text !== "");
    config.models = { other: [{ provider: "anthropic", model: "claude-x" }], kept: config.models.kept };
    await crash();
    await Promise.all([kept.follow(), gone.follow()]);
    assert.deepEqual([kept.result.status, kept.text], ["complete", words(60)]);
    assert.deepEqual([gone.result.status, gone.result.error.developerMessage, gone.result.offer], ["interrupted", "its models are not configured any more", ["continue", "try_again"]]);
  } finally {
    config.models = models;
    await crash();
  }
});

test("killed, and started with a shorter chain: it goes on in the API in which it was asked", { timeout: 30_000 }, async () => {
  const { models } = config;
  const text = words(60);
  const slow = acting("openai", "gpt-x", { text, requests: [{ gapMs: 30 }], continuations: [{}] });
  config.models = { chain: [slow, { provider: "openai", model: "gpt-y" }] };
  try {
    await crash();
    const answer = (await begin({}, { path: "/answers/v1/responses", body: { model: "chain", input: "Go" } })).reader();
    await until(3000, async () => (await answer.catchUp()).text !== "");
    config.models = { chain: [slow] };
    await crash();
    await answer.follow();
    assert.deepEqual([answer.result.status, answer.text], ["complete", text]);
    assert.deepEqual((await log(slow.headers["x-sim-session"])).requests.map(({ path }) => path), Array(2).fill("/openai/v1/responses"));
  } finally {
    config.models = models;
    await crash();
  }
});

test("killed, and nobody comes: the alarm takes it up", { timeout: 30_000 }, async () => {
  const text = words(60);
  const { reader, session } = await begin({ text, requests: [{ gapMs: 30 }] });
  await wait(600);
  await crash();
  await until(20_000, async () => (await log(session)).requests[1]?.ended);
  const answer = reader();
  await answer.follow();
  assert.equal(answer.text, text);
});

test("a program that dies takes no answer with it", { timeout: 30_000 }, async () => {
  const mortal = await startGateway(config, { main: "deadly.js" });
  const text = words(80);
  const headers = asking({ text, requests: [{ gapMs: 20 }] });
  const get = (path, init = {}) => fetch(mortal.address + path, { ...init, headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...init.headers } });
  const { id } = await (await get("/answers/openai/v1/chat/completions", { method: "POST", headers, body: JSON.stringify(chat) })).json();
  const answer = new Reader(get, id);
  const reading = answer.follow();
  await until(5000, () => answer.text !== "");
  assert.equal(await (await get("/die")).text(), "true");
  await reading;
  assert.equal(answer.text, text);
  assert.deepEqual((await log(headers["x-sim-session"])).requests.map(({ continues }) => continues), [false, true]);
  await mortal.stop();
});

test("an answer stays for its time to live after its end, and no longer", { timeout: 30_000 }, async () => {
  const brief = await startGateway({ ...config, answers: { ttlSeconds: 1 } });
  const get = (path, init = {}) => fetch(brief.address + path, { ...init, headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...init.headers } });
  const { id } = await (await get("/answers/openai/v1/chat/completions", { method: "POST", headers: asking({ text: words(5) }), body: JSON.stringify(chat) })).json();
  const answer = new Reader(get, id);
  await answer.follow();
  assert.equal((await get(`/answers/${id}`)).status, 200);
  await until(3000, async () => (await get(`/answers/${id}`, { method: "HEAD" })).status === 404);
  await brief.stop();
});
