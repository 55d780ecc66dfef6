// What a client's calls know of each other: breakers, gates, the retries left, money, rate limits; and
// how all of that is kept over a reload. A scripted provider, and a clock that only the test moves.

import assert from "node:assert/strict";
import test from "node:test";
import { chat, failing, json, sse, world } from "./hosts.mjs";
import { classify, createClient, HoldfastError, parseRateLimits } from "./holdfast.mjs";

const CHAT = "/v1/chat/completions";
const HOST = "api.openai.com";
const body = { model: "gpt-5", max_completion_tokens: 100, messages: [{ role: "user", content: "Hi" }] };
const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
const fine = json(200, { id: "c1", model: "gpt-5", choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }], usage });
const once = { policy: { interactive: { attempts: 1 } } };

async function clientOf(answers, options) {
  const { state, options: host } = world({ [HOST]: answers });
  const client = await createClient({ provider: "openai", apiKey: "k", ...host, ...options });
  const ask = (more) => client.request(CHAT, body, more).catch((error) => error);
  const breaker = async () => (await client.health()).targets.find(({ host, model }) => host === "openai" && !model)?.breaker;
  return { client, state, ask, breaker };
}

test("five failures in a row open the breaker; after 30 s one probe is let through, and its success closes it", async () => {
  const { client, state, ask, breaker } = await clientOf([...Array(6).fill(failing.overloaded), fine], once);
  for (let i = 0; i < 5; i++) {
    assert.equal(await breaker(), i === 0 ? undefined : "closed");
    assert.equal((await ask()).code, "overloaded");
  }
  assert.equal(await breaker(), "open");
  const refused = await ask();
  assert.ok(refused instanceof HoldfastError);
  assert.equal(refused.code, "circuit_open");
  assert.equal(refused.decision, "stop");
  // Opening times are spread a little, so that pages do not come back at once.
  const wait = refused.retryAtMs - state.now;
  assert.ok(wait >= 30_000 && wait <= 45_000, `${wait} ms`);
  assert.deepEqual(refused.attempts, []);
  assert.equal(state.requests.length, 5, "nothing was sent");

  state.now += wait + 1;
  assert.equal((await ask()).code, "overloaded"); // the probe
  assert.equal(await breaker(), "open");
  assert.equal((await ask()).code, "circuit_open");
  assert.equal(state.requests.length, 6);

  state.now += 120_000;
  const probe = ask();
  const beside = ask(); // one probe at a time
  assert.equal((await beside).code, "circuit_open");
  assert.equal((await probe).data.id, "c1");
  assert.equal(await breaker(), "closed");
  assert.equal((await ask()).data.id, "c1");
  client.close();
});

test("a probe that is cancelled lets the next one through", async () => {
  const never = () => new Promise(() => {});
  const { state, ask, breaker } = await clientOf([...Array(5).fill(failing.overloaded), never, fine], once);
  for (let i = 0; i < 5; i++) await ask();
  state.now += 60_000;
  const stop = new AbortController();
  const probe = ask({ signal: stop.signal });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await breaker(), "half_open");
  stop.abort();
  assert.equal((await probe).code, "cancelled");
  assert.equal((await ask()).data.id, "c1");
});

test("only what is the provider's fault counts, and a success starts the count anew", async () => {
  const { ask, breaker } = await clientOf([...Array(8).fill(failing.auth), ...Array(4).fill(failing.overloaded), fine, ...Array(4).fill(failing.overloaded), fine], once);
  for (let i = 0; i < 18; i++) assert.notEqual((await ask()).code, "circuit_open");
  assert.equal(await breaker(), "closed");
});

test("a stream is refused as well, with a status instead of an error", async () => {
  const { client, ask } = await clientOf([failing.overloaded], once);
  for (let i = 0; i < 5; i++) await ask();
  const result = await client.stream(CHAT, body).result;
  assert.deepEqual([result.status, result.error.reason, result.attempts.length, result.offer], ["failed", "circuit_open", 0, ["try_again"]]);
  assert.ok(result.retryAtMs > 0);
});

test("breaker: numbers of one's own, each model for itself, or none at all", async () => {
  const never = await clientOf([failing.overloaded], { ...once, breaker: false });
  for (let i = 0; i < 20; i++) assert.equal((await never.ask()).code, "overloaded");
  const two = await clientOf([failing.overloaded], { ...once, breaker: { failures: 2, openMs: 1000 } });
  for (const code of ["overloaded", "overloaded", "circuit_open"]) assert.equal((await two.ask()).code, code);
  two.state.now += 2000;
  assert.equal((await two.ask()).code, "overloaded");
  const models = await clientOf([failing.overloaded], { ...once, breaker: { failures: 1, perModel: true } });
  assert.equal((await models.ask()).code, "overloaded");
  assert.equal((await models.ask()).code, "circuit_open");
  await assert.rejects(models.client.request(CHAT, { ...body, model: "gpt-5-mini" }), { code: "overloaded" });
});

