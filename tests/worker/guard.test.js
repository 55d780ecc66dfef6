// What the gateway keeps out, and what it keeps in. Each test is a line of the README's threat table.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { after, test } from "node:test";
import { asking, hashed, KEYS, ORIGIN, provider, startGateway, TOKEN } from "./gateway.js";

/** What a provider could tell browsers, caches and proxies. */
const BROWSERS = ["cdn-cache-control", "cloudflare-cdn-cache-control", "surrogate-control", "age", "expires", "content-location", "x-accel-redirect", "service-worker-allowed", "timing-allow-origin", "permissions-policy", "set-login"];
/** What official SDKs and their users read. */
const OF_ANSWERS = [
  "x-request-id", "request-id", "retry-after", "retry-after-ms", "openai-processing-ms", "openai-version", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-requests",
  "anthropic-ratelimit-output-tokens-reset", "anthropic-fast-input-tokens-remaining", "x-gemini-service-tier", "x-gloo-error-code", "x-gloo-model-redirected-from", "server-timing", "deprecation", "sunset", "warning",
];
const OF_ACCOUNTS = ["openai-organization", "openai-project", "anthropic-organization-id", "anthropic-workspace-id", "x-ms-subscription", "x-account-email", "set-session", "x-envoy-upstream-service-time", "via"];

/** An upstream that tells what it was sent, and a place where nobody should arrive. */
const seen = [];
let strangers = 0;
const listen = (serve) => new Promise((resolve) => {
  const server = http.createServer(serve).listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`));
  after(() => server.close().closeAllConnections());
});
const stranger = await listen((request, response) => {
  strangers++;
  response.end("{}");
});
const upstream = await listen(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  seen.push({ method: request.method, url: request.url, headers: request.headers, body });
  const { behave } = request.headers;
  if (behave === "redirect") return response.writeHead(307, { location: `${stranger}/v1/chat/completions`, "x-secret": "no" }).end();
  const answer = { object: "chat.completion", id: "c", model: "m", choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
  const key = request.headers.authorization;
  if (behave === "strange") return response.writeHead(799, { "x-strange": "\u00e9" }).end("?");
  if (behave?.startsWith("stream")) { // the key in an answer that has begun: its text, or its error, a byte at a time
    const event = (data) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", ...data })}\n\n`;
    const text = (content) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    response.writeHead(200, { "content-type": "text/event-stream", "x-key": key }).write(text("Hello "));
    const rest = behave === "stream error" ? `data: ${JSON.stringify({ error: { message: `bad header ${key}`, type: "invalid_request_error", code: key } })}\n\n` : `${text(`your key is ${key}, `)}: ${key}\n\n${text("good bye")}${event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`;
    for (const byte of Buffer.from(rest)) {
      response.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    return response.end();
  }
  response.setHeader("content-type", "application/json");
  response.setHeader("set-cookie", ["a=1", "b=2"]);
  response.setHeader("authorization", key ?? "");
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("server", "upstream");
  for (const name of [...BROWSERS, ...OF_ANSWERS, ...OF_ACCOUNTS]) response.setHeader(name, "1");
  if (behave === "echo 400") return response.writeHead(400).end(JSON.stringify({ error: { message: `bad header ${key}`, type: "invalid_request_error", code: "x" } }));
  if (behave === "echo 401") return response.writeHead(401).end(JSON.stringify({ error: { message: `Incorrect API key provided: ${key}`, type: "invalid_request_error", code: "invalid_api_key" } }));
  response.end(JSON.stringify(answer));
});

const { address } = await startGateway({
  maxBodyBytes: 10_000,
  providers: { openai: { baseURL: `${upstream}/base` }, anthropic: { baseURL: `${provider}/anthropic` }, gemini: { baseURL: `${provider}/gemini` } },
  models: {
    gpt: [{ provider: "openai", model: "gpt-x" }],
    ...Object.fromEntries(["stream text", "stream error", "echo 400", "echo 401"].map((behave) => [behave, [{ provider: "openai", model: "gpt-x", headers: { behave } }]])),
  },
});

const chat = JSON.stringify({ model: "gpt", messages: [{ role: "user", content: "Hi" }] });
const bearer = { authorization: `Bearer ${TOKEN}` };
const call = (path, { method = "POST", headers = bearer, body = chat } = {}) =>
  fetch(`${address}${path}`, { method, headers: { "content-type": "application/json", ...headers }, body: method === "POST" ? body : undefined, redirect: "manual" });

