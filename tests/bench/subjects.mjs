// Subjects are what the bench compares: each asks for a streamed answer over a given fetch and takes its deltas.
//
// A subject is an async function of fetch and its options that gives {read, close}: read(take) asks
// for an answer, calls take(text) for each delta and resolves at the end.

import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import { createParser } from "eventsource-parser";
import OpenAI from "openai";

const messages = [{ role: "user", content: "Why do tide pools outlive big storms?" }];
const body = { model: "m", messages, stream: true };

/** This module; folder is the URL of one of its builds. */
const holdfast = (folder, consume) => async (fetch) => {
  const { createClient } = await import(new URL("holdfast.js", folder).href);
  const client = await createClient({ provider: "openai", baseURL: "http://bench", token: "key", fetch });
  return { read: (take) => consume((options) => client.stream("/v1/chat/completions", body, options), take), close: () => client.close() };
};
const iterated = async (ask, take) => {
  for await (const delta of ask()) take(delta.text);
};
const called = (ask, take) => ask({ onDelta: (delta) => take(delta.text) }).result;

/** What a page does without any library for the API, and what its reader would be at least. */
async function parser(fetch) {
  return {
    async read(take) {
      const response = await fetch("http://bench/v1/chat/completions", { method: "POST", body: JSON.stringify(body) });
      const events = createParser({
        onEvent({ data }) {
          if (data === "[DONE]") return;
          const text = JSON.parse(data).choices[0]?.delta.content;
          if (text) take(text);
        },
      });
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        events.feed(decoder.decode(value, { stream: true }));
      }
    },
    close() {},
  };
}

async function openai(fetch) {
  const client = new OpenAI({ apiKey: "key", baseURL: "http://bench/v1", maxRetries: 0, dangerouslyAllowBrowser: true, fetch });
  return {
    async read(take) {
      for await (const chunk of await client.chat.completions.create(body)) {
        const text = chunk.choices[0]?.delta.content;
        if (text) take(text);
      }
    },
    close() {},
  };
}

async function anthropic(fetch) {
  const client = new Anthropic({ apiKey: "key", baseURL: "http://bench", maxRetries: 0, dangerouslyAllowBrowser: true, fetch });
  return {
    async read(take) {
      for await (const event of await client.messages.create({ ...body, max_tokens: 1000 })) {
        if (event.type === "content_block_delta") take(event.delta.text);
      }
    },
    close() {},
  };
}

async function ai(fetch) {
  const model = createOpenAI({ apiKey: "key", baseURL: "http://bench/v1", fetch }).chat("m");
  return {
    async read(take) {
      for await (const text of streamText({ model, messages, maxRetries: 0 }).textStream) take(text);
    },
    close() {},
  };
}

/**
 * @param {string} dist URL of the package
 * @param {string} tiny URL of another copy of it, or "": one program serves all that share a module
 */
export function subjects(dist, tiny) {
  const folder = new URL(`${dist}/`);
  const small = tiny && new URL(`${tiny}/tiny/`);
  return {
    "holdfast, onDelta": { api: "chat", open: holdfast(folder, called) },
    "holdfast, for await": { api: "chat", open: holdfast(folder, iterated) },
    ...(tiny && {
      "holdfast/tiny, onDelta": { api: "chat", open: holdfast(small, called) },
      "holdfast/tiny, for await": { api: "chat", open: holdfast(small, iterated) },
    }),
    "eventsource-parser + JSON.parse": { api: "chat", open: parser },
    "openai": { api: "chat", open: openai },
    "@anthropic-ai/sdk": { api: "messages", open: anthropic },
    "ai + @ai-sdk/openai": { api: "chat", open: ai },
  };
}
