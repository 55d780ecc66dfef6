// A chain of targets over scripted providers: who is asked after whom, with which secret and in which
// words, and who is said to have written what.

import assert from "node:assert/strict";
import test from "node:test";
import { chat, failing, generate, json, messages, sse, world } from "./hosts.mjs";
import { createClient } from "./holdfast.mjs";

const CHAT = "/v1/chat/completions";
const body = { model: "gpt-a", messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Three tips?" }] };
const OPENAI = "api.openai.com";
const CLAUDE = "api.anthropic.com";
const GEMINI = "generativelanguage.googleapis.com";
const claude = { provider: "anthropic", model: "claude-b", apiKey: "key-of-claude", headers: { "x-team": "b" } };
const gemini = { provider: "gemini", model: "gemini-c", apiKey: "key-of-gemini" };

async function chain(hosts, options) {
  const { state, options: host, to } = world(hosts);
  const client = await createClient({ provider: "openai", apiKey: "key-of-openai", headers: { "x-team": "a" }, targets: [claude], ...host, ...options });
  return { client, state, to };
}

const whole = sse([messages.start("claude-b-1"), messages.text("Rest, "), messages.text("water."), messages.end()]);
const document = json(200, { id: "msg_1", type: "message", role: "assistant", model: "claude-b-1", content: [{ type: "text", text: "Rest, water." }], stop_reason: "end_turn", usage: { input_tokens: 10, output_tokens: 20 } });

test("another provider's API answers, with a secret and headers of its own", async () => {
  const { client, state, to } = await chain({ [OPENAI]: [failing.overloaded], [CLAUDE]: [whole] });
  const result = await client.stream(CHAT, body).result;
  assert.equal(result.status, "complete", JSON.stringify(result.error));
  assert.equal(result.text, "Rest, water.");
  assert.equal(result.model, "claude-b-1");
  assert.deepEqual([result.usage.inputTokens, result.usage.outputTokens], [10, 20]);
  assert.deepEqual(to(OPENAI).length, 4);
  const [asked] = to(CLAUDE);
  assert.equal(asked.path, "/v1/messages");
  assert.equal(asked.body.system.text ?? asked.body.system[0]?.text ?? asked.body.system, "Be brief.");
  assert.equal(asked.body.model, "claude-b");
  assert.equal(asked.body.stream, true);
  assert.equal(asked.headers["x-api-key"], "key-of-claude");
  assert.equal(asked.headers["anthropic-version"], "2023-06-01");
  assert.equal(asked.headers["x-team"], "b");
  assert.equal(asked.headers.authorization, undefined);
  assert.deepEqual(to(OPENAI).map(({ headers }) => [headers.authorization, headers["x-team"], headers["x-api-key"]]), Array(4).fill(["Bearer key-of-openai", "a", undefined]));
  const sent = JSON.stringify(state.requests.filter(({ host }) => host !== OPENAI)) + JSON.stringify(result);
  assert.ok(!sent.includes("key-of-openai"), "the first target's key went to another host");
  assert.ok(!JSON.stringify(to(OPENAI)).includes("key-of-claude"), "the other target's key went to the first host");
});

test("a token function is asked for its own target only", async () => {
  const asked = [];
  const token = (name) => async () => (asked.push(name), `token-${name}`);
  const { client, to } = await chain({ [OPENAI]: [failing.overloaded], [CLAUDE]: [document] }, {
    apiKey: undefined, token: token("a"), policy: { interactive: { attempts: 2 } }, targets: [{ ...claude, apiKey: undefined, token: token("b") }],
  });
  await client.request(CHAT, body);
  assert.deepEqual(asked, ["a", "a", "b"]);
  assert.equal(to(CLAUDE)[0].headers.authorization, "Bearer token-b");
  assert.equal(to(CLAUDE)[0].headers["x-api-key"], undefined);
});

test("headers of a call go to the first target only", async () => {
  const { client, to } = await chain({ [OPENAI]: [failing.overloaded], [CLAUDE]: [document] });
  await client.request(CHAT, body, { headers: { authorization: "Bearer of-the-caller", "x-trace": "1" } });
  assert.equal(to(OPENAI)[0].headers.authorization, "Bearer of-the-caller");
  assert.deepEqual([to(CLAUDE)[0].headers.authorization, to(CLAUDE)[0].headers["x-trace"]], [undefined, undefined]);
});

test("a request is answered in the form in which it was asked", async () => {
  const { client } = await chain({ [OPENAI]: [failing.overloaded], [CLAUDE]: [document] });
  const result = await client.request(CHAT, body);
  assert.equal(result.data.choices[0].message.content, "Rest, water.");
  assert.equal(result.data.choices[0].finish_reason, "stop");
  assert.equal(result.data.usage.total_tokens, 30);
  assert.equal(result.model, "claude-b-1");
});

test("handover: an answer that one began is finished by another, and the attempts tell who wrote what", async () => {
  const { client, to } = await chain({ [OPENAI]: [sse([chat.text("Three tips: "), chat.text("rest,")], { breaks: true })], [CLAUDE]: [sse([messages.start("claude-b-1"), messages.text("rest, water, "), messages.text("light."), messages.end()])] });
  const shown = [];
  const events = [];
  const result = await client.stream(CHAT, body, { onDelta: (delta) => shown.push(delta.text), onEvent: ({ type }) => events.push(type), policy: { interactive: { continues: 0 } } }).result;
  assert.equal(result.status, "complete", JSON.stringify(result));
  assert.equal(result.text, "Three tips: rest, water, light.");
  assert.equal(shown.join(""), result.text);
  const parts = result.attempts.map(({ kind, target, provider, api, model, servedModel, textLength }) => [kind, target, provider, api, model, servedModel, textLength]);
  assert.deepEqual(parts, [["first", 0, "openai", "chat", "gpt-a", "m", 17], ["continue", 1, "anthropic", "messages", "claude-b", "claude-b-1", 14]]);
  assert.equal(result.attempts[0].error.reason, "transport");
  assert.ok(events.includes("fallback") && events.includes("joined"));
  assert.equal(result.attempts[1].trimmed, 5);
  assert.match(JSON.stringify(to(CLAUDE)[0].body.messages), /Three tips: rest,/);
  assert.equal(to(CLAUDE)[0].body.messages.at(-1).role, "user");
});

test("handover: false keeps an answer that has begun with who began it", async () => {
  const { client, to } = await chain({ [OPENAI]: [sse([chat.text("Three tips: rest,")], { breaks: true })], [CLAUDE]: [whole] });
  const result = await client.stream(CHAT, body, { handover: false, policy: { interactive: { continues: 0 } } }).result;
  assert.equal(result.status, "interrupted");
  assert.equal(result.text, "Three tips: rest,");
  assert.deepEqual(result.offer, ["continue", "try_again"]);
  assert.equal(to(CLAUDE).length, 0);
  const before = await chain({ [OPENAI]: [failing.overloaded], [CLAUDE]: [whole] });
  assert.equal((await before.client.stream(CHAT, body, { handover: false }).result).status, "complete", "before it has begun, the next target is asked");
});

test("nothing is handed over behind a tool call", async () => {
  const { client, to } = await chain({ [OPENAI]: [sse([chat.text("Let me look."), chat.tool()], { breaks: true })], [CLAUDE]: [whole] });
  const result = await client.stream(CHAT, body).result;
  assert.equal(result.status, "interrupted");
  assert.deepEqual(result.toolCalls, []);
  assert.equal(to(CLAUDE).length, 0);
});

test("what a target cannot be told is listed; strict skips that target", async () => {
  const picky = { ...body, logit_bias: { 50256: -100 }, seed: 7 };
  const hosts = () => ({ [OPENAI]: [failing.overloaded], [CLAUDE]: [document], [GEMINI]: [failing.overloaded] });
  const { client } = await chain(hosts());
  const result = await client.request(CHAT, picky);
  assert.deepEqual(result.attempts.at(-1).dropped.toSorted(), ["/logit_bias", "/seed"]);
  const strict = await chain(hosts());
  await assert.rejects(strict.client.request(CHAT, picky, { strict: true }), { code: "overloaded" });
  assert.equal(strict.to(CLAUDE).length, 0);
  const plain = await chain(hosts());
  assert.equal((await plain.client.request(CHAT, body, { strict: true })).attempts.at(-1).dropped, undefined);
});

test("the chain is followed in order, and no target is asked in two turns", async () => {
  const { client, state } = await chain({ [OPENAI]: [failing.overloaded], [CLAUDE]: [json(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } })], [GEMINI]: [sse([generate.text("Rest, "), generate.text("water.", "STOP")])] }, { targets: [claude, gemini], policy: { interactive: { attempts: 2 } } });
  const result = await client.stream(CHAT, body).result;
  assert.equal(result.status, "complete", JSON.stringify(result.error));
  assert.equal(result.model, "gemini-x");
  assert.deepEqual(state.requests.map(({ host }) => host), [OPENAI, OPENAI, CLAUDE, CLAUDE, GEMINI]);
  assert.equal(state.requests[4].path, "/v1beta/models/gemini-c:streamGenerateContent?alt=sse");
  assert.equal(state.requests[4].headers["x-goog-api-key"], "key-of-gemini");
  assert.deepEqual(result.attempts.map(({ target }) => target), [0, 0, 1, 1, 2]);
});

