// The store by itself, in Chromium and through real reloads: what is kept, what never is, and what fails.

import assert from "node:assert/strict";
import test from "node:test";
import { saying, startKeeper } from "../js/keeper.mjs";
import { close, here, holdfast, open, serve, startChromium, startSim } from "./harness.js";

const [sim, browser, address] = [await startSim(), await startChromium(), await serve({ "/": `${here}page`, "/holdfast/": holdfast })];
const blank = `${address}/holdfast/package.json`;
const request = { path: "/ai/v2/guarded/chat/completions?key=sk-secret&a=b", body: { model: "gloo-sim", messages: [{ role: "user", content: "Hi" }] } };

/** Opens a page that has the module as `holdfast`, `store`, and `ask(play, options)` for an answer of the simulator. */
async function start() {
  const page = await open(browser, blank);
  await prepare(page);
  return page;
}
function prepare(page) {
  return page.evaluate(async ({ sim, request }) => {
    const { createClient } = await import("/holdfast/holdfast.js");
    const { openStore } = await import("/holdfast/store.js");
    const headers = { "x-sim-session": (sessionStorage.session ??= String(Math.random())), "x-sim-pace": "1", "x-secret": "sk-secret" };
    const client = await createClient({ provider: "gloo", baseURL: sim, apiKey: "sk-secret", dangerouslyAllowBrowser: true, share: "tests", headers });
    const ask = (play, options) => client.stream(request.path, request.body, { headers: { "x-sim": play }, ...options });
    Object.assign(globalThis, { openStore, store: openStore(), request, ask });
  }, { sim, request });
}

test("an interrupted answer is kept with its mark, over a reload, without a key; and gone once it is whole", async () => {
  const page = await start();
  const result = await page.evaluate(async () => {
    const answer = ask("cut_twice");
    await store.keep("a", answer, request);
    return answer.result;
  });
  assert.equal(result.status, "interrupted");
  await page.reload();
  await prepare(page);
  const kept = await page.evaluate(() => store.get("a"));
  const { atMs, ...rest } = kept;
  assert.ok(Math.abs(Date.now() - atMs) < 60_000);
  const error = { code: result.error.reason, message: result.error.message };
  assert.deepEqual(rest, { id: "a", path: "/ai/v2/guarded/chat/completions?a=b", body: request.body, status: "interrupted", text: result.text, offer: ["continue", "try_again"], error });
  assert.ok(!JSON.stringify(kept).includes("sk-secret"));

  const whole = await page.evaluate(async () => {
    const kept = await store.get("a");
    const answer = ask("cut_twice", { continues: kept });
    await store.keep("a", answer, kept);
    return { result: await answer.result, left: await store.all() };
  });
  assert.equal(whole.result.status, "complete");
  assert.ok(whole.result.text.startsWith(result.text) && whole.result.text.length > result.text.length);
  assert.deepEqual(whole.left, []);
  await close(page);
});

test("keeping does not set the pace of who iterates, and what took an answer's place stays", async () => {
  const page = await start();
  const found = await page.evaluate(async () => {
    const first = ask("slow");
    store.keep("b", first, request);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = first.tryAgain({ headers: { "x-sim": "cut_twice" } }); // cancels the first
    const kept = store.keep("b", second, request);
    let text = "";
    for await (const delta of second) if (delta.type === "text") text += delta.text;
    await kept;
    return { text, kept: await store.get("b"), first: (await first.result).status };
  });
  assert.equal(found.first, "cancelled");
  assert.equal(found.kept.status, "interrupted");
  assert.equal(found.kept.text, found.text);
  await close(page);
});

