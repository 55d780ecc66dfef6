// The demo against the real server: every state that an answer can be in, real TCP cuts included.

import assert from "node:assert/strict";
import { test } from "node:test";
import { close, longAnswer, look, open, shot, startServer } from "./harness.js";
import { browser, server } from "./stage.js";
import { action, answer, arriving, ask, assertShown, done, ended, ending, openDemo, session, status, titles } from "./demo.js";

const demo = (options) => openDemo(browser, server.address, options);
const log = async (page) => page.evaluate(async (id) => (await fetch(`/sim/log?session=${id}`)).json(), await session(page));
const focused = (page) => page.evaluate(() => document.activeElement.textContent || document.activeElement.id);

test("fresh: a question stands ready, the failures are listed, nothing can be cut yet", async () => {
  const page = await demo();
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
  assert.ok((await page.locator("input[name=failure]").count()) > 20);
  assert.equal(await page.locator("#plug").getAttribute("aria-disabled"), "true");
  await look(page, "fresh");
  await page.fill("#question", " ");
  await page.click("#send");
  assert.equal(await page.locator(".turn").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.id), "question", "it is still to be written");
  await page.setViewportSize({ width: 360, height: 740 });
  await page.click("#choose");
  await look(page, "failures");
  await close(page);
});

test("a failure is chosen for the next answer, and never disturbs one that is arriving", async () => {
  const page = await demo();
  assert.match(await page.textContent("#welcome-how"), /choose from the list first/);
  await ask(page);
  await arriving(page);
  await page.check("#failure-list input[value=unavailable]");
  await done(page);
  assert.deepEqual(await titles(page), ["Request complete"]);
  await ask(page);
  await ended(page);
  assert.match((await titles(page))[0], /503/);
  await close(page);
});

test("without JavaScript the page says what it needs, and promises nothing", async () => {
  const page = await open(browser, server.address, { javaScriptEnabled: false });
  const words = await page.locator("body").innerText();
  assert.match(words, /needs JavaScript and WebAssembly/);
  assert.doesNotMatch(words, /Loading|Send/);
  await close(page);
});

test("a whole answer is rendered and ends with a word", async () => {
  const page = await demo();
  await ask(page);
  await arriving(page);
  await look(page, "arriving");
  await done(page);
  await assertShown(page, longAnswer);
  assert.equal(await answer(page).locator("table tbody tr").count(), 5);
  assert.equal(await answer(page).locator("pre code").count(), 1);
  assert.match(await status(page).textContent(), /^Complete$/);
  assert.equal(await page.locator(".turn .ending").count(), 0);
  await look(page, "complete");
  await close(page);
});

test("a plug pulled by hand: a real reset, one continuation, no word twice", async () => {
  const page = await demo({ pace: 10 });
  await ask(page);
  await arriving(page);
  await page.click("#plug");
  await done(page);
  await assertShown(page, longAnswer);
  assert.equal(await answer(page).locator(".seam").count(), 1);
  assert.match(await answer(page).locator(".seam").getAttribute("aria-label"), /^Joined here/);
  assert.deepEqual(await titles(page), ["Request cut", "Continuation complete"]);
  assert.match(await page.locator(".attempt-detail").first().textContent(), /you pulled the plug/);
  const { requests } = await log(page);
  assert.deepEqual(requests.map((r) => r.ended), ["plugged", "close"]);
  await look(page, "joined");
  await close(page);
});

