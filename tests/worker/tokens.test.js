// Who may call: tokens by their hash or their signature, links by theirs, and what each of them is good for.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { hashed, KEYS, startGateway, TOKEN } from "./gateway.js";

const SECRET = "a secret of this gateway, 32 bytes or more".replaceAll(" ", "-");
const OLD = "the-secret-before-it-which-is-good-as-well";
const AUDIENCE = "https://gateway.example";
const { address } = await startGateway({
  secrets: { ...KEYS, HOLDFAST_JWT_SECRET: `${SECRET} ${OLD}` },
  tokens: {
    alice: hashed(TOKEN),
    bob: { hash: hashed("token-of-bob"), models: ["gpt", "anthropic/claude-x", "gemini/*"] },
    dora: { hash: hashed("token-of-dora"), models: ["gpt", "openai/gpt-x", "openai/gpt-image-x", "anthropic/claude-x", "gemini/gemini-x", "gemini/an-agent"] },
  },
  jwt: { audience: AUDIENCE, models: ["gpt", "claude", "anthropic/claude-x", "gemini/*"] },
  models: { gpt: [{ provider: "openai", model: "gpt-x" }], claude: [{ provider: "anthropic", model: "claude-x" }], grok: [{ provider: "xai", model: "grok-x" }] },
});

const encoded = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const mac = (text, secret = SECRET, hash = "sha256") => createHmac(hash, secret).update(text).digest("base64url");
const now = () => Math.floor(Date.now() / 1000);
const good = () => ({ sub: "carol", aud: AUDIENCE, exp: now() + 60 });

/** A token as a backend would make it, or not. */
function jwt(claims = {}, { head = { alg: "HS256", typ: "JWT" }, secret = SECRET, hash } = {}) {
  const text = `${encoded(head)}.${encoded({ ...good(), ...claims })}`;
  return `${text}.${mac(text, secret, hash)}`;
}

const chat = (model = "gpt", more) => JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }], ...more });
const post = (token, { path = "/v1/chat/completions", body = chat(), headers } = {}) =>
  fetch(address + path, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers }, body });
const get = (path, token) => fetch(address + path, { headers: token && { authorization: `Bearer ${token}` } });

async function refused(response, status, code) {
  const { error } = await response.json();
  assert.deepEqual([response.status, error.code], [status, code]);
}

test("a signed token, wherever an SDK puts its key", async () => {
  for (const token of [jwt(), jwt({ aud: ["else", AUDIENCE] }), jwt({ nbf: now() }), jwt({ nbf: now() + 10 }), jwt({}, { secret: OLD }), jwt({}, { head: { alg: "HS256" } })]) {
    assert.equal((await post(token)).status, 200);
    assert.equal((await post("", { headers: { authorization: "", "x-api-key": token } })).status, 200);
  }
});

test("token forgery: another secret, a changed claim, another algorithm or none", async () => {
  const [head, body, signature] = jwt().split(".");
  const more = encoded({ ...good(), sub: "alice" });
  const none = (alg) => `${encoded({ alg, typ: "JWT" })}.${body}`;
  const forged = [
    jwt({}, { secret: `${SECRET}x` }), jwt({}, { secret: "" }), jwt({}, { secret: AUDIENCE }), jwt({}, { secret: `${SECRET} ${OLD}` }),
    `${head}.${more}.${signature}`, `${head}.${body}.${signature.slice(0, -4)}`, `${head}.${body}.`, `${head}.${body}`, `${head}.${body}.${mac(body)}`, `.${body}.${mac(`.${body}`)}`,
    ...["none", "None", "nOnE", "", "HS512", "RS256", "ES256", ["HS256"], null].flatMap((alg) => [`${none(alg)}.`, `${none(alg)}.${mac(none(alg))}`, `${none(alg)}.${signature}`]),
    jwt({}, { head: { alg: "HS512" }, hash: "sha512" }), jwt({}, { head: { alg: "HS256", crit: ["b64"], b64: false } }), jwt({}, { head: { alg: "HS256", typ: "at+jwt+else" } }), jwt({}, { head: { alg: "HS256", typ: {} } }),
    `${jwt()}.${signature}`, `${head}.${"A".repeat(5000)}.${signature}`, `${head}.${body}.${"!".repeat(43)}`, ...["[]", "null", '"x"', "{", "\u00ff"].map((text) => `${head}.${encoded(text)}.${mac(`${head}.${encoded(text)}`)}`),
  ];
  for (const token of forged) assert.equal((await post(token)).status, 401, token);
});