/** Sends a request line as it is: fetch would tidy the path up. */
const raw = (path, headers = {}) => new Promise((resolve, reject) => {
  const { port } = new URL(address);
  const request = http.request({ port, path, method: "POST", headers: { ...bearer, "content-type": "application/json", ...headers } }, (response) => {
    let text = "";
    response.on("data", (chunk) => (text += chunk)).on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
  });
  request.on("error", reject).end(chat);
});

const codeOf = async (response) => {
  const { error } = await response.json();
  return error.code ?? error.type;
};

test("nobody without a token, in the form of the API that was asked", async () => {
  for (const headers of [{}, { authorization: "" }, { authorization: "Bearer" }, { authorization: `Basic ${TOKEN}` }, { cookie: `token=${TOKEN}` }]) {
    assert.equal((await call("/openai/v1/chat/completions", { headers })).status, 401);
  }
  const wrong = [TOKEN.slice(0, -1), `${TOKEN}x`, hashed(TOKEN), KEYS.OPENAI_API_KEY, "x".repeat(8000), "null", "undefined"];
  for (const token of wrong) {
    for (const headers of [{ authorization: `Bearer ${token}` }, { "x-api-key": token }, { "x-goog-api-key": token }]) {
      assert.equal((await call("/v1/chat/completions", { headers })).status, 401);
    }
  }
  assert.equal((await call(`/gemini/v1beta/models/m:generateContent?key=${TOKEN}`, { headers: {} })).status, 401);
  const forms = [["/v1/chat/completions", (body) => body.error.code === "missing_token"], ["/anthropic/v1/messages", (body) => body.type === "error" && body.error.type === "authentication_error"], ["/gemini/v1beta/models/m:generateContent", (body) => body.error.status === "UNAUTHENTICATED"]];
  for (const [path, fits] of forms) assert.ok(fits(await (await call(path, { headers: {} })).json()), path);
  assert.equal(seen.length, 0);
});

test("a token works wherever an SDK puts its key", async () => {
  for (const headers of [bearer, { authorization: `bearer ${TOKEN}` }, { "x-api-key": TOKEN }, { "x-goog-api-key": TOKEN }]) {
    assert.equal((await call("/v1/chat/completions", { headers })).status, 200);
  }
});

test("without tokens, or with a key that is missing, nothing is served", async () => {
  for (const options of [{ tokens: {} }, { tokens: { a: "secret" } }, { secrets: {} }, { nonsense: 1 }, { policy: { nonsense: 1 } }, { models: { m: [{ provider: "nobody" }] } }]) {
    const gateway = await startGateway(options);
    const response = await fetch(`${gateway.address}/openai/v1/chat/completions`, { method: "POST", headers: { ...bearer, "content-type": "application/json" }, body: chat });
    assert.equal(response.status, 500, JSON.stringify(options));
    await gateway.stop();
  }
});

test("only pages of known origins", async () => {
  const asked = { "access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type,x-stainless-os" };
  const known = await call("/v1/chat/completions", { method: "OPTIONS", headers: { origin: ORIGIN, ...asked } });
  assert.equal(known.status, 204);
  assert.equal(known.headers.get("access-control-allow-origin"), ORIGIN);
  assert.equal(known.headers.get("access-control-allow-headers"), asked["access-control-request-headers"]);
  assert.equal(known.headers.get("access-control-allow-credentials"), null);
  for (const origin of ["https://evil.example", "null", `${ORIGIN}.evil.example`, "http://app.example", `${ORIGIN}:8443`]) {
    for (const method of ["OPTIONS", "POST"]) {
      const response = await call("/v1/chat/completions", { method, headers: { ...bearer, origin, ...asked } });
      assert.equal(response.status, 403);
      assert.equal(response.headers.get("access-control-allow-origin"), null);
    }
  }
  const response = await call("/v1/chat/completions", { headers: { ...bearer, origin: ORIGIN } });
  assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
  assert.match(response.headers.get("access-control-expose-headers"), /x-holdfast-served/);
  assert.match(response.headers.get("vary"), /origin/i);
});

