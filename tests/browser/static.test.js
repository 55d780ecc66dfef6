// The demo as plain files on a server that knows nothing: the provider plays inside the page.

import assert from "node:assert/strict";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { close as closePage, longAnswer, look, open, project, startBrowser } from "./harness.js";
import { action, answer, arriving, ask, assertShown, done, ended, ending, openDemo, titles } from "./demo.js";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json" };

/** Serves dist/web under a prefix. It does not know what .wasm is, and lacks what is `missing`. */
function fileServer(prefix, missing = []) {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const file = join(project, "dist/web", path.slice(prefix.length));
    server.requests.push(path);
    if (!path.startsWith(prefix) || missing.some((m) => path.endsWith(m)) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, { "content-type": "text/html" }).end("<h1>404</h1>");
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  server.requests = [];
  servers.push(server);
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () =>
    resolve(Object.assign(server, { address: `http://127.0.0.1:${server.address().port}${prefix}` }))));
}

/** Closes a page. Where a host of plain files lacks demo/config.json, the browser says so. */
function close(page) {
  page.complaints = page.complaints.filter((complaint) => !complaint.includes("demo/config.json"));
  return closePage(page);
}

const servers = [];
let browser, files;
before(async () => {
  files = await fileServer("/some/where/");
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

test("an answer survives the plug without any server", async () => {
  const page = await openDemo(browser, files.address, { pace: 10 });
  assert.match(await page.textContent("#about"), /no server/);
  assert.ok(await page.isHidden(".links"), "plain.html needs one");
  await ask(page);
  await arriving(page);
  await page.click("#plug");
  await done(page);
  await assertShown(page, longAnswer);
  assert.deepEqual(await titles(page), ["Request cut", "Continuation complete"]);
  assert.deepEqual(files.requests.filter((path) => /\/(api|sim)\//.test(path)), []);
  await look(page, "static-joined");
  await close(page);
});

test("interrupted, Continue, Stop, refused and silent, all inside the page", async () => {
  const page = await openDemo(browser, files.address, { sim: "cut_twice", pace: 5 });
  await ask(page);
  await ended(page);
  await action(page, /Continue/).click();
  await arriving(page, 700);
  await page.keyboard.press("Escape");
  await ended(page);
  assert.match(await ending(page).textContent(), /You stopped/);
  await page.locator("input[value=rate_limit_then_ok]").check();
  await ask(page, "A short one");
  await done(page);
  assert.deepEqual(await titles(page), ["Request refused, 429", "Retry complete"]);
  await page.locator("input[value=stall]").check();
  await ask(page, "A long one");
  await done(page);
  assert.match((await titles(page))[0], /went silent/);
  await assertShown(page, longAnswer);
  await close(page);
});

test("a script in the address is played inside the page", async () => {
  const page = await openDemo(browser, files.address, { sim: { text: "Hold **fast** 🌊" } });
  await ask(page);
  await done(page);
  assert.equal(await answer(page).textContent(), "Hold fast 🌊");
  await close(page);
});

for (const missing of ["web.wasm", "holdfast.wasm", "holdfast.js"]) {
  test(`without ${missing} the page says that it could not start`, async () => {
    const poor = await fileServer("/", [missing]);
    const page = await open(browser, `${poor.address}index.html`);
    await page.waitForSelector("#boot-failure:not([hidden])");
    assert.ok((await page.textContent("#boot-reason")).length > 10);
    if (missing === "web.wasm") await look(page, "not-started");
    page.complaints = page.complaints.filter((complaint) => !complaint.includes(missing));
    await close(page);
  });
}
