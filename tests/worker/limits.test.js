// What a token may use: money, requests a minute and at once. None of it is exceeded however many come together.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { outcome, runs } from "../sdk/runs.js";
import { acting, asking, hashed, KEYS, log, startGateway } from "./gateway.js";
import { until } from "./until.js";

const PRICE = { "gpt-5-mini": [0.25, 2], "claude-haiku-4-5": [1, 5], "gemini-2.5-pro": [1.25, 10] }; // as in core/spend/table.go: USD per million tokens of input and output
const ticks = (usd) => Math.round(usd * 1e10);
const slow = asking({ text: "word ".repeat(100), requests: [{ gapMs: 15 }] });
const config = (owners) => ({
  tokens: Object.fromEntries(Object.entries(owners).map(([name, own]) => [name, { hash: hashed(`token-of-${name}`), ...own }])),
  models: {
    gpt: [{ provider: "openai", model: "gpt-5-mini" }],
    claude: [{ provider: "anthropic", model: "claude-haiku-4-5" }],
    gemini: [{ provider: "gemini", model: "gemini-2.5-pro" }],
    slow: [{ provider: "openai", model: "gpt-5-mini", headers: slow }],
    cut: [acting("openai", "gpt-5-mini", { requests: [{ endAfterWords: 8, end: "reset" }, {}] })],
    down: [acting("openai", "gpt-5-mini", { error: "overloaded" })],
  },
});

const start = async (owners, { secrets, ...more } = {}) => {
  const { address, stop } = await startGateway({ ...config(owners), secrets }, { main: "ledgers.js", ...more });
  return {
    stop,
    post: (name, path, body, { headers, signal } = {}) =>
      fetch(address + path, { method: "POST", signal, headers: { authorization: `Bearer token-of-${name}`, "content-type": "application/json", ...headers }, body: JSON.stringify(body) }),
    get: (name, path) => fetch(address + path, { headers: { authorization: `Bearer token-of-${name}` } }),
    play: async (name, calls) => (await fetch(`${address}/ledger/${name}`, { method: "POST", body: JSON.stringify(calls) })).json(),
    report: async (name) => (await fetch(`${address}/ledger/${name}`)).json(),
  };
};

const messages = [{ role: "user", content: "Tell me of the sea" }];
const chat = (model, more) => ({ model, messages, max_completion_tokens: 300, ...more });

/** What a request sets aside, seen while it is under way. */
async function setAside() {
  const { post, report, stop } = await start({ probe: { limits: {} } });
  const response = await post("probe", "/v1/chat/completions", chat("slow", { stream: true }));
  const { held } = await report("probe");
  await response.text();
  await stop();
  return held;
}

test("50 requests at once with money for 10: ten are sent", { timeout: 60_000 }, async () => {
  const held = await setAside();
  assert.ok(held > ticks((300 * 2) / 1e6), String(held));
  const { post, report } = await start({ alice: { limits: { maxUsdPerDay: (held * 10.5) / 1e10 } } });
  const before = (await log(slow["x-sim-session"])).count;
  const all = await Promise.all(Array.from({ length: 50 }, () => post("alice", "/v1/chat/completions", chat("slow", { stream: true }))));
  const passed = all.filter(({ status }) => status === 200);
  assert.equal(passed.length, 10);
  const refused = all.filter(({ status }) => status === 402);
  assert.equal(refused.length, 40);
  const midnight = 86_400 - ((Date.now() / 1000) % 86_400);
  for (const response of refused) {
    const { error } = await response.json();
    assert.deepEqual([error.code, error.type, response.headers.get("x-should-retry")], ["insufficient_quota", "insufficient_quota", "false"]);
    assert.ok(Math.abs(Number(response.headers.get("retry-after")) - midnight) < 20);
  }
  assert.equal((await report("alice")).concurrent, 10);
  assert.equal((await log(slow["x-sim-session"])).count - before, 10);
  for (const response of passed) await response.text();
  await until(3000, async () => (await report("alice")).concurrent === 0);
  const { day, held: left } = await report("alice");
  assert.deepEqual([day.requests, left], [10, 0]);
  assert.ok(day.ticks > 0 && day.ticks < held * 10.5);
});

