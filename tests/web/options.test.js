// The options that the types name and those that the program takes are the same. The program says
// which there are when it is given one that does not exist.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createClient } from "holdfast";
import { holdfast } from "./harness.js";

const read = (name) => readFileSync(join(holdfast, name), "utf8");
const types = read("holdfast.d.ts").replace(/\/\*\*[^]*?\*\//g, "");

/** The keys of an interface, with those of what it extends. */
function declared(name) {
  const [, base, body] = new RegExp(`^export interface ${name}(?: extends (\\w+))? \\{\\n([^]*?)^\\}`, "m").exec(types);
  return [...(base ? declared(base) : []), ...[...body.matchAll(/^  (\w+)\??:/gm)].map(([, key]) => key)].sort();
}

/** The keys of an option that is an object of its own in ClientOptions. */
const inline = (key) => [...new RegExp(`^  ${key}\\?: .*\\{(.*)\\}`, "m").exec(types)[1].matchAll(/(\w+)\?:/g)].map(([, name]) => name).sort();

/** What the program says that there is. */
async function taken(give) {
  const error = await Promise.resolve(give({ nothingLikeThis: 1 })).then(() => null, (error) => error);
  assert.equal(error?.code, "bad_option");
  return /nothingLikeThis: is not an option of [\w[\]]+; there are (.*)/.exec(error.message)[1].split(", ");
}

class WebSocket {}
const make = (options) => createClient({ provider: "gloo", WebSocket, ...options });
const client = await make();
const talker = await make({ provider: "openai" });

const SETS = [
  ["ClientOptions", declared("ClientOptions"), (x) => make(x)],
  ["ClientOptions.breaker", inline("breaker"), (x) => make({ breaker: x })],
  ["ClientOptions.spend", inline("spend"), (x) => make({ spend: x })],
  ["Target", declared("Target"), (x) => make({ targets: [{ provider: "openai", ...x }] })],
  ["Policy", declared("Policy"), (x) => make({ policy: x })],
  ["Budget", declared("Budget"), (x) => make({ policy: { interactive: x } })],
  ["Budget, of a target", declared("Budget"), (x) => make({ targets: [{ provider: "openai", policy: { background: x } }] })],
  ["CallOptions", declared("CallOptions"), (x) => client.request("/v1", {}, x)],
  ["StreamOptions", declared("StreamOptions"), (x) => client.stream("/v1", {}, x).result],
  ["LiveOptions", declared("LiveOptions"), (x) => talker.live("/v1", {}, x).result],
  ["LivePolicy", declared("LivePolicy"), (x) => talker.live("/v1", {}, { policy: x }).result],
];

for (const [name, typed, give] of SETS) {
  test(name, async () => assert.deepEqual(await taken(give), typed));
}