test("only paths that are known, however they are written", async () => {
  const before = seen.length;
  const paths = [
    "/openai/v1/files", "/openai/v1/organization/admin_api_keys", "/openai/v1/fine_tuning/jobs", "/openai", "/openai/", "/", "/xai/v1/chat/completions",
    "/gloo/ai/v2/chat/completions", "/constructor/v1/chat/completions", "/openai/v1/chat/completions/", "/openai//v1/chat/completions", "/openai/v1/chat/completions%2f..%2ffiles",
    "/openai/v1/chat/completions/../../files", "/openai/v1/responses/..%2f..%2ffiles/cancel", "/openai/v1/responses/%2e%2e/cancel", "/openai/v1/responses/../cancel",
    `/openai/@${stranger.slice(7)}/v1/chat/completions`, `//${stranger.slice(7)}/v1/chat/completions`, `/openai/http://${stranger.slice(7)}/v1/chat/completions`,
    "/openai/v1\\chat\\files", "/gemini/v1beta/models/..:generateContent", "/gemini/v1beta/models/a%2fb:generateContent", "/gemini/v1beta/cachedContents", "/gemini/v1beta/models/m:batchGenerateContent", "/gemini/v1beta/models/m", "/v1/files", "/v1/models",
  ];
  for (const path of paths) assert.equal((await raw(path)).status, 404, path);
  for (const method of ["PUT", "PATCH", "HEAD", "DELETE"]) {
    const { status } = await call("/openai/v1/chat/completions", { method });
    assert.equal(status, 404, method);
  }
  assert.equal((await call("/v1/chat/completions", { method: "GET" })).status, 405);
  assert.equal(seen.length, before);
});

test("no header or body leads elsewhere", async () => {
  const host = stranger.slice(7);
  const headers = { host, "x-forwarded-host": host, forwarded: `host=${host}`, "x-base-url": stranger, "x-original-url": `${stranger}/`, "x-holdfast-models": "gpt" };
  assert.equal((await raw("/v1/chat/completions", headers)).status, 200);
  const body = JSON.stringify({ ...JSON.parse(chat), baseURL: stranger, base_url: stranger, provider: "gloo", models: ["gpt"] });
  assert.equal((await call("/v1/chat/completions", { body })).status, 200);
  assert.equal((await call("/v1/chat/completions", { body: JSON.stringify({ ...JSON.parse(chat), model: `${stranger}/x` }) })).status, 404);
  assert.equal((await call("/v1/chat/completions", { body: JSON.stringify({ ...JSON.parse(chat), model: "__proto__" }) })).status, 404);
  assert.equal(strangers, 0);
});

test("no header makes another request of one", async () => {
  for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
    for (const path of ["/openai/v1/moderations", "/openai/v1/chat/completions"]) {
      await (await call(path, { headers: { ...bearer, [name]: "DELETE" } })).text();
      const { method, headers } = seen.at(-1);
      assert.deepEqual([method, headers[name]], ["POST", undefined]);
    }
  }
});

test("what would leave the bill out of an answer, or sign it otherwise, stays here", async () => {
  await raw("/openai/v1/moderations?fields=candidates&key=k&%24fields=x&access_token=y&alt=sse", { "x-goog-fieldmask": "candidates" });
  const { url, headers } = seen.at(-1);
  assert.deepEqual([url, headers["x-goog-fieldmask"]], ["/base/v1/moderations?alt=sse", undefined]);
  for (const query of ["alt=proto", "alt=json&%24alt=media&callback=f&%24callback=f", "alt=proto&alt=sse"]) {
    await raw(`/openai/v1/moderations?${query}`);
    assert.equal(seen.at(-1).url, "/base/v1/moderations", query);
  }
});

test("a request to a host that is none ends like any other", async () => {
  for (const host of ["evil@x:99999", "[::", "a b"]) {
    const { status, headers } = await raw("/v1/chat/completions", { host });
    assert.deepEqual([status, headers["x-content-type-options"]], [404, "nosniff"], host);
  }
});

test("a redirect is not followed, and not passed on", async () => {
  const response = await call("/openai/v1/chat/completions", { headers: { ...bearer, behave: "redirect" } });
  assert.equal(response.status, 502);
  assert.equal(response.headers.get("location"), null);
  assert.equal(await codeOf(response), "redirected");
  const listed = await call("/openai/v1/models", { method: "GET", headers: { ...bearer, behave: "redirect" } });
  assert.equal(listed.status, 502);
  assert.equal(strangers, 0);
});