test("what is settled is what the provider's usage costs, to the tick", async () => {
  const { post, report } = await start({ bill: { limits: {} } });
  let sum = 0;
  const spend = async (model, input, output) => {
    sum += ticks((input * PRICE[model][0] + output * PRICE[model][1]) / 1e6);
    await until(2000, async () => (await report("bill")).concurrent === 0);
    assert.equal((await report("bill")).all.ticks, sum, model);
  };
  const whole = await (await post("bill", "/v1/chat/completions", chat("gpt"))).json();
  await spend("gpt-5-mini", whole.usage.prompt_tokens, whole.usage.completion_tokens);
  const stream = await (await post("bill", "/v1/chat/completions", chat("gpt", { stream: true, stream_options: { include_usage: true } }))).text();
  const { usage } = JSON.parse(/data: (\{.*"choices":\[\].*\})/.exec(stream)[1]);
  await spend("gpt-5-mini", usage.prompt_tokens, usage.completion_tokens);
  const unasked = await (await post("bill", "/openai/v1/chat/completions", chat("gpt-5-mini", { stream: true }))).text();
  assert.doesNotMatch(unasked, /"usage":\{/); // it was reported all the same
  await spend("gpt-5-mini", usage.prompt_tokens, usage.completion_tokens);
  const responses = await (await post("bill", "/v1/responses", { model: "claude", input: "Hi" })).json();
  await spend("claude-haiku-4-5", responses.usage.input_tokens, responses.usage.output_tokens);
  const native = await (await post("bill", "/anthropic/v1/messages", { model: "claude-haiku-4-5", max_tokens: 100, messages })).json();
  await spend("claude-haiku-4-5", native.usage.input_tokens, native.usage.output_tokens);
  const gemini = await (await post("bill", "/gemini/v1beta/models/gemini-2.5-pro:generateContent", { contents: [{ parts: [{ text: "Hi" }] }] })).json();
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount = 0 } = gemini.usageMetadata;
  await spend("gemini-2.5-pro", promptTokenCount, candidatesTokenCount + thoughtsTokenCount);
  const { all, month, day, held } = await report("bill");
  assert.deepEqual([all.requests, month.ticks, day.ticks, all.estimated, held], [6, sum, sum, 0, 0]);
});

test("prices of one's own", async () => {
  const { address } = await startGateway({ ...config({ own: { limits: {} } }), prices: "* * 9 9 9 9 9\nopenai gpt-5-mini 1000 - - - 2000" }, { main: "ledgers.js" });
  const headers = { authorization: "Bearer token-of-own", "content-type": "application/json" };
  const { usage } = await (await fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(chat("gpt")) })).json();
  const report = async () => (await fetch(`${address}/ledger/own`)).json();
  await until(2000, async () => (await report()).all.requests === 1);
  assert.equal((await report()).all.ticks, ticks((usage.prompt_tokens * 1000 + usage.completion_tokens * 2000) / 1e6));
});

test("a client that leaves pays for what was written, and an attempt that was cut is paid for as well (wrk-008)", async () => {
  const { post, report } = await start({ leaver: { limits: {} }, cutter: { limits: {} }, downer: { limits: {} } });
  const stop = new AbortController();
  const response = await post("leaver", "/v1/chat/completions", chat("gpt", { stream: true }), { signal: stop.signal });
  await response.body.getReader().read();
  stop.abort();
  await until(7000, async () => (await report("leaver")).concurrent === 0);
  const left = (await report("leaver")).all;
  assert.ok(left.requests === 1 && left.ticks > 0, JSON.stringify(left));

  const slowly = new AbortController();
  const half = await post("leaver", "/v1/chat/completions", chat("slow", { stream: true }), { signal: slowly.signal });
  await half.body.getReader().read();
  slowly.abort();
  await until(7000, async () => (await report("leaver")).all.requests === 2);
  assert.ok((await report("leaver")).all.estimated > 0);

  await (await post("cutter", "/v1/chat/completions", chat("cut", { stream: true }))).text();
  await until(2000, async () => (await report("cutter")).concurrent === 0);
  const cut = (await report("cutter")).all;
  assert.ok(cut.estimated > 0 && cut.requests === 1, JSON.stringify(cut));

  assert.equal((await post("downer", "/v1/chat/completions", chat("down"))).status >= 500, true);
  await until(2000, async () => (await report("downer")).concurrent === 0);
  assert.deepEqual((await report("downer")).all, { period: "all", ticks: 0, estimated: 0, requests: 1 });
});

