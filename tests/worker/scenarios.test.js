// The sixteen scenarios of Failover Bench v0.1 (tests/js/referee.mjs) through the gateway, as a stranger
// would ask: OpenAI's form, the chain in a header, in the body or behind the model, with fetch or the
// official SDK, streamed and whole, with /v1 in the base URL and without.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { messages, NAMES, policy, referee, spareOf } from "../js/referee.mjs";
import { hashed, provider, startGateway, TOKEN } from "./gateway.js";

const OpenAI = createRequire(new URL("../sdk/", import.meta.url))("openai").default;

/** Ways to name a chain of two: what goes into the headers and into the body. */
const header = (first, other) => [{ "x-holdfast-models": `${first}, ${other}` }, { model: first }];
const list = (first, other) => [{}, { model: first, models: [first, other] }];
const behind = (first, other) => [{}, { model: first, models: [other] }];
const headerBehind = (first, other) => [{ "x-holdfast-models": other }, { model: first }];

/** Ways to ask. */
const ways = {
  "fetch, streamed, chain in a header": { stream: true, base: "/v1", chain: header, ask: plain },
  "SDK, streamed, chain in the body": { stream: true, base: "", chain: list, ask: sdk },
  "fetch, streamed, fallback in the body": { stream: true, base: "", chain: behind, ask: plain },
  "fetch, whole, chain in the body": { stream: false, base: "/v1", chain: list, ask: plain },
  "SDK, whole, fallback in a header": { stream: false, base: "/v1", chain: headerBehind, ask: sdk },
};

async function plain({ stream, url, headers, body }) {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify(stream ? { ...body, stream, stream_options: { include_usage: true } } : body),
  });
  if (!response.ok) return { error: { ...(await response.json()).error, status: response.status } };
  if (!stream) return documentOf(await response.json());
  assert.match(response.headers.get("content-type"), /^text\/event-stream/);
  return read(eventsOf(response));
}

/** The events of a stream, which must end with its end mark and nothing behind it. */
async function* eventsOf(response) {
  let ended = false;
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      if (event.startsWith(":")) continue;
      assert.equal(ended, false, "an event behind [DONE]");
      assert.ok(event.startsWith("data: ") && !event.includes("\n"), event);
      ended = event === "data: [DONE]";
      if (!ended) yield JSON.parse(event.slice(6));
    }
  }
  assert.equal(rest, "");
  assert.ok(ended, "no [DONE]");
}

async function sdk({ stream, url, headers, body }) {
  const client = new OpenAI({ apiKey: TOKEN, baseURL: url, maxRetries: 0, defaultHeaders: headers });
  try {
    if (!stream) return documentOf(await client.chat.completions.create(body));
    return await read(await client.chat.completions.create({ ...body, stream, stream_options: { include_usage: true } }));
  } catch (error) {
    assert.ok(error instanceof OpenAI.APIError, String(error));
    return { error: { ...error.error, status: error.status } };
  }
}

async function read(chunks) {
  const got = { text: "" };
  for await (const { id, model, choices, usage, error, object } of chunks) {
    assert.equal(error, undefined);
    assert.equal(object, "chat.completion.chunk");
    assert.equal(id, (got.id ??= id), "one answer has one id");
    got.model ??= model;
    got.text += choices[0]?.delta.content ?? "";
    got.finish = choices[0]?.finish_reason ?? got.finish;
    got.tokens = usage?.total_tokens ?? got.tokens;
  }
  return got;
}

function documentOf({ object, model, choices, usage }) {
  assert.equal(object, "chat.completion");
  return { text: choices[0].message.content, model, finish: choices[0].finish_reason, tokens: usage?.total_tokens };
}

/**
 * One gateway for all scenarios of a way to ask, as a referee has it: with breakers and throttle. The
 * provider tells sessions apart by the models' names.
 */
async function open(name, { base, chain, ask, stream }, number) {
  const session = (scenario) => `${scenario}-${process.pid}-${number}`;
  const models = { bench: [{ provider: "openai", model: "sim-bench" }] };
  for (const scenario of NAMES) {
    models[scenario] = [{ provider: "openai", model: `sim-${scenario}@${session(scenario)}` }];
    models[`${scenario}-other`] = [{ provider: "openai", model: `${spareOf(scenario)}@${session(scenario)}` }];
  }
  const { address } = await startGateway({ tokens: { referee: hashed(TOKEN) }, models, throttle: undefined, breaker: undefined, policy });
  const asks = ([headers, body]) => ask({ stream, url: address + base, headers, body: { ...body, messages } });
  return {
    name,
    stream,
    open: async (scenario) => ({
      session: session(scenario),
      ask: () => asks(chain(scenario, `${scenario}-other`)),
      again: () => asks([{}, { model: "bench" }]),
    }),
  };
}

// Starting takes a moment each, and nothing of it may count as waiting.
await referee(provider, await Promise.all(Object.entries(ways).map(([name, way], number) => open(name, way, number))));
