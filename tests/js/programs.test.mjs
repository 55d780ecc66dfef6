// The lean program and the full one: which is loaded when, and what a client takes along from one to the other.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { afterEach } from "node:test";
import { failing, json, world } from "./hosts.mjs";
import { createClient, folder, program, unload } from "./holdfast.mjs";

const CHAT = "/v1/chat/completions";
const URL_ = `https://api.openai.com${CHAT}`;
const HOST = "api.openai.com";
const body = { model: "gpt-5", max_completion_tokens: 100, messages: [{ role: "user", content: "Hi" }] };
const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
const fine = json(200, { id: "c1", model: "gpt-5", choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }], usage });
const COST = 0.00325;
const once = { policy: { interactive: { attempts: 1 } } };

afterEach(unload);

async function clientOf(answers, options) {
  const { state, options: host } = world({ [HOST]: answers });
  const client = await createClient({ provider: "openai", apiKey: "k", ...host, ...options });
  const ask = () => client.request(CHAT, body).catch((error) => error);
  const viaFetch = () => client.fetch(URL_, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return { client, state, ask, viaFetch };
}

/** The kind of program that runs. */
const kind = () => (program.current(true) ? "full" : program.current() ? "lean" : "none");

/** An answer that comes when the test says so. */
function later() {
  let give;
  const given = new Promise((resolve) => (give = resolve));
  return { answer: () => given.then((answer) => answer()), give: (answer) => give(answer) };
}

test("requests and answers need the lean program alone", async () => {
  const { client, ask } = await clientOf([fine]);
  assert.equal((await ask()).data.id, "c1");
  await client.stream(CHAT, body).result;
  await client.health();
  assert.equal(kind(), "lean");
});

for (const [what, options] of [
  ["targets", { targets: [{ provider: "anthropic", apiKey: "k" }] }],
  ["full: true", { full: true }],
]) {
  test(`${what}: the full program from the start`, async () => {
    const { ask } = await clientOf([fine], options);
    assert.equal(kind(), "full");
    assert.equal((await ask()).data.id, "c1");
  });
}

test("a list of no targets is none", async () => {
  const { ask } = await clientOf([fine], { targets: [] });
  assert.equal((await ask()).data.id, "c1");
  assert.equal(kind(), "lean");
});

test("fetch brings the full program, for all clients, and each takes along what it has learned", async () => {
  const { client, ask, viaFetch } = await clientOf([fine]);
  const other = await clientOf([failing.overloaded], once);
  await ask();
  for (let i = 0; i < 5; i++) assert.equal((await other.ask()).code, "overloaded");
  assert.equal((await client.health()).spend.spentUsd, COST);

  assert.equal(await (await viaFetch()).text(), await fine().text());
  assert.equal(kind(), "full");
  assert.equal((await client.health()).spend.spentUsd, 2 * COST);
  assert.equal((await client.health()).spend.attempts, 2);
  assert.equal((await other.ask()).code, "circuit_open", "its breaker is open there as well");
  assert.equal(other.state.requests.length, 5);
});

test("two that need it at once share the load, and one that only needs the lean one takes what there is", async () => {
  const [a, b, c] = await Promise.all([clientOf([fine], { full: true }), clientOf([fine], { full: true }), clientOf([fine])]);
  for (const { ask } of [a, b, c]) assert.equal((await ask()).data.id, "c1");
  assert.equal(kind(), "full");
});

test("a call that is open in the lean program ends there, and what it learns follows", async () => {
  const [first, second] = [later(), later()];
  const { client, ask, viaFetch } = await clientOf([first.answer, fine, second.answer]);
  const open = ask();
  await new Promise(setImmediate);
  await (await viaFetch()).text();
  assert.equal(kind(), "full");
  const before = (await client.health()).spend;
  assert.equal(before.attempts, 1);
  assert.ok(before.spentUsd > COST, "what the open call may spend counts as spent");
  first.give(fine);
  assert.equal((await open).data.id, "c1");
  assert.deepEqual((await client.health()).spend, { ...before, attempts: 2, spentUsd: 2 * COST, estimatedUsd: 0, overrunUsd: 2 * before.overrunUsd });
});

test("a change that is asked for while an answer is being delivered", async () => {
  const held = later();
  const { client, viaFetch } = await clientOf([held.answer, fine]);
  let response;
  const onEvent = ({ type }) => {
    if (type === "done") response = viaFetch();
  };
  const open = client.request(CHAT, body, { onEvent });
  await clientOf([fine], { full: true });
  held.give(fine);
  await open;
  await (await response).text();
  assert.equal((await client.health()).spend.spentUsd, 2 * COST);
});

test("what an open call may still spend is not given to another", async () => {
  const held = later();
  const { client, ask, viaFetch } = await clientOf([held.answer, fine], { spend: { maxUsd: 0.0015 } });
  const open = ask();
  await new Promise(setImmediate);
  const refused = await viaFetch().catch((error) => error);
  assert.equal(refused.cause?.code, "budget");
  held.give(fine);
  await open;
  assert.equal((await client.health()).spend.spentUsd, COST);
});

test("an outage that an open call meets after the change is known behind it", async () => {
  const held = later();
  const { state, ask, viaFetch } = await clientOf([held.answer, fine], once);
  const open = ask();
  await new Promise(setImmediate);
  await (await viaFetch()).text();
  held.give(json(429, { error: { message: "Slow down", type: "requests", code: "rate_limit_exceeded" } }, { "retry-after": "40" }));
  assert.equal((await open).code, "rate_limit");
  assert.deepEqual(state.waits, []);
  await (await viaFetch()).text();
  assert.equal(state.waits.length, 1);
  assert.ok(state.waits[0] >= 40_000, "the gate that the server asked for");
});

/** A client with a call open in each of the programs, neither of which is ever answered. */
async function openInBoth() {
  const never = () => new Promise(() => {});
  const { client, ask, viaFetch } = await clientOf([never]);
  const inLean = ask();
  await new Promise(setImmediate);
  const inFull = viaFetch().catch((error) => error);
  while (kind() !== "full") await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise(setImmediate);
  return { client, inLean, inFull };
}

test("unload ends what is open in either", async () => {
  const { client, inLean, inFull } = await openInBoth();
  unload();
  assert.equal((await inLean).code, "closed");
  assert.equal((await inFull).cause?.code, "closed");
  client.close();
});

test("closing a client ends its calls in either", async () => {
  const { client, inLean, inFull } = await openInBoth();
  client.close();
  assert.equal((await inLean).code, "cancelled");
  assert.equal((await inFull).name, "AbortError");
});

test("a lean program that was named cannot do it, and says which one can", async () => {
  const wasm = await readFile(new URL("holdfast.wasm", folder));
  const { ask, viaFetch } = await clientOf([fine], { wasm });
  assert.equal((await ask()).data.id, "c1");
  for (let i = 0; i < 2; i++) await assert.rejects(viaFetch(), { code: "bad_option", message: /^wasm: .*holdfast-full\.wasm/ });
  await assert.rejects(createClient({ provider: "openai", apiKey: "k", wasm, full: true }), { code: "bad_option" });
  assert.equal((await ask()).data.id, "c1", "the rest goes on");
  unload();
  await assert.rejects(createClient({ provider: "openai", apiKey: "k", wasm, targets: [{ provider: "openai", apiKey: "k" }] }), { code: "bad_option" });
});

test("a full program that was named does everything", async () => {
  const { ask, viaFetch } = await clientOf([fine], { wasm: await readFile(new URL("holdfast-full.wasm", folder)) });
  await ask();
  await (await viaFetch()).text();
  assert.equal(kind(), "full");
});

test("a full program that is not there is an error of that call, and what needs the lean one goes on", async (t) => {
  const { ask, viaFetch } = await clientOf([fine], { wasm: undefined });
  const { compile, compileStreaming } = WebAssembly;
  WebAssembly.compile = WebAssembly.compileStreaming = async () => {
    throw new Error("no room");
  };
  t.after(() => Object.assign(WebAssembly, { compile, compileStreaming }));
  await assert.rejects(viaFetch(), { code: "load_failed" });
  assert.equal((await ask()).data.id, "c1");
  Object.assign(WebAssembly, { compile, compileStreaming });
  assert.equal((await viaFetch()).status, 200);
});
