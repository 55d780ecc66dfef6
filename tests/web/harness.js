// What the tests of this folder share: the simulated provider, a server of files, and Chromium.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "../browser/launch.js";

export const here = fileURLToPath(new URL(".", import.meta.url));
export const out = join(here, "out");
export const holdfast = join(here, "node_modules/holdfast");
/** Whether the package has the small programs. */
export const hasTiny = existsSync(join(holdfast, "tiny/holdfast.wasm"));

/** Starts the simulated provider, which lets pages of any origin ask. Returns its address. */
export async function startSim() {
  const child = spawn(join(out, "sim"), ["-addr", "127.0.0.1:0"], { stdio: ["pipe", "pipe", "inherit"] });
  after(() => child.stdin.end());
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith("listening ")) return line.slice("listening ".length);
  }
  throw new Error("the simulator did not start");
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/**
 * Serves folders by their prefixes, the longest first. A bare "holdfast" in a script becomes the
 * package's address, since import maps do not reach workers. Returns the address.
 * @param {Record<string, string>} folders
 * @param {string} [entry] its module
 */
export async function serve(folders, entry = "holdfast.js") {
  const prefixes = Object.keys(folders).sort((a, b) => b.length - a.length);
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const prefix = prefixes.find((p) => pathname.startsWith(p));
    const file = join(folders[prefix], pathname.slice(prefix.length) || "index.html");
    const type = TYPES[extname(file)];
    try {
      let content = await readFile(file);
      if (type === TYPES[".js"]) content = String(content).replace(/from "holdfast"/g, `from "/holdfast/${entry}"`);
      response.writeHead(200, { "content-type": `${type}; charset=utf-8`.replace(/(wasm);.*/, "$1") }).end(content);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => (server.close(), server.closeAllConnections()));
  return `http://127.0.0.1:${server.address().port}`;
}

/** Chromium, closed with the tests. */
export async function startChromium() {
  const browser = await chromium.launch(launchOptions());
  after(() => browser.close());
  return browser;
}

/** Opens a page in a context of its own. `page.complaints` has what should not have happened. */
export async function open(browser, url) {
  const page = await (await browser.newContext()).newPage();
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    // The browser itself reports each connection that was reset; those are the scenarios' purpose.
    if (["error", "warning"].includes(message.type()) && !message.text().startsWith("Failed to load resource")) {
      page.complaints.push(`console: ${message.text()}`);
    }
  });
  await page.goto(url);
  return page;
}

/** Closes a page and fails on its complaints. */
export async function close(page) {
  await page.context().close();
  assert.deepEqual(page.complaints, []);
}
