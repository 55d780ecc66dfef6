// The control plane: for admins only, right in what it tells, and never a word that is secret.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acting, hashed, KEYS, startGateway, TOKEN } from "./gateway.js";

const ADMIN = "token-of-an-admin";
const SECRET = "the-secret-that-signs-tokens-of-this-gateway";
const AUDIENCE = "https://gateway.example";
const admin = { hash: hashed(ADMIN), admin: true };
const { address } = await startGateway({
  secrets: { ...KEYS, HOLDFAST_JWT_SECRET: SECRET },
  tokens: { alice: hashed(TOKEN), root: admin, bob: { hash: hashed("token-of-bob"), limits: { maxUsdPerDay: 2.5, concurrent: 7 } } },
  jwt: { audience: AUDIENCE, limits: { maxUsd: 3 } },
  breaker: { failures: 3, openMs: 60_000 },
  models: {
    gpt: [{ provider: "openai", model: "gpt-5-mini" }],
    down: [acting("xai", "grok-x", { error: "overloaded" })],
    limited: [acting("anthropic", "claude-haiku-4-5", { error: "rate_limit", retryAfter: 50 }, { policy: { interactive: { attempts: 1 } } })],
  },
});

const ask = (path, { token = ADMIN, method = "GET", headers, body, at = address } = {}) =>
  fetch(at + path, { method, headers: { authorization: `Bearer ${token}`, ...headers }, body });
const chat = (token, model, at = address) =>
  fetch(`${at}/v1/chat/completions`, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }) });
const json = async (path, options) => {
  const response = await ask(path, options);
  assert.equal(response.status, 200, path);
  assert.match(response.headers.get("content-type"), /^application\/json/);
  return response.json();
};
const paths = ["/control/health", "/control/config", "/control/spend", "/control/status"];

test("only for admins, whatever the token is good for", async () => {
  const minted = await (await ask("/control/tokens", { method: "POST", body: '{"sub": "root"}' })).json();
  for (const path of [...paths, "/control/tokens"]) {
    const method = path.endsWith("tokens") ? "POST" : "GET";
    for (const token of [TOKEN, "token-of-bob", minted.token]) assert.equal((await ask(path, { method, token })).status, 403, path);
    for (const token of ["", "x", hashed(ADMIN)]) assert.equal((await ask(path, { method, token })).status, 401, path);
    assert.equal((await ask(path, { method: "DELETE" })).status, 405, path);
  }
  assert.equal((await ask("/control")).status, 404);
  assert.equal((await ask("/control/constructor")).status, 404);
  assert.equal((await ask("/control/health", { headers: { origin: "https://evil.example" } })).status, 403);
});

test("health: breakers, gates and limits of each target", async () => {
  assert.equal((await chat(TOKEN, "gpt")).status, 200);
  const good = await json("/control/health");
  assert.equal(good.status, "ok");
  for (let n = 0; n < 3; n++) assert.ok((await chat(TOKEN, "down")).status >= 500);
  assert.ok((await chat(TOKEN, "limited")).status >= 400);
  const { status, targets, atMs } = await json("/control/health");
  assert.equal(status, "degraded");
  assert.ok(Math.abs(atMs - Date.now()) < 5000);
  const open = targets.find(({ breaker }) => breaker === "open");
  assert.ok(open.retryAtMs > Date.now(), JSON.stringify(targets));
  const gated = targets.find(({ gated }) => gated);
  assert.equal(gated.model, "claude-haiku-4-5");
  assert.ok(gated.retryAtMs > Date.now() + 30_000);
  assert.ok(targets.some(({ limits, limitsAtMs }) => limits && limitsAtMs > 0), JSON.stringify(targets));
});

test("spend: what each owner has used and may use", async () => {
  assert.equal((await chat("token-of-bob", "gpt")).status, 200);
  let bob;
  for (let n = 0; n < 100 && !(bob?.all.requests > 0); n++) [bob] = (await json("/control/spend")).owners;
  assert.deepEqual([bob.owner, bob.limits, bob.heldUsd, bob.concurrent], ["bob", { maxUsdPerDay: 2.5, concurrent: 7 }, 0, 0]);
  assert.ok(bob.all.usd > 0 && bob.all.usd < 0.01);
  assert.deepEqual([bob.today.usd, bob.month.usd, bob.days.length], [bob.all.usd, bob.all.usd, 1]);
  assert.equal(bob.today.period, new Date().toISOString().slice(0, 10));
  const { owners } = await json("/control/spend?owner=carol&owner=bob&owner=carol");
  assert.deepEqual(owners.map(({ owner, limits }) => [owner, limits]), [["carol", { maxUsd: 3 }], ["bob", bob.limits]]);
  assert.equal((await ask(`/control/spend?${"owner=x&".repeat(101)}`)).status, 400);
});

