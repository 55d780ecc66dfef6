// The AI SDK of Vercel (`ai` with its providers) against the simulated providers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import { APICallError, embed, generateText, jsonSchema, streamText, tool } from "ai";
import { answer, asking, call, full, prompt, startProvider, thought } from "./provider.js";

const address = await startProvider();

const anything = { find_tidepool: tool({ inputSchema: jsonSchema({ type: "object" }) }) };
const options = (path, script) => ({ apiKey: "sim", baseURL: `${address}/${path}`, headers: asking(script) });

const models = {
  "openai responses": { of: (script) => createOpenAI(options("openai/v1", script)).responses("gpt-5") },
  "openai chat": { of: (script) => createOpenAI(options("openai/v1", script)).chat("gpt-4.1"), silent: true },
  "xai chat": { of: (script) => createXai(options("xai/v1", script)).chat("grok-4") },
  "xai responses": { of: (script) => createXai(options("xai/v1", script)).responses("grok-4") },
  anthropic: { of: (script) => createAnthropic(options("anthropic/v1", script))("claude-opus-5"), overloaded: 529 },
  google: { of: (script) => createGoogleGenerativeAI(options("gemini/v1beta", script))("gemini-x") },
};

for (const [name, { of, silent, overloaded = 503 }] of Object.entries(models)) {
  test(`${name}: a stream`, async () => {
    const result = streamText({ model: of(full), prompt, tools: anything, maxRetries: 0, onError() {} });
    assert.equal(await result.text, answer);
    assert.equal(await result.finishReason, "tool-calls");
    const [found] = await result.toolCalls;
    assert.equal(found.toolName, call.name);
    assert.deepEqual(found.input, call.arguments);
    if (!silent) {
      assert.equal(await result.reasoningText, thought);
    }
    const usage = await result.usage;
    assert.equal(usage.inputTokens, 5);
    assert.equal(usage.outputTokens, answer.split(" ").length + 5);
  });

  test(`${name}: at once`, async () => {
    const { text, toolCalls } = await generateText({ model: of(full), prompt, tools: anything, maxRetries: 0 });
    assert.equal(text, answer);
    assert.deepEqual(toolCalls[0].input, call.arguments);
  });

  test(`${name}: overloaded is an APICallError`, async () => {
    await assert.rejects(generateText({ model: of({ error: "overloaded" }), prompt, maxRetries: 0 }), (thrown) => {
      assert.ok(APICallError.isInstance(thrown), String(thrown));
      assert.equal(thrown.statusCode, overloaded);
      assert.equal(thrown.isRetryable, true);
      return true;
    });
  });
}

test("google: arguments that come leaf by leaf", async () => {
  const result = streamText({ model: models.google.of({ tool: { parts: 4 } }), prompt, tools: anything, maxRetries: 0, onError() {} });
  assert.deepEqual((await result.toolCalls)[0].input, call.arguments);
});

test("embeddings", async () => {
  const { embedding } = await embed({ model: createOpenAI(options("openai/v1")).embedding("e"), value: "one" });
  assert.deepEqual(embedding.slice(0, 3), [1, 0.5, 0.25]);
});
