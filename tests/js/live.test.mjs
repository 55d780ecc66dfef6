// Live sessions over real sockets, against the simulated provider: cuts, goAway, limits, what is lost and what goes on.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import test from "node:test";
import WebSocket from "ws";
import { createClient } from "./holdfast.mjs";
import { startSim } from "./sim.mjs";

const sim = await startSim();
const PATH = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
const QUICK = { backoffBaseMs: 1, backoffCapMs: 1 };
let sessions = 0;

/** A session with the simulator, which obeys one script for its answers and one for its sockets. */
async function open(provider, setup, { script = "healthy", sockets = [], options, client: more } = {}) {
  const client = await createClient({ provider, baseURL: `${sim}/${provider}`, apiKey: "k", WebSocket, ...more });
  const id = `live-${process.pid}-${++sessions}`;
  const headers = { "x-sim": typeof script === "string" ? script : JSON.stringify(script), "x-sim-session": id, "x-sim-sockets": JSON.stringify(sockets), "x-sim-pace": "0" };
  const path = provider === "gemini" ? PATH : "/v1/responses";
  const session = client.live(`${path}?session=${id}`, setup, { headers, policy: QUICK, ...options });
  const seen = async () => (await fetch(`${sim}/sim/sockets?session=${id}`)).json();
  return { client, session, seen };
}

const gemini = { model: "models/gemini-live" };
const turn = (text) => ({ clientContent: { turns: [{ role: "user", parts: [{ text }] }], turnComplete: true } });

/** Takes items until one that `last` wants; returns them. */
async function until(session, last) {
  const items = [];
  for await (const item of session) {
    items.push(item);
    if (last(item)) return items;
  }
  throw new Error(`the session ended: ${JSON.stringify(items)} ${JSON.stringify(await session.result)}`);
}
const is = (type) => (item) => item.type === type;
const turnComplete = (item) => item.data?.serverContent?.turnComplete === true;
const resumable = (item) => item.data?.sessionResumptionUpdate?.resumable === true;
const completed = (item) => item.data?.type === "response.completed";
const text = (items) => items.map((item) => item.data?.serverContent?.modelTurn?.parts.map((part) => part.text).join("") ?? item.data?.delta ?? "").join("");

test("Gemini: a conversation, whose messages are binary, and a loop that is left and entered again", async () => {
  const { session, seen } = await open("gemini", gemini);
  assert.equal(session.send(turn("ping")), 1);
  assert.match(text(await until(session, turnComplete)), /^Pong/);
  await until(session, resumable);
  assert.equal(session.send(turn("ping")), 2);
  await until(session, turnComplete);
  await until(session, resumable);
  const result = await session.close();
  assert.equal(result.status, "complete");
  assert.deepEqual([result.messages, result.turns, result.interrupted, result.lost], [2, 2, 0, []]);
  assert.match(result.handle, /^handle-/);
  assert.ok(result.handleUntilMs > Date.now() + 7_000_000);
  assert.equal(result.connections[0].planned, true);
  assert.equal((await seen()).length, 1);
  assert.throws(() => session.send(turn("late")), { code: "closed" });
  assert.deepEqual(await session[Symbol.asyncIterator]().next(), { done: true, value: undefined });
});

test("Gemini: goAway moves the conversation to another connection before the old one is dropped", async () => {
  const events = [];
  const { session, seen } = await open("gemini", gemini, {
    sockets: [{ goAwayAfterTurns: 1, timeLeftMs: 60_000 }, {}],
    options: { onEvent: (event) => events.push(event.type) },
  });
  session.send(turn("ping"));
  const items = await until(session, is("resumed"));
  assert.ok(items.some(turnComplete));
  session.send(turn("ping"));
  await until(session, turnComplete);
  const result = await session.close();
  assert.equal(result.status, "complete");
  assert.deepEqual([result.turns, result.interrupted, result.lost, result.opened], [2, 0, [], 2]);
  // Young as it is, the connection counts as one that did not last: a server that says goAway to everybody is not rushed.
  assert.deepEqual(events, ["connecting", "ready", "leaving", "closed", "waiting", "connecting", "ready", "closed", "done"]);
  const [first, second] = await seen();
  assert.equal(first.ended, "client_left");
  assert.equal(second.handle, items.filter(resumable).at(-1).data.sessionResumptionUpdate.newHandle);
});

