// What each official SDK makes of an answer, in one form: the final object, or the error that it throws.
// It runs in Node and in pages.
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { asking, prompt } from "./asking.js";

const openai = ({ address, ...options }) => new OpenAI({ apiKey: "sk-sim", baseURL: `${address}/openai/v1`, ...usual(options) });
const anthropic = ({ address, ...options }) => new Anthropic({ apiKey: "sk-ant-sim", baseURL: `${address}/anthropic`, ...usual(options) });
const usual = ({ headers, fetch, timeout, maxRetries = 0 }) => ({ defaultHeaders: headers, fetch, timeout, maxRetries, dangerouslyAllowBrowser: true });
const google = ({ address, headers, timeout }) => new GoogleGenAI({ apiKey: "sim", httpOptions: { baseUrl: `${address}/gemini`, headers, timeout } });

const messages = [{ role: "user", content: prompt }];
const tools = { find_tidepool: tool({ inputSchema: jsonSchema({ type: "object" }) }) };

/** A run by the AI SDK. */
const ai = (of) => ({
  async stream({ timeout, maxRetries = 0, ...options }) {
    let failure;
    const result = streamText({ model: of(options), prompt, tools, maxRetries, timeout, stopWhen: stepCountIs(1), onError: ({ error }) => (failure = error), abortSignal: options.signal });
    const parts = [];
    for await (const part of result.fullStream) if (/^(text|tool|reasoning)-(start|end)$/.test(part.type)) parts.push(part.type);
    if (failure) throw failure;
    const [text, finish, calls, usage] = [await result.text, await result.finishReason, await result.toolCalls, await result.usage];
    return { text, finish, calls: calls.map(({ toolName, input }) => ({ name: toolName, input })), usage: usage.outputTokens, parts: parts.join(" ") };
  },
  async whole(options) {
    const { text, finishReason } = await generateText({ model: of(options), prompt, tools, maxRetries: 0 });
    return { text, finish: finishReason };
  },
});

