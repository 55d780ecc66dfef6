// The official @anthropic-ai/sdk package against the simulated Anthropic.
import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { answer, asking, call, full, prompt, startProvider, thought } from "./provider.js";

const address = await startProvider();

const client = (script) =>
  new Anthropic({ apiKey: "sk-ant-sim", baseURL: `${address}/anthropic`, maxRetries: 0, defaultHeaders: asking(script) });
const request = { model: "claude-opus-5", max_tokens: 1000, messages: [{ role: "user", content: prompt }] };

const check = (message) => {
  const [thinking, text, tool] = message.content;
  assert.equal(thinking.thinking, thought);
  assert.match(thinking.signature, /^EqQ/);
  assert.equal(text.text, answer);
  assert.equal(tool.name, call.name);
  assert.deepEqual(tool.input, call.arguments);
  assert.equal(message.stop_reason, "tool_use");
  assert.equal(message.usage.input_tokens, 5);
  assert.equal(message.usage.output_tokens, answer.split(" ").length + 5);
};

test("a stream", async () => {
  const stream = client(full).messages.stream(request);
  check(await stream.finalMessage());
});

test("at once", async () => {
  const { data, request_id } = await client(full).messages.create(request).withResponse();
  check(data);
  assert.match(request_id, /^req_/);
});

test("count tokens", async () => {
  assert.equal((await client().messages.countTokens({ model: "claude-opus-5", messages: request.messages })).input_tokens, 5);
});

test("a refusal", async () => {
  const message = await client("refusal").messages.stream(request).finalMessage();
  assert.equal(message.stop_reason, "refusal");
});

for (const [error, type, status, name] of [
  ["rate_limit", Anthropic.RateLimitError, 429, "rate_limit_error"],
  ["spend_limit", Anthropic.RateLimitError, 429, "rate_limit_error"],
  ["overloaded", Anthropic.InternalServerError, 529, "overloaded_error"],
  ["server_error", Anthropic.InternalServerError, 500, "api_error"],
  ["auth", Anthropic.AuthenticationError, 401, "authentication_error"],
  ["permission", Anthropic.PermissionDeniedError, 403, "permission_error"],
  ["context_length", Anthropic.BadRequestError, 400, "invalid_request_error"],
  ["model_not_found", Anthropic.NotFoundError, 404, "not_found_error"],
]) {
  test(`${error} is ${type.name}`, async () => {
    await assert.rejects(client({ error }).messages.create({ ...request, stream: true }), (thrown) => {
      assert.ok(thrown instanceof type);
      assert.equal(thrown.status, status);
      assert.equal(thrown.error.error.type, name);
      assert.equal(thrown.requestID, thrown.error.request_id);
      return true;
    });
  });
}

test("an error event, first or in the middle, is an APIError", async () => {
  for (const errorAfterWords of [0, 3]) {
    const stream = await client({ error: "overloaded", errorAfterWords }).messages.create({ ...request, stream: true });
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, (thrown) => thrown instanceof Anthropic.APIError && thrown.error.error.type === "overloaded_error");
  }
});

test("an assistant message at the end is refused by a new model", async () => {
  const messages = [...request.messages, { role: "assistant", content: "Small pools" }];
  await assert.rejects(client().messages.create({ ...request, messages }), Anthropic.BadRequestError);
  const message = await client().messages.create({ ...request, messages, model: "claude-sonnet-4-5" });
  assert.equal("Small pools" + message.content[0].text, answer);
});