test("newest first; too old is forgotten; delete, clear", async () => {
  const page = await start();
  const found = await page.evaluate(async () => {
    for (const id of ["x", "y", "z"]) {
      await store.keep(id, ask("unauthorized"), request);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const ids = async (s) => (await s.all()).map(({ id }) => id);
    const all = await ids(store);
    await store.delete("y");
    const without = await ids(store);
    const old = await ids(openStore({ maxAgeMs: 1 }));
    const emptied = await ids(store); // the other one has taken them away when it opened
    await store.keep("x", ask("unauthorized"), request);
    await store.clear();
    return { all, without, old, emptied, cleared: await ids(store) };
  });
  assert.deepEqual(found, { all: ["z", "y", "x"], without: ["z", "x"], old: [], emptied: [], cleared: [] });
  await close(page);
});

test("a browser that keeps nothing harms no answer; wrong options are named", async () => {
  const page = await start();
  const found = await page.evaluate(async () => {
    Object.defineProperty(globalThis, "indexedDB", { value: { open() { throw new DOMException("denied", "SecurityError"); } } });
    const closed = openStore({ name: "other" });
    const answer = ask("healthy");
    const kept = closed.keep("a", answer, request);
    const codeOf = (promise) => promise.then(() => "none", ({ name, code }) => `${name} ${code}`);
    const throws = (run) => { try { run(); } catch ({ message }) { return message; } };
    return {
      status: (await answer.result).status,
      codes: [await codeOf(kept), await codeOf(closed.get("a")), await codeOf(closed.keep("", answer, request))],
      options: [throws(() => openStore({ nmae: "x" })), throws(() => openStore({ maxAgeMs: 0 }))],
    };
  });
  assert.deepEqual(found, {
    status: "complete",
    codes: ["HoldfastError store_failed", "HoldfastError store_failed", "HoldfastError bad_option"],
    options: ["nmae: is not an option of openStore", "maxAgeMs: must be a number above 0"],
  });
  assert.deepEqual(page.complaints.splice(0), ["uncaught: id: must be text that is not empty"]);
  await close(page);
});

test("a database that does not open is not waited for", async () => {
  const page = await start();
  const found = await page.evaluate(async () => {
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = () => new EventTarget();
    const hung = openStore({ name: "hung" });
    const first = await hung.get("a").catch(({ code, message }) => `${code}: ${message}`);
    IDBFactory.prototype.open = open;
    return [first, await hung.all()];
  });
  assert.deepEqual(found, ["store_failed: the browser does not keep answers: the database does not open", []]);
  await close(page);
});

test("a database that the browser has closed without a word is opened again", async () => {
  const page = await start();
  const found = await page.evaluate(async () => {
    const answer = ask("cut_twice");
    const kept = store.keep("a", answer, request);
    await store.get("a");
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (...options) {
      IDBDatabase.prototype.transaction = transaction;
      this.close(); // which tells nobody
      return this.transaction(...options);
    };
    const { text } = await answer.result;
    await kept;
    return [(await store.get("a")).text === text, IDBDatabase.prototype.transaction === transaction];
  });
  assert.deepEqual(found, [true, true]);
  await close(page);
});

test("a durable answer goes on while the page is away: the store comes back to it", async () => {
  const text = Array.from({ length: 200 }, (_, i) => `w${i}ord${i * 7}`).join(" ");
  const keeper = await startKeeper(() => ({ messages: saying(text), gapMs: 5 }));
  const page = await open(browser, blank);
  const prepare = () =>
    page.evaluate(async (baseURL) => {
      const { createClient } = await import("/holdfast/holdfast.js");
      const { openStore } = await import("/holdfast/store.js");
      Object.assign(globalThis, { client: await createClient({ provider: "openai", baseURL, token: "t" }), store: openStore(), request: { path: "/v1/chat/completions", body: { model: "fast", messages: [] } } });
    }, keeper.address);
  await prepare();
  await page.evaluate(async () => {
    const answer = client.stream(request.path, request.body, { durable: true, onDelta() {} });
    store.keep("d", answer, request);
    while (!((await store.get("d"))?.text.length > 100)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  await page.reload();
  await prepare();
  const found = await page.evaluate(async () => {
    const before = await store.get("d");
    let more = "";
    const answer = await store.resume("d", client, { onDelta: (delta) => (more += delta.text) });
    const result = await answer.result;
    while (await store.get("d")) await new Promise((resolve) => setTimeout(resolve, 20)); // whole: forgotten
    return { before, more, result, again: (await store.resume("d", client)) ?? null };
  });
  assert.ok(found.before.text.length > 100 && found.before.text.length < text.length);
  assert.deepEqual([found.before.status, found.before.durable.resumable], ["interrupted", true]);
  assert.equal(found.before.text + found.more, text);
  assert.deepEqual([found.result.status, found.result.text, keeper.asked, found.again], ["complete", text, 1, null]);
  await close(page);
});