/** By name: the provider whose rules apply, and how to ask for a stream and for a document. */
export const runs = {
  "openai chat": {
    api: "chat",
    async stream({ signal, ...options }) {
      const stream = openai(options).chat.completions.stream({ model: "gpt-x", messages, stream_options: { include_usage: true } }, { signal });
      const done = await stream.finalChatCompletion();
      const { message, finish_reason } = done.choices[0];
      const calls = (message.tool_calls ?? []).map(({ function: f }) => ({ name: f.name, input: JSON.parse(f.arguments) }));
      return { text: message.content, refusal: message.refusal ?? null, finish: finish_reason, calls, usage: done.usage?.completion_tokens, id: done.id };
    },
    /** As most code reads a stream: chunk by chunk. */
    async loop({ signal, ...options }) {
      const found = { text: "", calls: [] };
      for await (const { choices } of await openai(options).chat.completions.create({ model: "gpt-x", messages, stream: true }, { signal })) {
        found.text += choices[0]?.delta.content ?? "";
        for (const { index, function: f } of choices[0]?.delta.tool_calls ?? []) {
          found.calls[index] ??= { input: "" };
          found.calls[index].input += f.arguments ?? "";
        }
      }
      return found;
    },
    async whole(options) {
      return openai(options).chat.completions.create({ model: "gpt-x", messages });
    },
  },
  "openai responses": {
    api: "responses",
    async stream({ signal, ...options }) {
      const stream = openai(options).responses.stream({ model: "gpt-x", input: prompt }, { signal });
      const done = await stream.finalResponse();
      const { output, status, usage, id } = done;
      return { text: done.output_text, finish: status, usage: usage.output_tokens, id, output: output.map(({ id, content, type, arguments: args }) => ({ id, type, content, args })) };
    },
    async whole(options) {
      return openai(options).responses.create({ model: "gpt-x", input: prompt });
    },
  },
  anthropic: {
    api: "messages",
    async stream({ signal, ...options }) {
      const done = await anthropic(options).messages.stream({ model: "claude-opus-5", max_tokens: 1000, messages }, { signal }).finalMessage();
      const text = done.content.filter(({ type }) => type === "text").map(({ text }) => text).join("");
      return { text, content: done.content, finish: done.stop_reason, usage: done.usage.output_tokens, id: done.id };
    },
    async loop({ signal, ...options }) {
      const found = { text: "", calls: [] };
      for await (const { type, delta, content_block: block } of await anthropic(options).messages.create({ model: "claude-opus-5", max_tokens: 1000, messages, stream: true }, { signal })) {
        if (block?.type === "tool_use") found.calls.push({ input: "" });
        if (type === "content_block_delta") found.text += delta.text ?? "";
        if (delta?.partial_json) found.calls.at(-1).input += delta.partial_json;
      }
      return found;
    },
    async whole(options) {
      return anthropic(options).messages.create({ model: "claude-opus-5", max_tokens: 1000, messages });
    },
  },
  "google genai": {
    api: "generate",
    async stream({ fetch, signal, ...options }) {
      return through(fetch, async () => {
        const found = { text: "", calls: [] };
        for await (const chunk of await google(options).models.generateContentStream({ model: "gemini-x", contents: prompt, config: { abortSignal: signal } })) {
          for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
            if (!part.thought) found.text += part.text ?? "";
            if (part.functionCall) found.calls.push(part.functionCall);
          }
          found.finish = chunk.candidates?.[0]?.finishReason ?? found.finish;
          found.usage = chunk.usageMetadata?.candidatesTokenCount ?? found.usage;
          found.id = chunk.responseId;
        }
        return found;
      });
    },
    async whole({ fetch, ...options }) {
      return through(fetch, () => google(options).models.generateContent({ model: "gemini-x", contents: prompt }).then(({ text }) => ({ text })));
    },
  },
  "google interactions": {
    api: "interactions",
    async stream({ fetch, signal, ...options }) {
      return through(fetch, async () => {
        const found = { text: "", args: "", steps: [] };
        for await (const { event_type: type, delta, step, interaction } of await google(options).interactions.create({ model: "gemini-x", input: prompt, stream: true }, { signal, maxRetries: 0 })) {
          if (type === "error") throw new Error("an error event was given as an event");
          found.text += delta?.type === "text" ? delta.text : "";
          found.args += delta?.type === "arguments_delta" ? delta.arguments : "";
          if (step) found.steps.push(step.type);
          found.id ??= interaction?.id;
          found.finish = interaction?.status ?? found.finish;
          found.usage = interaction?.usage?.total_output_tokens ?? found.usage;
        }
        return found;
      });
    },
    async whole({ fetch, ...options }) {
      return through(fetch, () => google(options).interactions.create({ model: "gemini-x", input: prompt }, { maxRetries: 0 }).then(({ status, steps }) => ({ status, steps })));
    },
  },
  "ai openai chat": { api: "chat", ...ai(({ address, ...o }) => createOpenAI({ apiKey: "sim", baseURL: `${address}/openai/v1`, ...o }).chat("gpt-4.1")) },
  "ai openai responses": { api: "responses", ...ai(({ address, ...o }) => createOpenAI({ apiKey: "sim", baseURL: `${address}/openai/v1`, ...o }).responses("gpt-5")) },
  "ai anthropic": { api: "messages", ...ai(({ address, ...o }) => createAnthropic({ apiKey: "sim", baseURL: `${address}/anthropic/v1`, ...o })("claude-opus-5")) },
  "ai google": { api: "generate", ...ai(({ address, ...o }) => createGoogleGenerativeAI({ apiKey: "sim", baseURL: `${address}/gemini/v1beta`, ...o })("gemini-x")) },
};

/** Runs with a fetch as the global one: some SDKs take no other. */
async function through(fetch, run) {
  const before = globalThis.fetch;
  if (fetch) globalThis.fetch = fetch;
  try {
    return await run();
  } finally {
    globalThis.fetch = before;
  }
}

/** What a run comes to: {value} or {error}. */
export async function outcome(run, options) {
  try {
    return { value: await run({ ...options, headers: asking(options.script) }) };
  } catch (error) {
    return { error };
  }
}