for (const [name, failure, reason] of [["fal-001: credentials", failing.auth, "auth"], ["a request that is wrong", failing.invalid, "invalid_request"]]) {
  test(`${name}: no other target is asked`, async () => {
    const { client, state } = await chain({ [OPENAI]: [failure], [CLAUDE]: [document] });
    await assert.rejects(client.request(CHAT, body), { code: reason });
    assert.equal(state.requests.length, 1);
  });
}

test("fal-004: the body is rebuilt for each target, and when that one refuses it too, both failures are told", async () => {
  const refused = json(400, { type: "error", error: { type: "invalid_request_error", message: "no" } });
  const { client, to } = await chain({ [OPENAI]: [failing.overloaded], [CLAUDE]: [refused] }, { targets: [{ ...claude, maxOutputTokens: 8192 }] });
  const big = { ...body, max_completion_tokens: 64_000, stop: ["END"] };
  const error = await client.request(CHAT, big).catch((thrown) => thrown);
  const sent = to(CLAUDE)[0].body;
  assert.equal(sent.max_tokens, 8192);
  assert.deepEqual([sent.max_completion_tokens, sent.stop, sent.stop_sequences], [undefined, undefined, ["END"]]);
  assert.equal(to(OPENAI)[0].body.max_completion_tokens, 64_000);
  assert.equal(error.code, "invalid_request");
  assert.equal(error.cause.code, "overloaded");
  assert.deepEqual(error.attempts.map((attempt) => attempt.error.reason), [...Array(4).fill("overloaded"), "invalid_request"]);
});

