// Objects that are lost, slow or out of room: what was asked is neither lost nor paid for, and who asks again is answered.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import http from "node:http";
import { test } from "node:test";
import { createClient } from "../sdk/package.js";
import { asking, hashed, log, startGateway, TOKEN } from "./gateway.js";
import { Reader } from "./reader.js";
import { until, wait } from "./until.js";

const LIMITED = "hf-token-of-bob";
const tokens = { alice: hashed(TOKEN), bob: { hash: hashed(LIMITED), limits: { concurrent: 2, maxUsd: 50 } } };
const { address } = await startGateway({ tokens, streams: true }, { main: "failing.js" });

const ask = (path, { token = TOKEN, headers, ...init } = {}) =>
  fetch(address + path, { ...init, headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers } });
const fault = async (faults) => assert.equal((await ask("/faults", { method: "POST", body: JSON.stringify(faults) })).status, 204);
const report = async () => (await ask("/ledger/bob")).json();

const PATH = "/openai/v1/chat/completions";
const BODY = { model: "gpt-x", messages: [{ role: "user", content: "Go" }] };
const words = (n) => Array.from({ length: n }, (_, i) => `word${i}`).join(" ");
const begin = (script, { id = randomUUID(), ...more } = {}) => ask(`/answers${PATH}`, { method: "POST", body: JSON.stringify(BODY), headers: { ...script, "idempotency-key": id }, ...more });
const reader = (id) => new Reader(ask, id);

test("an object that is lost while it is asked: 503, and who asks again is answered", async () => {
  const id = randomUUID();
  for (const [path, init] of [["", { method: "GET" }], ["/cancel", { method: "POST" }], ["", { method: "DELETE" }]]) {
    await fault({ lost: 1 });
    const response = await ask(`/answers/${id}${path}`, init);
    assert.deepEqual([response.status, response.headers.get("x-should-retry"), (await response.json()).error.code], [503, null, "storage_unavailable"]);
    assert.equal((await ask(`/answers/${id}${path}`, init)).status, 404);
  }
  const client = await createClient({ provider: "openai", baseURL: address, token: TOKEN, breaker: false, throttle: false, policy: { interactive: { backoffBaseMs: 20, backoffCapMs: 100 } } });
  const text = words(60);
  const headers = asking({ text, requests: [{ gapMs: 10 }] });
  await fault({ lost: 1 });
  const answer = client.stream(PATH, BODY, { durable: true, headers, onDelta() {} });
  await until(5000, () => answer.partial !== "");
  answer.leave();
  await fault({ lost: 2 });
  const result = await client.resumeAnswer(answer.id, answer.offset, { text: answer.partial }).result;
  assert.deepEqual([result.status, result.text, (await log(headers["x-sim-session"])).count], ["complete", text, 1]);
  client.close();
});

/** Sends a request, and leaves before it is answered. */
async function leave(path, body, headers) {
  const request = http.request(address + path, { method: "POST", headers: { authorization: `Bearer ${LIMITED}`, "content-type": "application/json", ...headers } });
  request.on("error", () => {});
  request.on("response", ({ statusCode }) => assert.fail(`answered at once: ${statusCode}`));
  request.end(JSON.stringify(body));
  await wait(150);
  request.socket.resetAndDestroy();
}

test("a client that leaves while its money is set aside holds nothing, and nobody is asked", async () => {
  await fault({ slowMs: 500 });
  const headers = asking({ text: "Hi" });
  for (let n = 0; n < 2; n++) await leave(PATH, BODY, headers);
  await until(2000, async () => (await report()).all.requests === 2);
  const { all, concurrent, held } = await report();
  assert.deepEqual([all.ticks, concurrent, held, (await log(headers["x-sim-session"])).count], [0, 0, 0, 0]);
  await fault({});
});

test("a client that leaves while its answer is begun finds it", async () => {
  const before = (await report()).all.requests;
  const id = randomUUID();
  await fault({ slowMs: 500 });
  const headers = asking({ text: "Hi" });
  await leave(`/answers${PATH}`, BODY, { ...headers, "idempotency-key": id });
  await until(1000, async () => (await log(headers["x-sim-session"])).count === 1); // nobody else calls the object
  await fault({});
  const answer = new Reader((path, init) => ask(path, { ...init, token: LIMITED }), id);
  await answer.follow();
  assert.deepEqual([answer.result.status, answer.text], ["complete", "Hi"]);
  await until(2000, async () => (await report()).concurrent === 0);
  assert.equal((await report()).all.requests, before + 1);
});