test("Gemini: a TCP cut in the middle of a turn is reported, and the conversation goes on", async () => {
  const { session, seen } = await open("gemini", gemini, { script: [{}, { endAfterWords: 2, end: "reset" }, {}] });
  session.send(turn("ping"));
  await until(session, turnComplete);
  await until(session, resumable);
  session.send(turn("ping"));
  const items = await until(session, is("resumed"));
  assert.equal(items.find(is("interrupted")).message, 2);
  assert.deepEqual(items.filter(is("lost")), [{ type: "lost", first: 2, last: 2, why: "cut" }]);
  session.send(turn("ping"));
  await until(session, turnComplete);
  const result = await session.close();
  assert.deepEqual([result.status, result.turns, result.interrupted, result.opened], ["complete", 2, 1, 2]);
  assert.equal(result.connections[0].code, 1006);
  assert.equal(result.connections[0].error.reason, "transport");
  assert.match((await seen())[1].handle, /^handle-/);
});

test("Gemini: in transparent mode what the server had not consumed is sent again, by itself", async () => {
  const { session } = await open("gemini", { ...gemini, sessionResumption: { transparent: true } }, { script: [{}, { endAfterWords: 2, end: "reset" }, {}] });
  session.send(turn("ping"));
  await until(session, turnComplete);
  await until(session, (item) => item.data?.sessionResumptionUpdate?.lastConsumedClientMessageIndex === "1");
  session.send(turn("ping"));
  const items = await until(session, turnComplete);
  assert.deepEqual(items.filter((item) => item.type !== "message").map((item) => item.type), ["interrupted", "resumed"]);
  const again = text(items.slice(items.findIndex(is("resumed"))));
  assert.match(again, /^Pong/);
  const result = await session.close();
  assert.deepEqual([result.turns, result.interrupted, result.lost], [2, 1, []]);
});

test("Gemini: a handle that the server refuses ends the session; startOver begins anew", async () => {
  const sockets = [{ dropAfterTurns: 1 }, { refuseHandle: true }, {}];
  const { session } = await open("gemini", gemini, { sockets });
  session.send(turn("ping"));
  await until(session, turnComplete);
  const result = await session.result;
  assert.equal(result.status, "interrupted");
  assert.equal(result.error.reason, "transport", "the first failure is the reason");
  assert.equal(result.connections[1].code, 1008);

  const other = await open("gemini", gemini, { sockets, options: { startOver: true } });
  other.session.send(turn("ping"));
  await until(other.session, is("restarted"));
  other.session.send(turn("ping"));
  await until(other.session, turnComplete);
  assert.equal((await other.session.close()).status, "complete");
  assert.deepEqual((await other.seen()).map(({ handle }) => handle !== ""), [false, true, false]);
});

test("Gemini: without any handle there is nothing to go on from", async () => {
  const { session } = await open("gemini", gemini, { sockets: [{ notResumable: true, dropAfterTurns: 1 }] });
  session.send(turn("ping"));
  const result = await session.result;
  assert.equal(result.status, "interrupted");
  assert.equal(result.handle, undefined);
  assert.match(result.warnings[0], /handle/);
});

test("Gemini: a tool call is answered, and its turn goes on", async () => {
  const { session } = await open("gemini", gemini, { script: [{ tool: true, finishAfterWords: 0 }, {}] });
  session.send(turn("ping"));
  const items = await until(session, (item) => item.data?.toolCall);
  const [{ id, name }] = items.at(-1).data.toolCall.functionCalls;
  session.send({ toolResponse: { functionResponses: [{ id, name, response: { ok: true } }] } });
  await until(session, turnComplete);
  assert.deepEqual((await session.close()).lost, []);
});

test("the server is away at first: the session keeps trying, within its attempts", async () => {
  const { session, seen } = await open("gemini", gemini, { sockets: [{ refuseUpgrade: 503 }, { refuseUpgrade: 502 }, {}] });
  session.send(turn("ping"));
  await until(session, turnComplete);
  const result = await session.close();
  assert.deepEqual(result.connections.map(({ kind, error }) => [kind, error?.status]), [["first", 503], ["retry", 502], ["retry", undefined]]);
  assert.equal((await seen()).length, 3);

  const away = await open("gemini", gemini, { sockets: [{ refuseUpgrade: 503 }], options: { policy: { ...QUICK, attempts: 3 } } });
  away.session.send(turn("ping"));
  const failed = await away.session.result;
  assert.deepEqual([failed.status, failed.opened, failed.error.status], ["failed", 3, 503]);
  assert.deepEqual(failed.lost, [{ first: 1, last: 1, why: "end" }]);
});

