// isRetryable with errors that the official SDKs really throw, against the simulated providers: it
// looks at what an error carries, knows none of their classes, and corrects their own opinions.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { isRetryable } from "../js/holdfast.mjs";
import { asking, prompt, startProvider } from "./provider.js";

const address = await startProvider();

/** An address where nobody listens any more. */
const nobody = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(`http://127.0.0.1:${port}`));
  });
});

const drain = async (stream) => {
  for await (const _ of stream);
};
const messages = [{ role: "user", content: prompt }];

/** A stream of the AI SDK, which throws some errors and hands out others beside the text. */
async function aiStream(model, { signal } = {}) {
  const { fullStream } = streamText({ model, prompt, maxRetries: 0, abortSignal: signal, onError() {} });
  for await (const { type, error } of fullStream) {
    if (type === "error") throw error;
    if (type === "abort") throw signal.reason;
  }
}
const ai = (create) => ({
  ask: (base, headers, { signal } = {}) => generateText({ model: create(base, headers), prompt, maxRetries: 0, abortSignal: signal }),
  stream: (base, headers, options) => aiStream(create(base, headers), options),
  limit: (ms) => ({ signal: AbortSignal.timeout(ms) }),
});

/** Each SDK: how to ask it at once and for a stream, and how to give it a time limit. */
const sdks = {
  "openai chat": {
    provider: "openai", path: "openai/v1",
    client: (baseURL, defaultHeaders, timeout) => new OpenAI({ apiKey: "k", baseURL, maxRetries: 0, defaultHeaders, timeout }),
    ask(base, headers, { signal, timeout } = {}) {
      return this.client(base, headers, timeout).chat.completions.create({ model: "m", messages }, { signal });
    },
    async stream(base, headers, { signal } = {}) {
      await drain(await this.client(base, headers).chat.completions.create({ model: "m", messages, stream: true }, { signal }));
    },
  },
  "openai responses on xai": {
    provider: "xai", path: "xai/v1",
    client: (baseURL, defaultHeaders, timeout) => new OpenAI({ apiKey: "k", baseURL, maxRetries: 0, defaultHeaders, timeout }),
    ask(base, headers, { signal, timeout } = {}) {
      return this.client(base, headers, timeout).responses.create({ model: "m", input: prompt }, { signal });
    },
    async stream(base, headers, { signal } = {}) {
      await drain(await this.client(base, headers).responses.create({ model: "m", input: prompt, stream: true }, { signal }));
    },
  },
  "openai on gloo": {
    provider: "gloo", path: "gloo/ai/v2/direct",
    client: (baseURL, defaultHeaders, timeout) => new OpenAI({ apiKey: "k", baseURL, maxRetries: 0, defaultHeaders, timeout }),
    ask(base, headers, { signal, timeout } = {}) {
      return this.client(base, headers, timeout).chat.completions.create({ model: "m", messages }, { signal });
    },
    async stream(base, headers, { signal } = {}) {
      await drain(await this.client(base, headers).chat.completions.create({ model: "m", messages, stream: true }, { signal }));
    },
  },
  "@anthropic-ai/sdk": {
    provider: "anthropic", path: "anthropic",
    client: (baseURL, defaultHeaders, timeout) => new Anthropic({ apiKey: "k", baseURL, maxRetries: 0, defaultHeaders, timeout }),
    ask(base, headers, { signal, timeout } = {}) {
      return this.client(base, headers, timeout).messages.create({ model: "m", max_tokens: 100, messages }, { signal });
    },
    async stream(base, headers, { signal } = {}) {
      await drain(await this.client(base, headers).messages.create({ model: "m", max_tokens: 100, messages, stream: true }, { signal }));
    },
  },
  "@google/genai": {
    provider: "gemini", path: "gemini",
    client: (baseUrl, headers, timeout) => new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl, headers, timeout } }),
    ask(base, headers, { signal, timeout } = {}) {
      return this.client(base, headers, timeout).models.generateContent({ model: "m", contents: prompt, config: { abortSignal: signal } });
    },
    async stream(base, headers, { signal } = {}) {
      await drain(await this.client(base, headers).models.generateContentStream({ model: "m", contents: prompt, config: { abortSignal: signal } }));
    },
    // Its own time limit throws what the user's abort throws, and nobody can tell them apart.
    timedOut: false,
  },
  "ai, openai": { provider: "openai", path: "openai/v1", ...ai((baseURL, headers) => createOpenAI({ apiKey: "k", baseURL, headers }).responses("m")) },
  "ai, xai": { provider: "xai", path: "xai/v1", ...ai((baseURL, headers) => createXai({ apiKey: "k", baseURL, headers }).chat("m")) },
  "ai, anthropic": { provider: "anthropic", path: "anthropic/v1", ...ai((baseURL, headers) => createAnthropic({ apiKey: "k", baseURL, headers })("m")) },
  "ai, google": { provider: "gemini", path: "gemini/v1beta", ...ai((baseURL, headers) => createGoogleGenerativeAI({ apiKey: "k", baseURL, headers })("m")) },
};