test("a token for a user of a backend: it works, and no more than it says", async () => {
  const mint = (body) => ask("/control/tokens", { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
  const response = await mint({ sub: "dave", expiresInSeconds: 60, models: ["gpt"], limits: { requestsPerMinute: 2 } });
  assert.equal(response.status, 201);
  const { token, expiresAtMs } = await response.json();
  assert.ok(Math.abs(expiresAtMs - Date.now() - 60_000) < 3000);
  const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
  assert.deepEqual({ ...claims, iat: 0, exp: 0 }, { sub: "dave", models: ["gpt"], limits: { requestsPerMinute: 2 }, aud: AUDIENCE, iat: 0, exp: 0 });
  assert.deepEqual([(await chat(token, "gpt")).status, (await chat(token, "down")).status, (await chat(token, "gpt")).status, (await chat(token, "gpt")).status], [200, 403, 200, 429]);
  const { owners: [dave] } = await json("/control/spend?owner=dave");
  assert.equal(dave.all.requests, 2);

  const usual = await (await mint({ sub: "erin" })).json();
  assert.ok(Math.abs(usual.expiresAtMs - Date.now() - 900_000) < 3000);
  const wrong = [
    "", "[]", "null", "{", '{"sub": "x"} {}', {}, { sub: "" }, { sub: 7 }, { sub: "a/b" }, { sub: "x", expiresInSeconds: 0 }, { sub: "x", expiresInSeconds: 86401 }, { sub: "x", expiresInSeconds: 1.5 },
    { sub: "x", scope: "admin" }, { sub: "x", admin: true }, { sub: "x", aud: "else" }, { sub: "x", exp: 1e12 }, { sub: "x", limits: { nonsense: 1 } }, { sub: "x", limits: 5 }, { sub: "x", models: "gpt" },
  ];
  for (const body of wrong) {
    const { status } = await mint(body);
    assert.equal(status, 400, JSON.stringify(body));
  }
  assert.equal((await mint(`{"sub": "${"x".repeat(20_000)}"}`)).status, 413);
  const without = await startGateway({ tokens: { root: admin } });
  const refused = await ask("/control/tokens", { method: "POST", body: '{"sub": "x"}', at: without.address });
  assert.deepEqual([refused.status, /jwt/.test((await refused.json()).error.message)], [400, true]);
  await without.stop();
});

test("the status page: HTML with no script, and a style that nothing else can bring in", async () => {
  const response = await ask("/control/status");
  const html = await response.text();
  assert.match(response.headers.get("content-type"), /^text\/html/);
  const [, nonce] = /style-src 'nonce-([^']+)'/.exec(response.headers.get("content-security-policy"));
  assert.match(response.headers.get("content-security-policy"), /^default-src 'none';.*frame-ancestors 'none'/);
  assert.ok(html.includes(`<style nonce="${nonce}">`) && !/<script|javascript:| on\w+=/i.test(html), html);
  assert.match(html, /<h1>Holdfast: degraded<\/h1>/);
  assert.match(html, /bob/);
  assert.notEqual(/nonce-([^']+)/.exec((await ask("/control/status")).headers.get("content-security-policy"))[1], nonce);
});

test("a browser is asked for a password, on the status page only", async () => {
  const basic = (token) => ({ authorization: `Basic ${btoa(`anybody:${token}`)}` });
  const asked = await fetch(`${address}/control/status`);
  assert.deepEqual([asked.status, asked.headers.get("www-authenticate")?.startsWith("Basic ")], [401, true]);
  assert.equal((await ask("/control/status", { headers: basic(ADMIN) })).status, 200);
  assert.equal((await ask("/control/status", { headers: basic(TOKEN) })).status, 403);
  assert.equal((await ask("/control/status", { headers: basic("x") })).status, 401);
  for (const path of ["/control/health", "/v1/models"]) {
    const response = await ask(path, { headers: basic(ADMIN) });
    assert.deepEqual([response.status, response.headers.get("www-authenticate")], [401, null], path);
  }
});

test("nothing secret is told", async () => {
  const hash = hashed("token-of-eve");
  const gateway = await startGateway({
    secrets: { ...KEYS, HOLDFAST_JWT_SECRET: SECRET }, jwt: { audience: AUDIENCE },
    tokens: { root: admin, eve: { hash, limits: {} } },
    models: { secretive: [{ provider: "openai", model: "gpt-x", headers: { "x-private": "a header's value" } }] },
  });
  for (const path of paths) {
    const response = await ask(path, { at: gateway.address });
    assert.equal(response.status, 200, path);
    const text = JSON.stringify([...response.headers]) + (await response.text());
    for (const secret of [...Object.values(KEYS), SECRET, hash, hashed(ADMIN), "a header's value", ADMIN]) assert.ok(!text.includes(secret), `${path}: ${secret}`);
  }
  await gateway.stop();
});

test("the configuration: what is good, what is wrong, and what could be better", async () => {
  const { ok, problems, advice, config } = await json("/control/config");
  assert.deepEqual([ok, problems], [true, []]);
  assert.deepEqual(config.models.gpt, [{ provider: "openai", model: "gpt-5-mini" }]);
  const places = advice.map(({ where }) => where);
  for (const where of ["tokens.alice", "models.gpt", "models.down[0]"]) assert.ok(places.includes(where), `${where}: ${JSON.stringify(advice)}`);

  const wrong = {
    "providers.openai": { secrets: { ...KEYS, OPENAI_API_KEY: "" } },
    policy: { policy: { nonsense: 1 } },
    "the configuration": { nonsense: 1 },
    "models.m": { models: { m: [{ provider: "nobody", model: "x" }] } },
    "tokens.alice": { tokens: { alice: "no hash", root: admin } },
    jwt: { jwt: { audience: "x" } },
    origins: { origins: "https://app.example" },
    maxBodyBytes: { maxBodyBytes: "8 MB" },
    streams: { streams: "true" },
    "providers.gemini": { providers: { gemini: { fallbacks: ["none"] } } },
    prices: { prices: "* * 1 1 1 1 1\nopenai gpt" },
    models: { secrets: { ...KEYS, HOLDFAST_MODELS: "{}" }, models: {} },
    HOLDFAST_STREAMS: { secrets: { ...KEYS, HOLDFAST_STREAMS: "yes" } },
  };
  for (const [where, config] of Object.entries(wrong)) {
    const gateway = await startGateway({ tokens: { root: admin }, ...config });
    const report = await json("/control/config", { at: gateway.address });
    assert.equal(report.ok, false, where);
    assert.ok(report.problems.some((problem) => problem.where === where), `${where}: ${JSON.stringify(report.problems)}`);
    assert.equal((await ask("/control/config", { at: gateway.address, token: "x" })).status, 401);
    await gateway.stop();
  }
});

test("what is long in the configuration has a variable of its own", async () => {
  const models = { gpt: [{ provider: "openai", model: "gpt-5-mini" }] };
  const prices = "* * 1 1 1 1 1\nopenai gpt-5-mini 2 2 2 2 2";
  const tokens = { root: admin, bob: { hash: hashed("token-of-bob"), limits: {} } };
  const parts = { HOLDFAST_TOKENS: JSON.stringify(tokens), HOLDFAST_MODELS: JSON.stringify(models), HOLDFAST_PRICES: prices, HOLDFAST_MAX_BODY_BYTES: "500" };
  const gateway = await startGateway({ secrets: { ...KEYS, ...parts }, tokens: undefined });
  const report = await json("/control/config", { at: gateway.address });
  assert.deepEqual([report.problems, report.config.models, Object.keys(report.config.tokens)], [[], models, ["root", "bob"]]);
  assert.equal((await chat("token-of-bob", "gpt", gateway.address)).status, 200);
  assert.equal((await chat("token-of-bob", "x".repeat(500), gateway.address)).status, 413);
  await gateway.stop();
});

test("many control calls at once take no memory from the data plane: some are told to come again", async () => {
  const fresh = await startGateway({ tokens: { alice: hashed(TOKEN), root: admin }, models: { gpt: [{ provider: "openai", model: "gpt-5-mini" }] } });
  const calls = Array.from({ length: 60 }, (_, n) => ask(paths[n % 4], { at: fresh.address }));
  const answers = Array.from({ length: 20 }, () => chat(TOKEN, "gpt", fresh.address));
  assert.deepEqual([...new Set((await Promise.all(answers)).map(({ status }) => status))], [200]);
  for (const response of await Promise.all(calls)) {
    assert.ok(response.status === 200 || (response.status === 503 && response.headers.get("retry-after") === "1"), String(response.status));
    await response.text();
  }
  assert.equal((await ask("/control/health", { at: fresh.address })).status, 200);
  await fresh.stop();
});