test("requests a minute, and at once: 429 with Retry-After in the form that was asked", async () => {
  const { post, report } = await start({ often: { limits: { requestsPerMinute: 3 } }, together: { limits: { concurrent: 2 } }, none: { limits: { requestsPerMinute: 0 } } });
  const began = Date.now();
  const first = await Promise.all(Array.from({ length: 12 }, () => post("often", "/v1/chat/completions", chat("gpt"))));
  assert.deepEqual([first.filter(({ status }) => status === 200).length, first.filter(({ status }) => status === 429).length], [3, 9]);
  const paths = { "/v1/chat/completions": (error) => error.error.code === "rate_limit_exceeded", "/anthropic/v1/messages": (error) => error.type === "error" && error.error.type === "rate_limit_error", "/gemini/v1beta/models/m:generateContent": ({ error }) => error.status === "RESOURCE_EXHAUSTED" };
  for (const [path, fits] of Object.entries(paths)) {
    const response = await post("often", path, chat("gpt"));
    assert.equal(response.status, 429);
    const after = Number(response.headers.get("retry-after"));
    const passed = (Date.now() - began) / 1000; // on a busy machine some seconds
    assert.ok(after >= Math.floor(60 - passed) && after <= 60, `${after} after ${passed} s`);
    assert.equal(response.headers.get("x-should-retry"), null);
    assert.ok(fits(await response.json()), path);
  }
  assert.equal((await post("none", "/v1/chat/completions", chat("gpt"))).status, 429);

  const open = await Promise.all(Array.from({ length: 6 }, () => post("together", "/v1/chat/completions", chat("slow", { stream: true }))));
  const streams = open.filter(({ status }) => status === 200);
  assert.equal(streams.length, 2);
  for (const response of open) if (response.status !== 200) assert.equal(response.headers.get("retry-after"), "1");
  await Promise.all(open.map((response) => response.text()));
  await until(2000, async () => (await report("together")).concurrent === 0);
  assert.equal((await post("together", "/v1/chat/completions", chat("gpt"))).status, 200);
});

test("no official SDK asks again when the money is spent", async () => {
  const { address } = await startGateway({ tokens: Object.fromEntries(["sk-sim", "sk-ant-sim", "sim"].map((token, i) => [`owner${i}`, { hash: hashed(token), limits: { maxUsd: 0 } }])) });
  const direct = fetch; // some SDKs take no other, and are given one in its place
  for (const [name, { stream }] of Object.entries(runs)) {
    let asked = 0;
    const counting = (...args) => (asked++, direct(...args));
    const { error } = await outcome(stream, { address, script: {}, fetch: counting, maxRetries: 2 });
    assert.equal(error?.status ?? error?.statusCode, 402, `${name}: ${error}`);
    assert.equal(asked, 1, name);
  }
});

