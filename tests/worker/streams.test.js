// Many streams through one isolate: none is lost, none is mixed up, and who leaves is noticed.
import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { asking, log, startGateway, TOKEN } from "./gateway.js";
import { until, wait } from "./until.js";

const { address } = await startGateway();

/** Opens a chat stream and gives its response. */
const open = (headers, signal, gateway = address) =>
  fetch(`${gateway}/openai/v1/chat/completions`, {
    method: "POST", signal,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "gpt-x", stream: true, messages: [{ role: "user", content: "Go" }] }),
  });

/** The text of a chat stream, which must have its end mark. */
async function textOf(response) {
  const events = (await response.text()).split("\n\n").filter((event) => event.startsWith("data: "));
  assert.equal(events.pop(), "data: [DONE]");
  return events.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? "").join("");
}

test("100 streams at once, of which 30 are left", { timeout: 90_000 }, async () => {
  const one = async (n) => {
    const text = Array.from({ length: 60 }, (_, i) => `s${n}w${i}`).join(" ");
    const cut = n % 10 < 3 ? [{ gapMs: 15, endAfterWords: 20, end: "reset" }] : [{ gapMs: 15 }]; // some break as well
    const headers = asking({ text, requests: cut, continuations: [{ gapMs: 15 }] });
    if (n % 10 < 7) {
      assert.equal(await textOf(await open(headers)), text);
      return null;
    }
    const stop = new AbortController();
    const response = await open(headers, stop.signal);
    const reader = response.body.getReader();
    await reader.read();
    await wait(n * 3);
    stop.abort();
    await reader.read().catch(() => {});
    return headers["x-sim-session"];
  };
  const left = (await Promise.all(Array.from({ length: 100 }, (_, n) => one(n)))).filter(Boolean);
  assert.equal(left.length, 30);
  await until(3000, async () => (await log()).live === 0);
});

test("a client that leaves stops the provider at once", async () => {
  const headers = asking({ text: "word ".repeat(500), requests: [{ gapMs: 20 }] });
  const stop = new AbortController();
  const response = await open(headers, stop.signal);
  await response.body.getReader().read();
  stop.abort();
  await until(1000, async () => (await log(headers["x-sim-session"])).live === 0);
  assert.equal((await log(headers["x-sim-session"])).count, 1);
});

test("one that leaves while nothing comes is noticed by the next ping", { timeout: 20_000 }, async () => {
  const patient = await startGateway({ policy: {} });
  const headers = asking([{ endAfterWords: 3, end: "hang" }]);
  const stop = new AbortController();
  const response = await open(headers, stop.signal, patient.address);
  await response.body.getReader().read();
  stop.abort();
  await until(12_000, async () => (await log(headers["x-sim-session"])).live === 0);
  await patient.stop();
});

test("a program that died ends each stream with an error of its API, and the next request starts another", { timeout: 20_000 }, async () => {
  const mortal = await startGateway({}, { main: "deadly.js" });
  const text = "word ".repeat(300);
  const streams = await Promise.all(Array.from({ length: 10 }, () => open(asking({ text, requests: [{ gapMs: 20 }] }), undefined, mortal.address)));
  const silent = await open(asking([{ endAfterWords: 3, end: "hang" }]), undefined, mortal.address);
  const bodies = [...streams, silent].map((stream) => stream.text());
  await wait(200);
  assert.equal(await (await fetch(`${mortal.address}/die`)).text(), "true");
  const began = Date.now();
  for (const body of await Promise.all(bodies)) {
    const last = body.trim().split("\n\n").pop();
    assert.deepEqual(Object.keys(JSON.parse(last.replace("data: ", ""))), ["error"]);
    assert.equal(JSON.parse(last.replace("data: ", "")).error.code, "program_died");
  }
  assert.ok(Date.now() - began < 2000);
  assert.equal(await textOf(await open(asking({ text: "back again" }), undefined, mortal.address)), "back again");
  await until(2000, async () => (await log()).live === 0);
  await mortal.stop();
});

test("a client that reads slowly slows the provider down, and gets everything", { timeout: 60_000 }, async () => {
  const all = 64 << 20; // of which the buffers of three connections hold some
  let sent = 0;
  const chunk = (content, finish) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
  const server = http.createServer(async (request, response) => {
    for await (const _ of request);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const text = "x".repeat(16 << 10); sent < all; sent += text.length) {
      if (!response.write(chunk(text, null))) await new Promise((resolve) => response.once("drain", resolve));
    }
    response.end(`${chunk("", "stop")}data: [DONE]\n\n`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const slow = await startGateway({ providers: { openai: { baseURL: `http://127.0.0.1:${server.address().port}` } } });
  const response = await open({}, undefined, slow.address);
  let got = 0;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  got += (await reader.read()).value.length;
  await wait(1500);
  const then = sent;
  assert.ok(then < all / 2, `${then} bytes are on their way`);
  let text = "";
  for (let next; !(next = await reader.read()).done; got += next.value.length) text = (text + next.value).slice(-100);
  assert.equal(sent >= all, true);
  assert.ok(got > all, String(got));
  assert.ok(text.endsWith("data: [DONE]\n\n"));
  await slow.stop();
  server.close().closeAllConnections();
});
