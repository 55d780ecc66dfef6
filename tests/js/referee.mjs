// The referee of Failover Bench v0.1: plays its sixteen scenarios over real HTTP and in real time, judges
// what the caller got and what the provider saw, and prints a table. Nothing is injected and nothing is
// sped up, so that it takes the 80 seconds of S15; the others run beside it.

import assert from "node:assert/strict";
import { after, test } from "node:test";

export const messages = [{ role: "user", content: "What does the keeper's note say?" }];
/** Two retries, 30 seconds for a request and for silence. */
export const policy = { interactive: { attempts: 3 }, headersMs: 30_000, firstDeltaMs: 30_000, idleMs: 30_000 };

/**
 * What a caller got: an answer, or an error.
 * @typedef {{text?: string, model?: string, finish?: string, tokens?: number, error?: {code: string, message: string, status: number}}} Got
 *
 * How one asks. open gives who does so in a scenario, with a chain of two models, in a session that the
 * provider can tell from others; again asks for what is healthy.
 * @typedef {{name: string, stream: boolean, open: (scenario: string) => Promise<{session: string, ask: () => Promise<Got>, again: () => Promise<Got>, close?: () => void}>}} Way
 */

/** The model that stands behind the first one, and the scenarios' names. */
export const spareOf = (scenario) => (scenario === "s14" ? "sim-s14-fallback" : "sim-bench");
export const NAMES = Array.from({ length: 16 }, (_, i) => `s${String(i + 1).padStart(2, "0")}`);

/** Defines the tests: each way in each scenario. sim is the provider's address. @param {Way[]} ways */
export async function referee(sim, ways) {
  const document = await fetch(`${sim}/openai/v1/chat/completions`, { method: "POST", body: JSON.stringify({ model: "sim-bench", messages }) });
  const whole = (await document.json()).choices[0].message.content;
  assert.equal(whole.split(" ").length, 60);

  const answered = ({ text, finish, error }) => {
    assert.equal(error, undefined, JSON.stringify(error));
    assert.deepEqual([text, finish], [whole, "stop"]);
  };
  const byFallback = (got) => {
    answered(got);
    assert.match(got.model, /^sim-(bench|s14-fallback)/);
  };
  const byFirst = (got) => {
    answered(got);
    assert.match(got.model, /^sim-s\d\d@/);
  };
  const counted = ({ tokens }) => assert.ok(tokens > 60, "usage");
  const within = (got, limit) => assert.ok(got.seconds <= limit, `${got.seconds} s are more than ${limit} s`);
  const times = (requests, least, most) => assert.ok(requests.length >= least && requests.length <= most, `${requests.length} requests`);
  const refused = ({ error }, code) => assert.deepEqual([error.status, error.code], [400, code]);

  /** Each scenario but S15: its title, whether only a stream can show it, and what a full pass is. */
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
      times(other, 0, 1); // a longer window elsewhere is allowed to help, and not asked by default
      if (other.length > 0) byFallback(got);
      else refused(got, "context_length_exceeded");
    }],
    s13: ["400 content_policy_violation", false, (got, { first, other }) => {
      times(first, 1, 1);
      times(other, 0, 0);
      refused(got, "content_policy_violation");
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

  const rows = [];
  const row = (scenario, title, way) => {
    const made = { scenario, title, way: way.name, verdict: "FAIL" };
    rows.push(made);
    return made;
  };

  const timed = async (ask) => {
    const began = Date.now();
    const got = await ask();
    return { ...got, seconds: (Date.now() - began) / 1000 };
  };

  /** What the provider saw: requests for the first model and for the other one. */
  async function seen(scenario, session) {
    const { requests } = await (await fetch(`${sim}/sim/log?session=${session}`)).json();
    const of = (first) => requests.filter(({ model }) => first === model.startsWith(`sim-${scenario}@`));
    return { first: of(true), other: of(false) };
  }

  async function play(scenario, way) {
    const [title, , judge] = scenarios[scenario];
    const told = row(scenario, title, way);
    const { session, ask, again, close } = await way.open(scenario);
    const got = await timed(ask);
    const { first, other } = await seen(scenario, session);
    Object.assign(told, { first: first.length, other: other.length, seconds: got.seconds, by: got.model?.split("@")[0] ?? got.error?.code });
    judge(got, { first, other });
    answered(await again()); // the next call is healthy
    close?.();
    told.verdict = "pass";
  }

  /** 503 for 60 s, and a call every 4 s for 80 s. */
  async function outage(way) {
    const told = row("s15", "503 for 60 s, a call every 4 s", way);
    const { session, ask, close } = await way.open("s15");
    const began = Date.now();
    const calls = [];
    for (let at = 0; at <= 80; at += 4) {
      await new Promise((resolve) => setTimeout(resolve, began + at * 1000 - Date.now()));
      calls.push(timed(ask).then((got) => ({ at, got })));
    }
    const results = await Promise.all(calls);
    close?.();
    const { first, other } = await seen("s15", session);
    const back = results.find(({ got }) => got.model?.startsWith("sim-s15@"))?.at;
    Object.assign(told, { first: first.length, other: other.length, seconds: Math.max(...results.map(({ got }) => got.seconds)), by: `back at ${back} s` });
    for (const { at, got } of results) {
      answered(got);
      if (at < 56) byFallback(got);
      if (at >= back) byFirst(got);
    }
    assert.ok(back <= 90, "back on the first model within 30 s of its recovery");
    times(first.filter(({ status }) => status === 503), 1, 12); // a dead route is left alone
    told.verdict = "pass";
  }

  test("Failover Bench", { concurrency: 100, timeout: 150_000 }, async (t) => {
    const plays = [];
    for (const way of ways) {
      plays.push(t.test(`S15, ${way.name}`, () => outage(way)));
      for (const [scenario, [, streamed]] of Object.entries(scenarios)) {
        if (way.stream || !streamed) plays.push(t.test(`${scenario.toUpperCase()}, ${way.name}`, () => play(scenario, way)));
      }
    }
    await Promise.all(plays);
  });

  after(() => {
    rows.sort((a, b) => (a.scenario + a.way < b.scenario + b.way ? -1 : 1));
    const line = (...cells) => cells.map((cell, i) => (i > 3 ? String(cell).padStart(6) : String(cell ?? "").padEnd([4, 32, 38, 5][i]))).join(" ");
    console.log(line("", "scenario", "asked by", "", "first", "other", "s"), " by");
    for (const r of rows) console.log(line(r.scenario.toUpperCase(), r.title, r.way, r.verdict, r.first, r.other, r.seconds?.toFixed(1)), "", r.by ?? "");
  });
}
