// The demo page as a reader uses it.

import assert from "node:assert/strict";
import { open } from "./harness.js";

/** Opens the demo with a failure (a scenario's name or a script) and a pace in milliseconds. */
export async function openDemo(browser, address, { sim, pace = 3, ...options } = {}) {
  const url = new URL("index.html", address);
  url.searchParams.set("pace", pace);
  if (sim) url.searchParams.set("sim", typeof sim === "string" ? sim : JSON.stringify(sim));
  const page = await open(browser, url.href, options);
  await page.waitForSelector("#app:not(.is-loading)");
  return page;
}

export const answer = (page) => page.locator(".turn:last-child .prose");
export const status = (page) => page.locator(".turn:last-child .status");
export const ending = (page) => page.locator(".turn:last-child .ending");
export const action = (page, name) => page.locator(".turn:last-child .ending").getByRole("button", { name });
export const titles = (page) => page.locator(".turn:last-child .attempt-title").allTextContents();
export const session = (page) => page.locator(".turn:last-child").getAttribute("data-session");

/** Asks, by Enter, and returns when the answer has begun to arrive, or has ended. */
export async function ask(page, question) {
  if (question) await page.fill("#question", question);
  await page.press("#question", "Enter");
}

/** Waits until some words of the answer are on the page. */
export const arriving = (page, characters = 40) =>
  page.waitForFunction((n) => document.querySelector(".turn:last-child .prose")?.textContent.length >= n, characters);

export const done = (page, timeout = 60_000) => page.waitForSelector(".turn:last-child .status.is-done", { timeout });
export const ended = (page, timeout = 60_000) => page.waitForSelector(".turn:last-child .ending", { timeout });

/** Letters, digits and signs that a reader sees, without what Markdown and layout change. */
export const visible = (text) => text.replace(/^```\w*$|^\|[ :|-]+\|$|^\d+\. /gm, "").replace(/[\s#*|`-]/gu, "");

/** Fails unless the page shows exactly this text, once. */
export async function assertShown(page, text) {
  const shown = await answer(page).textContent();
  assert.equal(visible(shown), visible(text));
}