test("a 429 with a time holds back the calls that follow, and does not count as a failure", async () => {
  const limited = json(429, { error: { message: "slow down", type: "requests", code: "rate_limit_exceeded" } }, { "retry-after": "90" });
  const { client, state, ask, breaker } = await clientOf([limited, fine], once);
  const first = await ask();
  assert.equal(first.code, "rate_limit");
  assert.equal(first.retryAtMs, state.now + 90_000);
  const second = await ask(); // it knows already
  assert.equal(second.code, "rate_limit");
  assert.equal(state.requests.length, 1);
  assert.equal(await breaker(), "closed");
  const { targets } = await client.health();
  const gated = targets.find(({ model }) => model === "gpt-5");
  assert.equal(gated.gated, true);
  assert.ok(gated.retryAtMs >= state.now + 89_000);
  state.now += 91_000;
  assert.equal((await ask()).data.id, "c1");
});

test("throttle: the retries of one client are bounded; throttle: false lifts that", async () => {
  const options = { breaker: false, policy: { interactive: { attempts: 4, backoffBaseMs: 0 } } };
  const { client, state, ask } = await clientOf([failing.overloaded], options);
  for (let i = 0; i < 20; i++) await ask();
  assert.equal(state.requests.length, 20 + 30, "20 calls and the 30 retries of the floor");
  assert.equal((await client.health()).retriesLeft, 0);
  const free = await clientOf([failing.overloaded], { ...options, throttle: false });
  for (let i = 0; i < 20; i++) await free.ask();
  assert.equal(free.state.requests.length, 80);
  assert.equal((await free.client.health()).retriesLeft, undefined);
});

