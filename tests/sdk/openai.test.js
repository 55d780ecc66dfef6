// The official openai package against the simulated OpenAI and xAI: chat, responses, embeddings.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { answer, asking, call, full, prompt, startProvider, thought } from "./provider.js";

const address = await startProvider();

const client = (provider, script) =>
  new OpenAI({ apiKey: "sk-sim", baseURL: `${address}/${provider}`, maxRetries: 0, defaultHeaders: asking(script) });

for (const provider of ["openai/v1", "xai/v1", "gemini/v1beta/openai", "v1", "gloo/ai/v2/direct"]) {
  test(`${provider}: chat stream`, async () => {
    const stream = client(provider, full).chat.completions.stream({
      model: "model-x", messages: [{ role: "user", content: prompt }], stream_options: { include_usage: true },
    });
    const done = await stream.finalChatCompletion();
    const { message, finish_reason } = done.choices[0];
    assert.equal(message.content, answer);
    assert.equal(finish_reason, "tool_calls");
    assert.equal(message.tool_calls[0].function.name, call.name);
    assert.deepEqual(JSON.parse(message.tool_calls[0].function.arguments), call.arguments);
    assert.equal(done.usage.prompt_tokens, 5);
    assert.equal(done.usage.completion_tokens_details.reasoning_tokens, 5);
    assert.equal(done.usage.total_tokens, done.usage.prompt_tokens + done.usage.completion_tokens + (provider === "xai/v1" ? 5 : 0));
  });

  test(`${provider}: chat at once`, async () => {
    const done = await client(provider, full).chat.completions.create({ model: "model-x", messages: [{ role: "user", content: prompt }] });
    assert.equal(done.choices[0].message.content, answer);
    assert.equal(done.choices[0].message.tool_calls.length, 1);
  });
}

for (const provider of ["openai/v1", "xai/v1", "v1", "gloo/ai/v2/direct"]) {
  test(`${provider}: responses stream`, async () => {
    const stream = client(provider, full).responses.stream({ model: "model-x", input: prompt });
    let reasoning = "";
    for (const name of ["response.reasoning_text.delta", "response.reasoning_summary_text.delta"]) {
      stream.on(name, (event) => (reasoning += event.delta));
    }
    const done = await stream.finalResponse();
    assert.equal(done.status, "completed");
    assert.equal(done.output_text, answer);
    assert.equal(reasoning, thought);
    const tool = done.output.find((item) => item.type === "function_call");
    assert.deepEqual(JSON.parse(tool.arguments), call.arguments);
    assert.equal(done.usage.input_tokens, 5);
    assert.equal(done.usage.output_tokens_details.reasoning_tokens, 5);
  });

  test(`${provider}: responses at once, then by id`, async () => {
    const openai = client(provider, {});
    const done = await openai.responses.create({ model: "model-x", input: prompt });
    assert.equal(done.output_text, answer);
    if (!provider.startsWith("gloo")) {
      assert.equal((await openai.responses.retrieve(done.id)).output_text, answer);
    }
  });
}

test("openai: a background stream is resumed from its cursor", async () => {
  const openai = client("openai/v1", { requests: [{ endAfterWords: 7, end: "reset" }] });
  let id, last, text = "";
  const read = async (stream) => {
    for await (const event of stream) {
      id ??= event.response?.id;
      assert.equal(event.sequence_number, (last ?? -1) + 1);
      last = event.sequence_number;
      if (event.type === "response.output_text.delta") {
        text += event.delta;
      }
    }
  };
  const first = await openai.responses.create({ model: "m", input: prompt, background: true, stream: true });
  await assert.rejects(read(first));
  assert.ok(text.length > 0 && text.length < answer.length);
  await read(await openai.responses.retrieve(id, { stream: true, starting_after: last }));
  assert.equal(text, answer);
});

test("openai: a background answer is polled, cancelled and deleted", async () => {
  const openai = client("openai/v1", { pending: 1 });
  const { id, status } = await openai.responses.create({ model: "m", input: prompt, background: true });
  assert.equal(status, "queued");
  assert.equal((await openai.responses.retrieve(id)).status, "in_progress");
  assert.equal((await openai.responses.retrieve(id)).output_text, answer);
  assert.equal((await openai.responses.cancel(id)).status, "cancelled");
  await openai.responses.delete(id);
  await assert.rejects(openai.responses.retrieve(id), OpenAI.NotFoundError);
});

test("embeddings", async () => {
  for (const provider of ["openai/v1", "xai/v1", "gemini/v1beta/openai", "gloo/ai/v2"]) {
    const { data, usage } = await client(provider).embeddings.create({ model: "e", input: ["one", "two words"] });
    assert.deepEqual(data[1].embedding.slice(0, 3), [0.5, 0.25, 0.125]);
    assert.equal(usage.total_tokens, 3);
  }
});

for (const [error, type, status, code] of [
  ["rate_limit", OpenAI.RateLimitError, 429, "rate_limit_exceeded"],
  ["quota", OpenAI.RateLimitError, 429, "insufficient_quota"],
  ["auth", OpenAI.AuthenticationError, 401, "invalid_api_key"],
  ["permission", OpenAI.PermissionDeniedError, 403, "unsupported_country_region_territory"],
  ["context_length", OpenAI.BadRequestError, 400, "context_length_exceeded"],
  ["model_not_found", OpenAI.NotFoundError, 404, "model_not_found"],
  ["server_error", OpenAI.InternalServerError, 500, "server_error"],
]) {
  test(`openai: ${error} is ${type.name}`, async () => {
    const ask = client("openai/v1", { error }).chat.completions.create({ model: "m", stream: true, messages: [{ role: "user", content: prompt }] });
    await assert.rejects(ask, (thrown) => {
      assert.ok(thrown instanceof type);
      assert.equal(thrown.status, status);
      assert.equal(thrown.code, code);
      assert.match(thrown.requestID, /^req_/);
      return true;
    });
  });
}

test("openai: an error event is an APIError", async () => {
  for (const api of ["chat", "responses"]) {
    const openai = client("openai/v1", { error: "quota", errorAfterWords: 3 });
    const request = { model: "m", stream: true, input: prompt, messages: [{ role: "user", content: prompt }] };
    const stream = await (api === "chat" ? openai.chat.completions : openai.responses).create(request);
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, (thrown) => thrown instanceof OpenAI.APIError && thrown.code === "insufficient_quota");
  }
});

test("openai: responses on a socket", async () => {
  const { ResponsesWS } = await import("openai/resources/responses/ws");
  const socket = new ResponsesWS(client("openai/v1", {}), { headers: asking({}) });
  const ask = (body) =>
    new Promise((resolve, reject) => {
      socket.once("response.completed", (event) => resolve(event.response));
      socket.once("error", reject);
      socket.send({ type: "response.create", model: "m", input: prompt, ...body });
    });
  const first = await ask({});
  assert.equal(first.output[0].content[0].text, answer);
  const second = await ask({ previous_response_id: first.id });
  assert.equal(second.status, "completed");
  await assert.rejects(ask({ previous_response_id: "resp_of_yesterday" }), /previous_response_not_found/);
  socket.close();
});
