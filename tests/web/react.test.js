// A React page, built by Vite and served by Vite for development, where StrictMode mounts everything
// twice: useAnswer and the store through failures and reloads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import * as esbuild from "esbuild";
import * as vite from "vite";
import { saying, startKeeper } from "../js/keeper.mjs";
import { close, here, open, out, serve, startChromium, startSim } from "./harness.js";

const whole = readFileSync(join(here, "../sim/long.md"), "utf8").trimEnd();
const root = join(here, "app");
const outDir = join(out, "app");
await vite.build({ root, base: "./", configFile: false, logLevel: "error", build: { outDir, emptyOutDir: true } });
delete process.env.NODE_ENV; // the build has set it: the server would bring React's code for production, whose StrictMode does nothing
const developing = await vite.createServer({ root, configFile: false, logLevel: "error", cacheDir: join(out, "app-dev"), optimizeDeps: { force: true }, server: { port: 0, host: "127.0.0.1" } });
after(() => developing.close());
await developing.listen();
const [sim, browser] = [await startSim(), await startChromium()];
const addresses = { built: await serve({ "/": outDir }), developing: developing.resolvedUrls.local[0].replace(/\/$/, "") };

/** Opens the page, whose provider plays what is asked. `page.sent` counts what came of the requests for answers. */
async function start(play, { address = addresses.built, more = "" } = {}) {
  const script = encodeURIComponent(typeof play === "string" ? play : JSON.stringify(play));
  const page = await open(browser, "about:blank");
  page.sent = { begun: 0, aborted: 0 };
  page.on("request", (request) => request.method() === "POST" && page.sent.begun++);
  page.on("requestfailed", (request) => request.failure().errorText === "net::ERR_ABORTED" && page.sent.aborted++);
  await page.goto(`${address}/?sim=${encodeURIComponent(sim)}&play=${script}${more}`);
  return page;
}

/** Waits until the database holds it: nothing, an end, or text of some length. */
const kept = (page, what) =>
  page.evaluate(async (what) => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: reject }));
    const database = await done(indexedDB.open("holdfast-answers"));
    for (;;) {
      const [first] = await done(database.transaction("answers").objectStore("answers").getAll());
      if (what === "nothing" ? !first : what === "end" ? first?.error : first?.text.length > what) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    database.close();
  }, what);
const state = (page, status) => page.waitForSelector(`#state[data-status=${status}]`, { timeout: 30_000 });
const text = (page) => page.textContent("#text");
const growing = (page, length) => page.waitForFunction((n) => document.getElementById("text").textContent.length > n, length);
const buttons = (page) => page.$$eval("p ~ button", (all) => all.map(({ id }) => id));

for (const [name, address] of Object.entries(addresses)) test(`${name}: interrupted, reloaded, continued, whole; and then forgotten`, async () => {
  const page = await start("cut_twice", { address });
  await page.click("#send");
  await state(page, "interrupted");
  const before = { text: await text(page), state: await page.textContent("#state") };
  assert.ok(before.text.length > 100 && whole.startsWith(before.text));
  assert.match(before.state, /incomplete\. \S/);

  await kept(page, "end");
  await page.reload();
  await state(page, "interrupted");
  assert.deepEqual({ text: await text(page), state: await page.textContent("#state") }, before);
  assert.deepEqual(await buttons(page), ["continue", "again"]);

  await page.click("#continue");
  await state(page, "complete");
  assert.equal(await text(page), whole);
  assert.deepEqual(await buttons(page), []);

  await kept(page, "nothing");
  await page.reload();
  await state(page, "idle");
  assert.equal(await text(page), "");
  await close(page);
});

test("reloaded in the middle: what was shown is there, and goes on", async () => {
  const page = await start({ requests: [{ gapMs: 30 }], continuations: [{}] });
  await page.click("#send");
  await kept(page, 150);
  await page.reload();
  await state(page, "interrupted");
  const partial = await text(page);
  assert.ok(partial.length > 150 && whole.startsWith(partial));
  await page.click("#continue");
  await state(page, "complete");
  assert.equal(await text(page), whole);
  await close(page);
});

