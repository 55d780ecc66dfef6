// A provider's key does not get out in the middle of a stream either, whoever wrote it there.
import assert from "node:assert/strict";
import http from "node:http";
import { after, test } from "node:test";
import { Redactor } from "../../wasm/worker/redact.js";
import { KEYS, startGateway, TOKEN } from "./gateway.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An upstream that says two words and then repeats the key that it was sent, in writes of a few bytes. */
const upstream = await new Promise((resolve) => {
  const server = http.createServer(async (request, response) => {
    for await (const _ of request);
    const key = request.headers.authorization?.slice(7) ?? request.headers["x-api-key"] ?? request.headers["x-goog-api-key"];
    const { behave } = request.headers;
    response.writeHead(200, { "content-type": "text/event-stream", "x-debug": `key=${key}`, "x-request-id": key });
    const events = {
      "/v1/chat/completions": [{ id: "c", choices: [{ index: 0, delta: { role: "assistant", content: "Two words" } }] }, { error: { message: `bad ${key}`, type: "invalid_request_error", code: "invalid_api_key" } }],
      "/v1/messages": [{ type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], model: "m", usage: { input_tokens: 1, output_tokens: 1 } } }, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Two words" } }, { type: "error", error: { type: "authentication_error", message: `bad ${key}` } }],
      "/v1/responses/r": [{ type: "error", message: `bad ${key}` }],
    }[new URL(request.url, "http://x").pathname] ?? [{ candidates: [{ content: { parts: [{ text: "Two words" }] } }] }, { error: { code: 401, message: `bad ${key}`, status: "UNAUTHENTICATED" } }];
    if (behave === "in the text") events[events.length - 1] = { id: "c", choices: [{ index: 0, delta: { content: ` ${key}` }, finish_reason: "stop" }] };
    const said = events.map((event) => `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`).join("");
    for (let at = 0; at < said.length; at += 5) {
      response.write(said.slice(at, at + 5));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  }).listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`));
  after(() => server.close().closeAllConnections());
});

const { address } = await startGateway({
  policy: { interactive: { attempts: 1, continues: 0 } },
  providers: Object.fromEntries(["openai", "anthropic", "gemini"].map((name) => [name, { baseURL: upstream }])),
  models: { claude: [{ provider: "anthropic", model: "claude-x" }] },
});

test("law: however bytes are cut into chunks, what comes out is the text without the keys", () => {
  const keys = ["sk-real-openai", "sk-ant-real", "AIza-real", undefined, "", "sk-real"];
  const pieces = ["sk-", "real", "-openai", "sk-real-openai", "sk-ant-real", "AIza-real", "sk-real", "AIz", "s", "x", "é", "\n"];
  let seed = 7;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join("");
    const bytes = encoder.encode(text);
    const redactor = new Redactor(keys);
    const out = [];
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + random(9);
      out.push(...redactor.pass(bytes.subarray(at, end)));
      at = end;
    }
    out.push(...redactor.end());
    assert.equal(decoder.decode(new Uint8Array(out)), text.replace(/sk-real-openai|sk-ant-real|AIza-real|sk-real/g, "[key]"));
  }
});

test("most chunks are handed on as they are", () => {
  const redactor = new Redactor(Object.values(KEYS));
  const chunk = encoder.encode('data: {"choices":[{"delta":{"content":"The tide is out."}}]}\n\n');
  assert.equal(redactor.pass(chunk), chunk);
});

const messages = [{ role: "user", content: "Hi" }];
for (const [path, body, headers] of [
  ["/openai/v1/chat/completions", { model: "m", stream: true, messages }],
  ["/openai/v1/chat/completions", { model: "m", stream: true, messages }, { behave: "in the text" }],
  ["/openai/v1/chat/completions", { model: "m", stream: true, messages, n: 2 }],
  ["/openai/v1/responses/r?stream=true", null], // passes without being a call
  ["/anthropic/v1/messages", { model: "m", stream: true, max_tokens: 9, messages }],
  ["/v1/chat/completions", { model: "claude", stream: true, messages }],
  ["/gemini/v1beta/models/m:streamGenerateContent?alt=sse", { contents: [{ parts: [{ text: "Hi" }] }] }],
]) {
  test(`a key is not told in a stream: ${path} ${JSON.stringify(headers ?? "")}`, async () => {
    const response = await fetch(address + path, {
      method: body ? "POST" : "GET", headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers }, body: body && JSON.stringify(body),
    });
    let text = JSON.stringify([...response.headers]);
    try {
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) text += chunk;
    } catch (error) {
      assert.match(path, /gemini/, String(error)); // whose streams end so
    }
    for (const key of Object.values(KEYS)) assert.ok(!text.includes(key), text);
    assert.match(text, /bad |\[key\]/); // it was said, by another name
  });
}