test("who the client is stays here, and what the provider says to browsers stays there", async () => {
  const headers = {
    ...bearer, cookie: "session=1", "x-api-key": TOKEN, "x-goog-api-key": TOKEN, origin: ORIGIN, referer: `${ORIGIN}/secret`, "x-forwarded-for": "10.0.0.1",
    "cf-connecting-ip": "10.0.0.1", "openai-organization": "org-other", "proxy-authorization": "Basic x", "x-hop": "1", connection: "x-hop", "x-holdfast-models": "gpt",
  };
  for (const [path, body] of [["/openai/v1/chat/completions", chat], ["/openai/v1/moderations", "{}"]]) {
    const { headers: back } = await raw(path, headers);
    const { headers: sent, url } = seen.at(-1);
    assert.equal(url, `/base${path.slice(7)}`);
    assert.equal(sent.authorization, `Bearer ${KEYS.OPENAI_API_KEY}`);
    for (const name of Object.keys(headers)) {
      if (name === "authorization" || name === "connection") continue;
      assert.equal(sent[name], undefined, name);
    }
    for (const name of ["set-cookie", "authorization", "server", ...BROWSERS]) assert.equal(back[name], undefined, name);
    assert.equal(back["access-control-allow-origin"], ORIGIN);
    assert.equal(back["x-content-type-options"], "nosniff");
    assert.equal(back["cache-control"], "no-store");
    assert.match(back["content-security-policy"], /default-src 'none'/);
  }
});

test("what a provider tells of its answer passes, and nothing else", async () => {
  for (const path of ["/openai/v1/chat/completions", "/openai/v1/moderations", "/v1/chat/completions"]) {
    const { headers } = await raw(path);
    for (const name of OF_ANSWERS) assert.equal(headers[name], "1", `${path}: ${name}`);
    for (const name of OF_ACCOUNTS) assert.equal(headers[name], undefined, `${path}: ${name}`);
  }
});

test("a key is never told", async () => {
  const texts = [];
  for (const behave of ["echo 400", "echo 401", "", "redirect"]) {
    for (const path of ["/openai/v1/chat/completions", "/openai/v1/moderations", "/v1/chat/completions"]) {
      const body = JSON.stringify({ ...JSON.parse(chat), model: behave.startsWith("echo") ? behave : "gpt" });
      const response = await call(path, { body, headers: { ...bearer, behave } });
      texts.push(JSON.stringify([...response.headers]) + (await response.text()));
    }
  }
  for (const text of texts) for (const key of Object.values(KEYS)) assert.ok(!text.includes(key), text);
  const refused = await call("/openai/v1/chat/completions", { headers: { ...bearer, behave: "echo 401" } });
  assert.equal(await codeOf(refused), "provider_key_refused");
});

test("a key is not told in a stream that has begun, in whatever pieces it comes", async () => {
  for (const path of ["/openai/v1/chat/completions", "/v1/chat/completions"]) {
    for (const behave of ["stream text", "stream error"]) {
      const body = JSON.stringify({ ...JSON.parse(chat), model: behave, stream: true });
      const response = await call(path, { body, headers: { ...bearer, behave } });
      assert.equal(response.status, 200);
      const text = JSON.stringify([...response.headers]) + (await response.text());
      for (const key of Object.values(KEYS)) assert.ok(!text.includes(key), `${path}, ${behave}: ${text}`);
      assert.match(text, behave === "stream error" ? /"error":/ : /good bye/, `${path}, ${behave}`);
    }
  }
});

test("bodies are bounded, also those that do not say how long they are", async () => {
  const before = seen.length;
  const long = JSON.stringify({ model: "gpt", messages: [{ role: "user", content: "x".repeat(10_000) }] });
  for (const path of ["/v1/chat/completions", "/openai/v1/chat/completions", "/openai/v1/moderations"]) {
    assert.equal((await call(path, { body: long })).status, 413);
    let pieces = 4;
    const pull = (controller) => (pieces-- > 0 ? controller.enqueue(new TextEncoder().encode("x".repeat(4000))) : controller.close());
    const response = await fetch(`${address}${path}`, { method: "POST", headers: { ...bearer, "content-type": "application/json" }, body: new ReadableStream({ pull }), duplex: "half" });
    assert.equal(response.status, 413);
    await response.text();
  }
  assert.equal(seen.length, before);
});

