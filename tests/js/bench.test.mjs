// The sixteen scenarios of Failover Bench v0.1 over real HTTP and in real time, asked in three ways:
// what the caller got, and what the provider saw. Nothing is injected and nothing is sped up, so that
// it takes the 80 seconds of S15; the others run beside it.

import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "./holdfast.mjs";
import { startSim } from "./sim.mjs";

const sim = await startSim();
const PATH = "/chat/completions";
const messages = [{ role: "user", content: "What does the keeper's note say?" }];
/** Two retries, 30 seconds for a request and for silence. */
const policy = { interactive: { attempts: 3 }, headersMs: 30_000, firstDeltaMs: 30_000, idleMs: 30_000 };
const whole = (await (await create("bench")).request(PATH, { model: "sim-bench", messages })).data.choices[0].message.content;
assert.equal(whole.split(" ").length, 60);

/** A client as the bench has it: one model, and one to fall back to. */
async function create(session, fallback = "sim-bench") {
  const baseURL = `${sim}/openai/v1`;
  const apiKey = "bench";
  return createClient({ provider: "openai", baseURL, apiKey, policy, targets: [{ provider: "openai", baseURL, apiKey, model: `${fallback}@${session}` }] });
}

/** The ways to ask, each with what the caller got in one form. */
const modes = {
  async stream(client, body) {
    let shown = "";
    const answer = client.stream(PATH, { ...body, stream_options: { include_usage: true } }, { onDelta: (delta) => (shown += delta.text ?? "") });
    const result = await answer.result;
    assert.equal(shown, result.text, "what was shown is what is reported");
    return result;
  },
  request: (client, body) =>
    client.request(PATH, body).then(
      ({ data, usage, attempts }) => ({ status: "complete", text: data.choices[0].message.content, model: data.model, usage, attempts }),
      (error) => ({ status: "failed", text: "", error: error.failure, attempts: error.attempts }),
    ),
  /** As an SDK streams, by client.fetch. */
  async fetch(client, body) {
    const headers = { "content-type": "application/json", authorization: "Bearer bench" };
    const response = await client.fetch(`${sim}/openai/v1${PATH}`, { method: "POST", headers, body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }) });
    const sent = await response.text();
    if (!response.ok) {
      const { code, message } = JSON.parse(sent).error;
      return { status: "failed", error: { code, developerMessage: message } };
    }
    const chunks = sent.split("\n\n").filter((event) => event.startsWith("data: {")).map((event) => JSON.parse(event.slice(6)));
    const finished = chunks.some(({ choices }) => choices?.[0]?.finish_reason === "stop") && sent.endsWith("data: [DONE]\n\n");
    return {
      status: finished ? "complete" : "interrupted",
      text: chunks.map(({ choices }) => choices?.[0]?.delta.content ?? "").join(""),
      model: chunks[0].model,
      usage: { totalTokens: chunks.find(({ usage }) => usage)?.usage.total_tokens },
    };
  },
};

/** Asks once; with the time that it took. */
async function ask(client, model, mode) {
  const began = Date.now();
  const got = await modes[mode](client, { model, messages });
  return { ...got, seconds: (Date.now() - began) / 1000 };
}

/** What the provider saw: requests for the first model and for the other one. */
async function seen(session) {
  const { requests } = await (await fetch(`${sim}/sim/log?session=${session}`)).json();
  const of = (first) => requests.filter(({ model }) => first === model.startsWith(`sim-${session.slice(0, 3)}@`));
  return { first: of(true), other: of(false) };
}

const answered = (got) => {
  assert.equal(got.status, "complete", JSON.stringify(got.error));
  assert.equal(got.text, whole);
};
const byFallback = (got) => {
  answered(got);
  assert.match(got.model, /^sim-(bench|s14-fallback)/);
};
const byFirst = (got) => {
  answered(got);
  assert.match(got.model, /^sim-s\d\d@/);
};
const within = (got, limit) => assert.ok(got.seconds <= limit, `${got.seconds} s are more than ${limit} s`);
const times = (requests, least, most) => assert.ok(requests.length >= least && requests.length <= most, `${requests.length} requests`);

