// The option share: what one tab has learned, another one knows, and a reload keeps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, server } from "./stage.js";

/** A tab with a client in it. */
async function tab(context, options = {}) {
  const page = await context.newPage();
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(error.message));
  await begin(page, options);
  return page;
}

async function begin(page, options = {}) {
  await page.goto(`${server.address}/plain.html`);
  await page.evaluate(async (options) => {
    const { createClient } = await import("/holdfast/holdfast.js");
    const policy = { interactive: { attempts: 1 } };
    globalThis.client = await createClient({ provider: "openai", baseURL: "/api/openai", token: "secret-token", share: "test", policy, ...options });
  }, options);
}

const ask = (page, script = {}) =>
  page.evaluate(async (script) => {
    const body = { model: "m", stream_options: { include_usage: true }, messages: [{ role: "user", content: "a private question, ping" }] };
    const { status, error, attempts } = await client.stream("/v1/chat/completions", body, { headers: { "x-sim": script, "x-sim-pace": "0" } }).result;
    return { status, reason: error?.reason, sent: attempts.length };
  }, JSON.stringify(script));
const health = (page) => page.evaluate(() => client.health());
const breaker = async (page) => (await health(page)).targets.find(({ model }) => !model)?.breaker;

/** What is kept under a name; with a value it is put there instead. */
const kept = (page, value) =>
  page.evaluate((value) => new Promise((resolve, reject) => {
    const opening = indexedDB.open("holdfast");
    opening.onsuccess = () => {
      const store = opening.result.transaction("state", "readwrite").objectStore("state");
      const request = value === undefined ? store.get("test") : store.put(value, "test");
      request.onsuccess = () => (opening.result.close(), resolve(request.result));
      request.onerror = reject;
    };
  }), value);

