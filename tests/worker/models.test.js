// Names of models for chains of targets: asked in OpenAI's forms, answered by any provider.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answer } from "../sdk/provider.js";
import { acting, log, provider, startGateway, TOKEN } from "./gateway.js";

const down = { error: "overloaded" };
const { address } = await startGateway({
  policy: { idleMs: 4000, interactive: { attempts: 1, continues: 0 } },
  models: {
    "gpt": [{ provider: "openai", model: "gpt-x" }],
    "claude": [{ provider: "anthropic", model: "claude-x" }],
    "gemini": [{ provider: "gemini", model: "gemini-x" }],
    "gloo": [{ provider: "gloo", model: "gloo-x" }],
    "grok": [{ provider: "xai", model: "grok-x" }],
    "claude-then-gpt": [acting("anthropic", "claude-x", down), { provider: "openai", model: "gpt-x" }],
    "gpt-cut-then-claude": [acting("openai", "gpt-x", { requests: [{ endAfterWords: 8, end: "reset" }] }), { provider: "anthropic", model: "claude-x" }],
    "claude-cut-then-gemini": [acting("anthropic", "claude-x", { requests: [{ endAfterWords: 8, end: "reset" }] }), { provider: "gemini", model: "gemini-x" }],
    "down": [acting("openai", "gpt-x", down), acting("gemini", "gemini-x", down)],
    "gone": [acting("anthropic", "claude-x", { beforeHeaders: true, end: "reset" })],
    "long": [acting("anthropic", "claude-x", { error: "context_length" }), { provider: "openai", model: "gpt-x" }],
    "of/everywhere": [{ provider: "openai", model: "海" }],
    "refusing": [acting("openai", "gpt-x", "refusal"), { provider: "anthropic", model: "claude-x" }],
  },
});

const post = (path, body, headers) =>
  fetch(`${address}${path}`, {
    method: "POST", body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
  });
const messages = [{ role: "user", content: "Say it in one sentence" }];
const facts = ({ headers }) => Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-holdfast-")).map(([name, value]) => [name.slice(11), value]));

/** What stands in a stream of either form. */
async function textOf(response) {
  let text = "";
  for (const event of (await response.text()).trim().split("\n\n")) {
    const data = event.split("\n").find((line) => line.startsWith("data: ") && line !== "data: [DONE]");
    const { choices, type, delta, error, response: whole } = data ? JSON.parse(data.slice(6)) : {};
    assert.equal(error ?? whole?.error ?? null, null);
    text += choices?.[0]?.delta.content ?? (type === "response.output_text.delta" ? delta : "");
  }
  return text;
}

for (const model of ["gpt", "claude", "gemini", "gloo", "grok"]) {
  test(`${model}: chat and responses, streamed and whole`, async () => {
    const chat = await post("/v1/chat/completions", { model, messages, stream: true });
    assert.match(chat.headers.get("content-type"), /^text\/event-stream/);
    assert.equal(await textOf(chat), answer);
    const responses = await post("/v1/responses", { model, input: messages[0].content, stream: true });
    assert.equal(await textOf(responses), answer);
    const whole = await post("/v1/chat/completions", { model, messages });
    assert.match(whole.headers.get("content-type"), /^application\/json/);
    assert.equal((await whole.json()).choices[0].message.content, answer);
    const document = await (await post("/v1/responses", { model, input: messages[0].content })).json();
    assert.equal(document.output.at(-1).content[0].text, answer);
  });
}

test("embeddings of those who have them, and a clear answer of those who have not", async () => {
  for (const model of ["gpt", "gemini", "gloo", "grok"]) {
    const response = await post("/v1/embeddings", { model, input: ["one", "two words"], encoding_format: "float" });
    assert.equal(response.status, 200, model);
    assert.equal((await response.json()).data[1].embedding[0], 0.5);
  }
  const response = await post("/v1/embeddings", { model: "claude", input: "one" });
  assert.equal(response.status, 400);
  assert.equal((await response.json()).error.code, "not_supported");
});