test("what cannot be counted is not for a token with a limit of money; what is free costs nothing", async () => {
  const { post, report } = await start({ rich: { limits: { maxUsd: 5 } }, tiers: { limits: { maxUsd: 5 } }, counted: { limits: { requestsPerMinute: 100 } } });
  const uncounted = [
    ["/openai/v1/responses", { model: "gpt-5-mini", input: "Hi", background: true }],
    ["/v1/responses", { model: "gpt", input: "Hi", background: true }],
    ["/openai/v1/responses", { model: "gpt-5-mini", input: "Hi", background: "true" }], // which some readers take for it
    ["/xai/v1/chat/completions", chat("grok-4", { deferred: true })],
    ["/gemini/v1beta/models/veo-3:predictLongRunning", { instances: [] }],
    // Whose tokens cost more than the table says, or which run what the usage does not tell.
    ["/openai/v1/chat/completions", chat("gpt-5-mini", { service_tier: "priority" })],
    ["/v1/chat/completions", chat("gpt", { service_tier: "priority" })],
    ["/answers/v1/responses", { model: "gpt", input: "Hi", service_tier: "fast" }],
    ["/gemini/v1beta/models/gemini-2.5-pro:generateContent", { contents: [{ parts: [{ text: "Hi" }] }], serviceTier: "PRIORITY" }],
    ["/anthropic/v1/messages", { model: "claude-opus-4-8", max_tokens: 9, messages, speed: "fast" }],
    ["/anthropic/v1/messages", { model: "claude-haiku-4-5", max_tokens: 9, messages, tools: [{ type: "advisor_20260301", name: "advisor", model: "claude-opus-4-8" }] }],
    ["/openai/v1/responses", { model: "gpt-5-mini", input: "Hi", tools: [{ type: "image_generation" }] }],
    ["/answers/openai/v1/responses", { model: "gpt-5-mini", input: [{ type: "tool_search_output", tools: [{ type: "image_generation" }] }] }],
  ];
  for (const [path, body] of uncounted) {
    const response = await post("rich", path, body);
    assert.equal(response.status, 403, path);
  }
  assert.equal((await post("counted", ...uncounted[0])).status, 200);
  for (const more of [{ service_tier: "flex" }, { service_tier: null }, { tools: [{ type: "function", function: { name: "f", parameters: { type: "object", properties: { model: {} } } } }] }]) {
    assert.equal((await post("tiers", "/openai/v1/chat/completions", chat("gpt-5-mini", more))).status, 200, JSON.stringify(more));
  }
  const count = await post("rich", "/anthropic/v1/messages/count_tokens", { model: "claude-haiku-4-5", messages });
  assert.equal(count.status, 200);
  await count.text();
  const { held } = await report("rich");
  assert.equal(held, 0);
  const three = await post("rich", "/openai/v1/chat/completions", chat("gpt-5-mini", { n: 3, stream: true }));
  assert.equal(three.status, 200);
  await three.text();
  const odd = await post("rich", "/openai/v1/chat/completions", chat("gpt-5-mini"), { headers: { "content-type": "application/x-www-form-urlencoded" } });
  assert.equal(odd.status, 200);
  await odd.text();
  await until(2000, async () => (await report("rich")).all.requests === 3);
  const { ticks: all, estimated } = (await report("rich")).all;
  assert.ok(all > 0 && estimated === 0, JSON.stringify({ all, estimated }));
});

test("what died with its isolate counts as spent in full, and settles what it held", { timeout: 30_000 }, async () => {
  const owners = { mortal: { limits: { concurrent: 1, maxUsd: 5 } } };
  const storage = mkdtempSync(join(tmpdir(), "holdfast-ledgers-"));
  after(() => rmSync(storage, { recursive: true, force: true }));
  const before = await start(owners, { storage });
  const response = await before.post("mortal", "/v1/chat/completions", chat("slow", { stream: true }));
  await response.body.getReader().read();
  const { held } = await before.report("mortal");
  assert.ok(held > 0);
  await before.stop();

  const { post, report } = await start(owners, { storage });
  assert.equal((await report("mortal")).held, held);
  assert.equal((await post("mortal", "/v1/chat/completions", chat("gpt"))).status, 429);
  await until(10_000, async () => (await report("mortal")).concurrent === 0);
  const { all, held: left } = await report("mortal");
  assert.deepEqual(all, { period: "all", ticks: held, estimated: held, requests: 1 });
  assert.equal(left, 0);
  assert.equal((await post("mortal", "/v1/chat/completions", chat("gpt"))).status, 200);
});

test("what dies behind another that died is found out as soon", { timeout: 30_000 }, async () => {
  const { play, report } = await start({});
  const limits = { concurrent: 1 };
  const reserve = (id) => ["reserve", { id, ticks: 100, limits }];
  await play("twice", [["lease", -1], reserve("first"), ["alarm"], ["lease", 500], reserve("second")]);
  assert.deepEqual([(await report("twice")).concurrent, (await report("twice")).held], [1, 100]);
  await until(5000, async () => (await report("twice")).concurrent === 0);
  await play("twice", [["renew", "first"]]); // it has come back, and dies for good
  assert.equal((await report("twice")).concurrent, 1);
  await until(5000, async () => (await report("twice")).concurrent === 0);
  const { all, held } = await report("twice");
  assert.deepEqual([all.ticks, all.requests, held], [200, 2, 0]);
});