test("spend: every call says what it cost, and health() what all of them did", async () => {
  const told = [];
  const onEvent = (event) => event.type === "done" && told.push([event.costUsd, event.costEstimated]);
  const { client, ask } = await clientOf([fine, failing.overloaded, sse([chat.text("Hello"), chat.end(usage)]), sse([chat.text("Half of ")], { breaks: true }), fine], { ...once, spend: { maxUsd: 1 }, onEvent });
  const { costUsd, costEstimated, attempts } = await ask();
  assert.ok(costUsd > 0 && !costEstimated && attempts[0].costUsd === costUsd);
  await ask(); // refused by the provider: it cost nothing
  const { costUsd: streamed } = await client.stream(CHAT, body).result;
  assert.equal(streamed, costUsd, "the same usage costs the same, streamed or not");
  const cut = await client.stream(CHAT, body, { policy: { interactive: { continues: 0 } } }).result;
  assert.ok(cut.costUsd > 0 && cut.costEstimated, "an answer that broke was paid for");
  const { spend } = await client.health();
  assert.ok(Math.abs(spend.spentUsd - (costUsd + streamed + cut.costUsd)) < 1e-9, JSON.stringify(spend));
  assert.ok(Math.abs(spend.estimatedUsd - cut.costUsd) < 1e-9);
  assert.deepEqual([spend.heldUsd, spend.attempts, spend.maxUsd], [0, 3, 1]);
  await client.fetch(`https://${HOST}${CHAT}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }).then((response) => response.text());
  const nothing = [0, undefined];
  assert.deepEqual(told, [[costUsd, undefined], nothing, [costUsd, undefined], [cut.costUsd, true], [costUsd, undefined]], "the last event says it, also of a fetch");
});

test("spend: a request that might cost more than is left is refused before it is sent", async () => {
  const { client, state, ask } = await clientOf([fine], { spend: { maxUsd: 0.0001 } });
  const refused = await ask();
  assert.equal(refused.code, "budget");
  assert.deepEqual([refused.decision, refused.attempts], ["stop", []]);
  assert.equal((await client.stream(CHAT, body).result).error.reason, "budget");
  assert.equal(state.requests.length, 0);
  const free = await clientOf([fine], { spend: { maxUsd: 0, prices: "* * 30 30 30 30 60\nopenai gpt-5 0 0 0 0 0" } });
  const answer = await free.ask();
  assert.equal(answer.costUsd ?? answer.message, 0, "prices of one's own");
});

test("snapshot and restore: another client goes on where the first one stood", async () => {
  const first = await clientOf([fine, ...Array(5).fill(failing.overloaded)], { ...once, spend: { maxUsd: 1 } });
  for (let i = 0; i < 6; i++) await first.ask();
  const snapshot = await first.client.snapshot();
  assert.equal(snapshot, await first.client.snapshot(), "the same state gives the same text");
  const second = await clientOf([fine], once);
  await second.client.restore(snapshot);
  assert.equal((await second.ask()).code, "circuit_open");
  const [before, after] = [await first.client.health(), await second.client.health()];
  assert.deepEqual(after.targets, before.targets);
  assert.equal(after.spend.spentUsd, before.spend.spentUsd);
  assert.equal(after.retriesLeft, before.retriesLeft);
});

test("a snapshot holds no key, prompt or answer", async () => {
  const { client } = await clientOf([fine], { apiKey: "sk-secret" });
  await client.request(CHAT, { ...body, messages: [{ role: "user", content: "a private question" }] });
  const text = Buffer.from(await client.snapshot(), "hex").toString("latin1");
  assert.match(text, /openai/);
  assert.doesNotMatch(text, /secret|private|Hello/);
});

test("a snapshot that is damaged or foreign throws bad_snapshot and changes nothing", async () => {
  const { client, ask } = await clientOf([failing.overloaded], { ...once, breaker: { failures: 1 } });
  await ask();
  const before = await client.snapshot();
  const damaged = [];
  for (let i = 0; i < before.length; i += 7) damaged.push(before.slice(0, i), before.slice(0, i) + (before[i] === "0" ? "1" : "0") + before.slice(i + 1));
  for (const text of [...damaged, "hello", "zz", before + before, "00"]) {
    await assert.rejects(client.restore(text), { name: "HoldfastError", code: "bad_snapshot" }, text.slice(0, 40));
  }
  for (const value of [undefined, null, 7, {}]) await assert.rejects(client.restore(value), { code: "bad_option" });
  assert.equal(await client.snapshot(), before);
  assert.equal((await ask()).code, "circuit_open");
});

test("share has no effect outside of browsers", async () => {
  const { ask } = await clientOf([fine], { share: "x" });
  assert.equal((await ask()).data.id, "c1");
  for (const share of ["", 7, {}]) await assert.rejects(clientOf([fine], { share }), { code: "bad_option", message: /^share: / });
});

test("parseRateLimits: each provider's headers in one form; what is missing is unknown", async () => {
  const openai = await parseRateLimits("openai", new Headers({ "x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "1m2.5s", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6ms" }));
  assert.deepEqual(openai.requests, { limit: 60, remaining: 59, resetMs: 62_500 });
  assert.deepEqual(openai.tokens, { remaining: 0, resetMs: 6 });
  const soon = new Date(Date.now() + 30_000).toISOString();
  const anthropic = await parseRateLimits("anthropic", { "anthropic-ratelimit-input-tokens-limit": "2000", "anthropic-ratelimit-input-tokens-remaining": "1000", "anthropic-ratelimit-output-tokens-remaining": "7", "anthropic-ratelimit-requests-reset": soon, "retry-after": "12" });
  assert.deepEqual([anthropic.inputTokens.limit, anthropic.inputTokens.remaining, anthropic.outputTokens, anthropic.retryAfterMs], [2000, 1000, { remaining: 7 }, 12_000]);
  assert.ok(Math.abs(anthropic.requests.resetMs - 30_000) < 2000);
  const xai = await parseRateLimits("xai", [["x-ratelimit-limit-requests", "480"], ["x-ratelimit-remaining-requests", "479"]]);
  assert.deepEqual(xai.requests, { limit: 480, remaining: 479 });
  for (const provider of ["gloo", "gemini"]) assert.deepEqual(await parseRateLimits(provider, {}), {});
  assert.deepEqual(await parseRateLimits("openai", null), {});
  await assert.rejects(parseRateLimits("nobody", {}), { code: "bad_option" });
});

test("the rate limits that were seen last are in health()", async () => {
  const limited = json(200, { choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }] }, { "x-ratelimit-limit-tokens": "1000", "x-ratelimit-remaining-tokens": "900" });
  const { client, state, ask } = await clientOf([limited]);
  await ask();
  const { targets } = await client.health();
  const { limits, limitsAtMs } = targets.find(({ model }) => model === "gpt-5");
  assert.deepEqual(limits, { tokens: { limit: 1000, remaining: 900 } });
  assert.equal(limitsAtMs, state.now);
});

test("ui-004: a wait of 447 hours is a time to show, not a wait", async () => {
  const limited = json(429, { error: { message: "slow down", type: "requests", code: "rate_limit_exceeded" } }, { "retry-after": "1609200" });
  const { client, state } = await clientOf([limited]);
  const result = await client.stream(CHAT, body).result;
  assert.deepEqual([result.status, state.requests.length, state.waits], ["failed", 1, []]);
  assert.equal(result.retryAtMs, state.now + 1_609_200_000);
});

test("ui-007: a list of validation errors is a sentence for people", async () => {
  const detail = [{ type: "string_type", loc: ["body", "temperature"], msg: "Input should be a valid number" }];
  const failure = await classify("gloo", 422, {}, { detail });
  assert.equal(failure.developerMessage, "temperature: Input should be a valid number");
  assert.doesNotMatch(failure.message + failure.developerMessage, /\[object/);
});
