// The cases of official SDKs over a fetch that mends: whatever breaks, the final object of a healthy
// stream, or the SDK's own typed error; never a short answer that looks whole. Who runs them says how
// a run is done there, with nothing between it and the provider, and here, through what is tested.
import { APIError as OpenAIError, BadRequestError as OpenAIBadRequest, RateLimitError as OpenAIRateLimit } from "openai";
import { APIError as AnthropicError, BadRequestError as AnthropicBadRequest, RateLimitError as AnthropicRateLimit } from "@anthropic-ai/sdk";
import { ApiError } from "@google/genai";
import { APICallError } from "ai";
import { alike, equal, ok, valueOf } from "./assert.js";
import { answer, call, thought } from "./asking.js";
import { runs } from "./runs.js";

/** What must be equal: ids are new with each request of the simulator, and usage is that of all attempts. */
function plain(value) {
  const { usage, id, ...rest } = value;
  return JSON.parse(JSON.stringify(rest, (key, item) => (key === "id" || key === "signature" || key === "logprobs" ? undefined : item)));
}

/** Errors that an SDK throws of its own, by how it was asked. */
const typed = {
  openai: (error) => error instanceof OpenAIError,
  anthropic: (error) => error instanceof AnthropicError,
  google: (error) => error instanceof ApiError,
  // It throws what stands in an error event as it is; and of Interactions an error event is an event.
  ai: (error) => APICallError.isInstance(error) || typeof error?.message === "string",
};
const refusedTypes = {
  openai: [OpenAIBadRequest, OpenAIRateLimit],
  anthropic: [AnthropicBadRequest, AnthropicRateLimit],
};

/** A message without the request's id. */
const unnamed = (message) => message.replace(/req_\w+/g, "");

const toolCut = { tool: { parts: 4, name: call.name, arguments: call.arguments }, endAfterParts: 2, end: "reset" };