test("fal-008: no model is switched unless a chain was given, and a switch can be seen", async () => {
  const alone = await chain({ [OPENAI]: [failing.overloaded] }, { targets: undefined });
  await assert.rejects(alone.client.request(CHAT, body), { code: "overloaded" });
  assert.deepEqual(new Set(alone.state.requests.map((request) => request.body.model)), new Set(["gpt-a"]));
  const { client } = await chain({ [OPENAI]: [failing.overloaded], [CLAUDE]: [document] });
  const { model, attempts } = await client.request(CHAT, body);
  assert.equal(model, "claude-b-1");
  assert.deepEqual([attempts[0].model, attempts.at(-1).kind, attempts.at(-1).target, attempts.at(-1).model], ["gpt-a", "fallback", 1, "claude-b"]);
});

test("bud-010: a POST that ran long and broke is bought once more, not three times", async () => {
  let now;
  const slow = () => {
    now.now += 60_100;
    return failing.reset();
  };
  const { client, state } = await chain({ [OPENAI]: [slow] }, { targets: undefined });
  now = state;
  const error = await client.request(CHAT, body).catch((thrown) => thrown);
  assert.equal(error.code, "transport");
  assert.equal(state.requests.length, 2);
  const { spend } = await client.health();
  assert.equal(spend.attempts, 2);
  assert.ok(spend.spentUsd > 0 && spend.estimatedUsd === spend.spentUsd, "each was reserved and counts");
});

test("bud-011: an SDK above that retries too is noticed", async () => {
  const { client } = await chain({ [OPENAI]: [sse([chat.text("Hi"), chat.end()])] });
  const warnings = async (count) => (await client.stream(CHAT, body, { headers: { "x-stainless-retry-count": count } }).result).warnings;
  assert.match((await warnings("1"))[0], /maxRetries: 0/);
  assert.deepEqual(await warnings("0"), []);
  const seen = [];
  const { client: other } = await chain({ [OPENAI]: [json(200, { choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }] })] }, { onEvent: ({ type, message }) => type === "warning" && seen.push(message) });
  for (const count of ["0", "2"]) {
    const response = await other.fetch(`https://${OPENAI}${CHAT}`, { method: "POST", headers: { "X-Stainless-Retry-Count": count }, body: JSON.stringify(body) });
    assert.equal(response.status, 200);
  }
  assert.equal(seen.length, 1);
  assert.match(seen[0], /2 so far/);
});

test("id names the call; tag puts it where the provider can find it again", async () => {
  const { client, to } = await chain({ [OPENAI]: [json(200, { choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }] })], [CLAUDE]: [document] });
  const named = await client.request(CHAT, body, { id: "order-17" });
  assert.equal(named.callId, "order-17");
  assert.ok(!JSON.stringify(to(OPENAI)[0].body).includes("order-17"), "untold unless asked to");
  const tagged = await client.request(CHAT, { ...body, store: true }, { id: "order-18", tag: true });
  assert.equal(tagged.callId, "order-18");
  assert.deepEqual(to(OPENAI)[1].body.metadata, { holdfast_call: "order-18" });
  const { callId } = await client.request(CHAT, body);
  assert.match(callId, /^[\w-]{8,}$/);
  assert.notEqual(callId, (await client.request(CHAT, body)).callId);
});

test("a page on plain http, which has no randomUUID, names its calls as well", async (t) => {
  Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
  t.after(() => delete crypto.randomUUID);
  t.mock.method(Math, "random", () => 0.5);
  const { client } = await chain({ [OPENAI]: [json(200, { choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }] })] });
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push((await client.request(CHAT, body)).callId);
  for (const id of ids) assert.match(id, /^[\w-]{20,64}$/);
  assert.equal(new Set(ids).size, 3);
});
