// What the JavaScript side refuses by itself: options, bodies and headers, each with its path named.

import assert from "node:assert/strict";
import test from "node:test";
import { checkJSON, encodeBody, splitOptions, must } from "../../wasm/js/check.js";
import { describeError, describeFailure, headerPairs } from "../../wasm/js/error.js";
import { Session } from "../../wasm/js/session.js";
import { openStore } from "../../wasm/js/store.js";
import "./unhandled.mjs";

const gloo = (options) => new Session({ provider: "gloo", ...options });
const cyclic = {};
cyclic.a = [cyclic];

for (const [options, path] of [
  [{ fetch: 1 }, "fetch"],
  [{ sleep: "x" }, "sleep"],
  [{ random: 0.5 }, "random"],
  [{ now: new Date() }, "now"],
  [{ onEvent: {} }, "onEvent"],
  [{ apiKey: "" }, "apiKey"],
  [{ apiKey: "secret\n" }, "apiKey"],
  [{ token: 7 }, "token"],
  [{ dangerouslyAllowBrowser: 1 }, "dangerouslyAllowBrowser"],
  [{ baseURL: "/api" }, "baseURL"],
  [{ baseURL: "ftp://x" }, "baseURL"],
  [{ baseURL: 5 }, "baseURL"],
  [{ baseURL: "https://x/?a=b" }, "baseURL"],
  [{ baseURL: "https://me:word@x/" }, "baseURL"],
  [{ headers: new Headers({ a: "b" }) }, "headers"],
  [{ headers: { "a b": "c" } }, "headers"],
  [{ headers: { a: "b\r\nc: d" } }, "headers.a"],
  [{ headers: { a: "日本" } }, "headers.a"],
  [{ headers: { a: 1 } }, "headers.a"],
  [{ wasm: 5 }, "wasm"],
  [{ wasm: null }, "wasm"],
  [{ policy: { idleMs: NaN } }, "policy.idleMs"],
  [{ policy: { idleMs: 1n } }, "policy.idleMs"],
  [{ policy: { a: [1, () => {}] } }, "policy.a[1]"],
  [{ policy: cyclic }, "policy.a[0]"],
]) {
  test(`createClient refuses ${path} = ${typeof Object.values(options)[0]}`, () => {
    assert.throws(() => gloo(options), (error) => {
      assert.equal(error.name, "HoldfastError");
      assert.equal(error.code, "bad_option");
      assert.ok(error.message.startsWith(`${path}:`), error.message);
      assert.ok(!error.message.includes("secret"), "a secret is never quoted");
      return true;
    });
  });
}

test("options that are not an object are refused; undefined is absent", () => {
  for (const options of [7, "x", []]) assert.throws(() => new Session(options), { code: "bad_option" });
  gloo({ fetch: undefined, apiKey: undefined, headers: { a: undefined } });
  assert.throws(() => splitOptions({ signal: {} }, { signal: must.signal }, "request"), { code: "bad_option" });
  // Whether there is such an option, only the program knows.
  assert.deepEqual(splitOptions({ policy() {} }, {}, "request").rest, { policy: null });
});

test("an apiKey in a browser needs a word of consent", (t) => {
  globalThis.window = globalThis.document = {};
  t.after(() => {
    delete globalThis.window;
    delete globalThis.document;
  });
  assert.throws(() => gloo({ apiKey: "k" }), /dangerouslyAllowBrowser: true/);
  gloo({ apiKey: "k", dangerouslyAllowBrowser: true });
  gloo({ token: "t", baseURL: "https://x" });
});

test("a baseURL starts from the page", async (t) => {
  globalThis.location = { href: "https://page.example/chat/?x" };
  t.after(() => delete globalThis.location);
  gloo({ baseURL: "/api" });
});

test("credentials: key, token, function, environment, and a header of the user's own", async () => {
  const auth = "authorization: Bearer ";
  assert.deepEqual(await gloo({ apiKey: "k" }).authorize([["A", "b"]], auth), { a: "b", authorization: "Bearer k" });
  assert.deepEqual(await gloo({ apiKey: "k" }).authorize([], "x-api-key: "), { "x-api-key": "k" });
  assert.deepEqual(await gloo({ apiKey: "k" }).authorize([], ""), {});
  assert.deepEqual(await gloo({ token: "t" }).authorize([], "x-api-key: "), { authorization: "Bearer t" });
  assert.deepEqual(await gloo({ token: async () => "u" }).authorize([], auth), { authorization: "Bearer u" });
  assert.deepEqual(await gloo({ baseURL: "http://x" }).authorize([], auth), {});
  assert.deepEqual(await gloo({ apiKey: "k" }).authorize([["Authorization", "Basic z"]], auth), { authorization: "Basic z" });
  for (const token of [() => Promise.reject(new Error("no")), () => 5, () => "a\nb", () => ""]) {
    await assert.rejects(gloo({ token }).authorize([], auth), { name: "TokenError" });
  }
  process.env.GLOO_API_KEY = " env \n";
  assert.deepEqual(await gloo({}).authorize([], auth), { authorization: "Bearer env" });
  assert.deepEqual(await gloo({ baseURL: "http://x" }).authorize([], auth), {}, "a key does not go to a host it was not meant for");
  delete process.env.GLOO_API_KEY;
  assert.deepEqual(await gloo({}).authorize([], auth), {});
});

