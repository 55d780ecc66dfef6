// What must agree: the two sides of the protocol, the version, and what the types name and the module exports.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import * as holdfast from "../../wasm/js/holdfast.js";
import { PROTOCOL } from "../../wasm/js/protocol.js";

const read = (path) => readFile(new URL(`../../wasm/${path}`, import.meta.url), "utf8");

test("both sides of the protocol open with the same text and agree on its version", async () => {
  const [js, go] = [await read("js/protocol.js"), await read("bind/protocol.go")];
  const text = (source) => source.match(/^\/\/ The program and its host share[^]*?(?=^(?!\/\/))/m)[0].trim();
  assert.equal(text(js), text(go));
  assert.equal(PROTOCOL, Number(go.match(/const Protocol = (\d+)/)[1]));
});

test("the package names its version and brings what it exports", async () => {
  const manifest = JSON.parse(await read("js/package.json"));
  assert.equal(manifest.version, holdfast.version);
  const declared = [...(await read("js/holdfast.d.ts")).matchAll(/^export (?:declare )?(?:function|class|const) (\w+)/gm)].map((match) => match[1]);
  assert.deepEqual(Object.keys(holdfast).sort(), declared.sort());
});

test("no module uses what only Node has", async () => {
  for (const name of ["answer", "broken", "call", "check", "client", "clock", "error", "exchange", "fetch", "held", "holdfast", "host", "line", "live", "move", "network", "program", "protocol", "react", "runtime", "session", "share", "socket", "store"]) {
    const source = (await read(`js/${name}.js`)).replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
    assert.doesNotMatch(source, /\bBuffer\b|\brequire\(|from "node:|setImmediate|\bglobal\./, name);
    assert.match(await read(`js/${name}.js`), /^\/\/ \S.*\.?\n/, `${name}: its first line says what it is`);
  }
});
