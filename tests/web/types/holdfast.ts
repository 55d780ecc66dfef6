// What compiles and what must not: holdfast. A line that wrongly compiles is an unused directive, which is an error.

import { classify, createClient, HoldfastError, isRetryable, parseRateLimits, unload, version } from "holdfast";
import type { Answer, AnswerResult, Budget, CallEvent, Client, ClientOptions, Delta, Failure, Health, LiveItem, Policy, Provider, Result, Status, Target } from "holdfast";
import * as tiny from "holdfast/tiny";

const path = "/v1/chat/completions";
const body = { model: "gpt-5", messages: [] };

// Clients.
const client: Client = await createClient({ provider: "openai", token: async () => "t", baseURL: "/api" });
await createClient({
  provider: "gloo",
  apiKey: "k",
  dangerouslyAllowBrowser: true,
  policy: { interactive: { attempts: 3, backoff: "full", backoffBaseMs: 100 }, idleMs: 0 },
  targets: [{ provider: "anthropic", model: "claude-opus-5", token: "t", maxOutputTokens: 4096 }],
  breaker: false,
  spend: { maxUsd: 1.5 },
  wasm: fetch("/holdfast.wasm"),
  fetch: (input, init) => fetch(input, init),
  sleep: (ms, signal) => new Promise((resolve) => (signal.aborted ? resolve() : setTimeout(resolve, ms))),
  onEvent: (event) => console.log(event.call, event.type),
});
await createClient({ provider: "xai", wasm: new URL("./holdfast.wasm", import.meta.url) });
await createClient({ provider: "openai", full: true });
const small: Client = await tiny.createClient({ provider: "gemini" });

// @ts-expect-error a provider is required
await createClient({});
// @ts-expect-error of those that there are
await createClient({ provider: "mistral" });
// @ts-expect-error an option that does not exist
await createClient({ provider: "openai", retries: 3 });
// @ts-expect-error units are in the names
await createClient({ provider: "openai", policy: { idle: 10 } });
// @ts-expect-error milliseconds are a number
await createClient({ provider: "openai", policy: { idleMs: "10s" } });
// @ts-expect-error off is a word, on is an object
await createClient({ provider: "openai", breaker: true });
// @ts-expect-error a token is text or a function that gives it
await createClient({ provider: "openai", token: 5 });
// @ts-expect-error a target has a provider
await createClient({ provider: "openai", targets: [{ model: "gpt-5" }] });
// @ts-expect-error a client is awaited
createClient({ provider: "openai" }).stream(path, body);

// In the place of fetch.
const drop: typeof fetch = client.fetch;
const response: Response = await client.fetch("https://api.openai.com/v1/responses", { method: "POST", body: "{}" });
await client.fetch(new Request(new URL("/v1/models", "https://api.openai.com")), { signal: AbortSignal.timeout(5) });
await createClient({ provider: "openai", share: "answers" });
// @ts-expect-error shared under a name
await createClient({ provider: "openai", share: 5 });
// @ts-expect-error an address is needed
await client.fetch();

// Durable answers.
const durable: Answer = client.stream(path, body, { durable: true, id: "answer-1" });
const { id, offset, resumable }: { id: string | undefined; offset: string | undefined; resumable: boolean } = durable;
durable.leave();
if (id) client.resumeAnswer(id, offset, { text: durable.partial, path, body, onDelta: (delta) => console.log(delta.type) }).cancel();
// @ts-expect-error the answer has its id
client.resumeAnswer("answer-1", "-1", { id: "answer-2" });
// @ts-expect-error whose answer
client.resumeAnswer();
// @ts-expect-error a request has no readers
await client.request(path, body, { durable: true });
console.log(resumable);

// Requests.
const result: Result<{ choices: string[] }> = await client.request<{ choices: string[] }>(path, body, { timeoutMs: 1000, tag: true, signal: AbortSignal.timeout(5) });
const choice: string | undefined = result.data.choices[0];
const untyped: number = (await client.request(path, body)).data.anything.at.all;
// @ts-expect-error onDelta is of stream
await client.request(path, body, { onDelta() {} });
// @ts-expect-error a request has a body
await client.request(path);
// @ts-expect-error and a path of text
await client.request(new URL("https://example.com"), body);

// Answers.
const answer: Answer = client.stream(path, body, { background: true, handover: false, onDelta: (delta: Delta) => void delta });
for await (const delta of answer) {
  switch (delta.type) {
    case "text":
    case "reasoning":
    case "refusal":
      const text: string = delta.text;
      break;
    case "tool_call":
      JSON.parse(delta.arguments);
      break;
    case "restart":
      // @ts-expect-error a restart has no text
      delta.text;
      break;
    default:
      const never: never = delta;
  }
}
const end: AnswerResult = await answer.result;
const status: "complete" | "content_filter" | "interrupted" | "failed" | "cancelled" = end.status;
const reason: string | undefined = end.error?.reason;
const stream: ReadableStream<string> = answer.toReadableStream();
const whole: string = await answer.continue().text();
answer.tryAgain({ signal: AbortSignal.timeout(5) }).cancel("enough");
client.stream(path, body, { continues: end });
client.stream(path, body, { continues: "The text so far" });
// @ts-expect-error an answer is not its text
const wrong: string = answer;
// @ts-expect-error nor a promise of it
answer.then();
// @ts-expect-error a status that does not exist
if (end.status === "done") void 0;
// @ts-expect-error usage may be missing
end.usage.totalTokens;
// @ts-expect-error so may the error
end.error.message;
// @ts-expect-error to go on from what has no text
client.stream(path, body, { continues: { partial: "text" } });
// @ts-expect-error what is offered is continue or try_again
end.offer.includes("retry");
// @ts-expect-error the result is read only
answer.result = Promise.resolve(end);

// Everything else.
const failure: Failure | { decision: "success"; requestId?: string } = await classify("gloo", 503, new Headers(), { message: "busy" });
if (failure.decision !== "success") failure.reason satisfies string;
// @ts-expect-error a success has no reason
else failure.reason;
const again: boolean = await isRetryable(new Error("x"), { provider: "openai" });
// @ts-expect-error whose error
await isRetryable(new Error("x"));
const left: number | undefined = (await parseRateLimits("xai", { "x-ratelimit-remaining-requests": "5" })).requests?.remaining;
const health: Health = await client.health();
const kept: string = await client.snapshot();
await client.restore(kept);
// @ts-expect-error what snapshot gave
await client.restore(health);
try {
  await answer.text();
} catch (error) {
  if (error instanceof HoldfastError) {
    const code: string = error.code;
    const partial: string | undefined = error.partial;
    // @ts-expect-error read only
    error.code = "x";
  }
}
const session = client.live("/v1/responses", { model: "gpt-5" });
const number: number = session.send({ input: "Hi" });
for await (const item of session) if (item.type === "lost") item.first satisfies number;
// @ts-expect-error a message is an object
session.send("Hi");
client.close();
unload();
version satisfies string;

export type { Budget, CallEvent, ClientOptions, LiveItem, Policy, Provider, Status, Target };
export { again, choice, drop, left, number, reason, response, small, status, stream, untyped, whole, wrong };