test("a refused credential is told once, and not tried again", async () => {
  const { session, seen } = await open("openai", { model: "gpt-x" }, { sockets: [{ refuseUpgrade: 401 }] });
  const result = await session.result;
  assert.deepEqual([result.status, result.error.decision, result.error.reason], ["failed", "stop", "auth"]);
  assert.equal((await seen()).length, 1);
});

/** What comes of a session with a server that answers the upgrade so, and how often it was asked. */
async function refused(answer, client, options) {
  let asked = 0;
  const server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (request, socket) => {
    asked++;
    socket.on("error", () => {}).end(answer(request)); // not all of it is read
  });
  await once(server, "listening");
  const { session } = await open("openai", { model: "gpt-x" }, { client: { baseURL: `http://127.0.0.1:${server.address().port}`, ...client }, options });
  const result = await session.result;
  server.close();
  return { result, asked };
}
const answer = (head, body = "") => () => `HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

test("a refused handshake is told with all that the server said: how long, and whether at all", async () => {
  const later = await refused(answer("429 Slow down\r\nretry-after: 3600"));
  assert.deepEqual([later.asked, later.result.error.reason], [1, "rate_limit"]);
  assert.ok(later.result.retryAtMs > Date.now() + 3_500_000);
  const spent = await refused(answer("429 No", JSON.stringify({ error: { code: "insufficient_quota", message: "You exceeded your current quota." } })));
  assert.deepEqual([spent.asked, spent.result.error.decision, spent.result.error.reason], [1, "stop", "quota"]);
  const moved = await refused(answer("307 Moved\r\nlocation: /elsewhere"));
  assert.deepEqual([moved.asked, moved.result.error.decision], [1, "fix_request"]);
  assert.match(moved.result.error.developerMessage, /HTTP 307.*baseURL/);
  const long = await refused(answer("401 No", "x".repeat(300_000)));
  assert.deepEqual([long.asked, long.result.error.reason], [1, "auth"]);
});

test("a key that the server quotes stays here, and what no socket can be opened with is told once", async () => {
  const events = [];
  const onEvent = (event) => events.push(event);
  const quoted = await refused(({ headers }) => answer("403 No", JSON.stringify({ error: { message: `no ${headers.authorization}` } }))(), { apiKey: "s3cr3t key" }, { onEvent });
  assert.match(quoted.result.error.developerMessage, /no Bearer …/);
  const reason = await open("gemini", gemini, { client: { WebSocket: Reasoning, apiKey: "s3cr3t key" }, options: { onEvent } });
  const closed = await reason.session.result;
  assert.match(closed.error.developerMessage, /no key …/);
  assert.doesNotMatch(JSON.stringify([quoted, closed, events]), /s3cr3t/);

  const bad = await refused(answer("500 No"), {}, { protocols: ["not a token"] });
  assert.deepEqual([bad.asked, bad.result.status, bad.result.opened, bad.result.error.decision], [0, "failed", 1, "fix_request"]);
});

/** A socket whose close frame quotes the key. */
class Reasoning {
  constructor(url) {
    queueMicrotask(() => this.onclose({ code: 1008, reason: `no key ${decodeURIComponent(new URL(url).searchParams.get("key"))}` }));
  }
  close() {}
}

for (const provider of ["openai", "xai"]) {
  test(`${provider}: turns run one after the other, each from the one before`, async () => {
    const { session } = await open(provider, { model: "m", store: true }, {});
    session.send({ input: "ping" });
    session.send({ input: "ping" });
    const first = (await until(session, completed)).at(-1).data.response.id;
    const second = (await until(session, completed)).at(-1).data.response;
    assert.equal(second.previous_response_id ?? first, first);
    const result = await session.close();
    assert.deepEqual([result.status, result.turns, result.responseId], ["complete", 2, second.id]);
  });
}

test("OpenAI: a cut in a turn is reported; what waited behind it goes on from the last whole response", async () => {
  const { session, seen } = await open("openai", { model: "gpt-x" }, { script: [{}, { endAfterWords: 2, end: "reset" }, {}] });
  session.send({ input: "ping" });
  const first = (await until(session, completed)).at(-1).data.response.id;
  session.send({ input: "ping" });
  session.send({ input: "ping" });
  const items = await until(session, completed);
  const cut = items.find(is("interrupted"));
  assert.equal(cut.message, 2);
  assert.ok(cut.responseId && cut.responseId !== first);
  assert.equal(items.filter(is("lost")).length, 0);
  const result = await session.close();
  assert.deepEqual([result.turns, result.interrupted, result.opened], [2, 1, 2]);
  assert.deepEqual((await seen()).map(({ turns }) => turns), [2, 1]);
});

test("OpenAI: the limit of a connection passes unnoticed", async () => {
  const { session } = await open("openai", { model: "gpt-x" }, { sockets: [{ limitAfterTurns: 1 }, {}] });
  session.send({ input: "ping" });
  await until(session, completed);
  session.send({ input: "ping" });
  const items = await until(session, completed);
  assert.deepEqual(items.filter((item) => ["lost", "failed", "interrupted"].includes(item.type)), []);
  const result = await session.close();
  assert.deepEqual([result.status, result.turns, result.opened], ["complete", 2, 2]);
});

test("OpenAI: a previous response that the server no longer has is reported, and all can be said anew", async () => {
  let rest;
  const resting = new Promise((resolve) => (rest = resolve));
  const onEvent = ({ type }) => type === "resting" && rest();
  const { session } = await open("openai", { model: "gpt-x", store: false }, { sockets: [{ dropAfterTurns: 1 }, {}], options: { onEvent } });
  session.send({ input: "ping" });
  await until(session, completed);
  await resting;
  session.send({ input: "ping" });
  const failed = (await until(session, is("failed"))).at(-1);
  assert.equal(failed.message, 2);
  assert.equal(failed.error.code, "previous_response_not_found");
  session.send({ input: "all of it", previous_response_id: null });
  await until(session, completed);
  assert.equal((await session.close()).status, "complete");
});

test("xAI: a rate limit before the turn is waited out, and not shown", async () => {
  const { session } = await open("xai", { model: "grok-x" }, { script: [{ error: "rate_limit" }, {}] });
  session.send({ input: "ping" });
  const items = await until(session, completed);
  assert.deepEqual([...new Set(items.map((item) => item.type))], ["message"]);
  assert.ok(!items.some((item) => item.data.type === "error"));
  await session.close();
});

test("cancel, an aborted signal and a closed client end a session", async () => {
  const { session } = await open("openai", { model: "gpt-x" });
  session.send({ input: "ping" });
  session.cancel();
  assert.equal((await session.result).status, "cancelled");

  const controller = new AbortController();
  const second = await open("openai", { model: "gpt-x" }, { options: { signal: controller.signal } });
  controller.abort();
  assert.equal((await second.session.result).status, "cancelled");

  const third = await open("gemini", gemini);
  third.client.close();
  assert.equal((await third.session.result).status, "cancelled");
});

test("what is at fault in the options is named", async () => {
  const client = await createClient({ provider: "gemini", baseURL: sim, token: "t", WebSocket });
  for (const [path, setup, options, message] of [
    ["live", {}, {}, /^path:/],
    ["/v1/realtime?model=gpt-realtime", {}, {}, /^path: .*Realtime/],
    [PATH, {}, { startover: true }, /^startover: is not an option of live; there are .*startOver/],
    [PATH, {}, { policy: { attempts: 0 } }, /attempts/],
    [PATH, {}, { policy: { totalMs: 1 } }, /totalMs: is not an option/],
    [PATH, {}, { onItem: 1 }, /^onItem:/],
    [PATH, {}, { protocols: "x" }, /^protocols:/],
    [PATH, [], {}, /^setup:/],
    [PATH, { a: () => {} }, {}, /^setup\.a:/],
  ]) {
    await assert.rejects(client.live(path, setup, options).result, (error) => message.test(error.message) && /^bad_/.test(error.code), `${message}`);
  }
  const session = client.live(PATH, gemini);
  for (const message of [null, "text", [1], 5]) assert.throws(() => session.send(message), { code: "bad_body" });
  session.cancel();
  await assert.rejects(createClient({ provider: "gemini", WebSocket: "ws" }), /^HoldfastError: WebSocket:/);
  const none = await createClient({ provider: "anthropic", token: "t", baseURL: sim, WebSocket });
  await assert.rejects(none.live("/v1/x").result, /^HoldfastError: provider: anthropic has no WebSocket mode/);
  if (globalThis.WebSocket === undefined) {
    const bare = await createClient({ provider: "gemini", token: "t", baseURL: sim });
    await assert.rejects(bare.live(PATH).result, /^HoldfastError: WebSocket:/);
  }
});
