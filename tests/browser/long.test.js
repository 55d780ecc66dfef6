// Long answers: drawn while they come, without the page standing still, and as they would be drawn at once.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { close, longAnswer, project, startBrowser } from "./harness.js";
import { ask, done, openDemo } from "./demo.js";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json", ".wasm": "application/wasm" };
/** What the provider says, in which pieces, and in how many milliseconds. */
let said = { text: "", piece: 1, ms: 0 };

const event = (delta, finish = null) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

async function answerAsk(response) {
  const { text, piece, ms } = said;
  const began = Date.now();
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0; at < text.length; ) {
    const due = ms === 0 ? text.length : Math.min(text.length, ((Date.now() - began) / ms) * text.length);
    let events = "";
    for (; at < due; at += piece) events += event({ content: text.slice(at, at + piece) });
    response.write(events);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  response.end(`${event({}, "stop")}data: [DONE]\n\n`);
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  if (request.method === "POST") return answerAsk(response);
  if (pathname === "/demo/config.json") return response.writeHead(200, { "content-type": types[".json"] }).end('{"mode":"simulator"}');
  const content = await readFile(join(project, "dist/web", pathname)).catch(() => null);
  response.writeHead(content ? 200 : 404, { "content-type": types[extname(pathname)] ?? "text/plain" }).end(content);
});
let browser, address;
before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}/`;
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  server.close();
  server.closeAllConnections();
});

/** Asks, and gives what the page shows in the end, and how long it stood still at most. */
async function shown(answer) {
  said = answer;
  const page = await openDemo(browser, address);
  await page.evaluate(() => {
    let last = performance.now();
    globalThis.stoodStill = 0;
    setInterval(() => {
      stoodStill = Math.max(stoodStill, performance.now() - last);
      last = performance.now();
    }, 10);
  });
  await ask(page, "Hello");
  await done(page);
  const found = await page.evaluate(() => ({ html: document.querySelector(".prose").innerHTML, ms: stoodStill }));
  await close(page);
  return found;
}

const LENGTH = 160_000;
const repeated = (text) => text.repeat(Math.ceil(LENGTH / text.length)).slice(0, LENGTH);
for (const [what, text] of Object.entries({
  "many blocks": repeated(`${longAnswer}\n\n`),
  "one list": repeated("- an item with `code` and **strong** words in it\n"),
  "one table": `| a | b |\n|--|--|\n${repeated("| some cell with words | `code` and more |\n")}`,
  "one block of code": `\`\`\`js\n${repeated("const answer = client.stream(path, { model, messages });\n")}\n\`\`\`\n`,
  "one paragraph": repeated("Small pools outlive big storms because everything in them knows when to **hold** on. "),
}))
  test(`160 kB that are ${what}`, { timeout: 90_000 }, async () => {
    const growing = await shown({ text, piece: 25, ms: 4000 });
    assert.ok(growing.ms < 4000, `the page stood still for ${Math.round(growing.ms)} ms`);
    assert.equal(growing.html, (await shown({ text, piece: text.length, ms: 0 })).html);
  });

test("drawn word by word, character by character or at once, it is the same", async () => {
  const text = `${longAnswer}\n\n1. a\n\n2. b\n   - c\n\n| d\n| e | f |\n|--:|---|\n| g | **h** |\n\n> i\n> - j\n\n## k ##\n\n### l\n***\n[m](https://n.example) \`o\` ~~p~~ *q **r***  \ns`;
  const [once, words, characters] = [await shown({ text, piece: text.length, ms: 0 }), await shown({ text, piece: 5, ms: 2000 }), await shown({ text, piece: 1, ms: 4000 })];
  assert.equal(words.html, once.html);
  assert.equal(characters.html, once.html);
});