test("another answer in the same place leaves the first, which is kept and comes back", async () => {
  const page = await start({ requests: [{ gapMs: 30 }], continuations: [{}] });
  await page.click("#send");
  await growing(page, 100);
  await page.click("#second");
  await state(page, "idle");
  assert.equal(await text(page), "");
  await page.click("#first");
  await state(page, "interrupted");
  assert.ok((await text(page)).length > 80);
  assert.deepEqual(page.sent, { begun: 1, aborted: 1 });
  await page.click("#continue");
  await state(page, "complete");
  assert.equal(await text(page), whole);
  await close(page);
});

for (const [name, address] of Object.entries(addresses)) test(`${name}: unmounting cancels, stopping keeps the text, trying again replaces it`, async () => {
  const page = await start({ requests: [{ gapMs: 30 }, { gapMs: 30 }, {}] }, { address });
  await page.click("#send");
  await growing(page, 50);
  await page.click("#none");
  while (page.sent.aborted === 0) await page.waitForTimeout(20);

  await page.click("#second");
  await page.click("#send");
  await growing(page, 50);
  await page.click("#stop");
  await state(page, "cancelled");
  assert.ok((await text(page)).length > 50);
  await page.click("#again");
  await state(page, "complete");
  assert.equal(await text(page), whole);
  await close(page);
});

test("asked by an effect that StrictMode runs twice, one answer comes", async () => {
  const page = await start("healthy", { address: addresses.developing, more: "&auto" });
  await state(page, "complete");
  assert.equal(await text(page), whole);
  assert.equal(page.sent.begun, 1);
  await close(page);
});

test("the component's code is changed while an answer arrives: it goes on", async () => {
  const page = await open(browser, "about:blank");
  await page.addInitScript(refreshable);
  await page.goto(`${addresses.developing}/?sim=${encodeURIComponent(sim)}&play=${encodeURIComponent(JSON.stringify({ gapMs: 10 }))}`);
  await page.click("#send");
  await growing(page, 50);
  const before = await text(page);
  await page.evaluate(() => refresh("Chat"));
  assert.ok((await text(page)).startsWith(before));
  await state(page, "complete");
  assert.equal(await text(page), whole);
  await close(page);
});

/** Lets refresh(name) do to a component what a development server does when its file is saved. */
function refreshable() {
  const roots = new Set();
  let react;
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: (internals) => ((react = internals), 1),
    onCommitFiberRoot: (id, root) => roots.add(root),
    onCommitFiberUnmount() {},
  };
  globalThis.refresh = (name) => {
    const families = new Map();
    const family = (type) => {
      if (type.name === name && !families.has(type)) families.set(type, { current: (props) => type(props) });
      return families.get(type);
    };
    react.setRefreshHandler(family);
    const find = (fiber) => fiber && (family(fiber.type ?? {}), find(fiber.child), find(fiber.sibling));
    for (const root of roots) find(root.current);
    for (const root of roots) react.scheduleRefresh(root, { updatedFamilies: new Set(families.values()), staleFamilies: new Set() });
    if (families.size === 0) throw new Error(`no component ${name}`);
  };
}

