// The sixteen scenarios of Failover Bench v0.1 through the gateway, in real time, as a stranger would
// ask: OpenAI's form, the chain in a header, in the body or behind the model, with fetch or the official
// SDK, streamed and whole, with /v1 in the base URL and without. What the caller got is judged, and
// what the provider saw. It takes the 80 seconds of S15; the others run beside it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createRequire } from "node:module";
import { hashed, provider, startGateway, TOKEN } from "./gateway.js";

const OpenAI = createRequire(new URL("../sdk/", import.meta.url))("openai").default;

const messages = [{ role: "user", content: "What does the keeper's note say?" }];
const words = 60;

/** Ways to name a chain of two: what goes into the headers and into the body. */
const header = (first, other) => [{ "x-holdfast-models": `${first}, ${other}` }, { model: first }];
const list = (first, other) => [{}, { model: first, models: [first, other] }];
const behind = (first, other) => [{}, { model: first, models: [other] }];
const headerBehind = (first, other) => [{ "x-holdfast-models": other }, { model: first }];

/** Ways to ask. Each gives what the caller got in one form: {text, model, finish, usage} or {status, error}. */
const ways = {
  "fetch, streamed, chain in a header": { stream: true, base: "/v1", chain: header, ask: plain },
  "SDK, streamed, chain in the body": { stream: true, base: "", chain: list, ask: sdk },
  "fetch, streamed, fallback in the body": { stream: true, base: "", chain: behind, ask: plain },
  "fetch, whole, chain in the body": { stream: false, base: "/v1", chain: list, ask: plain },
  "SDK, whole, fallback in a header": { stream: false, base: "/v1", chain: headerBehind, ask: sdk },
};

async function plain({ stream, url, headers, body }) {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify(stream ? { ...body, stream, stream_options: { include_usage: true } } : body),
  });
  if (!response.ok) return { status: response.status, ...(await response.json()) };
  if (!stream) return documentOf(await response.json());
  assert.match(response.headers.get("content-type"), /^text\/event-stream/);
  return read(eventsOf(response));
}

/** The events of a stream, which must end with its end mark and nothing behind it. */
async function* eventsOf(response) {
  let ended = false;
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      if (event.startsWith(":")) continue;
      assert.equal(ended, false, "an event behind [DONE]");
      assert.ok(event.startsWith("data: ") && !event.includes("\n"), event);
      ended = event === "data: [DONE]";
      if (!ended) yield JSON.parse(event.slice(6));
    }
  }
  assert.equal(rest, "");
  assert.ok(ended, "no [DONE]");
}

async function sdk({ stream, url, headers, body }) {
  const client = new OpenAI({ apiKey: TOKEN, baseURL: url, maxRetries: 0, defaultHeaders: headers });
  try {
    if (!stream) return documentOf(await client.chat.completions.create(body));
    return await read(await client.chat.completions.create({ ...body, stream, stream_options: { include_usage: true } }));
  } catch (error) {
    assert.ok(error instanceof OpenAI.APIError, String(error));
    return { status: error.status, error: error.error };
  }
}

async function read(chunks) {
  const got = { text: "" };
  for await (const { id, model, choices, usage, error, object } of chunks) {
    assert.equal(error, undefined);
    assert.equal(object, "chat.completion.chunk");
    assert.equal(id, (got.id ??= id), "one answer has one id");
    got.model ??= model;
    got.text += choices[0]?.delta.content ?? "";
    got.finish = choices[0]?.finish_reason ?? got.finish;
    got.usage = usage ?? got.usage;
  }
  return got;
}

function documentOf({ object, model, choices, usage }) {
  assert.equal(object, "chat.completion");
  return { text: choices[0].message.content, model, finish: choices[0].finish_reason, usage };
}