test("a token that has expired, is not valid yet, never ends, or is for somebody else", async () => {
  await refused(await post(jwt({ exp: now() - 1 })), 401, "token_expired");
  await refused(await post(jwt({ exp: now() - 1e6 })), 401, "token_expired");
  for (const claims of [{ exp: undefined }, { exp: String(now() + 60) }, { exp: null }, { nbf: now() + 600 }, { nbf: "0" }]) await refused(await post(jwt(claims)), 401, "invalid_token");
  for (const aud of [undefined, "", "https://gateway.example.evil", [], ["else"], { 0: AUDIENCE }, null]) await refused(await post(jwt({ aud })), 401, "invalid_token");
  for (const sub of [undefined, "", 7, "a/b", "a b", "<b>", "x".repeat(129)]) await refused(await post(jwt({ sub })), 401, "invalid_token");
  for (const claims of [{ scope: "admin" }, { limits: { nonsense: 1 } }, { limits: { maxUsd: -1 } }, { limits: [] }, { models: "gpt" }]) await refused(await post(jwt(claims)), 401, "invalid_token");
});

test("a token is good for its models and no others, also on a provider's own paths", async () => {
  const bob = "token-of-bob";
  const listed = async (token) => (await (await get("/v1/models", token)).json()).data.map(({ id }) => id);
  assert.deepEqual(await listed(TOKEN), ["gpt", "claude", "grok"]);
  assert.deepEqual(await listed(bob), ["gpt"]);
  assert.deepEqual(await listed(jwt()), ["gpt", "claude"]);
  assert.deepEqual(await listed(jwt({ models: ["claude", "grok"] })), ["claude"]); // a token does not widen what the configuration allows
  assert.equal((await post(bob)).status, 200);
  await refused(await post(bob, { body: chat("claude") }), 403, "model_not_allowed");
  await refused(await post(bob, { headers: { "x-holdfast-models": "gpt, claude" } }), 403, "model_not_allowed");
  await refused(await post(bob, { body: chat("gpt", { models: ["gpt", "claude"] }) }), 403, "model_not_allowed");
  await refused(await post(bob, { path: "/openai/v1/chat/completions", body: chat("gpt-x") }), 403, "model_not_allowed");
  await refused(await post(bob, { path: "/openai/v1/chat/completions", body: chat("gpt") }), 403, "model_not_allowed");
  assert.equal((await get("/openai/v1/models", bob)).status, 403);
  const messages = { path: "/anthropic/v1/messages", body: chat("claude-x", { max_tokens: 10 }) };
  assert.equal((await post(bob, messages)).status, 200);
  assert.equal((await post(bob, { ...messages, body: chat("claude-y", { max_tokens: 10 }) })).status, 403);
  assert.equal((await post(bob, { ...messages, headers: { "x-holdfast-models": "grok" } })).status, 403);
  const contents = JSON.stringify({ model: "gpt", contents: [{ parts: [{ text: "Hi" }] }] });
  assert.equal((await post(bob, { path: "/gemini/v1beta/models/gemini-x:generateContent", body: contents })).status, 200);
  await refused(await post(jwt(), { path: "/xai/v1/chat/completions", body: chat("grok-x") }), 403, "model_not_allowed");
  // Of a token and the configuration, whichever says less.
  const gemini = (model) => ({ path: `/gemini/v1beta/models/${model}:generateContent`, body: JSON.stringify({ contents: [{ parts: [{ text: "Hi" }] }] }) });
  const one = jwt({ models: ["gemini/gemini-x", "anthropic/*"] });
  assert.equal((await post(one, gemini("gemini-x"))).status, 200);
  assert.equal((await post(one, gemini("gemini-y"))).status, 403);
  assert.equal((await post(one, messages)).status, 200);
  assert.equal((await post(one, { ...messages, body: chat("claude-y", { max_tokens: 10 }) })).status, 403);
});