test("the headers say who served, after how many attempts", async () => {
  const response = await post("/v1/chat/completions", { model: "claude-then-gpt", messages });
  assert.equal((await response.json()).choices[0].message.content, answer);
  const { served, attempts, "waited-ms": waited, "request-ids": ids } = facts(response);
  assert.deepEqual({ served, attempts, waited }, { served: "openai/gpt-x", attempts: "2", waited: "0" });
  assert.match(ids, /^req_\w+, req_\w+$/);
});

test("a header says what the target that served could not be told", async () => {
  const asked = { messages, seed: 7, logprobs: true };
  const [own, other] = [await post("/v1/chat/completions", { model: "gpt", ...asked }), await post("/v1/chat/completions", { model: "claude", ...asked })];
  assert.equal(facts(own).dropped, undefined);
  assert.deepEqual(facts(other).dropped.split(", ").sort(), ["/logprobs", "/seed"]);
});

for (const model of ["gpt-cut-then-claude", "claude-cut-then-gemini"]) {
  for (const path of ["/v1/chat/completions", "/v1/responses"]) {
    test(`${model}: an answer goes on elsewhere in mid-sentence, ${path}`, async () => {
      const body = { model, stream: true, messages, input: messages[0].content };
      delete body[path.endsWith("responses") ? "messages" : "input"];
      assert.equal(await textOf(await post(path, body)), answer);
    });
  }
}

test("a request names its own chain, in a header or in its body", async () => {
  for (const [body, headers] of [[{ model: "whatever" }, { "x-holdfast-models": "down, gemini" }], [{ models: ["down", "gemini"] }, {}]]) {
    const response = await post("/v1/chat/completions", { ...body, messages }, headers);
    assert.equal((await response.json()).choices[0].message.content, answer);
    assert.equal(facts(response).served, "gemini/gemini-x");
    assert.equal(facts(response).attempts, "3");
  }
});

test("what is listed in the body stands behind its model, and the paths work without /v1", async () => {
  for (const path of ["/v1/chat/completions", "/chat/completions"]) {
    const response = await post(path, { model: "down", models: ["gemini"], messages });
    assert.deepEqual([facts(response).served, facts(response).attempts], ["gemini/gemini-x", "3"]);
  }
  const named = await post("/v1/chat/completions", { model: "down", messages }, { "x-holdfast-models": "gemini" });
  assert.deepEqual([facts(named).served, facts(named).attempts], ["gemini/gemini-x", "3"]);
});

test("all else in a body keeps its bytes", async () => {
  const session = `worker-bytes-${process.pid}`;
  const own = await startGateway({ models: { own: [acting("openai", "gpt-x", {}, { headers: { "x-sim-session": session } })] } });
  const body = '{"model": "own", "models": ["own"], "seed": 12345678901234567890, "temperature": 1.0, "messages": [{"role": "user", "content": "Hi"}]}';
  const response = await fetch(`${own.address}/v1/chat/completions`, { method: "POST", headers: { authorization: `Bearer ${TOKEN}` }, body });
  assert.equal(response.status, 200);
  const seen = await (await fetch(`${provider}/sim/log?session=${session}`)).text();
  assert.match(seen, /"seed":12345678901234567890\b/);
  assert.match(seen, /"temperature":1\.0\b/);
  assert.doesNotMatch(seen, /"models"/);
});

test("the target that was meant gets all that was written for it; what is stored is asked of nobody else", async () => {
  const session = `worker-meant-${process.pid}`;
  const heard = { headers: { "x-sim-session": session } };
  const own = await startGateway({ models: { gpt: [acting("openai", "gpt-x", {}, heard)], grok: [acting("xai", "grok-x", {}, heard)], claude: [acting("anthropic", "claude-x", {}, heard)] } });
  const ask = (path, body) => fetch(`${own.address}${path}`, { method: "POST", headers: { authorization: `Bearer ${TOKEN}` }, body: JSON.stringify(body) });
  const seen = async () => (await log(session)).requests.at(-1).body;
  const more = { input: [{ type: "function_call_output", call_id: "call_1", output: "42" }], previous_response_id: "resp_1", reasoning: { effort: "low" } };
  assert.equal((await ask("/v1/responses", { model: "gpt", ...more })).status, 200);
  assert.deepEqual(await seen(), { model: "gpt-x", ...more });
  for (const [model, served] of [["gpt", "gpt-x"], ["grok", "grok-x"]]) {
    assert.equal((await ask("/v1/chat/completions", { model, messages, reasoning_effort: "low", logprobs: true })).status, 200);
    assert.deepEqual(await seen(), { model: served, messages, reasoning_effort: "low", logprobs: true });
  }
  assert.equal((await ask("/v1/responses", { model: "claude", ...more })).status, 400);
  assert.equal((await seen()).model, "grok-x");
});