const answered = ({ text, finish, error }) => {
  assert.equal(error, undefined, JSON.stringify(error));
  assert.equal(text, whole);
  assert.equal(finish, "stop");
};
const byFallback = (got) => {
  answered(got);
  assert.match(got.model, /^sim-(bench|s14-fallback)/);
};
const byFirst = (got) => {
  answered(got);
  assert.match(got.model, /^sim-s\d\d@/);
};
const counted = ({ usage }) => assert.ok(usage?.total_tokens > words, "usage");
const within = (got, limit) => assert.ok(got.seconds <= limit, `${got.seconds} s are more than ${limit} s`);
const times = (requests, least, most) => assert.ok(requests.length >= least && requests.length <= most, `${requests.length} requests`);

/** Each scenario: its title, whether only a stream can show it, and what a full pass is. */
const scenarios = {
  s01: ["429 with Retry-After: 2, once", false, (got, { first, other }) => {
    byFirst(got);
    times(first, 2, 2);
    times(other, 0, 0);
    assert.ok(first[1].atMs - first[0].atMs >= 1800, `${first[1].atMs - first[0].atMs} ms`);
  }],
  s02: ["429 for ever, no hint", false, (got, { first }) => {
    byFallback(got);
    times(first, 1, 6);
    times(first.filter(({ atMs }) => atMs <= 3000), 1, 4);
  }],
  s03: ["500 once", false, (got, { first, other }) => {
    byFirst(got);
    times(first, 2, 2);
    times(other, 0, 0);
  }],
  s04: ["503 for ever", false, (got, { first, other }) => {
    byFallback(got);
    times(first, 1, 6);
    times(other, 1, 1);
  }],
  s05: ["reset before headers", false, (got, { first }) => {
    byFirst(got);
    times(first, 2, 2);
  }],
  s06: ["no response for 120 s", false, (got, { first, other }) => {
    byFallback(got);
    within(got, 100);
    times(first, 1, 1); // a silent route is not asked again
    times(other, 1, 1);
  }],
  s07: ["first token after 20 s", true, (got, { first }) => {
    byFallback(got);
    within(got, 15);
    times(first, 1, 1);
  }],
  s08: ["cut after 40 words", true, answered],
  s09: ["stall after 20 words", true, (got) => {
    answered(got);
    within(got, 45);
  }],
  s10: ["tenth event is no JSON", true, answered],
  s11: ["no [DONE], no end", true, (got, { first }) => {
    byFirst(got);
    within(got, 8);
    counted(got);
    times(first, 1, 1);
  }],
  s12: ["400 context_length_exceeded", false, (got, { first, other }) => {
    times(first, 1, 1);
    times(other, 0, 1);
    if (other.length > 0) return byFallback(got);
    assert.equal(got.status, 400);
    assert.equal(got.error.code, "context_length_exceeded");
  }],
  s13: ["400 content_policy_violation", false, (got, { first, other }) => {
    times(first, 1, 1);
    times(other, 0, 0);
    assert.equal(got.status, 400);
    assert.equal(got.error.code, "content_policy_violation");
    assert.match(got.error.message, /safety/);
  }],
  s14: ["cut; fallback takes no prefill", true, (got, { other }) => {
    answered(got);
    assert.deepEqual(other.map(({ status }) => status), other.map(() => 200));
  }],
  s16: ["503 for ever: who answered?", false, (got, { other }) => {
    byFallback(got);
    counted(got);
    times(other, 1, 1);
  }],
};

/**
 * One gateway for all scenarios of a way to ask, as a referee has it: with breakers and throttle, two
 * retries and 30 seconds' patience. The provider tells sessions apart by the models' names.
 */
async function open(number) {
  const session = (name) => `${name}-${process.pid}-${number}`;
  const models = { bench: [{ provider: "openai", model: "sim-bench" }] };
  for (const name of [...Object.keys(scenarios), "s15"]) {
    models[name] = [{ provider: "openai", model: `sim-${name}@${session(name)}` }];
    models[`${name}-other`] = [{ provider: "openai", model: `${name === "s14" ? "sim-s14-fallback" : "sim-bench"}@${session(name)}` }];
  }
  const gateway = await startGateway({
    tokens: { referee: hashed(TOKEN) }, models, throttle: undefined, breaker: undefined,
    policy: { interactive: { attempts: 3 }, headersMs: 30_000, firstDeltaMs: 30_000, idleMs: 30_000 },
  });
  return { ...gateway, session };
}