/** What was thrown; a call that succeeds is a mistake of the test. */
const thrown = (promise) => promise.then(() => assert.fail("nothing was thrown"), (error) => error);

for (const [name, sdk] of Object.entries(sdks)) {
  const base = `${address}/${sdk.path}`;
  const judge = async (error, retry) => {
    const verdict = await isRetryable(error, { provider: sdk.provider });
    assert.equal(verdict, retry, `${error?.name} ${error?.message} ${JSON.stringify(error)} caused by ${error?.cause}`);
  };

  for (const [error, retry] of [["rate_limit", true], ["quota", false], ["auth", false], ["context_length", false], ["overloaded", true], ["server_error", true]]) {
    test(`${name}: ${error} is ${retry ? "" : "not "}retryable, at once and in a stream`, async () => {
      await judge(await thrown(sdk.ask(base, asking({ error }))), retry);
      await judge(await thrown(sdk.stream(base, asking({ error }))), retry);
    });
  }

  test(`${name}: overloaded in mid-stream is retryable`, async () => {
    await judge(await thrown(sdk.stream(base, asking({ error: "overloaded", errorAfterWords: 3 }))), true);
  });

  test(`${name}: a stream that is cut is retryable`, async () => {
    await judge(await thrown(sdk.stream(base, asking({ endAfterWords: 3, end: "reset" }))), true);
  });

  test(`${name}: a refused connection is retryable`, async () => {
    await judge(await thrown(sdk.ask(nobody, {})), true);
    await judge(await thrown(sdk.stream(nobody, {})), true);
  });

  test(`${name}: a reset before the headers is retryable`, async () => {
    await judge(await thrown(sdk.ask(base, asking({ beforeHeaders: true, end: "reset" }))), true);
  });

  test(`${name}: the user's abort is not retryable`, async () => {
    for (const ask of ["ask", "stream"]) {
      const stop = new AbortController();
      const pending = thrown(sdk[ask](base, asking({ delayMs: 5000 }), { signal: stop.signal }));
      setTimeout(() => stop.abort(), 50);
      await judge(await pending, false);
    }
  });

  test(`${name}: a time limit is ${sdk.timedOut === false ? "not told from that" : "retryable"}`, async () => {
    const limit = sdk.limit?.(100) ?? { timeout: 100 };
    await judge(await thrown(sdk.ask(base, asking({ delayMs: 5000 }), limit)), sdk.timedOut ?? true);
  });
}

test("ai: what its own retries gave up on counts, and not that they gave up", async () => {
  const give = (error) => thrown(generateText({ model: createOpenAI({ apiKey: "k", baseURL: `${address}/openai/v1`, headers: asking({ error }) }).chat("m"), prompt, maxRetries: 1 }));
  const [overloaded, quota] = await Promise.all([give("overloaded"), give("quota")]);
  assert.equal(overloaded.name, "AI_RetryError");
  assert.equal(await isRetryable(overloaded, { provider: "openai" }), true);
  assert.equal(quota.name, "AI_RetryError", "the SDK retries by status alone");
  assert.equal(await isRetryable(quota, { provider: "openai" }), false);
});

test("an error that wraps an SDK's is judged by what it wraps", async () => {
  for (const [error, retry] of [["overloaded", true], ["auth", false]]) {
    let wrapped = await thrown(sdks["openai chat"].ask(`${address}/openai/v1`, asking({ error })));
    for (let depth = 0; depth < 4; depth++) wrapped = new Error("the agent failed", { cause: wrapped });
    assert.equal(await isRetryable(wrapped, { provider: "openai" }), retry);
  }
  const round = new Error("a");
  round.cause = round;
  assert.equal(await isRetryable(round, { provider: "openai" }), false);
  assert.equal(await isRetryable(new TypeError("x is not a function"), { provider: "openai" }), false);
});
