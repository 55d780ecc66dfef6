// The demo before the gateway in real workerd: a page that is reloaded in the middle of an answer goes on
// from the exact character.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { close, here, longAnswer, look, startBrowser, startServer } from "./harness.js";
import { action, answer, arriving, ask, assertShown, done, ended, ending, openDemo, session, status, titles, visible } from "./demo.js";

/** Why these tests cannot run here, or false. */
const missing = (() => {
  try {
    createRequire(join(here, "../worker/")).resolve("workerd");
    return false;
  } catch {
    return "workerd is not installed: npm ci --prefix tests/worker";
  }
})();

let browser, server, gateway;
before(async () => {
  if (missing) return;
  gateway = spawn(process.execPath, [join(here, "../../wasm/worker/dev.mjs"), "--port", "0", "--pace", "12"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: gateway.stdout }).on("line", (line) => /listens on (\S+)/.test(line) && resolve(/listens on (\S+)/.exec(line)[1])).on("close", () => reject(new Error("the gateway did not start")));
  });
  server = await startServer("-gateway", address);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  server?.stop();
  gateway?.kill();
});

const open = () => openDemo(browser, server.address);
const loaded = (page) => page.waitForSelector("#app:not(.is-loading)");
const shown = async (page) => visible(await answer(page).textContent());

test("reloaded in the middle, twice: the answer goes on, and the model was asked once", { skip: missing, timeout: 120_000 }, async () => {
  const page = await open();
  assert.match(await page.textContent("#about"), /gateway/);
  await look(page, "gateway-fresh");
  await ask(page, "What lives in a tidepool?");
  for (const characters of [60, 400]) {
    await arriving(page, characters);
    await page.waitForTimeout(300); // the store writes four times a second
    const before = await shown(page);
    await page.reload();
    await loaded(page);
    assert.equal(await page.locator(".question-text").textContent(), "What lives in a tidepool?");
    await arriving(page, 20);
    const first = await shown(page);
    assert.ok(first.length > before.length / 2, "what was shown is there at once");
    assert.ok(visible(longAnswer).startsWith(first.slice(0, before.length)));
  }
  await look(page, "resumed");
  await done(page);
  await assertShown(page, longAnswer);
  assert.deepEqual(await titles(page), ["Resumption complete"]);
  assert.match(await page.locator(".attempts-note").last().textContent(), /asked the model once/);
  await page.reload();
  await loaded(page);
  assert.equal(await page.locator(".turn").count(), 0, "what is whole is not kept");
  await close(page);
});

test("reloaded before anything has come: the same question is asked, and its answer comes", { skip: missing, timeout: 120_000 }, async () => {
  const page = await open();
  for (const ms of [10, 20, 40, 60, 150]) {
    await page.fill("#question", "What lives in a tidepool?");
    await page.evaluate((ms) => {
      document.getElementById("send").click();
      setTimeout(() => location.reload(), ms);
    }, ms);
    await page.waitForEvent("load");
    await loaded(page);
    await arriving(page);
    await page.keyboard.press("Escape");
    await ended(page);
  }
  await close(page);
});

test("a plug pulled by hand is nothing but a resumption, and the conversation comes back with the answer", { skip: missing, timeout: 120_000 }, async () => {
  const page = await open();
  await ask(page);
  await arriving(page);
  await page.click("#plug");
  await done(page);
  await assertShown(page, longAnswer);
  assert.deepEqual(await titles(page), ["Request cut", "Resumption complete"]);
  assert.equal(await answer(page).locator(".seam").count(), 0);
  await ask(page, "And in winter?");
  await arriving(page);
  await page.waitForTimeout(300);
  await page.reload();
  await loaded(page);
  assert.deepEqual(await page.locator(".question-text").allTextContents(), ["How do tidepools survive a storm?", "And in winter?"]);
  await done(page);
  await assertShown(page, longAnswer);
  assert.equal(visible(await page.locator(".turn:first-child .prose").textContent()), visible(longAnswer));
  await close(page);
});

test("a network that is switched off for a while is waited for", { skip: missing, timeout: 120_000 }, async () => {
  const page = await open();
  await ask(page);
  await arriving(page);
  await page.context().setOffline(true); // what is open stays open, unlike in a tunnel
  await fetch(new URL(`/sim/plug?session=${await session(page)}`, server.address), { method: "POST" });
  await status(page).getByText("The network is away").waitFor();
  await page.waitForTimeout(1500);
  await page.context().setOffline(false);
  await done(page);
  await assertShown(page, longAnswer);
  assert.equal((await titles(page)).at(-1), "Resumption complete");
  await close(page);
});

const broken = {
  "keeps nothing": () =>
    Object.defineProperty(globalThis, "sessionStorage", {
      get() {
        throw new DOMException("Access is denied for this document.", "SecurityError");
      },
    }),
  "has no room for anything": () => {
    sessionStorage.clear();
    for (let size = 2 ** 23; size >= 1; size /= 2) {
      try {
        for (let i = 0; ; i++) sessionStorage.setItem(`${size} ${i}`, "x".repeat(size));
      } catch {}
    }
  },
  "does not open its database": () => (IDBFactory.prototype.open = () => new EventTarget()),
};
for (const [what, breaks] of Object.entries(broken)) test(`a browser that ${what} shows the answer all the same`, { skip: missing, timeout: 120_000 }, async () => {
  const page = await open();
  await page.addInitScript(breaks);
  await page.reload();
  await loaded(page);
  await ask(page);
  await done(page);
  await assertShown(page, longAnswer);
  await close(page);
});

test("stopped: the gateway is told, and Continue goes on", { skip: missing, timeout: 120_000 }, async () => {
  const page = await open();
  await ask(page);
  await arriving(page);
  await page.keyboard.press("Escape");
  await ended(page);
  await page.waitForTimeout(300);
  await page.reload();
  await loaded(page);
  await ended(page);
  assert.match(await ending(page).textContent(), /You stopped this answer/);
  await action(page, /Continue/).click();
  await done(page);
  await assertShown(page, longAnswer);
  await close(page);
});
