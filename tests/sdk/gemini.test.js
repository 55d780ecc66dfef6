// The official @google/genai package against the simulated Gemini: generateContent, Interactions,
// embeddings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, GoogleGenAI } from "@google/genai";
import { answer, asking, call, full, prompt, startProvider, thought } from "./provider.js";

const address = await startProvider();

const client = (script) =>
  new GoogleGenAI({ apiKey: "sim", httpOptions: { baseUrl: `${address}/gemini`, headers: asking(script) } });
const request = { model: "gemini-x", contents: prompt };

const collect = async (stream) => {
  const found = { text: "", thought: "", calls: [] };
  for await (const chunk of stream) {
    for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
      found[part.thought ? "thought" : "text"] += part.text ?? "";
      if (part.functionCall) {
        found.calls.push(part.functionCall);
      }
    }
    found.finish = chunk.candidates?.[0]?.finishReason ?? found.finish;
    found.blocked = chunk.promptFeedback?.blockReason;
    found.usage = chunk.usageMetadata;
  }
  return found;
};

test("a stream", async () => {
  const found = await collect(await client(full).models.generateContentStream(request));
  assert.equal(found.text, answer);
  assert.equal(found.thought, thought);
  assert.equal(found.calls[0].name, call.name);
  assert.deepEqual(found.calls[0].args, call.arguments);
  assert.equal(found.finish, "STOP");
  assert.equal(found.usage.promptTokenCount, 5);
  assert.equal(found.usage.thoughtsTokenCount, 5);
  assert.equal(found.usage.totalTokenCount, 10 + answer.split(" ").length);
});

test("at once", async () => {
  const response = await client(full).models.generateContent(request);
  assert.equal(response.text, answer);
  assert.deepEqual(response.functionCalls[0].args, call.arguments);
});

test("a prompt that is blocked", async () => {
  const found = await collect(await client({ blockReason: "PROHIBITED_CONTENT", finishAfterWords: 0 }).models.generateContentStream(request));
  assert.equal(found.blocked, "PROHIBITED_CONTENT");
});

test("embeddings and a count", async () => {
  const { embeddings } = await client().models.embedContent({ model: "e", contents: ["one", "two"] });
  assert.deepEqual(embeddings[1].values.slice(0, 3), [0.5, 0.25, 0.125]);
  assert.equal((await client().models.countTokens(request)).totalTokens, 5);
});

for (const [error, status, word] of [
  ["rate_limit", 429, "RESOURCE_EXHAUSTED"],
  ["daily_quota", 429, "RESOURCE_EXHAUSTED"],
  ["overloaded", 503, "UNAVAILABLE"],
  ["auth", 400, "INVALID_ARGUMENT"],
  ["permission", 403, "PERMISSION_DENIED"],
  ["model_not_found", 404, "NOT_FOUND"],
]) {
  test(`${error} is an ApiError`, async () => {
    await assert.rejects(client({ error }).models.generateContentStream(request), (thrown) => {
      assert.ok(thrown instanceof ApiError);
      assert.equal(thrown.status, status);
      assert.equal(JSON.parse(thrown.message).error.status, word);
      return true;
    });
  });
}

test("an error in the middle is an ApiError", async () => {
  const stream = await client({ error: "overloaded", errorAfterWords: 3, errorShape: "raw", gapMs: 5 }).models.generateContentStream(request);
  await assert.rejects(collect(stream), (thrown) => thrown instanceof ApiError && thrown.status === 503);
});

const read = async (stream, found = { text: "", thought: "", arguments: "" }) => {
  for await (const event of stream) {
    const { delta, interaction } = event;
    found.last = event.event_id;
    found.id ??= interaction?.id;
    found.interaction = interaction ?? found.interaction;
    found.text += delta?.type === "text" ? delta.text : "";
    found.thought += delta?.type === "thought_summary" ? delta.content.text : "";
    found.arguments += delta?.type === "arguments_delta" ? delta.arguments : "";
  }
  return found;
};

test("an interaction's stream", async () => {
  const found = await read(await client(full).interactions.create({ model: "gemini-x", input: prompt, stream: true }));
  assert.equal(found.text, answer);
  assert.equal(found.thought, thought);
  assert.deepEqual(JSON.parse(found.arguments), call.arguments);
  assert.equal(found.interaction.status, "requires_action");
  assert.equal(found.interaction.usage.total_thought_tokens, 5);
});

test("an interaction's stream is resumed from its cursor", async () => {
  const gemini = client({ requests: [{ endAfterWords: 7, end: "reset" }] });
  const found = { text: "", thought: "", arguments: "" };
  await assert.rejects(read(await gemini.interactions.create({ model: "gemini-x", input: prompt, stream: true, background: true }), found));
  assert.ok(found.text.length > 0 && found.text.length < answer.length);
  await read(await gemini.interactions.get(found.id, { stream: true, last_event_id: found.last }), found);
  assert.equal(found.text, answer);
  assert.equal(found.interaction.status, "completed");
});

test("an interaction in the background is polled, cancelled and deleted", async () => {
  const gemini = client({ pending: 1 });
  const { id, status } = await gemini.interactions.create({ model: "gemini-x", input: prompt, background: true });
  assert.equal(status, "in_progress");
  assert.equal((await gemini.interactions.get(id)).status, "in_progress");
  const done = await gemini.interactions.get(id);
  assert.equal(done.status, "completed");
  assert.equal(done.steps.at(-1).content[0].text, answer);
  assert.equal((await gemini.interactions.cancel(id)).status, "cancelled");
  await gemini.interactions.delete(id);
  await assert.rejects(gemini.interactions.get(id), (thrown) => thrown.name === "NotFoundError" && thrown.status === 404);
});

test("an interaction that is refused", async () => {
  await assert.rejects(client({ error: "auth" }).interactions.create({ model: "gemini-x", input: prompt }), (thrown) => {
    assert.equal(thrown.name, "BadRequestError");
    assert.equal(thrown.status, 400);
    assert.equal(thrown.error.error.code, "invalid_request");
    return true;
  });
});

test("a live session is resumed with its handle", async () => {
  const gemini = client({});
  const talk = async (handle, text) => {
    const found = { text: "", handle: undefined };
    let done, failed;
    const over = new Promise((resolve, reject) => ([done, failed] = [resolve, reject]));
    const connecting = gemini.live.connect({
      model: "gemini-live",
      config: { sessionResumption: { handle } },
      callbacks: {
        onmessage(message) {
          for (const part of message.serverContent?.modelTurn?.parts ?? []) {
            found.text += part.text;
          }
          const update = message.sessionResumptionUpdate;
          if (found.text && update?.resumable) {
            found.handle = update.newHandle;
            done();
          }
        },
        onerror: failed,
        onclose: (event) => failed(new Error(event.reason)),
      },
    });
    const session = await Promise.race([connecting, over]); // a refusal leaves the first waiting for ever
    session.sendClientContent({ turns: text, turnComplete: true });
    await over.finally(() => session.close());
    return found;
  };
  const first = await talk(undefined, "ping");
  assert.equal(first.text, "Pong, loud and clear.");
  const second = await talk(first.handle, prompt);
  assert.equal(second.text, answer);
  await assert.rejects(talk("handle-of-yesterday", prompt), /session not found/);
});
