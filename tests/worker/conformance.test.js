// The streams of the gateway keep the Durable Streams protocol, as its own suite sees it: all groups but
// those on forks. Subscriptions (webhooks), which the suite leaves out unless asked, are not part of the protocol.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hashed, KEYS, startGateway, storageFolder, TOKEN } from "./gateway.js";

const { address } = await startGateway({ streams: true, maxBodyBytes: 32 << 20, origins: ["https://example.com"], secrets: { ...KEYS, TOKEN } }, { main: "signed.js" });

const ask = (path, init, gateway = address) => fetch(`${gateway}/streams/${path}`, init);

test("a stream is its owner's alone, and where the configuration has none there is none", async () => {
  const other = await startGateway({ streams: true, tokens: { alice: hashed(TOKEN), bob: hashed("hf-token-of-bob") } });
  const by = (token, path, init) => ask(path, { ...init, headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" } }, other.address);
  assert.equal((await by(TOKEN, "a/b", { method: "PUT", body: "secret" })).status, 201);
  for (const method of ["GET", "HEAD", "POST", "DELETE"]) assert.equal((await by("hf-token-of-bob", "a/b", { method, body: method === "POST" ? "x" : undefined })).status, 404, method);
  assert.equal(await (await by(TOKEN, "a/b")).text(), "secret");
  assert.equal((await ask("a/b", { method: "GET" }, other.address)).status, 401);
  const none = await startGateway();
  assert.equal((await fetch(`${none.address}/streams/a`, { method: "PUT", headers: { authorization: `Bearer ${TOKEN}` } })).status, 404);
});

test("an offset of a stream that is no more leads nowhere, and numbers keep their digits", async () => {
  const body = '[{"n":12345678901234567890},1.50,"\\u2028"]';
  const create = () => ask("numbers", { method: "PUT", headers: { "content-type": "application/json" }, body });
  const offset = (await create()).headers.get("stream-next-offset");
  assert.equal(await (await ask("numbers")).text(), body.replace("\\u2028", "\u2028"));
  await ask("numbers", { method: "DELETE" });
  await create();
  assert.equal((await ask(`numbers?offset=${offset}`)).status, 410);
});

test("a stream that is deleted and made again under a reader is not the one that he reads", async () => {
  const create = () => ask("again", { method: "PUT", headers: { "content-type": "text/plain" }, body: "one" });
  const offset = (await create()).headers.get("stream-next-offset");
  const waiting = ask(`again?offset=${offset}&live=long-poll`);
  const reading = ask(`again?offset=${offset}&live=sse`).then((response) => response.text());
  await new Promise((resolve) => setTimeout(resolve, 300));
  await Promise.all([ask("again", { method: "DELETE" }), create(), ask("again", { method: "POST", headers: { "content-type": "text/plain" }, body: "two" })]);
  assert.equal((await waiting).status, 404);
  assert.doesNotMatch(await reading, /one|two/);
});

test("what has expired is deleted, whether somebody comes or not", { timeout: 20_000 }, async () => {
  const storage = storageFolder();
  const brief = await startGateway({ streams: true }, { storage });
  const put = (name, header, value) => fetch(`${brief.address}/streams/${name}`, { method: "PUT", headers: { authorization: `Bearer ${TOKEN}`, "content-type": "text/plain", [header]: value }, body: "brief" });
  const holding = () => readdirSync(join(storage, "Streams")).filter((name) => readFileSync(join(storage, "Streams", name)).includes("brief"));
  for (const [name, header, value] of [["a", "stream-ttl", "2"], ["b", "stream-expires-at", new Date(Date.now() + 3000).toISOString()]]) assert.equal((await put(name, header, value)).status, 201);
  assert.equal(holding().length, 2);
  await new Promise((resolve) => setTimeout(resolve, 6000));
  assert.deepEqual(holding(), []);
  await brief.stop();
});

test("a long text is cut between its characters, and read in pieces", async () => {
  const text = "héllo wörld, ça va? ".repeat(150_000);
  assert.equal((await ask("long", { method: "PUT", headers: { "content-type": "text/plain" }, body: text })).status, 201);
  let [read, offset, upToDate, pieces] = ["", "-1", false, 0];
  while (!upToDate) {
    const response = await ask(`long?offset=${offset}`);
    [offset, upToDate] = [response.headers.get("stream-next-offset"), response.headers.has("stream-up-to-date")];
    const piece = await response.text();
    assert.ok(!piece.includes("\ufffd"));
    [read, pieces] = [read + piece, pieces + 1];
  }
  assert.equal(read, text);
  assert.ok(pieces > 2);
});

test("every group but Fork", { timeout: 300_000 }, async (t) => {
  // A long-poll lasts longer than vitest waits.
  const args = ["run", "--testTimeout=60000", "--reporter=json", "--testNamePattern=^(?!.*Fork)", "conformance.spec.js"];
  const child = spawn("node_modules/.bin/vitest", args, {
    cwd: new URL(".", import.meta.url), stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, CONFORMANCE_TEST_URL: `${address}/streams` },
  });
  const text = (await child.stdout.setEncoding("utf8").toArray()).join("");
  const { testResults } = JSON.parse(text.slice(text.indexOf("{")));
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const of = (status) => results.filter((result) => result.status === status);
  assert.deepEqual(of("failed").map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]}`), []);
  assert.deepEqual([...new Set(results.map(({ status }) => status))].sort(), ["passed", "skipped"]);
  assert.deepEqual(of("skipped").filter(({ fullName }) => !/^(Fork|Reserved subscription)/.test(fullName)).map(({ fullName }) => fullName), []);
  assert.ok(of("passed").length >= 250, `${of("passed").length} tests`);
  t.diagnostic(`${of("passed").length} passed, ${of("skipped").length} on forks left out`);
});