test("a body that is not what its headers say is refused, and nobody is asked", async () => {
  const before = seen.length;
  const { port } = new URL(address);
  const ask = (path, headers, body) => new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(`POST ${path} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`));
    socket.once("data", (data) => (socket.destroy(), resolve(String(data).slice(9, 12)))).on("error", reject);
  });
  for (const path of ["/v1/chat/completions", "/openai/v1/chat/completions", "/answers"]) {
    assert.equal(await ask(path, "transfer-encoding: chunked", `${chat.length.toString(16)}\r\n${chat}\r\nnone\r\n`), "400", path);
    assert.equal(await ask(path, "transfer-encoding: chunked", chat), "400", path);
    for (const coding of ["gzip", "zstd"]) {
      const response = await call(path, { headers: { ...bearer, "content-encoding": coding } });
      assert.deepEqual([response.status, await codeOf(response)], [415, "unsupported_encoding"], path);
    }
  }
  assert.equal(seen.length, before);
  assert.equal((await call("/v1/chat/completions", { headers: { ...bearer, "content-encoding": "identity" } })).status, 200);
});

test("deep JSON is refused before anybody reads it, and what only looks deep is not", async () => {
  const before = seen.length;
  const nested = (n, open = "[", close = "]") => `{"model":"gpt","messages":[{"role":"user","content":"Hi"}],"metadata":${open.repeat(n)}${close.repeat(n)}}`;
  for (const path of ["/v1/chat/completions", "/openai/v1/chat/completions", "/openai/v1/moderations"]) {
    for (const body of [nested(64), nested(4000), nested(64, '{"a":', "1}"), "[".repeat(9000), `${nested(20)}${"{".repeat(65)}`]) {
      const response = await call(path, { body });
      assert.deepEqual([response.status, await codeOf(response)], [400, "invalid_request"], body.slice(0, 80));
    }
  }
  assert.equal(seen.length, before);
  const brackets = JSON.stringify({ model: "gpt", messages: [{ role: "user", content: `${"[{".repeat(100)}"\\${"[".repeat(100)}` }] });
  for (const body of [nested(62), brackets]) assert.equal((await call("/v1/chat/completions", { body })).status, 200);
});

test("a strange provider harms nobody else", async () => {
  for (const path of ["/openai/v1/chat/completions", "/openai/v1/moderations"]) {
    const { status, body } = await call(path, { headers: { ...bearer, behave: "strange" } });
    assert.ok(status >= 500, String(status));
    await body.cancel();
  }
  assert.equal((await call("/v1/chat/completions")).status, 200);
});

test("no header can be smuggled in", async () => {
  for (const value of ["gpt\r\nx-evil: 1", "gpt,gpt\u0000"]) {
    await assert.rejects(async () => raw("/v1/chat/completions", { "x-holdfast-models": value }));
  }
  const response = await call("/v1/chat/completions", { headers: { ...bearer, "x-holdfast-models": "no such: model" } });
  assert.equal(response.status, 404);
});

test("what passes without help: models, counting, stored answers", async () => {
  const count = await call("/anthropic/v1/messages/count_tokens", { headers: { "x-api-key": TOKEN, ...asking() }, body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] }) });
  assert.equal(typeof (await count.json()).input_tokens, "number");
  const tokens = await call("/gemini/v1beta/models/gemini-x:countTokens", { headers: { "x-goog-api-key": TOKEN, ...asking() }, body: JSON.stringify({ contents: [{ parts: [{ text: "Hi" }] }] }) });
  assert.equal(typeof (await tokens.json()).totalTokens, "number");
  assert.equal((await call("/openai/v1/models?limit=2&key=x", { method: "GET" })).status, 200);
  assert.equal(seen.at(-1).url, "/base/v1/models?limit=2");
});

test("each threat of the README has a test that tries it", () => {
  const here = new URL("./", import.meta.url);
  const titles = readdirSync(here).filter((name) => name.endsWith(".test.js")).flatMap((name) => [...readFileSync(new URL(name, here), "utf8").matchAll(/^test\("([^"]+)"/gm)].map(([, title]) => title));
  const [, table] = readFileSync(new URL("../../wasm/worker/README.md", here), "utf8").split("| threat | what stands against it | in tests/worker |");
  const rows = table.split("\n\n")[0].split("\n").slice(2);
  assert.ok(rows.length > 15);
  for (const row of rows) {
    const [threat, , tests] = row.split("|").slice(1, -1).map((cell) => cell.trim());
    // "conformance: …" is a group of that suite.
    for (const name of tests.split("; ").filter((name) => !name.startsWith("conformance: "))) assert.ok(titles.some((title) => title.startsWith(name)), `${threat}: ${name}`);
  }
});