test("a native request names what stands behind it", async () => {
  const { "x-sim": script, "x-sim-session": session } = acting("", "", down).headers;
  const headers = { "x-sim": script, "x-sim-session": session, "x-holdfast-models": "gemini", "x-api-key": TOKEN, authorization: "" };
  const response = await post("/anthropic/v1/messages", { model: "claude-x", max_tokens: 100, messages }, headers);
  assert.equal((await response.json()).content[0].text, answer);
  assert.equal(facts(response).served, "gemini/gemini-x");
});

test("errors come in the form that was asked", async () => {
  const long = await post("/v1/chat/completions", { model: "long", messages });
  assert.equal(long.status, 400);
  assert.equal((await long.json()).error.code, "context_length_exceeded");
  const failed = await post("/v1/chat/completions", { model: "down", messages, stream: true });
  assert.equal(failed.status >= 500, true);
  assert.equal(failed.headers.get("x-should-retry"), "false");
  assert.equal(typeof (await failed.json()).error.message, "string");
  const gone = await post("/v1/chat/completions", { model: "gone", messages, stream: true });
  assert.equal(gone.status, 502);
  assert.equal((await gone.json()).error.code, "transport");
  assert.deepEqual([facts(gone).served, facts(gone).attempts], ["anthropic/claude-x", "1"]);
  const none = await post("/v1/responses", { model: "none", input: "x" });
  assert.equal(none.status, 404);
  assert.equal((await none.json()).error.code, "model_not_found");
  for (const body of ["", "[]", "{", "null", '"x"']) assert.equal((await post("/v1/chat/completions", body)).status, 400);
  for (const model of [undefined, null, 7, { a: 1 }]) assert.equal((await post("/v1/chat/completions", { model, messages })).status, 400);
  for (const models of [[], "gpt", Array(9).fill("gpt"), [7]]) assert.equal((await post("/v1/chat/completions", { models, messages })).status >= 400, true);
  const several = (model) => post("/v1/chat/completions", { model, messages, stream: true, n: 2 });
  assert.deepEqual([(await several("gpt")).status, (await several("claude")).status], [200, 400]);
});

test("a refusal is no reason to ask somebody else", async () => {
  const response = await post("/v1/chat/completions", { model: "refusing", messages });
  assert.match((await response.json()).choices[0].message.refusal, /^I am sorry/);
  assert.equal(facts(response).served, "openai/gpt-x");
});

test("a stream tells its usage to those who ask for it, and to nobody else", async () => {
  for (const model of ["gpt", "claude"]) {
    const lines = (body) => post("/v1/chat/completions", { model, messages, stream: true, ...body }).then((response) => response.text());
    assert.doesNotMatch(await lines({}), /"choices":\[\]/, model);
    assert.match(await lines({ stream_options: { include_usage: true } }), /"choices":\[\].*"completion_tokens":\d/, model);
  }
});

test("the names that there are", async () => {
  const get = (path) => fetch(address + path, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { data } = await (await get("/v1/models")).json();
  for (const id of ["claude-then-gpt", "of/everywhere"]) {
    const model = data.find((one) => one.id === id);
    assert.equal(model.object, "model");
    assert.deepEqual(await (await get(`/v1/models/${encodeURIComponent(id)}`)).json(), model);
  }
  const unknown = await get("/models/nobody");
  assert.deepEqual([unknown.status, (await unknown.json()).error.code], [404, "model_not_found"]);
});

test("a model's name may be in any script", async () => {
  const response = await post("/v1/chat/completions", { model: "of/everywhere", messages });
  assert.deepEqual([response.status, response.headers.get("x-holdfast-served")], [200, "openai/%E6%B5%B7"]);
});