test("durable answers are paid for, too: 20 at once with money for three", { timeout: 60_000 }, async () => {
  const { post, report } = await start({ keeper: { limits: { maxUsd: 0.0021 } }, probe: { limits: {} } });
  assert.equal((await post("probe", "/answers", chat("slow"))).status, 201);
  const { held } = await report("probe");
  assert.ok(held * 3 < ticks(0.0021) && held * 4 > ticks(0.0021), String(held));
  const asked = await Promise.all(Array.from({ length: 20 }, (_, n) => post("keeper", "/answers", chat("slow"), { headers: { "idempotency-key": `answer-of-keeper-${n}` } })));
  assert.deepEqual([asked.filter(({ status }) => status === 201).length, asked.filter(({ status }) => status === 402).length], [3, 17]);
  const n = asked.findIndex(({ status }) => status === 201);
  const again = await post("keeper", "/answers", chat("slow"), { headers: { "idempotency-key": `answer-of-keeper-${n}` } });
  assert.equal(again.status, 200); // the same one costs nothing
  // Leases are shorter here than answers renew them: what was given up is settled all the same.
  await until(10_000, async () => {
    const { all: { requests, estimated }, concurrent } = await report("keeper");
    return requests === 3 && estimated === 0 && concurrent === 0;
  });
  const { all } = await report("keeper");
  assert.ok(all.requests === 3 && all.ticks > 0 && all.ticks < 3 * held, JSON.stringify(all));
});

test("an answer whose process is lost pays for each call of the model, and none is made that its money does not cover", { timeout: 60_000 }, async () => {
  const held = await setAside();
  const owners = { lost: { limits: { maxUsd: 5 } }, poor: { limits: { maxUsd: (held * 1.5) / 1e10 } } };
  const storage = mkdtempSync(join(tmpdir(), "holdfast-ledgers-"));
  after(() => rmSync(storage, { recursive: true, force: true }));
  const never = { firstMs: 60_000 };
  const sessions = {};
  const ids = {};
  const counts = async () => Object.fromEntries(await Promise.all(Object.entries(sessions).map(async ([name, session]) => [name, (await log(session)).count])));
  let there = await start(owners, { storage });
  for (const name of Object.keys(owners)) {
    const headers = asking({ requests: [never, never, {}] });
    sessions[name] = headers["x-sim-session"];
    ids[name] = (await (await there.post(name, "/answers/openai/v1/chat/completions", chat("gpt-5-mini"), { headers })).json()).id;
  }
  await until(3000, async () => Object.values(await counts()).every((n) => n === 1));
  for (let life = 2; life <= 3; life++) {
    await there.stop();
    there = await start(owners, { storage });
    for (const name of Object.keys(owners)) await there.get(name, `/answers/${ids[name]}`);
    await until(5000, async () => (await counts()).lost === life);
    if (life === 2) assert.equal((await there.report("lost")).held, 2 * held);
  }
  const result = async (name) => (await (await there.get(name, `/answers/${ids[name]}`)).json()).at(-1).result;
  await until(5000, async () => (await there.report("lost")).concurrent === 0 && (await there.report("poor")).concurrent === 0);
  const [lost, poor] = [await result("lost"), await result("poor")];
  assert.deepEqual([lost.status, lost.attempts.map(({ kind }) => kind)], ["complete", ["first", "retry", "retry"]]);
  assert.equal((await there.report("lost")).all.ticks, 3 * held);
  assert.deepEqual([poor.status, poor.error.reason, (await counts()).poor], ["failed", "budget", 1]);
  assert.equal((await there.report("poor")).all.ticks, held);
});

/** Calls that anybody might make of a ledger, in any order: what is settled was reserved, or not, or twice. */
function* calls(random, limits) {
  const any = (n) => Math.floor(random() * n);
  for (let n = 0; n < 120; n++) {
    const id = `request-${any(12)}`;
    const kind = any(10);
    if (kind < 5) yield ["reserve", { id, ticks: any(4) === 0 ? 0 : any(400), limits }];
    else if (kind < 6) yield ["raise", { id, ticks: any(800), limits }];
    else if (kind < 8) yield ["settle", id, any(5) === 0 ? null : { ticks: any(4) === 0 ? any(1200) : any(300), estimated: any(3) === 0, lost: any(4) === 0 }];
    else if (kind < 9) yield ["renew", id];
    else yield ["alarm"];
    if (any(6) === 0) yield ["lease", any(2) === 0 ? -1 : 60_000]; // one that has ended as it begins, or not
  }
}

