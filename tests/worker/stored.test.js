// What providers store under the gateway's key is only his whose request has made it.
import assert from "node:assert/strict";
import http from "node:http";
import { after, test } from "node:test";
import { createClient } from "../sdk/package.js";
import { Telling, toldBy } from "../../wasm/worker/named.js";
import { asking, hashed, log, startGateway, storageFolder, TOKEN } from "./gateway.js";
import { until } from "./until.js";

const BOB = "hf-token-of-bob";
const tokens = { alice: hashed(TOKEN), bob: hashed(BOB) };
const models = { gpt: [{ provider: "openai", model: "gpt-x" }] };
const storage = storageFolder();
const gateway = await startGateway({ tokens, models }, { storage });
const { address } = gateway;

const ask = (path, { token = TOKEN, method = "POST", headers = asking(), body, at = address } = {}) =>
  fetch(at + path, { method, headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers }, body: typeof body === "object" ? JSON.stringify(body) : body });
const statusOf = async (...args) => {
  const response = await ask(...args);
  await response.text();
  return response.status;
};
/** The data of a stream's events. */
const eventsOf = (text) => text.split("\n").filter((line) => /^data: *\{/.test(line)).map((line) => JSON.parse(line.slice(5)));

const RESPONSES = { model: "gpt-x", input: "Go" };

/** Ways to have something stored: how it is asked for, how its id is told, and where it then is. */
const ways = {
  "a response": ["/openai/v1/responses", RESPONSES, (text) => JSON.parse(text).id, "/openai/v1/responses/ID"],
  "a streamed response": ["/openai/v1/responses", { ...RESPONSES, stream: true }, (text) => eventsOf(text)[0].response.id, "/openai/v1/responses/ID"],
  "a response in the background": ["/openai/v1/responses", { ...RESPONSES, background: true, stream: true }, (text) => eventsOf(text)[0].response.id, "/openai/v1/responses/ID?stream=true"],
  "a response of xAI's that is not to be stored": ["/xai/v1/responses", { ...RESPONSES, store: false }, (text) => JSON.parse(text).id, "/xai/v1/responses/ID"],
  "a model's response": ["/v1/responses", { model: "gpt", input: "Go", stream: true }, (text) => eventsOf(text)[0].response.id, "/openai/v1/responses/ID"],
  "a deferred completion": ["/xai/v1/chat/completions", { model: "grok-x", deferred: true, messages: [{ role: "user", content: "Go" }] }, (text) => JSON.parse(text).request_id, "/xai/v1/chat/deferred-completion/ID"],
  "an interaction": ["/gemini/v1beta/interactions", { model: "gemini-x", input: "Go" }, (text) => JSON.parse(text).id, "/gemini/v1beta/interactions/ID"],
  "a streamed interaction": ["/gemini/v1beta/interactions", { model: "gemini-x", input: "Go", stream: true, background: true }, (text) => eventsOf(text)[0].interaction.id, "/gemini/v1beta/interactions/ID"],
};

for (const [name, [path, body, idOf, place]] of Object.entries(ways)) {
  test(`what a provider stores is its owner's alone: ${name}`, async () => {
    const made = await ask(path, { body });
    const text = await made.text();
    assert.equal(made.status, 200, text);
    const at = place.replace("ID", idOf(text));
    const theirs = { token: BOB, headers: asking() };
    const [own, query = ""] = at.split("?");
    await Promise.all([["", "GET"], ["", "DELETE"], ["/input_items", "GET"], ["/cancel", "POST"]].map(async ([more, method]) => {
      assert.equal(await statusOf(`${own}${more}${query && `?${query}`}`, { ...theirs, method }), 404, `${method} ${at}${more}`);
    }));
    assert.equal((await log(theirs.headers["x-sim-session"])).count, 0, "nobody was asked");
    assert.equal(await statusOf(at, { method: "GET" }), 200);
    if (!path.includes("chat")) assert.equal(await statusOf(own, { method: "DELETE" }), 200);
  });
}

/** An answer of Alice's: the ids of a response and of its items. */
async function answered() {
  const { id, output } = await (await ask("/openai/v1/responses", { body: RESPONSES, headers: asking({ text: "Yes.", requests: [{ reasoning: "Hm." }] }) })).json();
  return { id, items: output.map((item) => item.id) };
}

test("a stored answer can be gone on from by its owner, and by nobody else, however that is written", async () => {
  const { id, items } = await answered();
  assert.equal(items.length, 2);
  const reference = { type: "item_reference", id: items[0] };
  const bodies = [
    { previous_response_id: id }, { previousResponseId: id }, { Previous_Response_ID: id }, { previous_response_id: null, previousResponseId: id },
    { input: [reference, { role: "user", content: "And?" }] }, { input: [{ id: items[1] }] }, { input: { id: items[1] } }, { input: [{ type: null, id: items[1] }] }, { input: [{ type: "reasoning", id: items[0], summary: [] }] },
    { input: [{ type: "image_generation_call", id: items[0] }] }, { input: [{ type: "mcp_approval_response", approval_request_id: items[0], approve: true }] },
    { input: [{ type: "message", id: items[1] }] }, { input: [{ ...reference, role: "user" }] }, { input: [{ Type: "message", type: "item_reference", content: "x", id: items[1] }] },
  ];
  const paths = ["/openai/v1/responses", "/v1/responses", "/openai/v1/responses/input_tokens", "/answers/openai/v1/responses", "/answers"];
  await Promise.all(bodies.flatMap((more) => paths.map(async (path) => {
    const body = { ...RESPONSES, model: path.includes("openai") ? "gpt-x" : "gpt", ...more };
    const headers = asking();
    const response = await ask(path, { token: BOB, body, headers });
    const { error } = await response.json();
    assert.deepEqual([response.status, error.code], Object.keys(more).some((name) => /^previous/i.test(name)) ? [400, "previous_response_not_found"] : [404, "not_found"], `${path} ${JSON.stringify(more)}`);
    assert.equal((await log(headers["x-sim-session"])).count, 0);
    const own = await ask(path, { body });
    assert.doesNotMatch(await own.text(), /this token/, `${path} ${JSON.stringify(more)}`);
  })));
  assert.equal(await statusOf("/openai/v1/responses", { body: { ...RESPONSES, previous_response_id: id } }), 200);
  assert.equal(await statusOf("/openai/v1/responses", { body: { ...RESPONSES, input: [reference] } }), 200);
});

test("a durable answer tells its owner under which id it is stored", async () => {
  const made = await ask("/answers/openai/v1/responses", { body: RESPONSES });
  const { id } = await made.json();
  let last;
  await until(5000, async () => (last = (await (await ask(`/answers/${id}`, { method: "GET" })).json()).at(-1))?.type === "done");
  const body = { ...RESPONSES, previous_response_id: last.result.id };
  assert.match(body.previous_response_id, /^resp_/);
  assert.deepEqual(await Promise.all([TOKEN, BOB].map((token) => statusOf("/openai/v1/responses", { token, body }))), [200, 400]);
});

test("items of a stream are their owner's as well, of a stream that was mended too", async () => {
  const asked = [["/openai/v1/responses", {}], ["/xai/v1/responses", {}], ["/openai/v1/responses", {}, { requests: [{ reasoning: "Hm.", endAfterWords: 3, end: "reset" }, {}] }]];
  for (const [path, more, script = { text: "Yes.", requests: [{ reasoning: "Hm." }] }] of asked) {
    const text = await (await ask(path, { body: { ...RESPONSES, ...more, stream: true }, headers: asking(script) })).text();
    const ids = eventsOf(text).flatMap(({ type, item }) => (type === "response.output_item.added" ? [item.id] : []));
    assert.ok(ids.length >= 2, `${path}: ${text}`);
    for (const [token, wanted] of [[TOKEN, 200], [BOB, 404]]) {
      const body = { ...RESPONSES, ...more, input: ids.map((id) => ({ type: "item_reference", id })) };
      assert.equal(await statusOf(path, { token, body }), wanted, path);
    }
  }
});

test("items that bring all that they are pass, whoever has made them", async () => {
  const whole = [
    { type: "message", role: "assistant", id: "msg_1", content: [{ type: "output_text", text: "Yes." }] }, { role: "user", content: "Go", id: "x" }, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
    { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "{}" }, { type: "function_call_output", id: "o", call_id: "c", output: "1" },
  ];
  assert.equal(await statusOf("/openai/v1/responses", { token: BOB, body: { ...RESPONSES, input: whole, previous_response_id: null, metadata: { container: "box", id: "1" } } }), 200);
});

test("what is stored and nobody can be shown to have made is refused among several owners", async () => {
  const chat = { model: "gpt-x", messages: [{ role: "user", content: "Go" }] };
  const refused = [
    ["/openai/v1/responses", { ...RESPONSES, conversation: "conv_1" }, 400], ["/openai/v1/responses", { ...RESPONSES, conversation: { id: "conv_1" } }, 400], ["/openai/v1/responses", { ...RESPONSES, previous_response_id: ["resp_1"] }, 400],
    ["/openai/v1/chat/completions", { ...chat, messages: [{ role: "assistant", audio: { id: "audio_1" } }] }, 400],
    ["/openai/v1/responses", { ...RESPONSES, tools: [{ type: "code_interpreter", container: "cntr_1" }] }, 404], ["/openai/v1/responses", { ...RESPONSES, tools: [{ type: "shell", environment: { type: "container_reference", container_id: "cntr_1" } }] }, 404],
    ["/openai/v1/responses", { ...RESPONSES, container: ["cntr_1"] }, 400],
    ...["env_1", { type: "remote", environment_id: "env_1" }, { env_id: "env_1" }].map((environment) => ["/gemini/v1beta/interactions", { agent: "a", input: "Go", environment }, 404]),
    ["/anthropic/v1/messages", { ...chat, max_tokens: 9, container: "container_1" }, 404], ["/anthropic/v1/messages", { ...chat, max_tokens: 9, container: { id: "container_1", skills: [] } }, 404],
    ["/openai/v1/responses", '{"model":"gpt-x","input":[{"type":"item_reference","id":"rs_1","id":"rs_2"}]}', 400],
    ["/openai/v1/responses", '{"model":"gpt-x","input":[{"a":1},{"type":"item_reference","id":"rs_1","\\u0069d":"rs_2"}]}', 400],
  ];
  await Promise.all(refused.map(async ([path, body, status]) => assert.equal(await statusOf(path, { body }), status, JSON.stringify(body))));
  const passing = [["/openai/v1/responses", { ...RESPONSES, tools: [{ type: "code_interpreter", container: { type: "auto" } }] }], ["/openai/v1/responses", { ...RESPONSES, conversation: null }],
    ...["remote", { type: "remote", sources: [] }].map((environment) => ["/gemini/v1beta/interactions", { model: "gemini-x", input: "Go", environment }]),
    ["/anthropic/v1/messages", { ...chat, max_tokens: 9, container: { skills: [] } }]];
  for (const [path, body] of passing) assert.equal(await statusOf(path, { body }), 200, JSON.stringify(body));
});

test("with one owner nothing is asked, and nothing refused", async () => {
  const seen = [];
  const upstream = http.createServer((request, response) => {
    seen.push(request.url);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "resp_1", object: "response", status: "completed", model: "m", output: [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Yes.", annotations: [] }] }] }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => upstream.once("listening", resolve));
  after(() => upstream.close().closeAllConnections());
  const one = await startGateway({ providers: { openai: { baseURL: `http://127.0.0.1:${upstream.address().port}` } } }, { main: "storeless.js" });
  assert.equal(await statusOf("/openai/v1/responses/resp_of_before", { method: "GET", at: one.address }), 200);
  for (const more of [{ conversation: "conv_1" }, { previous_response_id: "resp_of_before" }, {}]) assert.equal(await statusOf("/openai/v1/responses", { body: { ...RESPONSES, ...more }, at: one.address }), 200);
  assert.equal(seen.length, 4);
  await one.stop();
  // Several owners, and nobody who knows what is whose: nothing is shown.
  const many = await startGateway({ tokens, providers: { openai: { baseURL: `http://127.0.0.1:${upstream.address().port}` } } }, { main: "storeless.js" });
  assert.equal(await statusOf("/openai/v1/responses", { body: RESPONSES, at: many.address }), 200);
  assert.equal(await statusOf("/openai/v1/responses/resp_1", { method: "GET", at: many.address }), 503);
  assert.equal(await statusOf("/openai/v1/responses", { body: { ...RESPONSES, previous_response_id: "resp_1" }, at: many.address }), 503);
  assert.equal(seen.length, 5);
  await many.stop();
});

test("whose it is outlives the gateway's process", async () => {
  const { id } = await answered();
  const port = Number(new URL(address).port);
  await gateway.stop();
  await startGateway({ tokens, models }, { storage, port });
  const get = (token) => ask(`/openai/v1/responses/${id}`, { method: "GET", token }).catch(() => ask(`/openai/v1/responses/${id}`, { method: "GET", token })); // on a new connection
  assert.deepEqual([(await get(TOKEN)).status, (await get(BOB)).status], [200, 404]);
});

test("the library resumes what its owner has in a provider's background, and stops it", async () => {
  const text = Array.from({ length: 30 }, (_, i) => `word${i}`).join(" ");
  // The way to the provider is whole: it is the gateway's client that goes away and comes back.
  for (const [provider, path, body] of [["openai", "/v1/responses", RESPONSES], ["gemini", "/v1beta/interactions", { model: "gemini-x", input: "Go" }]]) {
    let cut = true;
    /** Loses the first stream after a few events. */
    const lossy = async (url, init) => {
      const response = await fetch(url, init);
      if (!cut || !/event-stream/.test(response.headers.get("content-type"))) return response;
      cut = false;
      let left = 6;
      const breaking = new TransformStream({ transform: (chunk, controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.error(new TypeError("lost"))) });
      return new Response(response.body.pipeThrough(breaking), response);
    };
    const client = await createClient({ provider, baseURL: `${address}/${provider}`, token: TOKEN, breaker: false, throttle: false, fetch: lossy, policy: { background: { backoffBaseMs: 1, backoffCapMs: 2 } } });
    const headers = asking({ text, requests: [{ gapMs: 10 }] });
    const result = await client.stream(path, { ...body, background: true }, { background: true, headers }).result;
    assert.deepEqual([result.status, result.text, result.attempts.map(({ kind }) => kind)], ["complete", text, ["first", "resume"]], JSON.stringify(result.error));
    client.close();
  }
});

test("a key by which a provider may remember an answer is its owner's own", async () => {
  const seen = [];
  const upstream = http.createServer((request, response) => {
    seen.push(request.headers["idempotency-key"]);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => upstream.once("listening", resolve));
  after(() => upstream.close().closeAllConnections());
  const providers = { openai: { baseURL: `http://127.0.0.1:${upstream.address().port}` } };
  const asked = async (at, token) => {
    await statusOf("/openai/v1/moderations", { at, token, body: { input: "Go" }, headers: { "idempotency-key": "one" } });
    return seen.at(-1);
  };
  const [one, many] = [await startGateway({ providers }), await startGateway({ tokens, providers })];
  assert.equal(await asked(one.address, TOKEN), "one");
  const [alice, bob, again] = [await asked(many.address, TOKEN), await asked(many.address, BOB), await asked(many.address, TOKEN)];
  assert.match(alice, /^[0-9a-f]{64}$/);
  assert.equal(again, alice);
  assert.notEqual(bob, alice);
  await Promise.all([one.stop(), many.stop()]);
});

test("what a client makes a response repeat does not become his", () => {
  assert.deepEqual(toldBy({ id: "resp_1", previous_response_id: "resp_2", metadata: { id: "resp_3", response: { id: "resp_4" } }, tools: [{ container: "cntr_5" }], output: [{ id: "msg_6", content: [{ id: "x" }] }, { id: "ci_7", container_id: "cntr_8" }] }), ["resp_1", "msg_6", "ci_7", "cntr_8"]);
  assert.deepEqual(toldBy({ type: "response.created", response: { id: "resp_1", previous_response_id: "resp_2", metadata: { id: "resp_3" }, conversation: { id: "conv_4" } } }), ["resp_1"]);
  assert.deepEqual(toldBy({ event_type: "interaction.completed", interaction: { id: "v1_1", environment_id: "env_2", environment: "env_3", previous_interaction_id: "v1_4" } }), ["v1_1", "env_2"]);
  assert.deepEqual(toldBy({ type: "response.output_text.delta", item_id: "msg_1", delta: 'data: {"id": "resp_2"}' }), []);
});

test("ids are found however a stream is cut into chunks, and only where they can be", () => {
  const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const delta = (text) => event("response.output_text.delta", { item_id: "msg_x", delta: text });
  const stream = [
    ": hello\n\n", event("response.created", { response: { id: "resp_1", output: [], metadata: { id: "resp_no" } } }), event("response.in_progress", { response: { id: "resp_1" } }),
    event("response.output_item.added", { item: { type: "reasoning", id: "rs_1", summary: [] } }), delta("é\u2028 data: {"), delta('"id": "resp_no"'), delta("event: response.output_item.added"),
    event("response.output_item.added", { item: { type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1" } }), delta("x".repeat(5000)), event("response.completed", { response: { id: "resp_1", output: [] } }),
  ].join("");
  const bytes = new TextEncoder().encode(stream);
  const read = (...sizes) => {
    const found = [];
    const telling = new Telling((ids) => found.push(...ids), true, 1 << 20);
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const size = sizes[n % sizes.length];
      const chunk = bytes.slice(at, at + size);
      telling.take(chunk);
      chunk.fill(0); // it is another's
      at += size;
    }
    telling.end();
    return found;
  };
  const all = ["resp_1", "rs_1", "ci_1", "cntr_1"];
  for (const sizes of [[bytes.length], [1], [2], [7], [64], [1, 300], [4000, 3]]) assert.deepEqual(read(...sizes), all, String(sizes));
  const found = [];
  const others = new Telling((ids) => found.push(...ids), true, 1 << 20);
  const late = "event: content_block_delta\ndata: {}\n\n".repeat(9); // behind the first events
  others.take(new TextEncoder().encode(`${late}event: message_delta\ndata: {"delta":{"container":{"id":"container_1"}}}\n\nevent: interaction.completed\ndata: {"interaction":{"id":"v1_1","environment_id":"env_1"}}\n\n`));
  assert.deepEqual(found, ["container_1", "v1_1", "env_1"]);
  const whole = (text, most = 1000) => {
    const found = [];
    const telling = new Telling((ids) => found.push(...ids), false, most);
    for (const byte of new TextEncoder().encode(text)) telling.take(Uint8Array.of(byte));
    telling.end();
    return found;
  };
  assert.deepEqual(whole('{"id": "resp_1"}\n'), ["resp_1"]);
  for (const text of ["", "null", "[]", "1", '{"id": 1}', '{"id": "resp_1"', "{}"]) assert.deepEqual(whole(text), [], text);
  assert.deepEqual(whole('{"id": "resp_1"}', 10), []);
});
