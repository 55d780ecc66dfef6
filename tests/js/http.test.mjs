// Over real HTTP, against the simulated provider: real resets, real stalls, real timers.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import test, { after } from "node:test";
import { CHAT, ending, pause } from "./ending.mjs";
import { createClient } from "./holdfast.mjs";
import { scenario, startSim } from "./sim.mjs";

const baseURL = await startSim();
const client = await createClient({
  provider: "gloo",
  baseURL,
  token: "sim",
  // One client for every failure there is: it must not learn from them.
  breaker: false,
  throttle: false,
  policy: { interactive: { backoffBaseMs: 5, backoffCapMs: 10 }, background: { backoff: "full", backoffBaseMs: 5, backoffCapMs: 10 } },
});
/** For the tests of silence only: a busy machine is silent for moments too. */
const impatient = { policy: { idleMs: 400 } };
const PATHS = { chat: "/ai/v2/guarded/chat/completions", responses: "/ai/v2/direct/responses" };
const bodies = {
  chat: { model: "gloo-anthropic-claude-opus-5.5", stream_options: { include_usage: true }, messages: [{ role: "user", content: "Tell me about tidepools." }] },
  responses: { model: "gloo-anthropic-claude-opus-5.5", input: "Tell me about tidepools." },
};

async function play(api, script, options = {}) {
  const deltas = [];
  const answer = client.stream(PATHS[api], bodies[api], { headers: scenario(script), onDelta: (delta) => deltas.push(delta), ...options });
  const result = await answer.result;
  let text = "";
  for (const delta of deltas) {
    if (delta.type === "restart") text = "";
    if (delta.type === "text") text += delta.text;
  }
  assert.equal(text, result.text, "what was shown is what is reported");
  assert.equal(answer.partial, result.text);
  return { result, deltas, answer };
}

for (const api of ["chat", "responses"]) {
  const { result: healthy } = await play(api, "healthy");

  test(`${api}: a healthy answer`, () => {
    assert.equal(healthy.status, "complete");
    assert.ok(healthy.text.length > 500);
    assert.equal(healthy.attempts.length, 1);
    assert.ok(healthy.usage.totalTokens > 0);
  });

  for (const name of ["unavailable_then_ok", "inference_error_then_ok", "reset_before_headers", "error_first", "rate_limit_then_ok"]) {
    test(`${api}: ${name} is retried before text and comes out whole`, async () => {
      const { result } = await play(api, name);
      assert.equal(result.status, "complete", JSON.stringify(result.error));
      assert.equal(result.text, healthy.text);
      assert.equal(result.fullRetries, 1);
    });
  }

  for (const name of ["cut_reset", "cut_clean", "stall", "stall_heartbeat", "malformed", "error_mid", "repeats_word", "repeats_sentence", "starts_over", "split_utf8", "no_done"]) {
    test(`${api}: ${name} comes out as if nothing had happened`, { skip: name === "stall_heartbeat" && "any byte is life: only the total time ends it" }, async () => {
      const { result } = await play(api, name, name === "stall" ? impatient : {});
      assert.equal(result.status, "complete", JSON.stringify(result.error));
      assert.equal(result.text, healthy.text);
      assert.equal(result.continued, !["split_utf8", "no_done"].includes(name));
    });
  }

  test(`${api}: background restarts`, async () => {
    const { result, deltas } = await play(api, "cut_reset", { background: true });
    assert.equal(result.status, "complete", JSON.stringify(result.error));
    assert.equal(result.text, healthy.text);
    assert.equal(deltas.filter((delta) => delta.type === "restart").length, 1);
  });

  test(`${api}: cut twice is interrupted; the user's continue completes it`, async () => {
    const { result, answer } = await play(api, "cut_twice");
    assert.equal(result.status, "interrupted");
    assert.ok(healthy.text.startsWith(result.text.trimEnd()));
    assert.deepEqual(result.offer, ["continue", "try_again"]);
    assert.equal(await answer.continue({ onDelta: undefined }).text(), healthy.text);
  });

  for (const [name, status, code] of [
    ["internal_error", "failed", "server_error"],
    ["unauthorized", "failed", "auth"],
    ["billing", "failed", "billing"],
    ["policy_refusal", "content_filter", "content_policy"],
    ["error_mid_final", "failed", "server_error"],
    ["content_filter", "content_filter", undefined],
  ]) {
    test(`${api}: ${name} ends ${status} after one attempt`, async () => {
      const { result } = await play(api, name);
      assert.equal(result.status, status, JSON.stringify(result));
      assert.equal(result.error?.reason, code);
      assert.equal(result.attempts.length, 1);
    });
  }

  test(`${api}: a tool call that is cut is never handed out`, async () => {
    const whole = await play(api, "tool_call");
    assert.equal(whole.result.toolCalls.length, 1);
    JSON.parse(whole.result.toolCalls[0].arguments);
    const cut = await play(api, "tool_cut");
    assert.deepEqual(cut.result.toolCalls, []);
    assert.notEqual(cut.result.status, "complete");
  });

  test(`${api}: cut at random bytes, the text is the uncut text`, async () => {
    for (let i = 0; i < 60; i++) {
      const at = i / 60;
      const end = i % 2 ? "reset" : "close";
      const continues = ["exact", "last_word", "last_sentence", "restart"][i % 4];
      const { result } = await play(api, { requests: [{ endAt: at, end }, {}], continuations: [{ continues }] });
      assert.equal(result.text, healthy.text, `${at} ${end} ${continues}`);
      assert.equal(result.status, "complete", `${at} ${end} ${continues} ${JSON.stringify(result.error)}`);
    }
  });

  test(`${api}: a cut behind the last word is complete once the continuation adds nothing`, async () => {
    const { result } = await play(api, { requests: [{ noTerminal: true }, {}], continuations: [{ continues: "exact" }] });
    assert.equal(result.status, "complete");
    assert.equal(result.text, healthy.text);
  });
}

