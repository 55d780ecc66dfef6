// client.fetch under the official SDKs: whatever breaks, the final object of a healthy stream, or the
// SDK's own typed error; never a short answer that looks whole.
import assert from "node:assert/strict";
import { test } from "node:test";
import { APIError as OpenAIError, BadRequestError as OpenAIBadRequest, RateLimitError as OpenAIRateLimit } from "openai";
import { APIError as AnthropicError, BadRequestError as AnthropicBadRequest, RateLimitError as AnthropicRateLimit } from "@anthropic-ai/sdk";
import { ApiError } from "@google/genai";
import { APICallError } from "ai";
import { answer, call, startProvider, thought } from "./provider.js";
import { HoldfastError, impatient, network } from "./package.js";
import { outcome, runs } from "./runs.js";

const address = await startProvider();

/** Runs through a client of its own, so that no test learns from another. */
async function through(run, script, options) {
  const client = await impatient(options);
  try {
    return await outcome(run, { address, fetch: client.fetch, script });
  } finally {
    client.close();
  }
}

/** What must be equal: ids are new with each request of the simulator, and usage is that of all attempts. */
function plain(value) {
  const { usage, id, ...rest } = value;
  return JSON.parse(JSON.stringify(rest, (key, item) => (key === "id" || key === "signature" || key === "logprobs" ? undefined : item)));
}

/** Errors that an SDK throws of its own, by how it was asked. */
const typed = {
  openai: (error) => error instanceof OpenAIError,
  anthropic: (error) => error instanceof AnthropicError,
  google: (error) => error instanceof ApiError,
  // It throws what stands in an error event as it is; and of Interactions an error event is an event.
  ai: (error) => APICallError.isInstance(error) || typeof error?.message === "string",
};
const isTyped = (name, error) => typed[name === "google interactions" ? "ai" : name.split(" ")[0]](error);
const refusedTypes = {
  openai: [OpenAIBadRequest, OpenAIRateLimit],
  anthropic: [AnthropicBadRequest, AnthropicRateLimit],
};

/** A message without the request's id. */
const unnamed = (message) => message.replace(/req_\w+/g, "");

const toolCut = { tool: { parts: 4, name: call.name, arguments: call.arguments }, endAfterParts: 2, end: "reset" };