test("cut twice: interrupted; Continue adds what was missing and costs no automatic budget", async () => {
  const page = await demo({ sim: "cut_twice" });
  await ask(page);
  await ended(page);
  const partial = await answer(page).textContent();
  assert.ok(partial.length > 500);
  assert.match(await ending(page).textContent(), /This answer is incomplete/);
  assert.match(await status(page).textContent(), /breaks off here/);
  assert.match(await focused(page), /^Continue/);
  assert.equal(await action(page, /Try again/).getByText("replaces this answer").count(), 1);
  await look(page, "interrupted");
  await page.keyboard.press("Enter");
  await done(page);
  assert.equal((await log(page)).requests.length, 3);
  await assertShown(page, longAnswer);
  assert.ok((await answer(page).textContent()).startsWith(partial.slice(0, 400)));
  assert.equal(await answer(page).locator(".seam").count(), 2);
  assert.equal(await page.locator(".turn .ending").count(), 0);
  await look(page, "continued");
  await close(page);
});

test("a continuation by hand that is cut as well still gets its automatic one", async () => {
  const page = await demo({ sim: { requests: [{ endAfterWords: 60, end: "reset" }],
    continuations: [{ endAfterWords: 40, end: "reset" }, { endAfterWords: 40, end: "reset" }, {}] } });
  await ask(page);
  await ended(page);
  await action(page, /Continue/).click();
  await done(page);
  await assertShown(page, longAnswer);
  await close(page);
});

test("Try again replaces the answer", async () => {
  const page = await demo({ sim: { requests: [{ endAfterWords: 60, end: "reset" }, {}], continuations: [{ endAfterWords: 30, end: "reset" }] } });
  await ask(page);
  await ended(page);
  await action(page, /Try again/).click();
  await page.waitForSelector(".turn .ending", { state: "detached" });
  await done(page);
  await assertShown(page, longAnswer);
  assert.equal(await answer(page).locator(".seam").count(), 0);
  await close(page);
});

for (const [name, stop] of [["Escape", (page) => page.keyboard.press("Escape")], ["the button", (page) => page.click("#send")]]) {
  test(`Stop by ${name} keeps the text and offers what the module offers`, async () => {
    const page = await demo({ pace: 30 });
    await ask(page);
    await arriving(page);
    await stop(page);
    await ended(page);
    const kept = await answer(page).textContent();
    assert.ok(kept.length >= 40 && longAnswer.replace(/\s/g, "").startsWith(kept.replace(/\s/g, "").slice(0, 40)));
    assert.match(await ending(page).textContent(), /You stopped this answer/);
    await look(page, name === "Escape" ? "stopped" : "stopped-by-button");
    await page.waitForTimeout(300);
    assert.equal(await answer(page).textContent(), kept);
    await close(page);
  });
}

test("Stop works inside a wait between attempts", async () => {
  const page = await demo({ sim: { requests: [{ error: "rate_limit", retryAfter: 2 }] } });
  await ask(page);
  await page.waitForSelector(".attempt.is-waiting");
  await look(page, "waiting");
  await page.keyboard.press("Escape");
  await ended(page, 1500);
  await close(page);
});

test("refused once, then answered", async () => {
  const page = await demo({ sim: "rate_limit_then_ok" });
  await ask(page, "A short one, please");
  await done(page);
  assert.deepEqual(await titles(page), ["Request refused, 429", "Retry complete"]);
  assert.match(await page.locator(".attempt").first().textContent(), /RATE_LIMIT.*trace_/);
  await close(page);
});

test("a failure without text says so and offers Try again", async () => {
  const page = await demo({ sim: "unavailable" });
  await ask(page);
  await ended(page);
  assert.equal((await titles(page)).length, 3);
  assert.match(await ending(page).textContent(), /There is no answer.*unavailable/);
  assert.equal(await action(page, /Continue/).count(), 0);
  assert.match(await focused(page), /^Try again/);
  await look(page, "failed");
  await close(page);
});

test("a wait that the server asks for counts down and holds the button", async () => {
  const page = await demo({ sim: [{ error: "service_unavailable", retryAfter: 4 }, {}] });
  await ask(page, "A short one, please");
  await ended(page);
  assert.match(await ending(page).textContent(), /wait another [34]/);
  assert.equal(await action(page, /Try again/).getAttribute("aria-disabled"), "true");
  await action(page, /Try again/).click({ force: true });
  assert.equal((await titles(page)).length, 1);
  await look(page, "countdown");
  await page.waitForSelector('.action[aria-disabled="false"]');
  await action(page, /Try again/).click();
  await done(page);
  await close(page);
});

