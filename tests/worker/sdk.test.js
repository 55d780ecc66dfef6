// The official SDKs with the gateway as their base URL: whatever breaks behind it, the final object of
// a healthy stream or the SDK's own typed error.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outcome, runs } from "../sdk/runs.js";
import { answer } from "../sdk/provider.js";
import { hashed, provider, startGateway } from "./gateway.js";

const tokens = { openai: hashed("sk-sim"), anthropic: hashed("sk-ant-sim"), others: hashed("sim") }; // what the runs send as their keys
const { address } = await startGateway({ tokens });

const spare = { openai: ["claude"], anthropic: ["gpt"], gemini: ["gpt"] };
const names = Object.keys(spare);
const backed = await startGateway({
  tokens,
  policy: { interactive: { attempts: 1, continues: 0 } },
  providers: Object.fromEntries(names.map((name) => [name, { baseURL: `${provider}/${name}`, fallbacks: spare[name] }])),
  models: { claude: [{ provider: "anthropic", model: "claude-x" }], gpt: [{ provider: "openai", model: "gpt-x" }] },
});

/** What must be equal: ids are new with each request of the simulator, and usage is that of all attempts. */
function plain(value) {
  const { usage, id, ...rest } = value;
  return JSON.parse(JSON.stringify(rest, (key, item) => (key === "id" || key === "signature" || key === "logprobs" ? undefined : item)));
}

for (const [name, { stream, whole, api }] of Object.entries(runs)) {
  const through = (run, script) => outcome(run, { address, script });
  const healthy = await outcome(stream, { address: provider, script: {} });
  assert.equal(healthy.value?.text, answer, healthy.error);

  for (const [what, script] of Object.entries({
    "a healthy stream": {},
    "a cut": { requests: [{ endAfterWords: 7, end: "reset" }, {}] },
    "an end too early": { requests: [{ endAfterWords: 7, end: "close" }, {}] },
    "a stall": { requests: [{ endAfterWords: 5, end: "hang" }, {}] },
    "a 429": { requests: [{ error: "rate_limit" }, {}] },
    "an error first, on 200": { requests: [{ error: "overloaded", errorAfterWords: 0 }, {}] },
    "an error in the middle": { requests: [{ error: "overloaded", errorAfterWords: 5 }, {}] },
  })) {
    test(`${name}: ${what}`, async () => {
      const { value, error } = await through(stream, script);
      assert.ifError(error);
      assert.deepEqual(plain(value), plain(healthy.value));
    });
  }

  test(`${name}: a refusal is the provider's own`, async () => {
    const there = await outcome(stream, { address: provider, script: "refusal" });
    const here = await through(stream, "refusal");
    assert.equal(here.error?.message, there.error?.message);
    if (there.value) assert.deepEqual(plain(here.value), plain(there.value));
  });

  test(`${name}: a conversation that is too long`, async () => {
    const there = await outcome(stream, { address: provider, script: { error: "context_length" } });
    for (const run of [stream, whole]) {
      const { error } = await through(run, { error: "context_length" });
      assert.equal(error.constructor, there.error.constructor);
      assert.equal(error.status ?? error.statusCode, 400);
    }
  });

  test(`${name}: a document is retried`, async () => {
    const { value, error } = await through(whole, { requests: [{ error: "overloaded" }, {}] });
    assert.ifError(error);
    assert.match(JSON.stringify(value), /Small pools outlive/);
  });

  if (api === "interactions") continue; // nobody else has it
  test(`${name}: another provider answers, also from the middle on`, async () => {
    for (const script of [{ error: "overloaded" }, { endAfterWords: 8, end: "reset" }]) {
      const { value, error } = await outcome(stream, { address: backed.address, script });
      assert.ifError(error);
      assert.equal(value.text, answer);
    }
    const { error } = await outcome(whole, { address: backed.address, script: { error: "overloaded" } });
    assert.ifError(error);
  });
}
