// plain.html: the interrupted state by the JavaScript API alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { close, longAnswer, look, open } from "./harness.js";
import { browser, server } from "./stage.js";

const plain = (sim) => open(browser, `${server.address}/plain.html${sim ? `?sim=${sim}` : ""}`);
const state = (page, words) => page.waitForFunction((w) => document.getElementById("state").textContent.includes(w), words, { timeout: 60_000 });

test("interrupted, continued, complete", async () => {
  const page = await plain();
  await page.click("#send");
  await state(page, "incomplete");
  const partial = await page.textContent("#text");
  assert.ok(longAnswer.startsWith(partial) && partial.length > 400);
  assert.equal(await page.evaluate(() => document.activeElement.id), "continue");
  await look(page, "plain-interrupted");
  await page.keyboard.press("Enter");
  await state(page, "is complete");
  assert.equal(await page.textContent("#text"), longAnswer);
  assert.ok(await page.isHidden("#continue"));
  assert.ok(await page.isHidden("#again"));
  await close(page);
});

test("Try again replaces; Stop keeps the text", async () => {
  const page = await plain();
  await page.click("#send");
  await state(page, "incomplete");
  await page.click("#again");
  await page.waitForFunction(() => document.getElementById("text").textContent.length > 20);
  await page.click("#stop");
  await state(page, "You stopped");
  const kept = await page.textContent("#text");
  assert.ok(kept.length > 20 && longAnswer.startsWith(kept));
  await close(page);
});

test("a double click is one: Send is not stopped, and Stop does not ask anew", async () => {
  const page = await plain();
  await page.dblclick("#send");
  await page.waitForFunction(() => document.getElementById("text").textContent.length > 20);
  assert.ok(await page.isDisabled("#send"));
  await page.dblclick("#stop");
  await state(page, "You stopped");
  await page.waitForTimeout(100);
  assert.ok(await page.isEnabled("#send"));
  await close(page);
});

test("content filter: final, no offers", async () => {
  const page = await plain("content_filter");
  await page.click("#send");
  await state(page, "final");
  assert.ok(await page.isHidden("#continue"));
  assert.ok(await page.isHidden("#again"));
  await close(page);
});

test("an answer that its limit ended is not called complete", async () => {
  const page = await plain("length_reasoning");
  await page.click("#send");
  await state(page, "The output limit ends this answer");
  assert.ok(await page.isVisible("#again"));
  await close(page);
});

test("no text: says so, and when the next try is possible", async () => {
  const page = await plain("service_unavailable_30s");
  await page.click("#send");
  await state(page, "There is no answer");
  assert.ok(await page.isDisabled("#again"));
  assert.match(await page.textContent("#wait"), /wait until .*\d/);
  await look(page, "plain-failed");
  await close(page);
});
