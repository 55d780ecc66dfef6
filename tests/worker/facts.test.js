// Field cases of Workers (area worker of field.jsonl), each by its id. wrk-008 is in limits.test.js.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import http from "node:http";
import { test } from "node:test";
import { asking, log, startGateway, TOKEN } from "./gateway.js";
import { until, wait } from "./until.js";

const { address } = await startGateway({ breaker: { failures: 2, openMs: 30_000 } }, { main: "counting.js" });

const messages = [{ role: "user", content: "Say it in one sentence" }];
const chat = (script, { body, headers, signal, at = address } = {}) =>
  fetch(`${at}/openai/v1/chat/completions`, {
    method: "POST", signal, headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...asking(script), ...headers },
    body: JSON.stringify({ model: "gpt-x", stream: true, messages, ...body }),
  });
const textOf = async (response) =>
  (await response.text()).split("\n\n").filter((event) => event.startsWith("data: {")).map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? "").join("");
const holds = async () => (await fetch(`${address}/holds`)).json();

test("wrk-009: the program starts with the first request that needs it, and not before", async () => {
  const starts = async () => Number(await (await fetch(`${address}/starts`)).text());
  assert.equal(await starts(), 0);
  await fetch(`${address}/v1/models`, { headers: { authorization: `Bearer ${TOKEN}` } });
  assert.equal(await starts(), 0);
  await Promise.all(Array.from({ length: 20 }, () => chat({}).then(textOf)));
  assert.equal(await starts(), 1);
});

test("wrk-003: a wait is its own request's: no timer of Go's, and nobody waits for one who has left", async () => {
  const before = await holds();
  const stop = new AbortController();
  const gone = chat({ requests: [{ gapMs: 20, endAfterWords: 5, end: "reset" }], continuations: [{ error: "rate_limit", retryAfter: 1 }, { gapMs: 5 }] }, { signal: stop.signal });
  const others = Array.from({ length: 20 }, (_, n) => chat({ text: `answer ${n}`, requests: [{ error: "rate_limit", retryAfter: 1 }, {}] }).then(textOf));
  await wait(400);
  stop.abort();
  await gone.then((response) => response.text()).catch((error) => assert.equal(error.name, "AbortError"));
  assert.deepEqual(await Promise.all(others), others.map((_, n) => `answer ${n}`));
  assert.equal((await holds()).timers, before.timers);
});

test("wrk-004: a program that has ended is started again, each time; and it brings no client of HTTP", { timeout: 20_000 }, async () => {
  const mortal = await startGateway({}, { main: "deadly.js" });
  for (let i = 0; i < 3; i++) {
    assert.equal(await textOf(await chat({ text: "alive" }, { at: mortal.address })), "alive");
    assert.equal(await (await fetch(`${mortal.address}/die`)).text(), "true");
  }
  assert.equal(await textOf(await chat({ text: "alive" }, { at: mortal.address })), "alive");
  await mortal.stop();
  const packages = execFileSync("go", ["list", "-deps", "./wasm"], { cwd: new URL("../../", import.meta.url), encoding: "utf8", env: { ...process.env, GOOS: "js", GOARCH: "wasm" } });
  assert.doesNotMatch(packages, /^net(\/|$)/m);
});

test("wrk-006: nothing of one request reaches another, and nothing stays of any", async () => {
  const kinds = [{}, { requests: [{ endAfterWords: 3, end: "reset" }, {}] }, { endAfterWords: 3, end: "close" }, { error: "context_length" }];
  const secret = (n) => `secret-${String(n).padStart(3, "0")}-of-one`;
  const said = await Promise.all(
    Array.from({ length: 80 }, async (_, n) => {
      const response = await chat({ text: `It is ${secret(n)}, and ${secret(n)} again.`, gapMs: 2, ...kinds[n % kinds.length] }, { body: { messages: [{ role: "user", content: secret(n) }] } });
      return JSON.stringify([...response.headers]) + (await response.text());
    }),
  );
  for (const [n, text] of said.entries()) {
    assert.deepEqual(text.match(/secret-\d{3}/g)?.filter((found) => found !== secret(n).slice(0, 10)) ?? [], []);
  }
  await until(5000, async () => (await holds()).calls === 0);
});

test("wrk-007: a client that leaves after two chunks stops the model; by its signal, or by a write that nobody takes", async () => {
  const text = "word ".repeat(400);
  for (const body of [{}, { n: 2 }]) { // a call, and what passes without being one
    const stop = new AbortController();
    const script = asking({ text, requests: [{ gapMs: 20 }] });
    const response = await chat({}, { body, headers: script, signal: stop.signal });
    const reader = response.body.getReader();
    for (let i = 0; i < 2; i++) await reader.read();
    stop.abort();
    await until(1000, async () => (await log(script["x-sim-session"])).live === 0);
    const [{ ended, sentBytes }, ...more] = (await log(script["x-sim-session"])).requests;
    assert.equal(ended, "client_left");
    assert.ok(sentBytes < 60 * 300, `${sentBytes} bytes`);
    assert.deepEqual(more, []);
  }
});

test("wrk-007: … or before there is a response: at once when its connection is reset, else with the first write", async () => {
  const leave = async (how) => {
    const script = asking({ requests: [{ delayMs: 2000, gapMs: 20 }], text: "word ".repeat(400) });
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...script };
    const request = http.request(`${address}/openai/v1/chat/completions`, { method: "POST", headers, agent: false }).on("error", () => {});
    request.end(JSON.stringify({ model: "gpt-x", stream: true, messages }));
    const seen = () => log(script["x-sim-session"]);
    await until(5000, async () => (await seen()).live === 1);
    const began = Date.now();
    how(request.socket);
    await until(5000, async () => (await seen()).live === 0);
    const [{ ended }] = (await seen()).requests;
    return { ended, ms: Date.now() - began };
  };
  const reset = await leave((socket) => socket.resetAndDestroy());
  assert.ok(reset.ended === "client_left" && reset.ms < 1000, JSON.stringify(reset));
  const closed = await leave((socket) => socket.destroy());
  assert.equal(closed.ended, "client_left");
});

test("wrk-010: time is taken in the request: a breaker that opens says for how many seconds", async () => {
  for (let i = 0; i < 2; i++) await (await chat({ error: "server_error" }, { body: { model: "gpt-failing" } })).text();
  await until(5000, async () => {
    const response = await chat({ error: "server_error" }, { body: { model: "gpt-failing" } });
    const { error } = await response.json();
    if (error.code !== "circuit_open") return false;
    const seconds = Number(response.headers.get("retry-after"));
    assert.ok(seconds >= 1 && seconds <= 30, String(seconds));
    return true;
  });
});

test("wrk-011: out of subrequests: not retried, nobody's failure, and said so", async () => {
  const starved = await startGateway({ breaker: { failures: 1 } }, { main: "counting.js" });
  for (let i = 0; i < 3; i++) {
    const response = await chat({}, { headers: { "x-starved": "1" }, at: starved.address });
    assert.equal(response.headers.get("x-holdfast-attempts"), "1");
    const { error } = await response.json();
    assert.equal(error.code, "platform_limit", JSON.stringify(error));
  }
  assert.equal((await chat({}, { at: starved.address })).status, 200); // no breaker has opened
});
