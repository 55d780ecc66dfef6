// client.fetch as a fetch: what it takes, what passes untouched, how it is cancelled and slowed down.

import assert from "node:assert/strict";
import test from "node:test";
import { createClient, HoldfastError } from "./holdfast.mjs";

const URL_ = "https://llm.example/v1/chat/completions";
const encoder = new TextEncoder();
const question = { model: "m", messages: [{ role: "user", content: "Hi" }] };
const json = JSON.stringify(question);
const streamed = JSON.stringify({ ...question, stream: true });
const document_ = JSON.stringify({ id: "c", object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }], unknown: 1.50 });
const chunk = (delta, finish_reason = null) => `data: ${JSON.stringify({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** A client whose network is a function of the request; `seen` is what reached it. */
async function clientOf(network, options) {
  const seen = [];
  const client = await createClient({
    provider: "openai",
    token: "the client's own",
    policy: { interactive: { backoffBaseMs: 1, backoffCapMs: 1 } },
    fetch: (url, init) => {
      seen.push({ url: String(url?.url ?? url), init });
      return network(seen.length, url, init);
    },
    ...options,
  });
  return { client, seen };
}

const answers = () => new Response(document_, { headers: { "content-type": "application/json", "x-request-id": "r" } });
const post = { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer sdk", "Content-Length": String(json.length) }, body: json };

test("the provider's own bytes, status and headers; the SDK's own headers", async () => {
  const { client, seen } = await clientOf(answers);
  const { fetch } = client; // bound
  const response = await fetch(URL_, { ...post, credentials: "include" });
  assert.equal(await response.text(), document_);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("x-request-id"), "r");
  assert.equal(response.url, URL_);
  const { url, init } = seen[0];
  assert.equal(url, URL_);
  assert.deepEqual(init.headers, { "content-type": "application/json", authorization: "Bearer sdk" });
  assert.equal(init.credentials, "include");
  assert.equal(init.body, json);
});

const bodies = {
  "a string": () => [URL_, post],
  "a URL": () => [new URL(URL_), post],
  bytes: () => [URL_, { ...post, body: encoder.encode(json) }],
  "a Blob": () => [URL_, { ...post, body: new Blob([json]) }],
  "a Blob that has its own type": () => [URL_, { ...post, headers: { authorization: "Bearer sdk" }, body: new Blob([json], { type: "application/json" }) }],
  "a stream, duplex": () => [URL_, { ...post, body: new Blob([json]).stream(), duplex: "half" }],
  "a Request": () => [new Request(URL_, post)],
  "a Request that does not tell its body, as in Firefox": () => [Object.defineProperty(new Request(URL_, post), "body", { value: undefined })],
  "a Request, changed": () => [new Request(URL_, { ...post, body: "{}" }), { body: json }],
};
for (const [what, args] of Object.entries(bodies)) {
  test(`${what} is a call, and retried`, async () => {
    const { client, seen } = await clientOf((n) => (n === 1 ? new Response("{}", { status: 503 }) : answers()));
    const response = await client.fetch(...args());
    assert.equal(await response.text(), document_);
    assert.equal(seen.length, 2);
    for (const { init } of seen) {
      assert.equal(init.body, json);
      assert.equal(init.headers.authorization, "Bearer sdk");
      assert.equal(init.headers["content-type"], "application/json");
    }
  });
}

const others = {
  "a GET": [URL_, undefined],
  "a GET with null": [URL_, null],
  "another path": ["https://llm.example/v1/files", post],
  "no JSON": [URL_, { ...post, body: "text" }],
  "a form": ["https://llm.example/v1/chat/completions", { method: "POST", body: new URLSearchParams({ a: "b" }) }],
  "a message of a thread": ["https://llm.example/v1/threads/t/messages", { ...post, body: '{"role":"user","content":"x"}' }],
};
for (const [what, args] of Object.entries(others)) {
  test(`${what} passes untouched`, async () => {
    const { client, seen } = await clientOf(async (n, url, init) => new Response(new Uint8Array(init?.body ? await new Response(init.body).arrayBuffer() : 0), { status: 503 }));
    const response = await client.fetch(...args);
    assert.equal(response.status, 503);
    assert.equal(seen.length, 1);
    assert.equal(await response.text(), args[1] ? await new Response(args[1].body).text() : "");
  });
}

test("the last response is the provider's own when nothing helps", async () => {
  const body = '{"error":{"message":"no","type":"server_error","extra":[1]}}';
  const { client, seen } = await clientOf(() => new Response(body, { status: 503, statusText: "x", headers: { "retry-after": "0", "x-own": "1" } }));
  const response = await client.fetch(URL_, post);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("x-own"), "1");
  assert.equal(await response.text(), body);
  assert.equal(seen.length, 4);
});

test("no response at all is a TypeError with the reason", async () => {
  const { client } = await clientOf(() => Promise.reject(new TypeError("fetch failed")));
  await assert.rejects(client.fetch(URL_, post), (error) => error instanceof TypeError && error.cause instanceof HoldfastError && error.cause.code === "transport");
  client.close();
  await assert.rejects(client.fetch(URL_, post), (error) => error instanceof HoldfastError && error.code === "closed"); // not even asked
});

test("a signal ends it: before, while it waits, in the middle", async () => {
  const reason = new Error("enough");
  const { client: limited } = await clientOf(() => new Response("{}", { status: 429, headers: { "retry-after": "50" } }));
  await assert.rejects(limited.fetch(URL_, { ...post, signal: AbortSignal.abort(reason) }), reason);
  const waiting = new AbortController();
  setTimeout(() => waiting.abort(reason), 30);
  await assert.rejects(limited.fetch(URL_, { ...post, signal: waiting.signal }), reason);

  const { client, seen } = await clientOf(() => new Response(new ReadableStream({ start: (c) => c.enqueue(encoder.encode(chunk({ content: "Hello" }))) })));
  const middle = new AbortController();
  const response = await client.fetch(URL_, { ...post, body: streamed, signal: middle.signal });
  const reader = response.body.getReader();
  await reader.read();
  setTimeout(() => middle.abort(), 10);
  await assert.rejects(reader.read(), { name: "AbortError" });
  await new Promise(setImmediate);
  assert.ok(seen[0].init.signal.aborted);
});

test("the body is read as fast as it is taken; cancelling it cancels the provider", async () => {
  let pulled = 0;
  let cancelled = false;
  const { client } = await clientOf(
    () => new Response(new ReadableStream({ pull: (c) => (pulled++, c.enqueue(encoder.encode(chunk({ content: `word ${pulled} ` })))), cancel: () => (cancelled = true) }, { highWaterMark: 0 })),
  );
  const response = await client.fetch(URL_, { ...post, body: streamed });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(pulled <= 2, `${pulled} chunks for nobody`);
  const reader = response.body.getReader();
  for (let i = 0; i < 10; i++) await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(pulled <= 12, `${pulled} chunks for 10 reads`);
  await reader.cancel();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(cancelled);
});

test("a stream passes byte for byte, and what nobody knows with it", async () => {
  const body = `: hello\n\n${chunk({ role: "assistant", content: "" })}${chunk({ content: "Hel", annotations: [{ x: 1 }] })}: ping\n\n${chunk({ content: "lo" })}${chunk({}, "stop")}data: [DONE]\n\n`;
  const { client } = await clientOf(() => new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } }));
  const response = await client.fetch(URL_, { ...post, body: streamed });
  assert.equal(await response.text(), body);
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
});

test("several answers in one stream are retried before the first word, and an error when they are cut behind it", async () => {
  const said = (index, delta, finish_reason = null) => `data: ${JSON.stringify({ id: "c", created: 1, model: "m", choices: [{ index, delta, finish_reason }] })}\n\n`;
  const roles = [0, 1].map((index) => said(index, { role: "assistant", content: "" })).join("");
  const whole = `${roles}${said(1, { content: "B" })}${said(0, { content: "A" })}${said(0, {}, "stop")}${said(1, {}, "stop")}data: [DONE]\n\n`;
  const asked = { ...post, body: JSON.stringify({ ...question, stream: true, n: 2 }) };
  const { client, seen } = await clientOf((n) => (n === 1 ? new Response("{}", { status: 503 }) : new Response(n === 2 ? roles : whole)));
  assert.equal(await (await client.fetch(URL_, asked)).text(), whole);
  assert.equal(seen.length, 3);
  const { client: cut, seen: once } = await clientOf(() => new Response(whole.slice(0, whole.indexOf("data: [DONE]") - 90)));
  assert.match(await (await cut.fetch(URL_, asked)).text(), /"error"/);
  assert.equal(once.length, 1);
});

test("closing the client ends what it fetches", async () => {
  const { client } = await clientOf(() => new Promise(() => {}));
  setTimeout(() => client.close(), 20);
  await assert.rejects(client.fetch(URL_, post), { name: "AbortError" });
});

test("as the global fetch it does not call itself", async () => {
  const before = globalThis.fetch;
  let asked = 0;
  try {
    globalThis.fetch = async () => (asked++, answers());
    const client = await createClient({ provider: "openai", token: "x" });
    globalThis.fetch = client.fetch;
    assert.equal(await (await fetch(URL_, post)).text(), document_);
    assert.equal(await (await fetch("https://llm.example/")).text(), document_);
    assert.equal(asked, 2);
  } finally {
    globalThis.fetch = before;
  }
});
