// Sockets of a live session, scripted: where the secret goes, what form messages have, and hours of reconnects in no time.

import assert from "node:assert/strict";
import test from "node:test";
import { createClient, unload } from "./holdfast.mjs";
import { pause } from "./ending.mjs";
import { settle } from "./fake.mjs";

const PATH = "/live";

/** A WebSocket that a test drives; `made` lists them. */
function sockets() {
  const made = [];
  class Fake {
    sent = [];
    constructor(url, protocols, options) {
      Object.assign(this, { url, protocols, options });
      made.push(this);
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
    close(code) {
      this.code = code;
      queueMicrotask(() => this.onclose({ code, reason: "" }));
    }
    open() {
      this.onopen({});
    }
    say(message) {
      this.onmessage({ data: JSON.stringify(message) });
    }
    break(code = 1006, reason = "") {
      this.onerror({ type: "error", message: "it broke" });
      this.onclose({ code, reason });
    }
  }
  return { made, WebSocket: Fake };
}

function inBrowser(t) {
  globalThis.window = globalThis.document = {};
  t.after(() => {
    delete globalThis.window;
    delete globalThis.document;
  });
}

async function dial(options) {
  const { made, WebSocket } = sockets();
  const client = await createClient({ full: true, baseURL: "https://provider.test", WebSocket, ...options });
  const session = client.live(PATH, { model: "m" }, { headers: { "x-own": "1" }, protocols: ["p"], onItem() {} });
  await settle();
  session.cancel();
  return made[0];
}

test("Gemini: the secret stands in the query; what signs it never enters the program", async () => {
  assert.equal((await dial({ provider: "gemini", apiKey: "a b&c" })).url, "wss://provider.test/live?key=a%20b%26c");
  const { url, protocols, options } = await dial({ provider: "gemini", token: () => "t" });
  assert.equal(url, "wss://provider.test/live?access_token=t");
  assert.deepEqual([protocols, options], [["p"], { headers: { "x-own": "1" } }]);
});

test("OpenAI and xAI: a header in Node, a subprotocol in a browser", async (t) => {
  for (const [provider, prefix] of [["openai", "openai-insecure-api-key."], ["xai", "xai-client-secret."]]) {
    const node = await dial({ provider, apiKey: "k" });
    assert.deepEqual([node.url, node.protocols, node.options.headers.authorization], ["wss://provider.test/live", ["p"], "Bearer k"]);
    const own = await dial({ provider, apiKey: "k", headers: { Authorization: "Basic x" } });
    assert.equal(own.options.headers.authorization, "Basic x", "a header of the user's own counts");
    await t.test("browser", async (t) => {
      inBrowser(t);
      const page = await dial({ provider, token: "t" });
      assert.deepEqual([page.url, page.protocols, page.options], ["wss://provider.test/live", ["p", `${prefix}t`], undefined]);
      await assert.rejects(createClient({ provider, apiKey: "k" }), /dangerouslyAllowBrowser: true/);
      const keyed = await dial({ provider, apiKey: "k", dangerouslyAllowBrowser: true });
      assert.deepEqual(keyed.protocols, ["p", `${prefix}k`]);
    });
    await t.test("a Worker with nodejs_compat", async (t) => {
      const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
      Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Cloudflare-Workers" }, configurable: true });
      t.after(() => (own ? Object.defineProperty(globalThis, "navigator", own) : delete globalThis.navigator));
      const worker = await dial({ provider, apiKey: "k" });
      assert.deepEqual([worker.protocols, worker.options], [["p", `${prefix}k`], undefined]);
    });
  }
});

test("a secret that the host quotes in an error does not reach the report", async () => {
  class Picky {
    constructor(url, protocols) {
      throw new SyntaxError(`The URL '${url}' and the protocols '${protocols}' are no good`);
    }
  }
  const client = await createClient({ provider: "gemini", baseURL: "http://x", apiKey: "s3cr3t key", WebSocket: Picky });
  const events = [];
  const result = await client.live(PATH, {}, { policy: { attempts: 1 }, onEvent: (event) => events.push(event) }).result;
  assert.equal(result.status, "failed");
  assert.match(result.error.developerMessage, /no good/);
  assert.doesNotMatch(JSON.stringify([result, events]), /s3cr3t/);
});

test("a token function is asked before each connection; one that fails is a failed connection", async () => {
  const { made, WebSocket } = sockets();
  let asked = 0;
  const token = () => {
    if (++asked === 2) throw new Error("no session");
    return `t${asked}`;
  };
  const client = await createClient({ provider: "gemini", baseURL: "http://x", token, WebSocket, random: () => 0, sleep: async () => {} });
  const session = client.live(PATH, {});
  await settle();
  made[0].break();
  await settle();
  assert.deepEqual(made.map(({ url }) => url), ["ws://x/live?access_token=t1", "ws://x/live?access_token=t3"]);
  session.cancel();
  const { connections } = await session.result;
  assert.match(connections[1].error.developerMessage, /no session/);
});

test("messages come as text, bytes or Blob, and keep their order", async () => {
  const { made, WebSocket } = sockets();
  const client = await createClient({ provider: "gemini", baseURL: "http://x", token: "t", WebSocket });
  const got = [];
  const session = client.live(PATH, {}, { onItem: ({ data }) => got.push(data.n) });
  await settle();
  made[0].open();
  assert.equal(made[0].binaryType, "arraybuffer");
  const bytes = (n) => new TextEncoder().encode(JSON.stringify({ n, text: "日本 😀" }));
  made[0].onmessage({ data: '{"n":1}' });
  made[0].onmessage({ data: bytes(2).buffer });
  made[0].onmessage({ data: new Blob([bytes(3)]) });
  made[0].onmessage({ data: bytes(4) });
  made[0].onmessage({ data: new Blob([bytes(5)]) });
  made[0].onmessage({ data: "not JSON" });
  made[0].onclose({ code: 1006 });
  await settle();
  assert.deepEqual(got, [1, 2, 3, 4, 5]);
  session.cancel();
  const result = await session.result;
  assert.match(result.warnings[0], /not JSON/);
});

test("two hours of a conversation in no time: the handle is gone on from, until its life is over", async () => {
  const { made, WebSocket } = sockets();
  let now = Date.UTC(2026, 10, 30);
  const waits = [];
  const client = await createClient({
    provider: "gemini", baseURL: "http://x", token: "t", WebSocket, now: () => now, random: () => 0.5, sleep: async (ms) => void waits.push(ms),
  });
  const types = [];
  const session = client.live(PATH, { model: "m", sessionResumption: { transparent: true } }, { onItem: ({ type }) => types.push(type) });
  await settle();
  for (let i = 0; i < 12; i++) {
    const socket = made[i];
    socket.open();
    await settle();
    assert.deepEqual(socket.sent[0].setup.sessionResumption, i === 0 ? { transparent: true } : { transparent: true, handle: `h${i - 1}` });
    socket.say({ setupComplete: {} });
    socket.say({ sessionResumptionUpdate: { resumable: true, newHandle: `h${i}` } });
    now += 600_000;
    socket.break(1011, "Deadline expired before operation could complete.");
    await settle();
  }
  assert.equal(types.filter((type) => type === "resumed").length, 11);
  assert.equal(made.length, 13);
  now += 3 * 3600_000;
  made[12].break();
  const result = await session.result;
  assert.equal(result.status, "interrupted");
  assert.match(result.warnings[0], /older than its life/);
  assert.equal(result.opened, 13);
  assert.deepEqual(waits, Array(12).fill(250));
});

test("what a session used is in its result and in the client's money, and the limit ends it", async () => {
  const { made, WebSocket } = sockets();
  const client = await createClient({ full: true, provider: "openai", apiKey: "k", baseURL: "https://provider.test", WebSocket, spend: { maxUsd: 0.003, prices: "* * 30 30 37.5 60 150\nopenai plain 1 1 1 - 10\n" } });
  const session = client.live(PATH, { model: "plain" }, { onItem() {} });
  await settle();
  made[0].open();
  for (let turn = 1; turn <= 2; turn++) {
    session.send({ input: "Hi" });
    made[0].say({ type: "response.created", response: { id: `r${turn}` } });
    made[0].say({ type: "response.completed", response: { id: `r${turn}`, model: "plain", usage: { input_tokens: 1000, output_tokens: 100 } } });
    await settle();
  }
  const { status, error, usage, costUsd, costEstimated } = await session.result;
  assert.deepEqual([status, error.reason, usage.inputTokens, usage.outputTokens, costUsd, costEstimated], ["interrupted", "budget", 2000, 200, 0.004, undefined]);
  assert.equal((await client.health()).spend.spentUsd, 0.004);
  const next = await client.live(PATH, { model: "plain" }, { onItem() {} }).result;
  assert.deepEqual([next.status, next.error.reason, next.opened, made.length], ["failed", "budget", 0, 1]);
});

test("what is sent before the program runs is sent after it, in order; nothing of a socket survives the end", async () => {
  const { made, WebSocket } = sockets();
  const client = await createClient({ provider: "openai", baseURL: "http://x", token: "t", WebSocket });
  const session = client.live(PATH, { model: "m" });
  assert.deepEqual([session.send({ input: "a" }), session.send({ input: "b" })], [1, 2]);
  await settle();
  made[0].open();
  await settle();
  assert.deepEqual(made[0].sent, [{ type: "response.create", input: "a", model: "m" }]);
  const result = await session.close();
  assert.equal(result.status, "cancelled", "a turn was under way");
  assert.deepEqual(result.lost, [{ first: 2, last: 2, why: "end" }]);
  await settle();
  assert.equal(made[0].code, 1000);
  made[0].say({ type: "response.created" });
  await settle();
  assert.equal(made.length, 1);
});

test("a loop that is left in the middle of a wait takes nothing from the next one", async () => {
  const { made, WebSocket } = sockets();
  const client = await createClient({ full: true, provider: "gemini", baseURL: "http://x", token: "t", WebSocket });
  const session = client.live(PATH, {});
  await settle();
  made[0].open();
  const first = session[Symbol.asyncIterator]();
  const waits = first.next();
  assert.deepEqual(await first.return("v"), { done: true, value: "v" });
  assert.deepEqual(await waits, { done: true, value: undefined });
  assert.deepEqual(await first.next(), { done: true, value: undefined });
  made[0].say({ n: 1 });
  for await (const { data } of session) {
    assert.deepEqual(data, { n: 1 });
    break;
  }
  session.cancel();
});

test("what was sent is told as lost, whenever the session ends: before the program runs, too, and in the middle of the news", async () => {
  unload();
  const { made, WebSocket } = sockets();
  const client = await createClient({ provider: "openai", baseURL: "http://x", token: "t", WebSocket });
  const controller = new AbortController();
  const session = client.live(PATH, { model: "m" }, { signal: controller.signal });
  session.send({ input: "a" });
  controller.abort();
  session.send({ input: "b" });
  const { status, messages, lost } = await session.result;
  assert.deepEqual([status, messages, lost], ["cancelled", 2, [{ first: 1, last: 2, why: "end" }]]);

  const sent = [];
  const again = ({ type }) => {
    try {
      if (type === "lost" || type === "done") sent.push(other.send({ input: "again" }));
    } catch ({ code }) {
      sent.push(code);
    }
  };
  const other = client.live(PATH, { model: "m" }, { policy: { attempts: 1 }, onItem: again, onEvent: again });
  other.send({ input: "a" });
  await settle();
  made.at(-1).break();
  const result = await other.result;
  assert.deepEqual([result.messages, result.lost.length, sent], [1, 1, ["closed", "closed"]]);
});

test("what an event makes the caller send comes behind what was sent before", async () => {
  unload();
  const { made, WebSocket } = sockets();
  const client = await createClient({ provider: "gemini", baseURL: "http://x", token: "t", WebSocket });
  const numbers = [];
  const onEvent = ({ type }) => type === "connecting" && numbers.push(session.send({ realtimeInput: { n: 2 } }));
  const session = client.live(PATH, {}, { onItem() {}, onEvent });
  numbers.push(session.send({ realtimeInput: { n: 1 } }));
  while (made.length === 0) await pause(5); // the program is loaded again
  made[0].open();
  await settle();
  made[0].say({ setupComplete: {} });
  await settle();
  assert.deepEqual([numbers, made[0].sent.slice(1).map(({ realtimeInput }) => realtimeInput.n)], [[1, 2], [1, 2]]);
  session.cancel();
});

test("a long queue is taken faster than it came, in order", async () => {
  const { made, WebSocket } = sockets();
  const client = await createClient({ full: true, provider: "gemini", baseURL: "http://x", token: "t", WebSocket });
  const session = client.live(PATH, {});
  await settle();
  made[0].open();
  const count = 50_000;
  const spent = () => { // whatever else the machine does
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  const came = spent();
  for (let n = 1; n <= count; n++) made[0].onmessage({ data: `{"n":${n}}` });
  const began = spent();
  let taken = 0;
  for await (const { data } of session) {
    if (data.n !== ++taken) assert.fail(`${data.n} comes as ${taken}`);
    if (taken === count) break;
  }
  session.cancel();
  assert.ok(spent() - began < began - came);
});