test("a token is good for no other model that a request names, or that a tool brings", async () => {
  const token = "token-of-dora";
  const of = (path, body, headers) => (who) => post(who, { path, body: JSON.stringify(body), headers });
  const responses = (more, path = "/openai/v1/responses", model = "gpt-x") => of(path, { model, input: "Hi", ...more });
  const completions = (more, headers) => of("/openai/v1/chat/completions", { model: "gpt-x", messages: [{ role: "user", content: "Hi" }], ...more }, headers);
  const messages = (more) => of("/anthropic/v1/messages", { model: "claude-x", max_tokens: 10, messages: [{ role: "user", content: "Hi" }], ...more });
  const contents = (more, query = "") => of(`/gemini/v1beta/models/gemini-x:generateContent${query}`, { contents: [{ parts: [{ text: "Hi" }] }], ...more });
  const asked = (more) => responses(more, "/v1/responses", "gpt");
  const durable = (more) => responses(more, "/answers/v1/responses", "gpt");
  const schema = { type: "object", properties: { model: { type: "string" }, fallback: true }, $defs: { Model: { enum: ["T"] } }, required: ["model"] };
  const bad = {
    "a tool's model": [asked, durable, responses].map((one) => one({ tools: [{ type: "image_generation", model: "gpt-image-y" }] })),
    "a tool that runs what it does not name": [asked, durable, responses].map((one) => one({ tools: [{ type: "function", name: "f" }, { type: "image_generation" }] })),
    "a tool within": [
      responses({ tools: [{ type: "namespace", name: "n", tools: [{ type: "image_generation" }] }] }), responses({ tool_choice: { type: "allowed_tools", tools: [{ type: "image_generation" }] } }),
      responses({ input: [{ type: "tool_search_output", tools: [{ type: "image_generation" }] }] }), responses({ Tools: [{ type: "a_new_one" }] }), responses({ tools: "image_generation" }), responses({ tools: [{ type: `${"1".repeat(1e6)}x` }] }),
      contents({ tools: [{ googleSearch: {} }, { imageGeneration: {} }] }), messages({ tools: [{ type: "advisor_20260301", name: "advisor", model: "claude-y" }] }),
    ],
    "what stands behind": [
      messages({ fallbacks: [{ model: "claude-y" }] }), completions({ fallbacks: ["gpt-y"] }), completions({ models: ["gpt-x", "gpt-y"] }), completions({ route: "fallback" }), completions({ extra: { deep: [{ fallback_models: "gpt-y" }] } }),
      asked({ fallbacks: ["gpt-y"] }), durable({ fallback_model: "gpt-y" }), completions({ plugins: [{ id: "fusion" }] }),
    ],
    "what chooses": [responses({ prompt: { id: "pmpt_1" } }), completions({ auto_routing: true }), completions({ model_family: "openai" }), completions({ preset: "p" }), responses({ moderation: { model: "gpt-y" } }), completions({ Model: "gpt-y" }), completions({ model: ["gpt-x", "gpt-y"] }), completions({ model: { model: "gpt-y" } }), completions({ model: { id: "gpt-x" } }), completions({ model: undefined })],
    "a model beside the path's": [contents({ model: "models/gemini-y" }), contents({ tools: [], model: "gemini-y" }), of("/gemini/v1beta/models/gemini-x:batchEmbedContents", { requests: [{ model: "models/gemini-y", content: {} }] }), of("/gemini/v1beta/interactions", { agent: "another", input: "Hi" })],
    "a header or a parameter": [completions({}, { "x-fallback-model": "gpt-y" }), contents({}, "?model=gemini-x&model=gemini-y"), contents({}, "?model=gemini-y&model=gemini-x")],
  };
  for (const [what, requests] of Object.entries(bad)) {
    for (const [i, ask] of requests.entries()) {
      const response = await ask(token);
      assert.deepEqual([what, i, response.status, /is not for/.test(await response.text())], [what, i, 403, true]);
    }
  }
  const good = [
    ...[asked, responses].map((one) => one({ tools: [{ type: "image_generation", model: "gpt-image-x" }, { type: "function", name: "f", parameters: schema }, { type: "web_search_preview_2025_03_11" }] })),
    responses({ input: [{ type: "message", role: "user", content: "model" }, { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "x", model: "y" }] }], metadata: { model: "mine" }, text: { format: { type: "json_schema", name: "s", schema } } }),
    completions({ messages: [{ role: "user", content: [{ type: "text", text: "Hi", model: "y" }] }], tools: [{ type: "function", function: { name: "f", parameters: schema } }], fallbacks: null, model: "gpt-x" }),
    messages({ fallbacks: [{ model: "claude-x" }], tools: [{ name: "model", input_schema: schema, input_examples: [{ model: "T" }] }, { type: "tool_search_tool_bm25_20251119", name: "t" }, { type: "web_search_20250305", name: "web_search" }] }),
    messages({ messages: [{ role: "user", content: "Hi" }, { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: { model: "T", tools: ["hammer"] } }] }, { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] }] }),
    contents({ model: "models/gemini-x", tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: schema }], googleSearch: {} }], generationConfig: { responseSchema: schema } }),
    contents({ contents: [{ role: "model", parts: [{ functionCall: { name: "f", args: { model: "T" } } }] }] }),
    of("/gemini/v1beta/interactions", { agent: "an-agent", input: "Hi", response_format: schema }),
  ];
  for (const [i, ask] of good.entries()) assert.notEqual((await ask(token)).status, 403, `good ${i}`);
});

