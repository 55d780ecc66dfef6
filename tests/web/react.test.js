// A React page, built by Vite, in StrictMode: useAnswer and the store through failures and reloads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import * as vite from "vite";
import { close, here, open, out, serve, startChromium, startSim } from "./harness.js";

const whole = readFileSync(join(here, "../sim/long.md"), "utf8").trimEnd();
const outDir = join(out, "app");
await vite.build({ root: join(here, "app"), base: "./", configFile: false, logLevel: "error", build: { outDir, emptyOutDir: true } });
const [sim, browser, address] = [await startSim(), await startChromium(), await serve({ "/": outDir })];

const start = (play) => open(browser, `${address}/?sim=${encodeURIComponent(sim)}&play=${encodeURIComponent(typeof play === "string" ? play : JSON.stringify(play))}`);
const state = (page, status) => page.waitForSelector(`#state[data-status=${status}]`, { timeout: 30_000 });
const text = (page) => page.textContent("#text");
const growing = (page, length) => page.waitForFunction((n) => document.getElementById("text").textContent.length > n, length);
const buttons = (page) => page.$$eval("p ~ button", (all) => all.map(({ id }) => id));

test("interrupted, reloaded, continued, whole; and then forgotten", async () => {
  const page = await start("cut_twice");
  await page.click("#send");
  await state(page, "interrupted");
  const before = { text: await text(page), state: await page.textContent("#state") };
  assert.ok(before.text.length > 400 && whole.startsWith(before.text));
  assert.match(before.state, /incomplete\. \S/);

  await page.waitForTimeout(300);
  await page.reload();
  await state(page, "interrupted");
  assert.deepEqual({ text: await text(page), state: await page.textContent("#state") }, before);
  assert.deepEqual(await buttons(page), ["continue", "again"]);

  await page.click("#continue");
  await state(page, "complete");
  assert.equal(await text(page), whole);
  assert.deepEqual(await buttons(page), []);

  await page.waitForTimeout(300);
  await page.reload();
  await state(page, "idle");
  assert.equal(await text(page), "");
  await close(page);
});

test("reloaded in the middle: what was shown is there, and goes on", async () => {
  const page = await start({ requests: [{ gapMs: 30 }], continuations: [{}] });
  await page.click("#send");
  await growing(page, 200);
  await page.waitForTimeout(400);
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
  const requests = [];
  page.on("requestfailed", (request) => requests.push(request.failure().errorText));
  await page.click("#send");
  await growing(page, 100);
  await page.click("#second");
  await state(page, "idle");
  assert.equal(await text(page), "");
  await page.click("#first");
  await state(page, "interrupted");
  assert.ok((await text(page)).length > 80);
  assert.deepEqual(requests, ["net::ERR_ABORTED"]);
  await page.click("#continue");
  await state(page, "complete");
  assert.equal(await text(page), whole);
  await close(page);
});

test("unmounting cancels, stopping keeps the text, trying again replaces it", async () => {
  const page = await start({ requests: [{ gapMs: 30 }, { gapMs: 30 }, {}] });
  const requests = [];
  page.on("requestfailed", (request) => requests.push(request.failure().errorText));
  await page.click("#send");
  await growing(page, 50);
  await page.click("#none");
  await page.waitForTimeout(200);
  assert.deepEqual(requests, ["net::ERR_ABORTED"]);

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
