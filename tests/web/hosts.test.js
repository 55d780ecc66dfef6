// Where a browser refuses to run the program: the error says what to do.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { hasTiny, here, holdfast, open, serve, startChromium } from "./harness.js";

const folders = { "/": join(here, "host"), "/holdfast/": holdfast };
const browser = await startChromium();

/** Loads the program in a page with a Content-Security-Policy, and gives what became of it. */
async function under(policy) {
  const address = await serve(folders);
  const page = await open(browser, address);
  await page.route("**/strict", (route) => route.fulfill({ contentType: "text/html", headers: { "content-security-policy": policy }, body: "<!doctype html>" }));
  await page.goto(`${address}/strict`);
  return page.evaluate(async () => {
    const { createClient } = await import("/holdfast/holdfast.js");
    return createClient({ provider: "gloo", baseURL: "/api" }).then(() => "loaded", ({ code, message }) => `${code}: ${message}`);
  });
}

test("a page's policy must allow WebAssembly, and nothing else that is evaluated", async () => {
  assert.match(await under("default-src 'self'"), /^load_failed: .*holdfast\.wasm: .*'wasm-unsafe-eval'/);
  assert.equal(await under("default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'"), "loaded");
});

/** The same in a service worker. */
async function inServiceWorker(entry) {
  const page = await open(browser, await serve(folders, entry));
  return page.evaluate(async () => {
    await navigator.serviceWorker.register("/sw.js", { type: "module" });
    const { active } = await navigator.serviceWorker.ready;
    return new Promise((resolve) => {
      navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
      navigator.serviceWorker.startMessages();
      active.postMessage("load");
    });
  });
}

test("a service worker cannot start Go's own program, and is told which it can", async () => {
  assert.match(await inServiceWorker("holdfast.js"), /^HoldfastError load_failed: .*use holdfast\/tiny/);
});

test("a service worker with the small programs", { skip: !hasTiny && "they were not built" }, async () => {
  assert.equal(await inServiceWorker("tiny/holdfast.js"), "loaded");
});
