// The official SDKs with the gateway as their base URL: the cases of client.fetch (tests/sdk/cases.js),
// told in the same way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { casesOf } from "../sdk/cases.js";
import { outcome, runs } from "../sdk/runs.js";
import { hashed, provider, startGateway } from "./gateway.js";

const tokens = { openai: hashed("sk-sim"), anthropic: hashed("sk-ant-sim"), others: hashed("sim") }; // what the runs send as their keys
const swift = { backoffBaseMs: 1, backoffCapMs: 2 };
const spare = { openai: ["claude"], anthropic: ["gpt"], gemini: ["gpt"] };

/** What the cases ask of a client is a configuration here. */
const [usual, hasty, backed] = await Promise.all([
  startGateway({ tokens, policy: { interactive: swift } }),
  startGateway({ tokens, policy: { interactive: swift, idleMs: 400, firstDeltaMs: 400, headersMs: 1000 } }),
  startGateway({
    tokens,
    policy: { interactive: { attempts: 1, continues: 0 } },
    providers: Object.fromEntries(Object.entries(spare).map(([name, fallbacks]) => [name, { baseURL: `${provider}/${name}`, fallbacks }])),
    models: { claude: [{ provider: "anthropic", model: "claude-x" }], gpt: [{ provider: "openai", model: "gpt-x" }] },
  }),
]);

const world = {
  address: provider,
  there: (run, script) => outcome(run, { address: provider, script }),
  here(run, script, options) {
    const gateway = options?.targets ? backed : options?.policy ? hasty : usual;
    return outcome(run, { address: gateway.address, script });
  },
};

for (const [name, { stream }] of Object.entries(runs)) {
  const cases = casesOf(name, { ...world, places: name.startsWith("ai ") ? 15 : 40 });
  // Without a response client.fetch rejects; a gateway has one all the same.
  cases["nobody there"] = async () => {
    const { error } = await world.here(stream, { beforeHeaders: true, end: "reset" });
    assert.equal(error.status ?? error.statusCode, 502, String(error));
  };
  for (const [what, run] of Object.entries(cases)) test(`${name}: ${what}`, run);
}
