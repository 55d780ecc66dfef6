// Nothing is lost: 200 durable answers in flight, while readers come and go, providers cut their streams,
// and the gateway is killed and started again on what it has written. SEED=N repeats a run.
import assert from "node:assert/strict";
import { randomInt, randomUUID } from "node:crypto";
import { AsyncResource } from "node:async_hooks";
import { test } from "node:test";
import { asking, log, startGateway, storageFolder, TOKEN } from "./gateway.js";
import { Reader } from "./reader.js";

const ANSWERS = 200;
const KILLS = 5;
const WORDS = 60;

const seed = Number(process.env.SEED ?? randomInt(1 << 30));
const random = mulberry32(seed);
const between = (low, high) => low + Math.floor(random() * (high - low + 1));
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function mulberry32(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const messages = [{ role: "user", content: "Go" }];
/** How answers are asked for, and whether the provider keeps them, so that they can be resumed. */
const KINDS = [
  { path: "/answers/openai/v1/chat/completions", body: { model: "gpt-x", messages } },
  { path: "/answers/anthropic/v1/messages", body: { model: "claude-x", max_tokens: 1000, messages } },
  { path: "/answers/openai/v1/responses", body: { model: "gpt-x", input: "Go", background: true }, kept: true },
  { path: "/answers/gemini/v1beta/models/gemini-x:streamGenerateContent", body: { contents: [{ role: "user", parts: [{ text: "Go" }] }] } },
  { path: "/answers/xai/v1/chat/completions", body: { model: "grok-x", messages } },
];

const storage = storageFolder();
const config = { policy: { interactive: { attempts: 8, backoffBaseMs: 1, backoffCapMs: 20, continues: 3 } } };
let gateway = await startGateway(config, { storage });
const port = Number(new URL(gateway.address).port);
const revive = AsyncResource.bind(() => startGateway(config, { storage, port }));

/** Asks the gateway, again and again while nobody is there. */
async function ask(path, { headers, signal, ...init } = {}) {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await fetch(gateway.address + path, { ...init, signal, headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers } });
    } catch (error) {
      if (error.name !== "TypeError") throw error;
      await wait(between(20, 100));
    }
  }
}

/** Who reads, and how many messages all of them have read. @type {Reader[]} */
const everyone = [];
const read = () => everyone.reduce((sum, { messages }) => sum + messages.length, 0);

/** One answer from its beginning to its end, with whoever reads it. */
async function answer(n) {
  const kind = KINDS[n % KINDS.length];
  const text = Array.from({ length: WORDS }, (_, i) => `a${n}w${i}`).join(" ");
  const pace = () => ({ gapMs: between(50, 110) });
  let cuts = 0;
  const cut = () => (random() < 0.4 ? (cuts++, { ...pace(), endAfterWords: between(0, WORDS / 2), end: ["reset", "close", "drop"][between(0, 2)] }) : pace());
  const script = asking({ text, requests: [cut(), pace()], continuations: [cut(), pace()], reads: [cut(), pace()] });
  await wait(between(0, 2000));
  const id = randomUUID();
  const asked = await ask(kind.path, { method: "POST", headers: { ...script, "idempotency-key": id }, body: JSON.stringify(kind.body) });
  assert.ok(asked.status === 201 || asked.status === 200, await asked.text());
  const readers = Array.from({ length: between(1, 2) }, () => new Reader(ask, id));
  everyone.push(...readers);
  await Promise.all(readers.map(come));
  return { kind, text, cuts, readers, id, session: script["x-sim-session"] };
}

/** Reads, leaves, and comes back where it was, until the answer has ended. */
async function come(reader) {
  for (let ended = false; !ended; ) {
    const leave = new AbortController();
    const timer = setTimeout(() => leave.abort(), between(100, 4000));
    try {
      ended = await reader.follow(random() < 0.7 ? "sse" : "long-poll", leave.signal);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
    clearTimeout(timer);
    if (!ended) await wait(between(0, 500));
  }
}

/** Whether an attempt of a kind may come behind others. */
function follows(before, kind, kept) {
  if (kind === "resume") return kept;
  if (kept || !before.some(({ shown }) => shown)) return kind === "retry" && !before.some(({ shown }) => shown);
  const last = before.at(-1);
  return kind === "continue" || (kind === "retry" && !last.shown && last.kind !== "first"); // a continuation that brought nothing, once more
}

/** How many attempts asked from zero. */
function fromZeroOf(attempts) {
  const shown = attempts.findIndex((attempt) => attempt.shown);
  return attempts.slice(0, shown + 1).filter(({ kind }) => kind === "first" || kind === "retry").length;
}

/** Kills the gateway again and again, each time when so many messages have been read: a busy machine reads them later. */
async function kill(n) {
  for (let i = 0; i < n; i++) {
    const aim = read() + between(1, i % 2 ? 3000 : 300);
    for (const end = Date.now() + 20_000; read() < aim && Date.now() < end; ) await wait(20);
    await gateway.stop();
    await wait(between(0, 400));
    gateway = await revive();
  }
}

test(`${ANSWERS} answers, ${KILLS} times SIGKILL, seed ${seed}`, { timeout: 240_000 }, async (t) => {
  const killing = kill(KILLS);
  const answers = await Promise.all(Array.from({ length: ANSWERS }, (_, n) => answer(n)));
  await killing;
  const seen = { asked: 0, resumed: 0, continued: 0, retried: 0, cuts: 0, taken: 0, unsent: 0 };
  for (const { kind, text, cuts, readers, id, session } of answers) {
    const where = `answer ${id}, ${session}, seed ${seed}`;
    const whole = await new Reader(ask, id).catchUp();
    for (const reader of [...readers, whole]) {
      assert.equal(reader.text, text, where);
      assert.equal(reader.result.status, "complete", where);
      assert.deepEqual(reader.messages, whole.messages, where);
    }
    // What the provider saw is what the ladder says.
    const { requests } = await log(session);
    const { attempts } = whole.result;
    const lost = attempts.filter(({ error }) => error?.code === "gateway_lost").length;
    const unsent = attempts.length - requests.length; // written down, and then the gateway was killed before it went out
    const explain = JSON.stringify([where, attempts.map(({ kind, shown, error }) => [kind, shown, error?.code ?? error?.reason]), requests.map(({ method, continues, ended }) => [method, continues, ended])]);
    assert.ok(unsent >= 0 && unsent <= lost, explain);
    assert.ok(attempts.length <= 1 + cuts + KILLS, explain);
    const kinds = attempts.map((attempt) => attempt.kind);
    attempts.forEach((attempt, i) => assert.ok(kinds[i] === "first" ? i === 0 : attempts[i - 1].error && follows(attempts.slice(0, i), kinds[i], kind.kept), explain));
    // From zero until something was shown, and never again.
    const first = fromZeroOf(attempts);
    const fromZero = requests.filter(({ method, continues }) => method === "POST" && !continues).length;
    assert.ok(fromZero <= first && fromZero >= first - unsent, explain);
    assert.ok(!requests.some(({ method, continues }, n) => method === "POST" && !continues && requests.slice(0, n).some((before) => before.continues || before.method === "GET")), explain);
    seen.asked += requests.filter(({ method }) => method === "POST").length;
    seen.resumed += kinds.filter((one) => one === "resume").length;
    seen.continued += kinds.filter((one) => one === "continue").length;
    seen.retried += kinds.filter((one) => one === "retry").length;
    seen.cuts += cuts;
    seen.taken += lost;
    seen.unsent += unsent;
  }
  t.diagnostic(JSON.stringify(seen));
});