test("the same question while the first one is begun sets nothing aside of its own", async () => {
  const before = (await report()).all.requests;
  const id = randomUUID();
  const post = () => ask(`/answers${PATH}`, { method: "POST", token: LIMITED, headers: { ...asking({ text: "Hi" }), "idempotency-key": id }, body: JSON.stringify(BODY) });
  await fault({ slowMs: 700 });
  const first = post();
  await wait(200);
  await fault({});
  assert.deepEqual([(await post()).status, (await first).status].sort(), [200, 201]);
  await until(2000, async () => (await report()).concurrent === 0);
  assert.equal((await report()).all.requests, before + 1);
});

test("an answer for which there is no room is refused, and costs nothing", async () => {
  const before = (await report()).all;
  const id = randomUUID();
  await fault({ full: true });
  const refused = await begin(asking({ text: "Hi" }), { id, token: LIMITED, headers: { "idempotency-key": id } });
  assert.deepEqual([refused.status, (await refused.json()).error.code], [503, "storage_unavailable"]);
  const { all, held, concurrent } = await report();
  assert.deepEqual([all.requests, all.ticks, held, concurrent], [before.requests + 1, before.ticks, 0, 0]);
  await fault({});
  assert.equal((await ask(`/answers/${id}`, { token: LIMITED })).status, 404);
});

test("options that the program refuses refuse an answer as they do any request", async () => {
  const there = await startGateway({ policy: { idleMs: "long" } });
  for (const path of [PATH, `/answers${PATH}`]) {
    const response = await fetch(there.address + path, { method: "POST", headers: { authorization: `Bearer ${TOKEN}` }, body: JSON.stringify(BODY) });
    assert.deepEqual([response.status, (await response.json()).error.code], [500, "internal_error"], path);
  }
  await there.stop();
});

test("room that runs out: no cancel is said to be done, a deletion is, and the answer goes on when there is room again", { timeout: 60_000 }, async () => {
  const text = words(200);
  const script = () => asking({ text, requests: [{ gapMs: 10 }], continuations: [{}] });
  const [kept, deleted] = [randomUUID(), randomUUID()];
  for (const id of [kept, deleted]) assert.equal((await begin(script(), { id })).status, 201);
  await until(3000, async () => (await reader(kept).catchUp()).text !== "" && (await reader(deleted).catchUp()).text !== "");
  await fault({ full: true });
  assert.equal((await ask(`/answers/${kept}/cancel`, { method: "POST" })).status, 503);
  assert.equal((await ask(`/answers/${deleted}`, { method: "DELETE" })).status, 204);
  await fault({});
  const answer = reader(kept);
  await answer.follow();
  assert.deepEqual([answer.result.status, answer.text], ["complete", text]);
  assert.equal((await ask(`/answers/${deleted}`)).status, 404);
});

test("a message that is larger than a row is read as it was written", { timeout: 60_000 }, async () => {
  const text = "🐚海".repeat(700_000);
  const chunk = (delta, finish = null) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const thoughts = Array.from({ length: 40 }, () => chunk({ reasoning_content: "hm ".repeat(20_000) })).join("");
  let asked = 0;
  const upstream = http.createServer((request, response) => {
    asked++;
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`${thoughts}${chunk({ content: text })}${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  await new Promise((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const there = await startGateway({ providers: { openai: { baseURL: `http://127.0.0.1:${upstream.address().port}` } } }, { main: "failing.js" });
  const get = (path, init = {}) => fetch(there.address + path, { ...init, headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...init.headers } });
  const { id } = await (await get(`/answers${PATH}`, { method: "POST", body: JSON.stringify(BODY) })).json();
  const answer = new Reader(get, id);
  await answer.follow();
  assert.deepEqual([answer.result.status, answer.text === text, answer.result.reasoning.length, asked], ["complete", true, 2_400_000, 1]);
  await there.stop();
  upstream.close();

  const message = JSON.stringify({ text });
  assert.equal((await ask("/streams/long", { method: "PUT", body: `[1,${message},2]` })).status, 201);
  const bodies = [];
  for (let offset = "-1", n = 0; n < 3; n++) {
    const read = await ask(`/streams/long?offset=${offset}`);
    bodies.push(await read.text());
    offset = read.headers.get("stream-next-offset");
  }
  assert.deepEqual([bodies[0], bodies[1] === `[${message}]`, bodies[2]], ["[1]", true, "[2]"]);
});
