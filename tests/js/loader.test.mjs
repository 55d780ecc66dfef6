// The loader with real Go programs: every way to name one, failures that can be tried again, and deaths.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import test, { afterEach } from "node:test";
import { pathToFileURL } from "node:url";
import { createClient, unload, HoldfastError } from "./holdfast.mjs";

const dist = new URL("../../dist/test/", import.meta.url);
const dying = new URL("dying.wasm", dist);
const stranger = new URL("stranger.wasm", dist);

const bytes = await readFile(dying);
const speaking = (...chunks) => async () =>
  new Response(new ReadableStream({ start: (c) => (chunks.forEach((chunk) => c.enqueue(new TextEncoder().encode(chunk))), c.close()) }));
const create = (options) => createClient({ provider: "gloo", baseURL: "http://test", fetch: speaking("x"), ...options });
const wasmResponse = (type = "application/wasm") => new Response(bytes, { headers: { "content-type": type } });

afterEach(unload);

const server = createServer((request, response) => {
  const types = { "/right": "application/wasm", "/wrong": "application/octet-stream", "/none": "" };
  if (request.url in types) response.writeHead(200, types[request.url] ? { "content-type": types[request.url] } : {}).end(bytes);
  else if (request.url === "/page") response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
  else response.writeHead(404).end();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
server.unref();
const origin = `http://127.0.0.1:${server.address().port}`;
test.after(() => server.close());

for (const [what, wasm] of Object.entries({
  "a file URL": () => dying,
  "a file URL as text": () => dying.href,
  "a path from the working directory": () => "test/dying.wasm",
  "an http URL": () => `${origin}/right`,
  "a URL with the wrong type": () => `${origin}/wrong`,
  "a URL without a type": () => new URL(`${origin}/none`),
  "an ArrayBuffer": () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  "a view": () => bytes,
  "a module": () => new WebAssembly.Module(bytes),
  "a promise of a module": () => WebAssembly.compile(bytes),
  "a response": () => wasmResponse(),
  "a response of the wrong type": () => wasmResponse("text/plain"),
  "a promise of a response": () => fetch(`${origin}/right`),
})) {
  test(`the program can be given as ${what}`, async () => {
    const cwd = process.cwd();
    if (what.includes("working")) process.chdir(new URL("..", dist).pathname);
    const client = await create({ wasm: wasm() }).finally(() => process.chdir(cwd));
    assert.equal((await client.stream("/x", {}).result).status, "complete");
    client.close();
  });
}

test("a host without streaming compilation loads as well", async (t) => {
  const { compileStreaming } = WebAssembly;
  delete WebAssembly.compileStreaming;
  t.after(() => (WebAssembly.compileStreaming = compileStreaming));
  await create({ wasm: `${origin}/right` });
});

for (const [what, wasm, code, message] of [
  ["a URL that answers 404", `${origin}/nowhere`, "load_failed", /404/],
  ["a start page", `${origin}/page`, "load_failed", /text\/html.*not WebAssembly/],
  ["a file that is not there", pathToFileURL("/nonexistent.wasm"), "load_failed", /ENOENT/],
  ["no URL", "http://", "load_failed", /not a URL/],
  ["a closed port", "http://127.0.0.1:1/", "load_failed", /: http:\/\/127\.0\.0\.1:1\/: /],
  ["garbage", new Uint8Array([1, 2, 3, 4]), "load_failed", /not WebAssembly/],
  ["nothing", new Uint8Array(0), "load_failed", /not WebAssembly/],
  ["a broken module", bytes.subarray(0, 5000), "load_failed", /: the bytes given: /],
  ["a module that is somebody else's", new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), "load_failed", /not Holdfast's program/],
  ["a number", 5, "bad_option", /^wasm:/],
  ["a program of another release", stranger, "version_mismatch", /protocol 2.*speaks 1/],
]) {
  test(`${what} is a typed error, and the next call can load`, async () => {
    await assert.rejects(create({ wasm }), (error) => {
      assert.ok(error instanceof HoldfastError);
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      return true;
    });
    const client = await create({ wasm: dying });
    assert.equal((await client.stream("/x", {}).result).status, "complete");
  });
}

test("calls that come while it loads share the load", async () => {
  let loads = 0;
  const counting = createServer((_, response) => (loads++, response.writeHead(200, { "content-type": "application/wasm" }).end(bytes)));
  await new Promise((resolve) => counting.listen(0, "127.0.0.1", resolve));
  const wasm = `http://127.0.0.1:${counting.address().port}/`;
  await Promise.all([create({ wasm }), create({ wasm }), create({ wasm })]);
  await create({ wasm });
  assert.equal(loads, 1);
  counting.closeAllConnections();
  counting.close();
});

for (const [how, message] of [
  ["panic", /exited with code 2: panic: told to die/],
  ["exit", /exited with code 3/],
  ["nil", /./],
  ["overflow", /./],
]) {
  test(`wsm-006: a program that dies by ${how} in the middle of a stream`, async () => {
    const client = await create({ wasm: dying, fetch: speaking("hello", how) });
    const other = client.stream("/y", {});
    const texts = [];
    const answer = client.stream("/x", {}, { onDelta: (delta) => texts.push(delta.text) });
    await assert.rejects(answer.result, (error) => {
      assert.equal(error.code, "program_died");
      assert.equal(error.partial, "hello");
      assert.match(error.message, message);
      return true;
    });
    assert.deepEqual(texts, ["hello"]);
    await assert.rejects(other.result, { code: "program_died" });

    // The next call starts a fresh one, although it is the same client.
    const next = await createClient({ provider: "gloo", baseURL: "http://test", fetch: speaking("x") });
    assert.equal((await next.stream("/x", {}).result).status, "complete");
    assert.equal(answer.tryAgain() instanceof Object, true);
  });
}

const tiny = new URL("dying-tiny.wasm", dist);
for (const [how, message] of [
  ["panic", /died in hf_received: panic: told to die/],
  ["nil", /died in hf_received: panic: .*nil pointer/],
  ["overflow", /died in hf_received: ./],
]) {
  test(`a program of TinyGo that dies by ${how}: a trap`, { skip: !existsSync(tiny) && "it was not built" }, async () => {
    const client = await create({ wasm: tiny, fetch: speaking("hello", how) });
    const other = client.stream("/y", {});
    const answer = client.stream("/x", {});
    await assert.rejects(answer.result, (error) => {
      assert.equal(error.code, "program_died");
      assert.equal(error.partial, "hello");
      assert.match(error.message, message);
      return true;
    });
    await assert.rejects(other.result, { code: "program_died" });
    const next = await createClient({ provider: "gloo", baseURL: "http://test", fetch: speaking("x") });
    assert.equal((await next.stream("/x", {}).result).status, "complete");
  });
}

test("the same client goes on with a fresh program", async () => {
  let chunks = ["panic"];
  const client = await create({ wasm: dying, fetch: () => speaking(...chunks)() });
  await assert.rejects(client.stream("/x", {}).result, { code: "program_died" });
  chunks = ["x"];
  assert.equal((await client.stream("/x", {}).result).text, "alive");
});

test("unload ends what is open, and the next call loads again", async () => {
  const client = await create({ wasm: dying, fetch: () => new Promise(() => {}) });
  const answer = client.stream("/x", {});
  const pending = answer.result;
  unload();
  await assert.rejects(pending, { code: "closed" });
  const loading = create({ wasm: dying });
  unload();
  await assert.rejects(loading, { code: "closed" });
  const cancelled = client.stream("/x", {});
  cancelled.cancel();
});

test("a closed client says so", async () => {
  const client = await create({ wasm: dying });
  client.close();
  client.close();
  await assert.rejects(client.request("/x", {}), { code: "closed" });
  await assert.rejects(client.stream("/x", {}).result, { code: "closed" });
});

test("the globals of the Go runtime do not stay", async () => {
  await create({ wasm: dying });
  for (const name of ["fs", "path"]) assert.ok(!(name in globalThis), name);
  assert.equal(typeof process.versions.node, "string");
});

const isolated = (code) => execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8", timeout: 20000, cwd: new URL(".", dist).pathname });

test("wrk-009: importing does nothing: no WebAssembly, fetch, timer or global is touched", () => {
  const out = isolated(`
    const before = Object.getOwnPropertyNames(globalThis).sort().join();
    for (const name of ["WebAssembly", "fetch", "setTimeout", "TextDecoder", "TextEncoder", "process"]) {
      if (name === "process") continue;
      Object.defineProperty(globalThis, name, { get() { throw new Error(name + " was touched"); }, configurable: true });
    }
    await import("./holdfast/holdfast.js");
    console.log(Object.getOwnPropertyNames(globalThis).sort().join() === before);
  `);
  assert.equal(out.trim(), "true");
});

test("a Node without global crypto (18) loads, and a process with a client exits by itself", () => {
  const out = isolated(`
    delete globalThis.crypto;
    const { createClient } = await import("./holdfast/holdfast.js");
    const client = await createClient({ provider: "gloo", baseURL: "http://test", wasm: "dying.wasm", fetch: async () => new Response("x") });
    console.log((await client.stream("/x", {}).result).status);
  `);
  assert.equal(out.trim(), "complete");
});