/** Each scenario: in which modes it is asked, and what a full pass is. */
const scenarios = {
  s01: ["429 with Retry-After: 2, once", "all", (got, { first }) => {
    byFirst(got);
    times(first, 2, 2);
    assert.ok(first[1].atMs - first[0].atMs >= 1800, `${first[1].atMs - first[0].atMs} ms`);
  }],
  s02: ["429 for ever, no hint", "all", (got, { first }) => {
    byFallback(got);
    times(first, 1, 6);
    times(first.filter(({ atMs }) => atMs <= 3000), 1, 4);
  }],
  s03: ["500 once", "all", (got, { first, other }) => {
    byFirst(got);
    times(first, 2, 2);
    times(other, 0, 0);
  }],
  s04: ["503 for ever", "all", (got, { first }) => {
    byFallback(got);
    times(first, 1, 6);
  }],
  s05: ["reset before headers", "all", (got, { first }) => {
    byFirst(got);
    times(first, 2, 2);
  }],
  s06: ["no response for 120 s", "all", (got, { first }) => {
    byFallback(got);
    within(got, 100);
    times(first, 1, 1); // a silent route is not asked again
  }],
  s07: ["first token after 20 s", "streams", (got, { first }) => {
    byFallback(got);
    within(got, 15);
    times(first, 1, 1);
  }],
  s08: ["cut after 40 words", "streams", (got) => answered(got)],
  s09: ["stall after 20 words", "streams", (got) => {
    answered(got);
    within(got, 45);
  }],
  s10: ["tenth event is no JSON", "streams", (got) => answered(got)],
  s11: ["no [DONE], no end", "streams", (got, { first }) => {
    byFirst(got);
    within(got, 8);
    assert.ok(got.usage.totalTokens > 60, "usage");
    times(first, 1, 1);
  }],
  s12: ["400 context_length_exceeded", "all", (got, { first, other }) => {
    times(first, 1, 1);
    times(other, 0, 1); // a longer window elsewhere is allowed to help, and not asked by default
    if (other.length > 0) byFallback(got);
    else assert.equal(got.error.code, "context_length_exceeded");
  }],
  s13: ["400 content_policy_violation", "all", (got, { first, other }) => {
    times(first, 1, 1);
    times(other, 0, 0);
    assert.equal(got.error.code, "content_policy_violation");
    assert.match(got.error.developerMessage, /safety/);
  }],
  s14: ["cut; fallback takes no prefill", "streams", (got, { other }) => {
    answered(got);
    assert.deepEqual(other.map(({ status }) => status), other.map(() => 200));
    assert.ok(!got.attempts?.some(({ httpStatus }) => httpStatus === 400));
  }, "sim-s14-fallback"],
  s16: ["503 for ever: who answered?", "all", (got, { other }) => {
    byFallback(got);
    assert.ok(got.usage.totalTokens > 60, "usage");
    times(other, 1, 1);
  }],
};

const rows = [];
let sessions = 0;

/** Plays one scenario, judges it, and asks the same client once more. */
async function play(name, [title, , judge, fallback], mode) {
  const session = `${name}-${process.pid}-${++sessions}`;
  const client = await create(session, fallback);
  const got = await ask(client, `sim-${name}@${session}`, mode);
  const { first, other } = await seen(session);
  const row = { scenario: name.toUpperCase(), title, mode, verdict: "FAIL", first: first.length, other: other.length, seconds: got.seconds, by: got.model?.split("@")[0] ?? got.error?.code };
  rows.push(row);
  judge(got, { first, other });
  answered(await ask(client, "sim-bench", mode)); // the next call is healthy
  row.verdict = "pass";
  client.close();
}

/** 503 for 60 s, and a call every 4 s for 80 s. */
async function outage(mode) {
  const session = `s15-${process.pid}-${++sessions}`;
  const client = await create(session);
  const row = { scenario: "S15", title: "503 for 60 s, a call every 4 s", mode, verdict: "FAIL", by: "" };
  rows.push(row);
  const began = Date.now();
  const calls = [];
  for (let at = 0; at <= 80; at += 4) {
    await new Promise((resolve) => setTimeout(resolve, began + at * 1000 - Date.now()));
    calls.push(ask(client, `sim-s15@${session}`, mode).then((got) => ({ at, got })));
  }
  const results = await Promise.all(calls);
  client.close();
  const { first, other } = await seen(session);
  const back = results.find(({ got }) => got.model.startsWith("sim-s15@"))?.at;
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

test("Failover Bench", { concurrency: 60, timeout: 150_000 }, async (t) => {
  const plays = [];
  for (const mode of Object.keys(modes)) {
    plays.push(t.test(`S15, ${mode}`, () => outage(mode)));
    for (const [name, scenario] of Object.entries(scenarios)) {
      if (mode !== "request" || scenario[1] === "all") plays.push(t.test(`${name.toUpperCase()}, ${mode}`, () => play(name, scenario, mode)));
    }
  }
  await Promise.all(plays);
  rows.sort((a, b) => (a.scenario + a.mode < b.scenario + b.mode ? -1 : 1));
  const line = (...cells) => cells.map((cell, i) => (i > 3 ? String(cell).padStart([0, 0, 0, 0, 6, 6, 7][i]) : String(cell).padEnd([4, 32, 8, 5][i]))).join(" ");
  console.log(line("", "scenario", "mode", "", "first", "other", "s"), " by");
  for (const r of rows) console.log(line(r.scenario, r.title, r.mode, r.verdict, r.first, r.other, r.seconds?.toFixed(1)), "", r.by ?? "");
});