test("a wait also holds Continue", async () => {
  const page = await demo({ sim: { requests: [{ endAfterWords: 60, end: "reset" }], continuations: [{ error: "service_unavailable", retryAfter: 3 }, {}] } });
  await ask(page);
  await ended(page);
  assert.match(await ending(page).textContent(), /This answer is incomplete.*wait another/);
  assert.equal(await action(page, /Continue/).getAttribute("aria-disabled"), "true");
  await page.waitForSelector('.action[aria-disabled="false"]');
  await page.keyboard.press("Enter");
  await done(page);
  await assertShown(page, longAnswer);
  await close(page);
});

test("a long wait is a date, and the reader may know better", async () => {
  const page = await demo({ sim: { error: "service_unavailable", retryAfter: 90_000 } });
  await ask(page);
  await ended(page);
  assert.match(await ending(page).textContent(), /wait until .*\d/);
  assert.notEqual(await action(page, /Try again/).getAttribute("aria-disabled"), "true");
  await look(page, "long-wait");
  await close(page);
});

test("a content filter is final: a note and no offers", async () => {
  const page = await demo({ sim: "content_filter" });
  await ask(page);
  await ended(page);
  assert.ok((await answer(page).textContent()).length > 100);
  assert.match(await ending(page).textContent(), /final/);
  assert.equal(await ending(page).getByRole("button").count(), 0);
  await look(page, "content-filter");
  await close(page);
});

test("what the model or the service decides is final, also without text", async () => {
  for (const [sim, words] of [["policy_refusal", /refused this question.*final/], ["refusal", /declined.*final/]]) {
    const page = await demo({ sim });
    await ask(page);
    await ended(page);
    assert.match(await ending(page).textContent(), words);
    assert.equal(await ending(page).getByRole("button").count(), 0);
    await close(page);
  }
});

test("a final error in the middle keeps the text and marks it", async () => {
  const page = await demo({ sim: "error_mid_final" });
  await ask(page);
  await ended(page);
  assert.ok((await answer(page).textContent()).length > 200);
  assert.match(await ending(page).textContent(), /This answer is incomplete/);
  assert.equal((await titles(page)).length, 1);
  await close(page);
});

test("in the background a cut answer starts over, and nothing is shown twice", async () => {
  const page = await demo({ sim: "cut_reset" });
  await page.check("#background");
  await ask(page);
  await page.waitForFunction(() => document.querySelectorAll(".attempt").length === 2);
  await done(page);
  await assertShown(page, longAnswer);
  assert.deepEqual(await titles(page), ["Request cut", "Restart complete"]);
  assert.match(await page.locator(".attempt-detail").first().textContent(), /its text was discarded/);
  await look(page, "background");
  await close(page);
});

test("after a reload in the middle the page starts fresh and works", async () => {
  const page = await demo({ pace: 30 });
  await ask(page);
  await arriving(page);
  await page.reload();
  await page.waitForSelector("#app:not(.is-loading)");
  assert.equal(await page.locator(".turn").count(), 0);
  await ask(page, "A short one, please");
  await done(page);
  await assertShown(page, "Small pools outlive big storms because everything in them knows when to hold on and when to let go. 🐚");
  await close(page);
});

test("a reader who writes keeps the focus; an older answer keeps its mark and loses its offers", async () => {
  const page = await demo({ sim: "cut_twice" });
  await ask(page);
  await arriving(page);
  await page.fill("#question", "And a short");
  await ended(page);
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
  await page.locator("input[value=healthy]").check();
  await page.locator("#question").press("End");
  await page.keyboard.type(" one?");
  await page.keyboard.press("Enter");
  await done(page);
  assert.equal(await page.locator(".turn").count(), 2);
  assert.match(await page.locator(".turn").first().textContent(), /This answer is incomplete/);
  assert.equal(await page.locator(".turn").first().getByRole("button", { name: /Continue|Try again/ }).count(), 0);
  await look(page, "two-turns");
  await close(page);
});