/** What the provider saw in a session: requests for the first model and for the other one. */
async function seen(name, session) {
  const { requests } = await (await fetch(`${provider}/sim/log?session=${session}`)).json();
  const of = (first) => requests.filter(({ model }) => first === model.startsWith(`sim-${name}@`));
  return { first: of(true), other: of(false) };
}

/** Asks once; with the time that it took. */
async function ask({ base, chain, ask, stream }, address, first, other) {
  const [headers, body] = other ? chain(first, other) : [{}, { model: first }];
  const began = Date.now();
  const got = await ask({ stream, url: address + base, headers, body: { ...body, messages } });
  return { ...got, seconds: (Date.now() - began) / 1000 };
}

const rows = [];

async function play(name, way, label, gateway) {
  const [title, , judge] = scenarios[name];
  const row = { name, title, label, verdict: "FAIL" };
  rows.push(row);
  const got = await ask(way, gateway.address, name, `${name}-other`);
  const { first, other } = await seen(name, gateway.session(name));
  Object.assign(row, { first: first.length, other: other.length, seconds: got.seconds, by: got.model?.split("@")[0] ?? got.error?.code });
  judge(got, { first, other });
  answered(await ask(way, gateway.address, "bench")); // the next call is healthy
  row.verdict = "pass";
}

/** 503 for 60 s, and a call every 4 s for 80 s. */
async function outage(way, label, gateway) {
  const row = { name: "s15", title: "503 for 60 s, a call every 4 s", label, verdict: "FAIL", by: "" };
  rows.push(row);
  const began = Date.now();
  const calls = [];
  for (let at = 0; at <= 80; at += 4) {
    await new Promise((resolve) => setTimeout(resolve, began + at * 1000 - Date.now()));
    calls.push(ask(way, gateway.address, "s15", "s15-other").then((got) => ({ at, got })));
  }
  const results = await Promise.all(calls);
  const { first, other } = await seen("s15", gateway.session("s15"));
  const back = results.find(({ got }) => got.model?.startsWith("sim-s15@"))?.at;
  Object.assign(row, { first: first.length, other: other.length, seconds: Math.max(...results.map(({ got }) => got.seconds)), by: `back at ${back} s` });
  for (const { at, got } of results) {
    answered(got);
    if (at < 56) byFallback(got);
    if (at >= back) byFirst(got);
  }
  assert.ok(back <= 90, "back on the first model within 30 s of its recovery");
  times(first.filter(({ status }) => status === 503), 1, 12); // a dead route is left alone
  row.verdict = "pass";
}

// Starting takes a moment each, and nothing of it may count as waiting.
const gateways = await Promise.all(Object.keys(ways).map((_, number) => open(number)));
const whole = documentOf(await (await fetch(`${provider}/openai/v1/chat/completions`, { method: "POST", body: JSON.stringify({ model: "sim-bench", messages }) })).json()).text;
assert.equal(whole.split(" ").length, words);

test("Failover Bench", { concurrency: 100, timeout: 150_000 }, async (t) => {
  const plays = [];
  for (const [number, [label, way]] of Object.entries(ways).entries()) {
    plays.push(t.test(`S15, ${label}`, () => outage(way, label, gateways[number])));
    for (const [name, [, streamed]] of Object.entries(scenarios)) {
      if (way.stream || !streamed) plays.push(t.test(`${name.toUpperCase()}, ${label}`, () => play(name, way, label, gateways[number])));
    }
  }
  await Promise.all(plays);
});

after(() => {
  rows.sort((a, b) => (a.name + a.label < b.name + b.label ? -1 : 1));
  const line = (...cells) => cells.map((cell, i) => (i > 3 ? String(cell).padStart(6) : String(cell ?? "").padEnd([4, 32, 38, 5][i]))).join(" ");
  console.log(line("", "scenario", "asked by", "", "first", "other", "s"), " by");
  for (const r of rows) console.log(line(r.name.toUpperCase(), r.title, r.label, r.verdict, r.first, r.other, r.seconds?.toFixed(1)), "", r.by ?? "");
});
