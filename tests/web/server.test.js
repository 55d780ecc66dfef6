// On a server, as Next and its like render: importing does nothing, rendering gives what the page begins with.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { here } from "./harness.js";

/** Runs a module in a process of its own and gives what it prints. */
const run = (source) => execFileSync(process.execPath, ["--input-type=module", "-e", source], { cwd: here, encoding: "utf8", timeout: 30_000 });

test("importing adds no global, opens nothing and keeps no process alive", () => {
  const out = run(`
    const before = new Set(Reflect.ownKeys(globalThis));
    globalThis.fetch = () => { throw new Error("fetched"); };
    const modules = [await import("holdfast"), await import("holdfast/store"), await import("holdfast/react")];
    modules[1].openStore();
    console.log(JSON.stringify({
      added: Reflect.ownKeys(globalThis).filter((key) => !before.has(key)),
      exports: modules.map((m) => Object.keys(m)),
    }));
  `);
  const { added, exports } = JSON.parse(out);
  assert.deepEqual(added, []);
  assert.ok(exports[0].includes("createClient"));
  assert.deepEqual(exports.slice(1), [["openStore"], ["useAnswer"]]);
});

test("useAnswer renders idle, and makes no client", () => {
  const out = run(`
    import { createElement as h } from "react";
    import { renderToString } from "react-dom/server";
    import { useAnswer } from "holdfast/react";
    import { openStore } from "holdfast/store";
    const store = openStore();
    function Chat() {
      const { status, text, offer } = useAnswer(() => { throw new Error("made"); }, { store, id: "a" });
      return h("p", null, status, JSON.stringify([text, offer]));
    }
    console.log(renderToString(h(Chat)));
  `);
  assert.match(out, /^<p>idle<!-- -->\[&quot;&quot;,\[\]\]<\/p>/);
});

test("an option that useAnswer does not have is named", () => {
  const out = run(`
    import { createElement as h } from "react";
    import { renderToString } from "react-dom/server";
    import { useAnswer } from "holdfast/react";
    const Chat = ({ options }) => h("p", null, useAnswer(null, options).status);
    console.log(renderToString(h(Chat, { options: null })));
    try { renderToString(h(Chat, { options: { key: "a" } })); } catch ({ code, message }) { console.log(code, message); }
  `);
  assert.equal(out, "<p>idle</p>\nbad_option key: is not an option of useAnswer; there are id, store\n");
});

test("holdfast/react knows that it is for clients only", async () => {
  const source = await readFile(new URL(import.meta.resolve("holdfast/react")), "utf8");
  assert.match(source, /^(\/\/.*\n)*"use client";\n/);
});
