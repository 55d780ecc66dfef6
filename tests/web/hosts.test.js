// Where a browser refuses to run the program: the error says what to do.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import * as esbuild from "esbuild";
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
  assert.equal(await under("default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types 'none'"), "loaded");
});

test("relative addresses start where fetch starts, and in a worker made of a blob at the page's origin", async () => {
  const address = await serve(folders);
  const page = await open(browser, address);
  const asked = await page.evaluate(async () => {
    const source = `
      const { createClient } = await import("${location.origin}/holdfast/holdfast.js");
      const asked = [];
      const fetch = async (url) => (asked.push(url), Response.json({}));
      const client = await createClient({ provider: "gloo", baseURL: "api", fetch });
      await client.request("/x", {});
      await client.fetch("y/chat/completions", { method: "POST", headers: { "content-type": "application/json" }, body: '{"messages":[]}' });
      globalThis.told ? told(asked) : postMessage(asked);`;
    document.head.insertAdjacentHTML("beforeend", '<base href="/deep/in/">');
    const inPage = await new Promise((resolve) => {
      globalThis.told = resolve;
      import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    });
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
    return [inPage, await new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(data)))];
  });
  assert.deepEqual(asked, [
    [`${address}/deep/in/api/x`, `${address}/deep/in/y/chat/completions`],
    [`${address}/api/x`, `${address}/y/chat/completions`],
  ]);
});

test("a script without an address of its own is told to name the program's place", async () => {
  const bundle = await esbuild.build({ entryPoints: [join(holdfast, "holdfast.js")], bundle: true, format: "iife", globalName: "holdfast", write: false, logLevel: "silent" });
  const page = await open(browser, await serve(folders));
  const load = (wasm) => page.evaluate((wasm) => globalThis.holdfast.createClient({ provider: "gloo", baseURL: "/api", wasm }).then(() => "loaded", ({ code, message }) => `${code}: ${message}`), wasm);
  await page.addScriptTag({ content: bundle.outputFiles[0].text });
  assert.match(await load(), /^load_failed: .*The option "wasm" names it/);
  assert.equal(await load("/holdfast/holdfast.wasm"), "loaded");
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