/** Waits until something is so. */
async function until(check, what) {
  for (let i = 0; i < 100; i++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(what);
}

test("one tab learns of an outage for all; a tab that comes later knows it as well", async () => {
  const context = await browser.newContext();
  const [first, second] = [await tab(context), await tab(context)];
  for (let i = 0; i < 5; i++) assert.equal((await ask(first, { error: "overloaded" })).reason, "overloaded");
  await until(async () => (await breaker(second)) === "open", "the other tab was not told");
  assert.deepEqual(await ask(second), { status: "failed", reason: "circuit_open", sent: 0 });
  await until(() => kept(first), "nothing is kept");
  const third = await tab(context);
  assert.deepEqual(await ask(third), { status: "failed", reason: "circuit_open", sent: 0 });
  const apart = await tab(context, { share: "another name" });
  assert.equal((await ask(apart)).status, "complete");
  for (const page of [first, second, third, apart]) assert.deepEqual(page.errors, []);
  await context.close();
});

test("a gate is told too", async () => {
  const context = await browser.newContext();
  const [first, second] = [await tab(context), await tab(context)];
  assert.equal((await ask(first, { error: "rate_limit", retryAfter: 90 })).reason, "rate_limit");
  await until(async () => (await health(second)).targets.some(({ gated }) => gated), "the other tab was not told");
  assert.deepEqual(await ask(second), { status: "failed", reason: "rate_limit", sent: 0 });
  await context.close();
});

test("a reload keeps the spend figure, even one at once behind the answer", async () => {
  const context = await browser.newContext();
  const page = await tab(context);
  assert.equal((await ask(page)).status, "complete");
  const { spend } = await health(page);
  assert.ok(spend.spentUsd > 0);
  await begin(page);
  assert.equal((await health(page)).spend.spentUsd, spend.spentUsd);
  assert.equal((await ask(page)).status, "complete");
  await page.evaluate(() => client.close()); // which writes it down as well
  await begin(page);
  assert.ok(Math.abs((await health(page)).spend.spentUsd - 2 * spend.spentUsd) < 1e-9);
  await context.close();
});

test("a database that the browser has closed without a word is opened again", async () => {
  const context = await browser.newContext();
  const page = await tab(context);
  await page.evaluate(() => {
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (...options) {
      IDBDatabase.prototype.transaction = transaction;
      this.close(); // which tells nobody
      return this.transaction(...options);
    };
  });
  assert.equal((await ask(page)).status, "complete");
  const { spentUsd } = (await health(page)).spend;
  assert.ok(spentUsd > 0);
  await until(async () => (await kept(page)) !== undefined, "nothing was written");
  const later = await tab(context);
  assert.equal((await health(later)).spend.spentUsd, spentUsd);
  assert.deepEqual(page.errors, []);
  await context.close();
});

test("what two tabs spend adds up", async () => {
  const context = await browser.newContext();
  const [first, second] = [await tab(context), await tab(context)];
  const asked = await Promise.all([first, second, first, second, second].map((page) => ask(page)));
  assert.ok(asked.every(({ status }) => status === "complete"));
  for (const page of [first, second]) await page.evaluate(() => client.close());
  let third;
  await until(async () => (await health((third = await tab(context)))).spend.attempts === 5, "not all of it was kept"); // close() does not wait for the disk
  const { spend } = await health(third);
  await ask(third);
  assert.ok(Math.abs((await health(third)).spend.spentUsd - spend.spentUsd * 6 / 5) < 1e-9);
  await context.close();
});

test("a tab that asks nothing learns what the others spend, and holds to the limit", async () => {
  const context = await browser.newContext();
  const page = await tab(context);
  await ask(page);
  const { spentUsd } = (await health(page)).spend;
  const idle = await tab(context, { spend: { maxUsd: 2 * spentUsd } });
  await ask(page);
  await until(async () => (await health(idle)).spend.attempts === 2, "the other tab was not told");
  assert.deepEqual(await ask(idle), { status: "failed", reason: "budget", sent: 0 });
  await context.close();
});

test("a page that comes back learns what was spent while it slept", async () => {
  const context = await browser.newContext();
  const [asleep, page] = [await context.newPage(), await tab(context)];
  await asleep.addInitScript(() => {
    BroadcastChannel.prototype.postMessage = () => {};
    Object.defineProperty(BroadcastChannel.prototype, "onmessage", { set() {} }); // hears nothing
  });
  await begin(asleep);
  await ask(page);
  await page.evaluate(() => client.close());
  await asleep.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await until(async () => (await health(asleep)).spend.attempts === 1, "it has not looked");
  await context.close();
});

test("what could not be written down is not forgotten, and nothing is counted twice", async () => {
  const context = await browser.newContext();
  const [first, second] = [await tab(context), await tab(context)];
  await ask(second);
  await first.evaluate(() => {
    const { put } = IDBObjectStore.prototype;
    globalThis.free = () => (IDBObjectStore.prototype.put = put);
    IDBObjectStore.prototype.put = function (...options) {
      put.apply(this, options);
      this.transaction.abort(); // the disk is full
    };
  });
  for (let asked = 0; asked < 3; asked++) await ask(first);
  await until(async () => (await health(first)).spend.attempts === 4, "its own calls, and the other tab's");
  assert.equal((await health(second)).spend.attempts, 1);
  await first.evaluate(() => free());
  await ask(first);
  await until(async () => (await health(second)).spend.attempts === 5, "what it had not been told");
  assert.equal((await health(first)).spend.attempts, 5);
  assert.deepEqual([...first.errors, ...second.errors], []);
  await context.close();
});

test("what is kept holds no key, prompt or answer", async () => {
  const context = await browser.newContext();
  const page = await tab(context);
  await ask(page);
  await until(() => kept(page), "nothing is kept");
  const text = await kept(page);
  assert.match(text, /^[0-9a-f]+$/);
  assert.doesNotMatch(Buffer.from(text, "hex").toString("latin1"), /secret|private|Pong/i);
  await context.close();
});

test("what is damaged is dropped silently and replaced", async () => {
  const context = await browser.newContext();
  const page = await tab(context);
  await ask(page);
  await page.evaluate(() => client.close()); // it writes nothing any more
  const whole = await kept(page);
  for (const damaged of [whole.slice(0, -6), `ff${whole.slice(2)}`, "hello", { no: "text" }, ""]) {
    await kept(page, damaged);
    await page.goto("about:blank");
    await begin(page);
    assert.equal((await health(page)).spend.spentUsd, 0);
    assert.equal((await ask(page)).status, "complete");
    await until(async () => String(await kept(page)).startsWith(whole.slice(0, 18)) && (await kept(page)) !== damaged, "it was not replaced");
    await page.evaluate(() => client.close());
  }
  await begin(page);
  await page.evaluate(() => {
    const channel = new BroadcastChannel("holdfast test");
    for (const news of ["hello", "", 7, null, { a: 1 }]) channel.postMessage(news);
  });
  assert.equal((await ask(page)).status, "complete");
  assert.deepEqual(page.errors, []);
  await context.close();
});

test("where nothing can be kept, calls work as without the option", async () => {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("no", "SecurityError");
    };
  });
  const page = await tab(context);
  assert.equal((await ask(page)).status, "complete");
  assert.deepEqual(page.errors, []);
  await context.close();
});
