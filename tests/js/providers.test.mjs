// Every provider's streams over real HTTP, against the simulated providers: healthy, cut, and taken up again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./holdfast.mjs";
import { startSim } from "./sim.mjs";

const base = await startSim();
const question = "Tell me about tidepools.";
const text = "Tide pools hold on: limpets grip the rock, and anemones 🌊 close when the water leaves. 潮汐池很安静。\n\n- Crabs hide.\n- Mussels wait.\n";

const STREAMS = [
  { provider: "openai", path: "/v1/chat/completions", body: { model: "gpt-x", messages: [{ role: "user", content: question }] } },
  { provider: "openai", path: "/v1/responses", body: { model: "gpt-x", input: question } },
  { provider: "openai", path: "/v1/responses", body: { model: "gpt-x", input: question, background: true }, resumes: true },
  { provider: "anthropic", path: "/v1/messages", body: { model: "claude-x", max_tokens: 500, messages: [{ role: "user", content: question }] } },
  { provider: "xai", path: "/v1/chat/completions", body: { model: "grok-x", messages: [{ role: "user", content: question }] } },
  { provider: "xai", path: "/v1/responses", body: { model: "grok-x", input: question } },
  { provider: "gemini", path: "/v1beta/models/gemini-x:generateContent", body: { contents: [{ role: "user", parts: [{ text: question }] }] } },
  { provider: "gemini", path: "/v1beta/models/gemini-x:streamGenerateContent", body: { contents: [{ role: "user", parts: [{ text: question }] }] } },
  { provider: "gemini", path: "/v1beta/interactions", body: { model: "gemini-x", input: question } },
  { provider: "gemini", path: "/v1beta/interactions", body: { model: "gemini-x", input: question, background: true }, resumes: true },
];

for (const { provider, path, body, resumes } of STREAMS) {
  const client = await createClient({
    provider,
    baseURL: `${base}/${provider}`,
    apiKey: "test-key",
    breaker: false,
    throttle: false,
    policy: { interactive: { backoffBaseMs: 5, backoffCapMs: 10 } },
  });
  const ask = (first, continuation = {}) => {
    const script = { text, requests: [{ words: 2, ...first }, {}], continuations: [continuation] };
    const headers = { "x-sim": encodeURIComponent(JSON.stringify(script)), "x-sim-session": crypto.randomUUID(), "x-sim-pace": "0" };
    return client.stream(path, body, { headers }).result;
  };
  const name = `${provider} ${path.slice(path.lastIndexOf("/") + 1)}${body.background ? " in background" : ""}`;

  test(`${name}: a healthy answer`, async () => {
    const { status, text: shown, attempts, usage, finishReason } = await ask({});
    assert.deepEqual([status, shown, attempts.length], ["complete", text, 1]);
    assert.ok(finishReason);
    // OpenAI's chat says what it used only when it is asked to.
    if (!path.endsWith("chat/completions")) assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0, JSON.stringify(usage));
  });

  for (const end of ["drop", "reset"]) {
    test(`${name}: ${end} at many places, the text is the uncut text`, async () => {
      for (let share = 0.3; share < 0.9; share += 0.1) {
        const answer = await ask({ end, endAt: share }, { continues: share > 0.6 ? "restart" : "last_sentence" });
        assert.deepEqual([answer.status, answer.text], ["complete", text], `at ${share}: ${JSON.stringify(answer.error)}`);
        const kinds = answer.attempts.map((a) => a.kind);
        if (resumes) assert.ok(kinds.slice(1).every((kind) => kind === "resume"), kinds.join());
        else assert.ok(kinds.slice(1).every((kind) => kind === "continue" || kind === "retry"), kinds.join());
      }
    });
  }

  test(`${name}: overloaded, then well`, async () => {
    const answer = await ask({ error: "overloaded" });
    assert.deepEqual([answer.status, answer.text], ["complete", text]);
    assert.equal(answer.attempts[0].error.reason, "overloaded");
  });

  test(`${name}: a wrong key is told, and not tried again`, async () => {
    const answer = await ask({ error: "auth" });
    assert.deepEqual([answer.status, answer.attempts.length, answer.error.reason], ["failed", 1, "auth"]);
  });

  test(`${name}: a tool call comes whole`, async () => {
    const { toolCalls, status } = await ask({ tool: true });
    assert.equal(status, "complete");
    assert.equal(toolCalls.length, 1);
    assert.equal(typeof JSON.parse(toolCalls[0].arguments), "object");
  });
}

for (const { provider, path, body, resumes } of STREAMS.filter((stream) => stream.resumes || stream.path === "/v1/responses")) {
  test(`${provider} ${path}${resumes ? " in background" : ""}: Stop ${resumes ? "stops it at the provider" : "needs no word but the end of the connection"}`, async () => {
    const client = await createClient({ provider, baseURL: `${base}/${provider}`, apiKey: "test-key" });
    const session = crypto.randomUUID();
    const answer = client.stream(path, body, { headers: { "x-sim": "slow", "x-sim-session": session } });
    for await (const { type } of answer) if (type === "text") break;
    assert.equal((await answer.result).status, "cancelled");
    const seen = async () => (await (await fetch(`${base}/sim/log?session=${session}`)).json()).requests;
    for (let tries = 0; resumes && tries < 100 && (await seen()).length < 2; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const told = (await seen()).slice(1).map(({ method, path, status }) => [method, path.replace(/[^/]+\/cancel$/, "*/cancel"), status]);
    assert.deepEqual(told, resumes ? [["POST", `/${provider}${path}/*/cancel`, 200]] : []);
  });

  test(`${provider} ${path}${resumes ? " in background" : ""}: left, nothing is stopped`, async () => {
    const client = await createClient({ provider, baseURL: `${base}/${provider}`, apiKey: "test-key" });
    const session = crypto.randomUUID();
    const answer = client.stream(path, body, { headers: { "x-sim": "slow", "x-sim-session": session } });
    const deltas = answer[Symbol.asyncIterator]();
    while ((await deltas.next()).value.type !== "text");
    answer.leave();
    const result = await answer.result;
    assert.deepEqual([result.status, result.text, answer.resumable], ["cancelled", answer.partial, false]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { requests } = await (await fetch(`${base}/sim/log?session=${session}`)).json();
    assert.equal(requests.length, 1);
  });
}

test("xai deferred: the ticket is exchanged for the answer once it is made", async () => {
  const client = await createClient({ provider: "xai", baseURL: `${base}/xai`, apiKey: "test-key", sleep: async () => {} });
  const script = { text, requests: [{ pending: 2 }] };
  const headers = { "x-sim": encodeURIComponent(JSON.stringify(script)), "x-sim-session": crypto.randomUUID() };
  const body = { model: "grok-x", deferred: true, messages: [{ role: "user", content: question }] };
  const { status, text: shown, attempts } = await client.stream("/v1/chat/completions", body, { headers }).result;
  assert.deepEqual([status, shown], ["complete", text], JSON.stringify(attempts.map((a) => [a.kind, a.error?.reason])));
  assert.ok(attempts.length >= 3 && attempts.slice(1).every((a) => a.kind === "resume"));
});