test("states are announced, words are not", async () => {
  const page = await demo({ sim: "cut_reset" });
  await page.evaluate(() => {
    globalThis.heard = [];
    const region = document.getElementById("announcements");
    new MutationObserver(() => heard.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
  });
  await ask(page);
  await done(page);
  const heard = (await page.evaluate(() => heard)).filter(Boolean);
  assert.equal(heard.at(-1), "Complete, after 2 attempts, joined in 1 place");
  assert.ok(heard.includes("The answer is arriving") && heard.includes("Continuing the answer"), heard.join("; "));
  assert.ok(heard.length < 12, heard.join("; "));
  await close(page);
});

test("what a model writes is text, never markup", async () => {
  const evil = "<img src=x onerror=alert(1)> <script>alert(2)</script> [x](javascript:alert(3)) **bold** 🌊";
  const page = await demo({ sim: { text: evil } });
  await ask(page);
  await done(page);
  assert.equal(await answer(page).locator("img, script, a").count(), 0);
  assert.equal(await answer(page).textContent(), evil.replaceAll("**", ""));
  await close(page);
});

test("a double click is one: Send is not stopped, and Stop does not ask anew", async () => {
  const page = await demo({ pace: 20 });
  await page.dblclick("#send");
  await arriving(page);
  assert.equal(await page.textContent("#send"), "Stop");
  await page.dblclick("#send");
  await ended(page);
  await page.waitForTimeout(100);
  assert.match(await ending(page).textContent(), /You stopped this answer/);
  assert.equal(await page.locator(".turn").count(), 1);
  await close(page);
});

test("a key that an input method needs to write a word neither sends nor stops", async () => {
  const page = await demo({ pace: 20 });
  const press = (key, more) => page.evaluate(([key, more]) => document.getElementById("question").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more })), [key, more]);
  await press("Enter", { isComposing: true });
  await press("Enter", { keyCode: 229 });
  assert.equal(await page.locator(".turn").count(), 0);
  await ask(page);
  await arriving(page);
  await press("Escape", { isComposing: true });
  await press("Escape", { keyCode: 229 });
  await page.waitForTimeout(100);
  assert.equal(await page.textContent("#send"), "Stop");
  await press("Escape");
  await ended(page);
  await close(page);
});

test("each part of an answer runs in the direction of its language", async () => {
  const page = await demo({ sim: { text: "برك المد هشة.\n\n- السرطانات تختبئ.\n\nTidepools.\n\n```\nlet a;\n```" } });
  await ask(page, "كيف تنجو برك المد؟");
  await done(page);
  const directions = (selector) => page.locator(selector).evaluateAll((all) => all.map((e) => getComputedStyle(e).direction));
  assert.deepEqual(await directions(".question-text"), ["rtl"]);
  assert.deepEqual(await directions(".prose > *"), ["rtl", "rtl", "ltr", "ltr"]);
  await look(page, "right-to-left");
  await close(page);
});

test("a word without an end in a table leaves the columns beside it readable", async () => {
  const page = await demo({ sim: { text: `| address | about |\n| - | - |\n| https://example.com/${"path/".repeat(30)} | ${"what lives there ".repeat(8)}|` } });
  await ask(page);
  await done(page);
  const { width } = await answer(page).locator("td").last().boundingBox();
  assert.ok(width > 80, `${width} pixels`);
  await look(page, "long-word");
  await close(page);
});

test("whoever wants less motion gets none", async () => {
  const page = await demo({ pace: 30, reducedMotion: "reduce" });
  await ask(page);
  await arriving(page);
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  await close(page);
});