/** The same numbers in every run. */
function lottery(seed) {
  return () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

/** An answer whose last word is no small one: whether that is said again nobody could tell. */
const text = "Tide pools **hold on**: mussels 🌊, limpets and *sea stars* 🦀 grip.\n\n- 潮汐池里，海葵紧紧抓住岩石。\n- Biologists count them.\n\nSo the next tide finds everybody home.";
const WAYS = ["exact", "last_word", "last_sentence", "restart"];

const mended = {
  "a stall": { requests: [{ endAfterWords: 5, end: "hang" }, {}] },
  "a stall before the first word": { requests: [{ endAfterWords: 0, end: "hang" }, {}] },
  "a 429": { requests: [{ error: "rate_limit", retryAfter: 0.1 }, {}] },
  "a 503": { requests: [{ error: "overloaded" }, {}] },
  "an error first, on 200": { requests: [{ error: "overloaded", errorAfterWords: 0 }, {}] },
  "an error in the middle": { requests: [{ error: "overloaded", errorAfterWords: 5 }, {}] },
  "a reset before headers": { requests: [{ beforeHeaders: true, end: "reset" }, {}] },
  "a broken event": { requests: [{ malformedAfterWords: 5 }, {}] },
  "no terminal": { requests: [{ noTerminal: true }, {}] },
  "a document for a stream": { asJson: true },
  "a thought for the continuation": { requests: [{ endAfterWords: 5, end: "reset" }], continuations: [{ reasoning: thought }] },
};

const beyond = {
  "a tool call, then a cut": { requests: [toolCut], continuations: [toolCut] },
  "cut twice": { requests: [{ endAfterWords: 8, end: "reset" }], continuations: [{ endAfterWords: 3, end: "close" }] },
  "an error that is final": { requests: [{ endAfterWords: 8, end: "reset" }], continuations: [{ error: "server_error", retryable: false }] },
  "never an end": { noTerminal: true, text: "" },
};

/**
 * The cases of one SDK by what they are called.
 * @param {string} name of runs
 * @param {{
 *   there: (run: Function, script: unknown) => Promise<{value?, error?}>,
 *   here: (run: Function, script: unknown, options?: object) => Promise<{value?, error?}>,
 *   address: string, of the simulated provider
 *   HoldfastError: Function,
 *   places: number, where the stream is cut
 * }} world
 * @returns {Record<string, () => Promise<void>>}
 */
export function casesOf(name, { there, here, address, HoldfastError, places }) {
  const { stream, whole, api } = runs[name];
  const family = name.split(" ")[0];
  const isTyped = typed[name === "google interactions" ? "ai" : family];
  const cases = {};

  const kept = {};
  const healthy = async (script = {}) => {
    const outcome = await (kept[JSON.stringify(script)] ??= there(stream, script));
    return valueOf(outcome);
  };
  const asHealthy = async (script, options, as) => {
    const expected = await healthy(as);
    alike(plain(valueOf(await here(stream, script, options))), plain(expected), JSON.stringify(script));
  };

  cases["a healthy stream"] = async () => {
    const value = valueOf(await here(stream, {}));
    const expected = await healthy();
    equal(expected.text, answer, "the text without");
    alike(plain(value), plain(expected), "the object");
    equal(value.usage, expected.usage, "usage");
  };

  cases["everything, in small pieces"] = async () => {
    const script = { reasoning: thought, tool: true, chunkBytes: 7 };
    await asHealthy(script, {}, script);
  };

  cases[`cut at ${places} places`] = async () => {
    const random = lottery(name.length + 7);
    for (let i = 0; i < places; i++) {
      const cut = { endAt: random(), end: i % 3 ? "reset" : "close" };
      await asHealthy({ text, requests: [cut, {}], continuations: [{ continues: WAYS[i % 4] }] }, {}, { text });
    }
  };

  cases["a thought that breaks off is thought again"] = async () => {
    const long = `${thought} `.repeat(40);
    const value = valueOf(await here(stream, { requests: [{ reasoning: long, endAt: 0.5, end: "reset" }, { reasoning: thought }] }));
    const { text, finish } = await healthy();
    alike([value.text, value.finish], [text, finish], "the answer");
  };

  for (const [what, script] of Object.entries(mended)) {
    const policy = what.startsWith("a stall") && { policy: { idleMs: 400, firstDeltaMs: 400, headersMs: 1000 } };
    cases[`${what} comes out as if nothing had happened`] = () => asHealthy(script, policy || {});
  }

  cases["a refusal is the provider's own"] = async () => {
    const without = await there(stream, "refusal");
    const through = await here(stream, "refusal");
    equal(through.error?.message, without.error?.message, "the error");
    if (without.value) alike(plain(through.value), plain(without.value), "the object");
  };

  for (const [what, script] of Object.entries(beyond)) {
    cases[`${what} is the SDK's own error`] = async () => {
      const { value, error } = await here(stream, script);
      ok(error, `a short answer: ${JSON.stringify(value)}`);
      ok(isTyped(error), `${error?.constructor?.name} ${error?.message}`);
    };
  }

  cases["an error event that is final keeps the provider's own words"] = async () => {
    const script = { error: { chat: "quota", responses: "quota" }[api] ?? "auth", errorAfterWords: 3 };
    const { error: without } = await there(stream, script);
    const { error } = await here(stream, script);
    ok(isTyped(error), String(error));
    if (api === "generate") return; // overlooked without Holdfast, as Google frames it
    equal(error.constructor, without.constructor, "its class");
    equal(unnamed(error.message), unnamed(without.message), "its message");
    equal(error.code, without.code, "its code");
  };

  cases["a conversation that is too long"] = async () => {
    const { error: without } = await there(stream, { error: "context_length" });
    for (const run of [stream, whole]) {
      const { error } = await here(run, { error: "context_length" });
      equal(error.constructor, without.constructor, "its class");
      equal(error.status ?? error.statusCode, 400, "its status");
      equal(unnamed(error.message), unnamed(without.message), "its message");
      if (refusedTypes[family]) ok(error instanceof refusedTypes[family][0], "its class");
    }
  };

  cases["limits for ever"] = async () => {
    const { error } = await here(stream, { error: "rate_limit", retryAfter: 0.1 });
    equal(error.status ?? error.statusCode, 429, "its status");
    if (refusedTypes[family]) ok(error instanceof refusedTypes[family][1], "its class");
  };

  cases["nobody there"] = async () => {
    const { error } = await here(stream, { beforeHeaders: true, end: "reset" });
    let cause = error;
    while (cause && !(cause instanceof HoldfastError)) cause = cause.cause;
    equal(cause?.code, "transport", String(error));
  };

  cases["documents are retried"] = async () => {
    const { usage: _, created: __, created_at: ___, _request_id: ____, ...rest } = valueOf(await there(whole, {}));
    const found = plain(valueOf(await here(whole, { requests: [{ error: "overloaded" }, { error: "rate_limit", retryAfter: 0.1 }, {}] })));
    for (const [key, expected] of Object.entries(plain(rest))) alike(found[key], expected, key);
  };

  const others = {
    chat: { provider: "anthropic", baseURL: `${address}/anthropic`, model: "claude-x" },
    responses: { provider: "gemini", baseURL: `${address}/gemini`, model: "gemini-x" },
    messages: { provider: "openai", baseURL: `${address}/openai`, model: "gpt-x" },
    generate: { provider: "openai", baseURL: `${address}/openai`, model: "gpt-x" },
  };
  if (others[api]) { // nothing stands in for interactions
    cases["another provider answers"] = async () => {
      const options = { targets: [{ ...others[api], apiKey: "other" }], policy: { interactive: { attempts: 1, continues: 0 } } };
      for (const script of [{ error: "overloaded" }, { endAfterWords: 8, end: "reset" }]) {
        equal(valueOf(await here(stream, script, options)).text, answer, "the text");
      }
      valueOf(await here(whole, { error: "overloaded" }, options));
    };
  }

  return cases;
}