test("a body that says something twice is refused: every reader takes another one", async () => {
  for (const body of ['{"model":"gpt","model":"claude","messages":[]}', '{"model":"gpt", "mod\\u0065l" : "claude","messages":[]}']) {
    await refused(await post("token-of-bob", { body }), 400, "invalid_request");
    await refused(await post(TOKEN, { path: "/openai/v1/chat/completions", body }), 400, "invalid_request");
  }
  const twiceElsewhere = chat("gpt", { messages: [{ role: "user", content: '"model": "model": {' }, { role: "user", content: "\\" }], metadata: { model: "model", messages: "x" } });
  assert.equal((await post(TOKEN, { body: twiceElsewhere })).status, 200);
});

test("a token for reading asks no model", async () => {
  const token = jwt({ scope: "read" });
  await refused(await post(token), 403, "insufficient_scope");
  await refused(await get("/v1/models", token), 403, "insufficient_scope");
  for (const [method, path] of [["POST", "/answers"], ["DELETE", "/answers/id-of-answer"], ["POST", "/answers/id-of-answer/cancel"], ["POST", "/answers/id-of-answer/link"], ["GET", "/openai/v1/responses/resp_1"]]) {
    const response = await fetch(address + path, { method, headers: { authorization: `Bearer ${token}` } });
    await refused(response, 403, "insufficient_scope");
  }
});

const link = async (token, id, body) => {
  const response = await post(token, { path: `/answers/${id}/link`, body });
  assert.equal(response.status, 201);
  return response.json();
};

test("a link reads one answer, and nothing else with it", async () => {
  const { url, expiresAtMs } = await link(TOKEN, "answer-of-alice", '{"seconds": 5}');
  assert.ok(Math.abs(expiresAtMs - Date.now() - 5000) < 2000);
  const reads = async (path, method = "GET") => ![401, 403].includes((await fetch(address + path, { method })).status);
  assert.ok(await reads(url));
  assert.ok(await reads(`${url}&offset=-1`));
  const query = url.slice(url.indexOf("?"));
  for (const path of ["/answers/answer-of-bobby", "/answers/answer-of-alice/link", "/answers/answer-of-alice/cancel", "/answers", "/v1/models", "/openai/v1/models"]) assert.ok(!(await reads(path + query)), path);
  for (const method of ["DELETE", "POST"]) assert.ok(!(await reads(url, method)), method);
  const read = query.slice("?read=".length);
  assert.equal((await post(read)).status, 401); // it is no token
  assert.equal((await post("", { path: `/v1/chat/completions?read=${read}`, headers: { authorization: `Bearer ${TOKEN}` } })).status, 401);
});

