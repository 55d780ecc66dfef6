// The sixteen scenarios of Failover Bench v0.1, asked in three ways: see referee.mjs.

import assert from "node:assert/strict";
import { createClient } from "./holdfast.mjs";
import { messages, policy, referee, spareOf } from "./referee.mjs";
import { startSim } from "./sim.mjs";

const sim = await startSim();
const baseURL = `${sim}/openai/v1`;
const PATH = "/chat/completions";

/** Every attempt is in the report, and none of them is a request that the provider refused. */
const unrefused = (attempts) => assert.ok(!attempts.some(({ httpStatus }) => httpStatus === 400));
const wrong = ({ code, developerMessage, status }) => ({ code, message: developerMessage, status });

/** The ways to ask, each with what the caller got in one form. */
const asks = {
  async stream(client, body) {
    let shown = "";
    const answer = client.stream(PATH, { ...body, stream_options: { include_usage: true } }, { onDelta: (delta) => (shown += delta.text ?? "") });
    const { status, error, text, model, finishReason: finish, usage, attempts } = await answer.result;
    assert.equal(shown, text, "what was shown is what is reported");
    if (status !== "complete") return { error: wrong(error) };
    unrefused(attempts);
    return { text, model, finish, tokens: usage?.totalTokens };
  },
  request: (client, body) =>
    client.request(PATH, body).then(
      ({ data, usage, attempts }) => (unrefused(attempts), { text: data.choices[0].message.content, model: data.model, finish: data.choices[0].finish_reason, tokens: usage.totalTokens }),
      ({ failure }) => ({ error: wrong(failure) }),
    ),
  /** As an SDK streams, by client.fetch. */
  async fetch(client, body) {
    const headers = { "content-type": "application/json", authorization: "Bearer bench" };
    const response = await client.fetch(baseURL + PATH, { method: "POST", headers, body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }) });
    const sent = await response.text();
    if (!response.ok) return { error: { ...JSON.parse(sent).error, status: response.status } };
    assert.ok(sent.endsWith("data: [DONE]\n\n"));
    const chunks = sent.split("\n\n").filter((event) => event.startsWith("data: {")).map((event) => JSON.parse(event.slice(6)));
    return {
      text: chunks.map(({ choices }) => choices?.[0]?.delta.content ?? "").join(""),
      model: chunks[0].model,
      finish: chunks.find(({ choices }) => choices?.[0]?.finish_reason)?.choices[0].finish_reason,
      tokens: chunks.find(({ usage }) => usage)?.usage.total_tokens,
    };
  },
};

let sessions = 0;

await referee(sim, Object.entries(asks).map(([name, ask]) => ({
  name,
  stream: name !== "request",
  async open(scenario) {
    const session = `${scenario}-${process.pid}-${++sessions}`;
    const apiKey = "bench";
    const client = await createClient({ provider: "openai", baseURL, apiKey, policy, targets: [{ provider: "openai", baseURL, apiKey, model: `${spareOf(scenario)}@${session}` }] });
    return {
      session,
      ask: () => ask(client, { model: `sim-${scenario}@${session}`, messages }),
      again: () => ask(client, { model: "sim-bench", messages }),
      close: () => client.close(),
    };
  },
})));