test("an answer whose process is lost asks no more than its owner may by then", { timeout: 60_000 }, async () => {
  const storage = mkdtempSync(join(tmpdir(), "holdfast-ledgers-"));
  after(() => rmSync(storage, { recursive: true, force: true }));
  const options = { storage, secrets: { ...KEYS, HOLDFAST_JWT_SECRET: "a-secret-that-signs-links-and-no-tokens" } };
  const before = await start({ less: { limits: { maxUsd: 5 } }, gone: { limits: { maxUsd: 5 } } }, options);
  const answers = [];
  for (const name of ["less", "gone"]) {
    const headers = asking({ text: "word ".repeat(50), requests: [{ gapMs: 100 }] });
    const { id } = await (await before.post(name, "/answers/openai/v1/chat/completions", chat("gpt-5-mini"), { headers })).json();
    const { url } = await (await before.post(name, `/answers/${id}/link`, {})).json();
    answers.push({ name, session: headers["x-sim-session"], url });
    await until(3000, async () => (await (await before.get(name, `/answers/${id}`)).json()).length > 0);
  }
  await before.stop();
  const { get, report, stop } = await start({ less: { limits: { maxUsd: 0 } } }, options);
  for (const { name, session, url } of answers) {
    const last = { less: "budget", gone: "transport" }[name];
    const { result } = await until(5000, async () => (await (await get(name, url)).json()).find(({ type }) => type === "done"));
    assert.deepEqual([result.status, result.error.code, result.attempts.at(-1).error.reason, result.offer], ["interrupted", "gateway_lost", last, ["continue", "try_again"]]);
    assert.equal((await log(session)).count, 1);
    await until(2000, async () => (await report(name)).concurrent === 0);
  }
  await stop();
});

test("the law of a ledger: spent, without what bills were higher, and held stay within the limit", { timeout: 60_000 }, async () => {
  const { play } = await start({});
  for (let seed = 1; seed <= 25; seed++) {
    let state = seed * 7919;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const limit = 1000 + Math.floor(random() * 2000);
    const limits = [{ maxUsd: limit }, { maxUsdPerDay: limit }, { maxUsdPerMonth: limit, concurrent: 6 }][seed % 3];
    const all = [...calls(random, limits)];
    const steps = await play(`ledger-${seed}`, all);
    // What must be there, counted in another way.
    const holds = new Map();
    let [spent, estimated, over, requests, lease, n] = [0, 0, 0, 0, 1500, 0];
    const open = () => [...holds.values()].filter(({ lost }) => !lost);
    for (const [method, first, second] of all) {
      if (method === "lease") {
        lease = first;
        continue;
      }
      const { gave, report } = steps[n++];
      const hold = holds.get(first?.id ?? first);
      const revive = () => {
        if (hold.lost) [spent, estimated, requests] = [spent - hold.ticks, estimated - hold.ticks, requests - 1];
        Object.assign(hold, { lost: false, ends: lease });
      };
      if (method === "reserve" && hold) revive();
      else if (method === "reserve") {
        const held = open().reduce((sum, { ticks }) => sum + ticks, 0);
        const refused = limits.concurrent <= open().length ? "concurrent" : first.ticks > 0 && spent + held + first.ticks > limit ? Object.keys(limits)[0] : undefined;
        assert.equal(gave.refused, refused, `seed ${seed}, call ${n}`);
        if (!refused) holds.set(first.id, { ticks: first.ticks, ends: lease, lost: false });
      } else if (method === "raise" && !hold) assert.deepEqual(gave, { refused: "ended" });
      else if (method === "raise") {
        revive();
        const more = first.ticks - hold.ticks;
        const held = open().reduce((sum, { ticks }) => sum + ticks, 0);
        const refused = more > 0 && spent + held + more > limit ? Object.keys(limits).find((name) => name.startsWith("max")) : undefined;
        assert.equal(gave.refused, refused, `seed ${seed}, call ${n}`);
        if (more > 0 && !refused) hold.ticks = first.ticks;
      } else if (method === "renew") {
        assert.equal(gave, hold !== undefined);
        if (hold) revive();
      } else if (method === "settle" && hold) {
        const bill = { ...(second ?? { ticks: hold.ticks, estimated: true }) };
        if (bill.lost) bill.ticks = Math.max(bill.ticks, hold.ticks);
        if (hold.lost) [spent, estimated, requests] = [spent - hold.ticks, estimated - hold.ticks, requests - 1];
        [spent, estimated, requests] = [spent + bill.ticks, estimated + (bill.estimated ? bill.ticks : 0), requests + 1];
        over += Math.max(0, bill.ticks - hold.ticks);
        holds.delete(first);
      } else if (method === "alarm") {
        for (const late of open().filter(({ ends }) => ends < 0)) {
          late.lost = true;
          [spent, estimated, requests] = [spent + late.ticks, estimated + late.ticks, requests + 1];
        }
      }
      const held = open().reduce((sum, { ticks }) => sum + ticks, 0);
      const { ticks, estimated: guessed, requests: counted } = report.all;
      assert.deepEqual({ ticks, guessed, counted, held: report.held }, { ticks: spent, guessed: estimated, counted: requests, held }, `seed ${seed}, call ${n}`);
      assert.ok(spent - over + held <= limit, `seed ${seed}, call ${n}: ${spent} - ${over} + ${held} > ${limit}`);
      assert.deepEqual([report.day.ticks, report.month.ticks], [spent, spent]);
    }
  }
});