test("in colours that the system forces, nothing shines through the dock, the line frays, and what is off looks so", async () => {
  const page = await demo({ sim: "cut_twice", forcedColors: "active" });
  await ask(page);
  await ended(page);
  const style = (selector, name, pseudo) => page.evaluate(([selector, name, pseudo]) => getComputedStyle(document.querySelector(selector), pseudo)[name], [selector, name, pseudo]);
  assert.equal(await style(".dock", "backgroundColor"), await style("body", "backgroundColor"));
  assert.match(await style(".answer", "backgroundImage", "::before"), /repeating/);
  assert.notEqual(await style(".plug", "color"), await style(".send", "color"));
  await page.screenshot({ path: shot("forced-colours") });
  await close(page);
});

test("on a narrow screen the dock stays in place and Continue comes into view", async () => {
  const page = await demo({ sim: "cut_twice", pace: 8, viewport: { width: 360, height: 740 }, hasTouch: true });
  await ask(page);
  for (const characters of [40, 200, 400]) {
    await arriving(page, characters);
    const bottom = await page.evaluate(() => document.querySelector(".dock").getBoundingClientRect().bottom - innerHeight);
    assert.ok(Math.abs(bottom) < 1, `the dock is ${bottom} pixels off`);
  }
  await ended(page);
  const [button, dock] = await page.evaluate(() => [".action", ".dock-inner"].map((s) => document.querySelector(s).getBoundingClientRect().toJSON()));
  assert.ok(button.top >= 0 && button.bottom <= dock.top, `Continue at ${button.top}–${button.bottom}, the dock at ${dock.top}`);
  await page.screenshot({ path: shot("narrow-interrupted") });
  await close(page);
});

for (const [width, height] of [[320, 560], [640, 450], [740, 360]]) {
  test(`on ${width} by ${height} pixels the end of an answer is seen whole`, async () => {
    const page = await demo({ sim: "cut_twice", pace: 8, viewport: { width, height } });
    await ask(page);
    await ended(page);
    const [end, dock] = await page.evaluate(() => [".turn .ending", ".dock-inner"].map((s) => document.querySelector(s).getBoundingClientRect().toJSON()));
    assert.ok(end.top >= 0 && end.bottom <= dock.top, `the ending at ${end.top}–${end.bottom}, the dock at ${dock.top}`);
    await close(page);
  });
}

test("enlarged four times, Continue is seen whole", async () => {
  const page = await demo({ sim: "cut_twice", pace: 8, viewport: { width: 320, height: 256 } });
  await ask(page);
  await ended(page);
  const [button, dock] = await page.evaluate(() => [".action", ".dock-inner"].map((s) => document.querySelector(s).getBoundingClientRect().toJSON()));
  assert.ok(button.top >= 0 && button.bottom <= dock.top, `Continue at ${button.top}–${button.bottom}, the dock at ${dock.top}`);
  await page.screenshot({ path: shot("enlarged") });
  await close(page);
});

test("a network that is away is waited for", async () => {
  const page = await demo();
  await page.context().setOffline(true);
  await ask(page, "A short one, please");
  await page.getByText("Waiting for the network").waitFor();
  await page.context().setOffline(false);
  await done(page);
  assert.match((await titles(page)).at(-1), /complete$/);
  await close(page);
});

test("with a real provider behind the server the page says so and lists no failures", async () => {
  const upstream = `${server.address}/api`;
  const proxy = await startServer("-provider", "gloo", "-upstream", upstream);
  const page = await openDemo(browser, proxy.address);
  assert.match(await page.textContent("#about"), /real service \(gloo/);
  assert.ok(await page.isHidden(".links"), "plain.html plays failures");
  assert.equal(await page.locator("input[name=failure]").count(), 0);
  await ask(page);
  await done(page);
  await assertShown(page, longAnswer);
  await look(page, "real-provider");
  await close(page);
  proxy.stop();
});