test("injected clocks and dice that misbehave are replaced", () => {
  const broken = () => {
    throw new Error("no");
  };
  for (const f of [broken, () => NaN, () => "x", () => undefined]) {
    assert.ok(Math.abs(gloo({ now: f }).now() - Date.now()) < 1000);
    const x = gloo({ random: f }).random();
    assert.ok(x >= 0 && x < 1);
  }
  assert.ok(gloo({ random: () => 1 }).random() < 1);
  assert.equal(gloo({ random: () => 0 }).random(), 0);
});

test("a body is JSON: a value, text or bytes", () => {
  const text = (body) => new TextDecoder().decode(encodeBody(body));
  assert.equal(text({ a: [1, "é", null], b: undefined, d: new Date(0) }), '{"a":[1,"é",null],"d":"1970-01-01T00:00:00.000Z"}');
  assert.equal(text('{"a":1}'), '{"a":1}');
  assert.equal(text(new TextEncoder().encode('{"a":1}')), '{"a":1}');
  assert.equal(text(new TextEncoder().encode('{"a":1}').buffer), '{"a":1}');
  for (const [body, path] of [
    [undefined, "body"],
    [() => {}, "body"],
    [{ a: { b: [1, Symbol()] } }, "body.a.b[1]"],
    [{ a: Infinity }, "body.a"],
    [{ a: 1n }, "body.a"],
    [{ a: new Map() }, "body.a"],
    [new FormData(), "body"],
    [{ a: new Blob(["x"]) }, "body.a"],
    [{ a: new Error("x") }, "body.a"],
    [{ a: [new URLSearchParams("a=b")] }, "body.a[0]"],
    [{ a: new Uint8Array(3) }, "body.a"],
    [{ a: Promise.resolve() }, "body.a"],
    [{ a: [undefined] }, "body.a[0]"],
    [cyclic, "body.a[0]"],
    [{ get a() { throw new Error("hostile"); } }, "body"],
  ]) {
    assert.throws(() => encodeBody(body), (error) => error.code === "bad_body" && error.message.startsWith(`${path}:`), path);
  }
  let deep = {};
  for (let i = 0; i < 1e5; i++) deep = { deep };
  assert.throws(() => encodeBody(deep), { code: "bad_body" });
  class Message {
    role = "user";
  }
  assert.equal(text({ a: [new Message()], b: Object.create(null), c: {}, d: [], e: new Number(1) }), '{"a":[{"role":"user"}],"b":{},"c":{},"d":[],"e":1}');
  const shared = { x: 1 };
  checkJSON({ a: shared, b: shared }, "body", "bad_body");
});

test("a store is told what it cannot keep, and so is the page", async (t) => {
  const reported = [];
  globalThis.reportError = (error) => reported.push(error.message);
  t.after(() => delete globalThis.reportError);
  const store = openStore(null);
  const answer = { partial: "" };
  for (const [args, path] of [
    [[answer, { path: "/x", body: {} }], "id"],
    [["a", undefined, { path: "/x", body: {} }], "answer"],
    [["a", answer], "path"],
    [["a", answer, { path: "/x" }], "body"],
  ]) {
    await assert.rejects(store.keep(...args), (error) => error.code === "bad_option" && error.message.startsWith(`${path}: `), path);
  }
  await new Promise(setImmediate);
  assert.deepEqual(reported.map((message) => message.split(":")[0]), ["id", "answer", "path", "body"]);
  await assert.rejects(store.keep("a", { partial: "", result: new Promise(() => {}) }, { path: "/x", body: {} }), { code: "store_failed" });
  await new Promise(setImmediate);
  assert.equal(reported.length, 4, "that a host keeps nothing is nobody's mistake");
});

test("headers in any shape become pairs", () => {
  const want = [["retry-after", "3"]];
  for (const headers of [new Headers({ "Retry-After": "3" }), { "Retry-After": "3" }, { "Retry-After": 3 }, [["Retry-After", "3"]], new Map([["Retry-After", "3"]]), { "Retry-After": ["3"] }]) {
    assert.deepEqual(headerPairs(headers), want);
  }
  for (const headers of [null, undefined, 5, "x", [5], { get() {}, forEach: 5 }]) assert.deepEqual(headerPairs(headers).filter(([name]) => name === "retry-after"), []);
});

test("any thrown thing can be described", () => {
  assert.equal(describeFailure(new TypeError("fetch failed", { cause: Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }) })).code, "ECONNRESET");
  const hostile = new Proxy({}, { get() { throw new Error("no"); } });
  for (const thrown of [undefined, null, 0, "text", Symbol("x"), hostile, {}, []]) {
    assert.equal(typeof describeFailure(thrown).message, "string");
    describeError(thrown);
  }
});