/** The same numbers in every run. */
function lottery(seed) {
  return () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

/** An answer whose last word is no small one: whether that is said again nobody could tell. */
const text = "Tide pools **hold on**: mussels 🌊, limpets and *sea stars* 🦀 grip.\n\n- 潮汐池里，海葵紧紧抓住岩石。\n- Biologists count them.\n\nSo the next tide finds everybody home.";
const WAYS = ["exact", "last_word", "last_sentence", "restart"];

/** What each SDK makes of a healthy stream, before any test begins. */
const healthyOf = {};
for (const [name, { stream }] of Object.entries(runs)) {
  healthyOf[name] = await outcome(stream, { address, fetch: network, script: {} });
  assert.equal(healthyOf[name].value?.text, answer, healthyOf[name].error);
}

for (const [name, { stream, whole, api }] of Object.entries(runs)) {
  const family = name.split(" ")[0];
  const healthy = healthyOf[name];

  test(`${name}: a healthy stream`, async () => {
    const { value, error } = await through(stream, {});
    assert.ifError(error);
    assert.deepEqual(plain(value), plain(healthy.value));
    assert.equal(value.usage, healthy.value.usage);
  });

  test(`${name}: everything, in small pieces`, async () => {
    const script = { reasoning: thought, tool: true, chunkBytes: 7 };
    const there = await outcome(stream, { address, fetch: network, script });
    const here = await through(stream, script);
    assert.ifError(here.error);
    assert.deepEqual(plain(here.value), plain(there.value));
  });

  const places = family === "ai" ? 50 : 200;
  test(`${name}: cut at ${places} places`, async () => {
    const random = lottery(name.length + 7);
    const healthy = await outcome(stream, { address, fetch: network, script: { text } });
    for (let i = 0; i < places; i++) {
      const script = { text, requests: [{ endAt: random(), end: i % 3 ? "reset" : "close" }, {}], continuations: [{ continues: WAYS[i % 4] }] };
      const { value, error } = await through(stream, script);
      assert.ifError(error);
      assert.deepEqual(plain(value), plain(healthy.value), JSON.stringify(script));
    }
  });

  for (const [what, script] of Object.entries({
    "a stall": { requests: [{ endAfterWords: 5, end: "hang" }, {}] },
    "a stall before the first word": { requests: [{ endAfterWords: 0, end: "hang" }, {}] },
    "a 429": { requests: [{ error: "rate_limit" }, {}] },
    "a 503": { requests: [{ error: "overloaded" }, {}] },
    "an error first, on 200": { requests: [{ error: "overloaded", errorAfterWords: 0 }, {}] },
    "an error in the middle": { requests: [{ error: "overloaded", errorAfterWords: 5 }, {}] },
    "a reset before headers": { requests: [{ beforeHeaders: true, end: "reset" }, {}] },
    "a broken event": { requests: [{ malformedAfterWords: 5 }, {}] },
    "no terminal": { requests: [{ noTerminal: true }, {}] },
    "a document for a stream": { asJson: true },
    "a thought for the continuation": { requests: [{ endAfterWords: 5, end: "reset" }], continuations: [{ reasoning: thought }] },
  })) {
    test(`${name}: ${what} comes out as if nothing had happened`, async () => {
      const { value, error } = await through(stream, script, { policy: { idleMs: 400, firstDeltaMs: 400 } });
      assert.ifError(error);
      assert.deepEqual(plain(value), plain(healthy.value));
    });
  }

  test(`${name}: a refusal is the provider's own`, async () => {
    const script = "refusal";
    const there = await outcome(stream, { address, fetch: network, script });
    const here = await through(stream, script);
    assert.equal(here.error?.message, there.error?.message);
    if (there.value) assert.deepEqual(plain(here.value), plain(there.value));
  });

  for (const [what, script] of Object.entries({
    "a tool call, then a cut": { requests: [toolCut], continuations: [toolCut] },
    "cut twice": { requests: [{ endAfterWords: 8, end: "reset" }], continuations: [{ endAfterWords: 3, end: "close" }] },
    "an error that is final": { requests: [{ endAfterWords: 8, end: "reset" }], continuations: [{ error: "server_error", retryable: false }] },
    "never an end": { noTerminal: true, text: "" },
  })) {
    test(`${name}: ${what} is the SDK's own error`, async () => {
      const { value, error } = await through(stream, script);
      assert.ok(error, `a short answer: ${JSON.stringify(value)}`);
      assert.ok(isTyped(name, error), `${error?.constructor?.name} ${error?.message}`);
    });
  }

  test(`${name}: an error event that is final keeps the provider's own words`, async () => {
    const error = { chat: "quota", responses: "quota", messages: "auth", generate: "auth", interactions: "auth" }[api];
    const there = await outcome(stream, { address, fetch: network, script: { error, errorAfterWords: 3 } });
    const here = await through(stream, { error, errorAfterWords: 3 });
    assert.ok(isTyped(name, here.error), String(here.error));
    if (api === "generate") return; // overlooked without Holdfast, as Google frames it
    assert.equal(here.error.constructor, there.error.constructor);
    assert.equal(unnamed(here.error.message), unnamed(there.error.message));
    assert.equal(here.error.code, there.error.code);
  });

  test(`${name}: a conversation that is too long`, async () => {
    const there = await outcome(stream, { address, fetch: network, script: { error: "context_length" } });
    for (const run of [stream, whole]) {
      const { error } = await through(run, { error: "context_length" });
      assert.equal(error.constructor, there.error.constructor);
      assert.equal(error.status ?? error.statusCode, 400);
      assert.equal(unnamed(error.message), unnamed(there.error.message));
      if (refusedTypes[family]) assert.ok(error instanceof refusedTypes[family][0]);
    }
  });

  test(`${name}: limits for ever`, async () => {
    const { error } = await through(stream, { error: "rate_limit" });
    assert.equal(error.status ?? error.statusCode, 429);
    if (refusedTypes[family]) assert.ok(error instanceof refusedTypes[family][1]);
  });

  test(`${name}: nobody there`, async () => {
    const { error } = await through(stream, { beforeHeaders: true, end: "reset" });
    let cause = error;
    while (cause && !(cause instanceof HoldfastError)) cause = cause.cause;
    assert.equal(cause?.code, "transport", String(error));
  });

  test(`${name}: documents are retried`, async () => {
    const there = await outcome(whole, { address, fetch: network, script: {} });
    const here = await through(whole, { requests: [{ error: "overloaded" }, { error: "rate_limit" }, {}] });
    assert.ifError(here.error);
    const { usage: _, created: __, created_at: ___, _request_id: ____, ...rest } = there.value;
    for (const key of Object.keys(plain(rest))) assert.deepEqual(plain(here.value)[key], plain(rest)[key], key);
  });

  if (api === "interactions") continue; // nothing stands in for it

  test(`${name}: another provider answers`, async () => {
    const targets = {
      chat: { provider: "anthropic", baseURL: `${address}/anthropic`, model: "claude-x" },
      responses: { provider: "gemini", baseURL: `${address}/gemini`, model: "gemini-x" },
      messages: { provider: "openai", baseURL: `${address}/openai`, model: "gpt-x" },
      generate: { provider: "openai", baseURL: `${address}/openai`, model: "gpt-x" },
    };
    const options = { targets: [{ ...targets[api], apiKey: "other" }], policy: { interactive: { attempts: 1, continues: 0 } } };
    for (const script of [{ error: "overloaded" }, { endAfterWords: 8, end: "reset" }]) {
      const { value, error } = await through(stream, script, options);
      assert.ifError(error);
      assert.equal(value.text, answer);
    }
    const { error } = await through(whole, { error: "overloaded" }, options);
    assert.ifError(error);
  });
}
