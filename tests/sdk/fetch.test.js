// client.fetch under the official SDKs in Node: see cases.js.
import { test } from "node:test";
import { casesOf } from "./cases.js";
import { fetching } from "./fetching.js";
import * as holdfast from "./package.js";
import { startProvider } from "./provider.js";
import { runs } from "./runs.js";

const world = fetching(holdfast, await startProvider());

for (const name of Object.keys(runs)) {
  const places = name.startsWith("ai ") ? 50 : 200;
  for (const [what, run] of Object.entries(casesOf(name, { ...world, places }))) test(`${name}: ${what}`, run);
}