test("a request over HTTP", async () => {
  const result = await client.request(PATHS.chat, bodies.chat, { headers: scenario("unavailable_then_ok") });
  assert.equal(result.attempts.length, 2);
  assert.ok(result.data.choices[0].message.content.length > 500);
  assert.equal(result.httpStatus, 200);
});

test("a slow reader is no stall, and slows the provider down", async () => {
  let n = 0;
  const answer = client.stream(PATHS.chat, bodies.chat, { headers: scenario("healthy"), ...impatient });
  for await (const _ of answer) {
    if (++n === 2) await new Promise((resolve) => setTimeout(resolve, 900)); // more than idleMs
  }
  const result = await answer.result;
  assert.equal(result.status, "complete");
  assert.equal(result.attempts.length, 1);
});

test("abort ends a real exchange at once", async () => {
  const controller = new AbortController();
  const answer = client.stream(PATHS.chat, bodies.chat, { headers: scenario("slow"), signal: controller.signal });
  setTimeout(() => controller.abort(new Error("enough")), 100);
  const began = Date.now();
  assert.equal((await answer.result).status, "cancelled");
  assert.ok(Date.now() - began < 1000);
});

test("close cancels what is open", async () => {
  const other = await createClient({ provider: "gloo", baseURL, token: "sim" });
  const answer = other.stream(PATHS.chat, bodies.chat, { headers: scenario("slow") });
  const request = other.request(PATHS.chat, bodies.chat, { headers: scenario({ delayMs: 5000 }) });
  setTimeout(() => other.close(), 50);
  await assert.rejects(request, { code: "cancelled" });
  assert.equal((await answer.result).status, "cancelled");
});

const askingOf = async (afterMs) => {
  const { seen, url } = await ending(afterMs);
  return { seen, url, client: await createClient({ provider: "openai", baseURL: url, apiKey: "k" }) };
};

test("a connection serves the next call, also when its body ends behind the answer's own end", async () => {
  const { seen, url, client } = await askingOf(20);
  for (let i = 0; i < 4; i++, await pause(60)) assert.equal((await client.stream("/v1/chat/completions", CHAT).result).text, "Hello");
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ...CHAT, stream: true }) };
  for (let i = 0; i < 4; i++, await pause(60)) assert.match(await (await client.fetch(`${url}/v1/chat/completions`, init)).text(), /DONE/);
  assert.equal(seen.connections, 1);
});

test("a body that does not end behind its answer is broken off", async () => {
  const { seen, client } = await askingOf(60_000);
  const began = Date.now();
  assert.equal((await client.stream("/v1/chat/completions", CHAT).result).status, "complete");
  assert.ok(Date.now() - began < 900, "the answer does not wait for it");
  for (let i = 0; i < 100 && seen.open.size > 0; i++) await pause(50);
  assert.equal(seen.open.size, 0);
});