test("components with a client function in common share its client; one that failed is made anew", async () => {
  const source = `
    import { createElement as h } from "react";
    import { createRoot } from "react-dom/client";
    import { useAnswer } from "holdfast/react";
    const result = Promise.resolve({ status: "complete", text: "whole", offer: [] });
    const client = { stream: () => ({ result, partial: "", cancel() {}, leave() {} }) };
    const made = { common: 0, own: 0 };
    const common = async () => { if (++made.common === 1) throw new Error("no way"); return client; };
    function Chat({ own }) {
      const answer = useAnswer(own ? () => (made.own++, client) : common);
      return h("button", { onClick: () => answer.send("/x", {}) }, answer.status);
    }
    createRoot(document.body).render([1, 2, 3, 4].map((key) => h(Chat, { key, own: key > 2 })));
    globalThis.made = made;`;
  const { outputFiles } = await esbuild.build({ stdin: { contents: source, resolveDir: here }, bundle: true, write: false, format: "iife", define: { "process.env.NODE_ENV": '"production"' } });
  const page = await open(browser, "about:blank");
  await page.evaluate(outputFiles[0].text);
  const press = async (n, status) => {
    await page.click(`button >> nth=${n}`);
    await page.waitForFunction(([n, status]) => document.querySelectorAll("button")[n].textContent === status, [n, status]);
  };
  await press(0, "failed");
  for (const n of [0, 1, 2, 3, 0, 2]) await press(n, "complete");
  assert.deepEqual(await page.evaluate(() => made), { common: 2, own: 2 });
  await close(page);
});

test("whatever a client function throws is a failure, and another try may come through", async () => {
  const source = `
    import { createElement as h } from "react";
    import { createRoot } from "react-dom/client";
    import { useAnswer } from "holdfast/react";
    const thrown = [new DOMException("no token", "AbortError"), { code: 7 }, "no way", undefined, Object.create(null)];
    const client = { stream: () => ({ result: Promise.resolve({ status: "complete", text: "whole", offer: [] }), partial: "", cancel() {}, leave() {} }) };
    const open = async () => { if (thrown.length > 0) throw thrown.shift(); return client; };
    function Chat() {
      const answer = useAnswer(open);
      return h("button", { onClick: () => answer.send("/x", {}) }, JSON.stringify([answer.status, answer.offer, answer.error?.code, answer.error?.message]));
    }
    createRoot(document.body).render(h(Chat));`;
  const { outputFiles } = await esbuild.build({ stdin: { contents: source, resolveDir: here }, bundle: true, write: false, format: "iife", define: { "process.env.NODE_ENV": '"production"' } });
  const page = await open(browser, "about:blank");
  await page.evaluate(outputFiles[0].text);
  for (const message of ["no token", "it failed without saying why", "no way", "it failed without saying why", "it failed without saying why"]) {
    await page.click("button");
    const shown = JSON.stringify(["failed", ["try_again"], "unknown", message]);
    await page.waitForFunction((shown) => document.querySelector("button").textContent === shown, shown, { timeout: 5000 });
  }
  await page.click("button");
  await page.waitForFunction(() => document.querySelector("button").textContent.includes("complete"));
  await close(page);
});

test("a failure before any text says why", async () => {
  const page = await start("unauthorized");
  await page.click("#send");
  await state(page, "failed");
  assert.equal(await text(page), "");
  assert.match(await page.textContent("#state"), /no whole answer\. \S/);
  await close(page);
});

test("a program that cannot be loaded is a failure that can be tried again", async () => {
  const page = await start("healthy");
  await page.route("**/*.wasm", (route) => route.abort(), { times: 1 });
  await page.click("#send");
  await state(page, "failed");
  assert.match(await page.textContent("#state"), /could not be loaded/);
  assert.deepEqual(await buttons(page), ["again"]);
  await page.click("#again");
  await state(page, "complete");
  assert.equal(await text(page), whole);
  await close(page);
});

for (const [name, address] of Object.entries(addresses)) test(`${name}: a durable answer goes on over an unmount and a reload, by itself`, async () => {
  const keeper = await startKeeper(() => ({ messages: saying(whole), gapMs: 5 }));
  const page = await open(browser, `${address}/?durable&sim=${encodeURIComponent(keeper.address)}`);
  await page.click("#send");
  await growing(page, 50);
  await page.click("#none");
  await page.click("#first");
  await growing(page, 200);
  await kept(page, 200);
  await page.reload();
  await growing(page, 200);
  await state(page, "complete");
  assert.equal(await text(page), whole);
  assert.equal(keeper.asked, 1);
  await kept(page, "nothing");
  await close(page);
});
