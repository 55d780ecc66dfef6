// What is wrong with a configuration is said with its place; nothing that is wrong is read as something else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Config } from "../../wasm/worker/config.js";

const HASH = "9".repeat(64);
const right = { tokens: { alice: HASH }, providers: { openai: {} }, models: { fast: [{ provider: "openai", model: "gpt-x" }] } };
const read = (more, secrets) => new Config({ HOLDFAST: { ...right, ...more }, OPENAI_API_KEY: "sk-openai\n", ...secrets });

test("it is read as it is written, and a key without the end of its line", () => {
  assert.equal(read().providers.get("openai").key, "sk-openai");
});

for (const [where, ...wrong] of [
  ["tokens", { tokens: null }, { tokens: [HASH] }, { tokens: HASH }],
  ["tokens.alice", { tokens: { alice: null } }, { tokens: { alice: HASH.slice(1) } }],
  ["tokens.bob", { tokens: { alice: HASH, bob: HASH } }, { tokens: { alice: HASH, bob: { hash: HASH, limits: {} } } }],
  ["providers", { providers: null }, { providers: ["openai"] }, { providers: "openai" }],
  ["providers.openai", ...["api.openai.com", 5, null, "ftp://openai", "https://:pw@openai"].map((baseURL) => ({ providers: { openai: { baseURL } } })), { providers: { openai: { secret: "NONE" } } }],
  ["models", { models: null }, { models: [] }, { models: "fast" }],
  ["models.fast", ...[null, "openai/gpt-x", { model: "gpt-x" }, { ...right.models.fast[0], baseURL: "https://openai" }, { ...right.models.fast[0], maxTokens: 9 }].map((target) => ({ models: { fast: [target] } }))],
  ["answers.ttlSeconds", { answers: { ttlSeconds: "60" } }, { answers: { ttlSeconds: 0 } }],
]) {
  test(`wrong: ${where}`, () => {
    for (const more of wrong) assert.throws(() => read(more), ({ message }) => message.startsWith(`${where}: `), JSON.stringify(more));
  });
}

test("wrong: secrets", () => {
  for (const [name, value, where] of [
    ["OPENAI_API_KEY", {}, "OPENAI_API_KEY"], ["OPENAI_API_KEY", "sk-open\nai", "providers.openai"], ["OPENAI_API_KEY", "sk-öpenai", "providers.openai"],
    ["HOLDFAST_JWT_SECRET", {}, "HOLDFAST_JWT_SECRET"], ["HOLDFAST_JWT_SECRET", 5, "HOLDFAST_JWT_SECRET"],
  ]) assert.throws(() => read({}, { [name]: value }), ({ message }) => message.startsWith(`${where}: `) && !message.includes("sk-"), `${name}: ${value}`);
});

test("a misspelt variable is said, with what there is", () => {
  for (const name of ["HOLDFAST_TOKEN", "HOLDFAST_ORIGIN", "HOLDFAST_MAXBODYBYTES", "HOLDFAST_SECRET"]) {
    for (const more of [{}, { tokens: undefined }]) assert.throws(() => read(more, { [name]: "{}" }), ({ message }) => message.startsWith(`${name}: `) && message.includes("HOLDFAST_MAX_BODY_BYTES"));
  }
  read({ providers: { openai: { secret: "HOLDFAST_OPENAI" } } }, { HOLDFAST_OPENAI: "sk-own", HOLDFASTER: "no business of ours" });
});