test("a key in a header of its own follows no redirect", async () => {
  const asked = [];
  const [away, here] = await Promise.all(
    [
      (request, response) => (asked.push(request.headers), response.writeHead(200).end()),
      (request, response) => response.writeHead(307, { location: `${away}${request.url}?secret=1` }).end(),
    ].map(async (serve) => {
      const server = createServer(serve).listen(0, "127.0.0.1");
      after(() => server.close().closeAllConnections());
      await once(server, "listening");
      return `http://127.0.0.1:${server.address().port}`;
    }),
  );
  const body = { model: "m", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };
  for (const [provider, path] of [["anthropic", "/v1/messages"], ["gemini", "/v1beta/models/m:streamGenerateContent?alt=sse"]]) {
    const redirected = await createClient({ provider, baseURL: here, apiKey: "key-that-stays" });
    const { status, error, attempts } = await redirected.stream(path, body).result;
    assert.equal(status, "failed");
    assert.equal(error.reason, "invalid_request");
    assert.match(error.developerMessage, new RegExp(`${here} redirects to ${away}/v1\\S*, where a key does not follow`));
    assert.doesNotMatch(error.developerMessage, /secret/);
    assert.equal(attempts.length, 1);
    const name = provider === "anthropic" ? "x-api-key" : "x-goog-api-key";
    const asking = { method: "POST", headers: { "content-type": "application/json", [name]: "key-that-stays" }, body: JSON.stringify({ ...body, stream: true }) };
    await assert.rejects(redirected.fetch(here + path, asking), ({ cause }) => cause.reason === "invalid_request");
  }
  assert.deepEqual(asked, []);
});

test("what is no call goes out as fetch itself would send it, through a redirect, too", async () => {
  const server = createServer(async (request, response) => {
    if (request.url === "/moved") return response.writeHead(307, { location: "/v1/files" }).end();
    const chunks = await request.toArray();
    const { "content-type": type = null } = request.headers;
    response.end(JSON.stringify([request.method, request.url, type, Buffer.concat(chunks).toString()]));
  }).listen(0, "127.0.0.1");
  after(() => server.close().closeAllConnections());
  await once(server, "listening");
  const address = `http://127.0.0.1:${server.address().port}`;
  const json = { "content-type": "application/json" };
  const requests = {
    text: () => ["/v1/files", { body: "text" }],
    JSON: () => ["/v1/files", { headers: json, body: "{}" }],
    bytes: () => ["/v1/files", { headers: json, body: Buffer.from("{}") }],
    stream: () => ["/v1/files", { headers: json, body: new Blob(["{}"]).stream(), duplex: "half" }],
    sound: () => ["/v1/files", { body: new Blob(["RIFF"], { type: "audio/wav" }) }],
    "a typed Blob": () => ["/v1/files", { body: new Blob(["{}"], { type: "application/json" }) }],
    "moved JSON": () => ["/moved", { headers: json, body: "{}" }],
    "a moved Blob": () => ["/moved", { body: new Blob(["{}"], { type: "application/json" }) }],
  };
  const read = async (response) => [response.status, response.url, response.redirected, await response.text()];
  for (const [what, make] of Object.entries(requests)) {
    const asking = () => {
      const [path, init] = make();
      return [address + path, { method: "POST", ...init }];
    };
    const plain = await read(await fetch(...asking()));
    assert.deepEqual(await read(await client.fetch(...asking())), plain, what);
    assert.deepEqual(await read(await client.fetch(new Request(...asking()))), plain, `${what}, a Request`);
  }
});

test("a body that is made here and never ends leaves its page alive, and is freed", { timeout: 20_000 }, async () => {
  const said = ["hello", ""].map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: content ? null : "stop" }] })}\n\n`);
  const chunks = [...said, "data: [DONE]\n\n"].map((text) => new TextEncoder().encode(text));
  let freed = false;
  const pull = (controller) => controller.enqueue(chunks.shift() ?? new TextEncoder().encode(": more\n\n"));
  const fetch = async () => new Response(new ReadableStream({ pull, cancel: () => void (freed = true) }));
  const own = await createClient({ provider: "openai", baseURL, token: "sim", fetch });
  assert.equal((await own.stream("/v1/chat/completions", CHAT).result).status, "complete");
  await pause(10);
  assert.equal(freed, true);
});