test("whoever has a link reads the answer with it, and nobody else's token does", async () => {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "idempotency-key": "answer-for-a-link" };
  assert.equal((await fetch(`${address}/answers`, { method: "POST", headers, body: chat() })).status, 201);
  const { url } = await link(TOKEN, "answer-for-a-link", "");
  const events = await (await fetch(`${address}${url}&offset=-1&live=sse`)).text();
  assert.match(events, /"type":"done","result":\{.*"status":"complete"/);
  assert.equal((await fetch(address + url, { method: "HEAD" })).status, 200);
  for (const token of [jwt(), jwt({ sub: "alice2" }), "token-of-bob"]) assert.equal((await get("/answers/answer-for-a-link?offset=-1", token)).status, 404);
  for (const token of [TOKEN, jwt({ sub: "alice", scope: "read" })]) assert.equal((await get("/answers/answer-for-a-link?offset=-1", token)).status, 200);
  const { url: bobs } = await link("token-of-bob", "answer-for-a-link", ""); // of the same name, and his own
  assert.equal((await fetch(address + bobs)).status, 404);
});

test("a link that is forged or has expired reads nothing", async () => {
  const { url } = await link(TOKEN, "answer-of-alice", "");
  const [body, signature] = url.slice(url.indexOf("=") + 1).split(".");
  const theirs = encoded(["alice", "answer-of-bobby", now() + 60]);
  const forged = [`${body}.`, body, `${body}.${mac(body)}`, `${theirs}.${signature}`, `${theirs}.${mac(`holdfast read\n${theirs}`, "another secret")}`, `${body}.${signature}.${signature}`, jwt({ sub: "alice" }), "", "."];
  for (const read of forged) for (const id of ["answer-of-alice", "answer-of-bobby"]) assert.equal((await get(`/answers/${id}?read=${read}`)).status, 401, read);
  const past = encoded(["alice", "answer-of-alice", now() - 1]);
  await refused(await get(`/answers/answer-of-alice?read=${past}.${mac(`holdfast read\n${past}`)}`), 401, "token_expired");
  const never = encoded(["alice", "answer-of-alice"]);
  assert.equal((await get(`/answers/answer-of-alice?read=${never}.${mac(`holdfast read\n${never}`)}`)).status, 401);
});

test("a link's lifetime is bounded", async () => {
  for (const body of ['{"seconds": 0}', '{"seconds": 1e9}', '{"seconds": "60"}', '{"seconds": 1.5}', "[", "null"]) {
    await refused(await post(TOKEN, { path: "/answers/answer-of-alice/link", body }), 400, "invalid_request");
  }
});

test("a configuration of tokens that is wrong serves nobody", async () => {
  const hash = hashed(TOKEN);
  const cases = [
    [{ jwt: { audience: AUDIENCE } }, {}],
    [{ jwt: { audience: AUDIENCE } }, { HOLDFAST_JWT_SECRET: "short" }],
    [{ jwt: {} }, { HOLDFAST_JWT_SECRET: SECRET }],
    [{ jwt: { audience: AUDIENCE, secret: "x" } }, { HOLDFAST_JWT_SECRET: SECRET }],
    [{ tokens: { alice: { hash, limit: {} } } }, {}],
    [{ tokens: { alice: { hash, limits: { maxUsdPerDay: "5" } } } }, {}],
    [{ tokens: { alice: { hash, admin: "yes" } } }, {}],
    [{ tokens: { "a/b": hash } }, {}],
  ];
  for (const [config, more] of cases) {
    const gateway = await startGateway({ ...config, secrets: { ...KEYS, ...more } });
    const response = await fetch(`${gateway.address}/v1/models`, { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.equal(response.status, 500, JSON.stringify(config));
    await gateway.stop();
  }
});