test("a further attempt is covered before it is sent, or is not sent", { timeout: 60_000 }, async () => {
  const held = await setAside();
  const money = (n) => ({ limits: { maxUsd: (held * n) / 1e10 } });
  const { post, get, report } = await start({ poor: money(1.02), durable: money(1.02), rich: money(3), patient: money(1.02) });
  const asked = async (name, path, more) => {
    const headers = asking({ requests: [{ endAfterWords: 8, end: "reset" }, {}] });
    const response = await post(name, path, chat("gpt-5-mini", more), { headers });
    const text = await response.text();
    await until(4000, async () => (await report(name)).concurrent === 0);
    assert.ok((await report(name)).all.ticks <= held * 3);
    return { status: response.status, text, count: (await log(headers["x-sim-session"])).count };
  };
  const poor = await asked("poor", "/openai/v1/chat/completions", { stream: true });
  assert.equal(poor.count, 1);
  assert.match(poor.text, /"content":[^]*data: {"error":[^]*$/); // the first failure, which is why another attempt was needed
  assert.doesNotMatch(poor.text, /"finish_reason":"stop"/);
  assert.ok((await report("poor")).all.ticks <= held * 1.02);
  const durable = await asked("durable", "/answers/openai/v1/chat/completions");
  const { result } = (await (await get("durable", `/answers/${JSON.parse(durable.text).id}`)).json()).at(-1);
  assert.deepEqual([durable.count, result.status, result.error.reason, result.attempts.map(({ error }) => error.reason)], [1, "interrupted", "transport", ["transport", "budget"]]);
  assert.equal((await report("durable")).all.ticks, ticks(result.costUsd));
  const rich = await asked("rich", "/openai/v1/chat/completions", { stream: true });
  assert.equal(rich.count, 2);
  assert.match(rich.text, /"finish_reason":"stop"/);
  // What cost nothing needs no more cover: all attempts are made.
  const headers = asking({ error: "overloaded" });
  assert.equal((await post("patient", "/openai/v1/chat/completions", chat("gpt-5-mini"), { headers })).status, 503);
  assert.equal((await log(headers["x-sim-session"])).count, 4);
});

test("without limits nobody asks a ledger; with limits nothing passes without one", async () => {
  const { post, report } = await start({ free: {}, bound: { limits: {} } });
  const headers = { "x-without-ledgers": "1" };
  assert.equal((await post("free", "/v1/chat/completions", chat("gpt"), { headers })).status, 200);
  const response = await post("bound", "/v1/chat/completions", chat("gpt"), { headers });
  assert.equal(response.status, 503);
  assert.equal((await response.json()).error.code, "ledger_unavailable");
  assert.equal((await report("free")).all.requests, 0);
});
