/**
 * Holdfast keeps an LLM answer alive: it retries what may succeed, waits as long as the server
 * asked, continues a stream that broke without repeating a word, and says so when an answer is
 * incomplete.
 *
 * Units are in the names: `…Ms` milliseconds, `…Bytes` bytes, `…Usd` US dollars. Leaving an
 * option out gives its default. An option that does not exist throws a {@link HoldfastError}
 * with code `bad_option` that names the key.
 */

export type Provider = "gloo" | "openai" | "anthropic" | "xai" | "gemini";

/** What to do about an exchange. */
export type Decision = "success" | "retry" | "fix_request" | "stop";

/** How an answer ended. Only `complete` is the whole answer. */
export type Status = "complete" | "content_filter" | "interrupted" | "failed" | "cancelled";

/** Why an exchange failed. */
export type Reason =
  | "rate_limit" | "overloaded" | "server_error" | "timeout" | "transport" | "truncated"
  | "idle_timeout" | "malformed_stream" | "empty_completion" | "malformed_tool_call"
  | "not_processed" | "edge_error" | "edge_timeout" | "proxy_unavailable" | "quota"
  | "daily_quota" | "billing" | "spend_cap" | "plan_gate" | "plan_window" | "model_not_on_plan"
  | "model_not_found" | "auth" | "permission" | "region" | "content_policy" | "context_length"
  | "request_too_large" | "invalid_request" | "deadline" | "fail_closed" | "cancelled"
  | "circuit_open" | "budget" | "platform_limit" | "unknown";

export type BreakerEffect = "success" | "failure" | "ignore";
export type FallbackScope = "never" | "same_provider_other_model" | "other_provider" | "after_retries";

/** One failure, as the provider reported it and as Holdfast understands it. */
export interface Failure {
  decision: Decision;
  reason: Reason;
  breaker: BreakerEffect;
  fallback: FallbackScope;
  /** HTTP status; absent when the failure came without one (network, stream, timer). */
  status?: number;
  /** The most specific code the provider gave, e.g. `RATE_LIMIT` or `provider_unavailable`. */
  code?: string;
  type?: string;
  /** Gloo's symbolic name (`PROVIDER_TIMEOUT`) and number (2001). */
  name?: string;
  number?: number;
  /** Gloo's `fault`: who was responsible. */
  fault?: "client" | "provider" | "internal" | string;
  /** The server's own literal verdict; absent when it gave none. */
  retryable?: boolean;
  /** A sentence that is safe to show to users. Never HTML, never empty. */
  message: string;
  /** What happened in the provider's words, for logs. */
  developerMessage?: string;
  traceId?: string;
  requestId?: string;
  /** Cloudflare's ray id, when its edge answered. */
  ray?: string;
  /** How long the server asked to wait. 0 means "now is allowed". Absent when it did not say. */
  retryAfterMs?: number;
  /** `retry-after`, `RetryInfo`, `message`, … */
  retryAfterSource?: string;
  /** In how long money or a plan's allowance comes back, for people to read. Nobody waits for it. */
  resetsMs?: number;
}

/**
 * Token counts as the provider reported them, in one form: every part is inside its whole, whether
 * the provider counts it so or not. A missing count was not reported, or is 0.
 */
export interface Usage {
  /** The whole prompt. */
  inputTokens?: number;
  /** Everything that the model wrote. */
  outputTokens?: number;
  /** As reported, else input and output. */
  totalTokens?: number;
  /** Inside `inputTokens`: read from a cache. */
  cachedTokens?: number;
  /** Inside `inputTokens`: written to a cache. */
  cacheWriteTokens?: number;
  /** Inside `cacheWriteTokens`: written to live for an hour. */
  cacheWrite1hTokens?: number;
  /** Inside `inputTokens`: what tools at the provider brought. */
  toolPromptTokens?: number;
  /** Inside `outputTokens`. */
  reasoningTokens?: number;
  /** The price of the request in 1e-10 USD, where the provider says it (xAI). */
  costTicks?: number;
}

/** One HTTP exchange made for a call. */
export interface Attempt {
  /** 1, 2, 3, … */
  attempt: number;
  /** Why it was sent. */
  kind: "first" | "retry" | "continue" | "resume" | "restart" | "fallback";
  /** Where it went: 0, or the place in the client's `targets` plus 1. */
  target: number;
  provider: Provider;
  api: Api;
  /** The model asked for, and the one that answered, when it said so. */
  model?: string;
  servedModel?: string;
  /** What a fallback could not be told of the request, as JSON pointers into it. Absent when nothing. */
  dropped?: string[];
  /** Milliseconds since the Unix epoch. */
  startedAtMs: number;
  /** From sending to response headers, to the first delta, and to the end. */
  headersMs?: number;
  firstDeltaMs?: number;
  durationMs?: number;
  httpStatus?: number;
  requestId?: string;
  traceId?: string;
  /** What was waited before this attempt, and why. */
  waitedMs: number;
  waitSource?: "hint" | "backoff" | "offline";
  /** Absent when the attempt succeeded. */
  error?: Failure;
  finishReason?: string;
  /** Whether answer text of this attempt reached the caller, and how many characters. */
  shown: boolean;
  textLength: number;
  /** Whether the attempt carried a tool call, whole or not. */
  toolCall: boolean;
  /** Characters removed where this attempt's text met the text before it. */
  trimmed?: number;
  usage?: Usage;
  /** What it cost, in US dollars; `costEstimated` when the provider did not say. */
  costUsd: number;
  costEstimated?: boolean;
}

/** A complete tool call. `arguments` is the JSON text that the model wrote, or the text itself that it wrote for a custom tool. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A piece of an answer. */
export type Delta =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "refusal"; text: string }
  | ({ type: "tool_call" } & ToolCall)
  /** Background and durable answers only: discard all text of this answer so far, it starts again from zero, or from the text that it continues. */
  | { type: "restart" };

/** How a streamed answer ended. */
export interface AnswerResult {
  status: Status;
  /** All text that was shown, in order, without repeats. */
  text: string;
  refusal?: string;
  reasoning?: string;
  /** The provider's own word (`stop`, `length`, `end_turn`, …); absent when it sent none. */
  finishReason?: string;
  toolCalls: ToolCall[];
  /** Summed over all attempts that reported it. */
  usage?: Usage;
  /** What all attempts cost, in US dollars, also those that broke; `costEstimated` when part of it is estimated. */
  costUsd: number;
  costEstimated?: boolean;
  model?: string;
  /** The provider's id of the answer. */
  id?: string;
  /** The call's own id; see the option `id`. */
  callId: string;
  requestId?: string;
  /** Gloo served a replacement for this deprecated model. */
  redirectedFrom?: string;
  attempts: Attempt[];
  /** Full retries made before any text was shown (or, in background, with a restart). */
  fullRetries: number;
  /** Whether an automatic continuation was sent. */
  continued: boolean;
  /** The first real failure that ended the answer, unless the status is `complete` or `content_filter`. */
  error?: Failure;
  /** When the server allows the next try, in milliseconds since the epoch. */
  retryAtMs?: number;
  /** What a page may offer now. `continue` appends to the text, `try_again` replaces it. */
  offer: ("continue" | "try_again")[];
  /** Things worth knowing that did not change the outcome. */
  warnings: string[];
}

/** The result of {@link Client.request}. */
export interface Result<T = any> {
  data: T;
  /** HTTP status of the attempt that succeeded, and its headers (lower-case names). */
  httpStatus: number;
  headers: Record<string, string>;
  model?: string;
  id?: string;
  callId: string;
  usage?: Usage;
  costUsd: number;
  costEstimated?: boolean;
  requestId?: string;
  redirectedFrom?: string;
  attempts: Attempt[];
}

/** What happens during calls, for logs and timelines. Carries no key, prompt or answer text. */
export type CallEvent = { call: number; atMs: number } & (
  /** `mayCostUsd`: what the attempts before it have cost, and what is set aside for this one. `dropped`: as in `attempts`. */
  | { type: "sent"; attempt: number; kind: Attempt["kind"]; mayCostUsd: number; dropped?: string[] }
  | { type: "responded"; attempt: number; httpStatus: number; requestId?: string }
  | { type: "streaming"; attempt: number }
  | { type: "failed"; attempt: number; error: Failure }
  | { type: "waiting"; attempt: number; waitMs: number; untilMs: number; source: "hint" | "backoff" }
  | { type: "offline"; attempt: number }
  | { type: "joined"; attempt: number; trimmed: number }
  | { type: "restarted"; attempt: number }
  /** The next attempt goes to another target. */
  | { type: "fallback"; attempt: number; target: number }
  | { type: "warning"; attempt: number; message: string }
  /** The cost is of all attempts, as in the result; of a fetch this is where it is told. */
  | { type: "done"; status: Status | "success"; attempts: number; costUsd: number; costEstimated?: boolean }
);

/** Limits of one kind of call. Defaults depend on the provider; see the README's table. */
export interface Budget {
  /** Attempts in all, including the first. */
  attempts?: number;
  /** Backoff before attempt n+1: `full` U(0, min(cap, base·2^(n-1))); `added` min(cap, base·2^(n-1)) + U(0, 1 s). */
  backoff?: "full" | "added";
  backoffBaseMs?: number;
  backoffCapMs?: number;
  /** The longest wait asked for by a server that is obeyed. A longer one ends the call with `retryAtMs`. */
  maxHintMs?: number;
  /**
   * No attempt starts later than this after the call began, an attempt ended that had brought something of an
   * answer, the network came back, or the machine woke up. 0 switches it off.
   * An answer that its provider keeps is taken up again for as long as it is being made: for an hour (or
   * `firstDeltaMs`, if longer) of which nothing comes.
   */
  windowMs?: number;
  /** The whole call, waits included. 0 switches it off. */
  totalMs?: number;
  /** Automatic continuations after shown text. 0 switches them off. Default 1 (0 in background). */
  continues?: number;
}

export interface Policy {
  /** `false`: another layer owns the retries; every call makes one attempt and no continuation. Default true. */
  owner?: boolean;
  /** Someone waits for the answer (the default kind of call). */
  interactive?: Budget;
  /** Nobody waits (`background: true`). */
  background?: Budget;
  /** Wait for response headers. Default 600 000 (xai 3 600 000). 0 switches it off; likewise `firstDeltaMs`, `switchMs` and `idleMs`. */
  headersMs?: number;
  /** Wait from headers to the first delta. Default 600 000 (xai 3 600 000). */
  firstDeltaMs?: number;
  /** A stream's wait for its first delta while there is a further target to ask. Default 12 000. */
  switchMs?: number;
  /** Silence while a read is outstanding; any byte counts as life. Default 120 000. */
  idleMs?: number;
  /** After the answer's end: wait for usage, at most 2000. Default 2000. Behind a `stop` that nothing marks as the end it is 2000 in any case. */
  drainMs?: number;
  /** Largest request or response body. Default 16 MiB. */
  maxBodyBytes?: number;
  /** Largest single stream event. Default 8 MiB. */
  maxEventBytes?: number;
  /** The continuation message; `{partial}` stands for the text so far. */
  continuation?: string;
}

/** A wire format. `answers` is the gateway's, of durable answers; the option `durable` asks for it. */
export type Api = "chat" | "responses" | "messages" | "generate" | "interactions" | "embeddings" | "json" | "answers";

/** Where a call may go when the target before it does not answer. The request is rebuilt for it. */
export interface Target {
  provider: Provider;
  /** Default: the model that the call asked for. */
  model?: string;
  /** Default: `chat`, for anthropic `messages`, for gemini `generate`; or what `path` tells. */
  api?: Exclude<Api, "answers">;
  /** Default: the provider's own path of the wire format, whose `/v1` baseURL may end with. `{model}` stands for the model. */
  path?: string;
  baseURL?: string;
  apiKey?: string;
  token?: string | (() => string | Promise<string>);
  headers?: Record<string, string>;
  /** The largest output limit that the model takes; a higher one in a request is lowered to it. */
  maxOutputTokens?: number;
  /** What differs from the client's policy. */
  policy?: Policy;
}

export interface ClientOptions {
  provider: Provider;
  /**
   * The provider's key. It stays in JavaScript: it never enters the WebAssembly program, a log or
   * an event. In a browser it needs `dangerouslyAllowBrowser: true`, since every visitor can read it.
   * In Node, when `apiKey`, `token` and `baseURL` are all left out: `GLOO_API_KEY`, `OPENAI_API_KEY`,
   * `ANTHROPIC_API_KEY`, `XAI_API_KEY` or `GEMINI_API_KEY` of the environment.
   */
  apiKey?: string;
  /**
   * A credential for a server of yours, sent as `Authorization: Bearer …` instead of any `apiKey`.
   * A function is asked before each attempt; when it fails, the attempt failed, and no breaker counts it.
   */
  token?: string | (() => string | Promise<string>);
  dangerouslyAllowBrowser?: boolean;
  /** Default: the provider's own host. In a page this is usually a server of yours, e.g. `/api`, and may be relative. */
  baseURL?: string;
  /** Sent with every attempt. A credential header given here is used instead of `apiKey` and `token`. */
  headers?: Record<string, string>;
  policy?: Policy;
  /**
   * Where calls go when the first target fails for good, in this order; also in the middle of an
   * answer. Never after a failure of credentials or of the request itself.
   */
  targets?: Target[];
  /**
   * After `failures` in a row (5; by default a busy client waits for half as many as have succeeded in
   * the last seconds, if that is more) a provider is not asked for `openMs` (30 000), then by one call at
   * a time. `perModel`: each model for itself; the default in a chain with two models of one
   * provider. `false`: never.
   */
  breaker?: false | { failures?: number; openMs?: number; perModel?: boolean };
  /** Bound this client's retries to a fifth of its successes, with a floor of 30. Default true. */
  throttle?: boolean;
  /**
   * Money. `maxUsd` refuses a request before it is sent when it might cost more than is left (code
   * `budget`). Default: money is counted, without a limit. `prices` replaces the table that comes with
   * Holdfast: lines of `provider model [from DATE] [above N] input cached write write1h output`, in USD
   * per million tokens. `model` is the name without its version, and `*` any; of the lines that fit, the
   * one with the longest name counts. `from`: only since that day (`2026-10-01`, UTC). `above`: only for a
   * request with more than N tokens of input. `-` for a cache's price is that of the input. One line must
   * be for unknown models (`* * …`); what follows `#` is a comment.
   */
  spend?: { maxUsd?: number; prices?: string };
  /**
   * In a browser: clients of one origin with the same name share what `snapshot()` holds, so that it
   * outlives a reload. It is kept in IndexedDB, where what the tabs have spent adds up; that, breakers
   * and gates are told to the other tabs at once, so that one of them learns of an outage for all, and
   * `maxUsd` is for all of them. What is kept holds no key, prompt or answer; damaged, it is replaced.
   * Elsewhere the option does nothing. Default: nothing is kept.
   */
  share?: string;
  /**
   * Load the full program at once. The lean one, smaller by a fifth (in `holdfast/tiny` by a third),
   * does without `targets`, `client.fetch` and `client.live`; the full one comes by itself with the
   * first use of any of them, and takes over what the lean one has learned. Say so where you know that
   * it will be needed, and the lean one is not loaded before. Default false.
   */
  full?: boolean;
  /** Called for what happens in every call of this client. What it throws is reported, and harms no call. */
  onEvent?: (event: CallEvent) => void;
  /**
   * Where the program is: a URL, bytes, a compiled module or a response. Default: `holdfast.wasm`
   * beside this module, and `holdfast-full.wasm` for what needs it (see `full`). All clients share one
   * program: whoever loads it first decides.
   */
  wasm?: string | URL | ArrayBuffer | ArrayBufferView | WebAssembly.Module | Response | Promise<Response>;

  /** For tests. Each replaces the host's own. */
  fetch?: typeof fetch;
  /**
   * What opens sockets for `live`, called with URL, subprotocols and, in Node, `{ headers }`. Default:
   * the host's own. Node has one from 22 on; before, give that of the package `ws`. That alone tells why
   * a server refuses a connection: with any other a wrong key is as good as a broken network, and tried again.
   */
  WebSocket?: new (url: string, protocols: string[], options?: { headers: Record<string, string> }) => any;
  /** Waits between attempts. Resolving early ends the wait early, as if `ms` had passed. Must reject or resolve when `signal` aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  random?: () => number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

export interface CallOptions {
  /** Nobody is waiting: a larger budget, and a broken stream starts again after a `restart` delta. Default false. */
  background?: boolean;
  /** Added to the client's headers; wins over them. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** The whole call, waits included; overrides the budget's `totalMs`. 0 switches it off. */
  timeoutMs?: number;
  /** Overrides of the client's policy for this call. */
  policy?: Policy;
  /** The wire format, when the path does not tell. */
  api?: Exclude<Api, "answers">;
  /** Names the call in its result and attempts' requests. Default: a random one. */
  id?: string;
  /**
   * Puts the id into the requests, where the provider has a place for it (metadata, labels, user),
   * so that a POST that was sent twice can be found later. What you put there stays. Default false.
   */
  tag?: boolean;
  /** Skip a fallback that cannot be told everything the request says. Default false. */
  strict?: boolean;
  onEvent?: (event: CallEvent) => void;
}

export interface StreamOptions extends CallOptions {
  /** Let another target go on with an answer that has begun. Default true. */
  handover?: boolean;
  /** Called for each delta, in order. An answer that has `onDelta` runs without being iterated. What it throws is reported, and does not harm the answer. */
  onDelta?: (delta: Delta) => void;
  /** Go on from this text instead of starting: what `answer.continue()` uses. */
  continues?: string | { text: string };
  /**
   * Holdfast's gateway, to which `baseURL` leads, keeps the answer: it goes on when this page is gone,
   * and `resumeAnswer` comes back to it. `path` is the gateway's (`/v1/chat/completions`,
   * `/anthropic/v1/messages`, …). When the way to the gateway breaks, the answer is taken up from the
   * exact character, as often as it takes; the model is asked by the gateway alone, and once. The
   * client's `targets` are not used: the gateway has its own. `id`, 8 to 64 letters, digits, `-` and
   * `_`, names the answer: a request that is sent twice under one id is one. The result is what the
   * gateway came to, with its attempts. Default false.
   */
  durable?: boolean;
}

/** Options of {@link Client.resumeAnswer}. */
export interface ResumeOptions extends Omit<StreamOptions, "id" | "api" | "continues" | "durable"> {
  /** The text shown so far. Default: none; then the result's text is what comes now. */
  text?: string;
  /** What was asked: for `continue()` and `tryAgain()` when the answer has ended, and to ask once more under the same id when nothing of it was heard. */
  path?: string;
  body?: unknown;
}

/**
 * An answer on its way. The request is sent at once. Iterate the answer, or give `onDelta`, or
 * await `text()` or `result`: the first of these starts reading. An iterator sets the pace: a slow
 * one slows the provider down and never looks like a stall. An answer can be iterated once, gives
 * everything from the beginning, and is cancelled when the loop is left early. Iterating throws
 * where `result` rejects, and never for a provider's failure: look at `result` afterwards.
 */
export interface Answer extends AsyncIterable<Delta> {
  /**
   * Settles when the answer has ended. Never rejects for a provider's failure; rejects with a
   * {@link HoldfastError} of Holdfast's own codes (`bad_option`, `program_died` with `partial`, `closed`, …).
   */
  readonly result: Promise<AnswerResult>;
  /** The text shown so far, with the text that was continued in front. Of a durable answer that is iterated: the text of the deltas taken. */
  readonly partial: string;
  /**
   * Of a durable answer: what `resumeAnswer` needs to come back to it. `offset` belongs to `partial`,
   * and to the deltas delivered: read both in the same moment, also within `onDelta` or a loop.
   */
  readonly id: string | undefined;
  readonly offset: string | undefined;
  /** A durable answer that has not come to its end here, while it may still be made or kept at the gateway: coming back to it costs nothing. */
  readonly resumable: boolean;
  /**
   * A new answer that goes on from this one's text. Its deltas are only the new ones; its result has
   * the whole text. Options are this answer's (but for a signal that has aborted) unless given again.
   * Throws unless this answer has ended and offers it. A durable answer that was left, or whose
   * gateway could not be reached, is come back to; of one that ended at the gateway, it asks for another.
   */
  continue(options?: StreamOptions): Answer;
  /** A new answer to the same request, from zero; it replaces this one, which is cancelled if it still runs. Options as for `continue`. */
  tryAgain(options?: StreamOptions): Answer;
  /**
   * Ends the answer with status `cancelled`, keeping its text; so does its signal's abort. What makes
   * the answer is told to stop: the gateway, of a durable one, or the provider, of one that runs in
   * its background. Harmless after the end.
   */
  cancel(reason?: unknown): void;
  /** As `cancel`, but a durable answer, or one in a provider's background, goes on there. So it is when the page or the client is closed. */
  leave(): void;
  /**
   * The answer's text as a stream of strings; counts as iterating. Errors as `text()` throws, unless the
   * answer completes. Cancelling it cancels the answer. In background the text comes whole at the
   * end, since the answer may restart and a stream cannot take back what it gave. A durable answer
   * that was asked for in background elsewhere ends the stream with `truncated` when it restarts.
   */
  toReadableStream(): ReadableStream<string>;
  /** The whole text; throws a {@link HoldfastError} (with `partial`) unless the answer is complete. */
  text(): Promise<string>;
}

/** Numbers of a live session. */
export interface LivePolicy {
  /** Connections in a row that may fail before the session ends. Default 8. One that was of use for 10 s starts the count anew, and none counts while the network is known to be away. */
  attempts?: number;
  /** As in {@link Budget}. Defaults: `full`, 500, 20 000, 60 000. */
  backoff?: "full" | "added";
  backoffBaseMs?: number;
  backoffCapMs?: number;
  maxHintMs?: number;
  /** From opening a socket until it may be used. Default 30 000. 0 switches it off; likewise the next four. */
  openMs?: number;
  /** From a message that asks for a turn until the turn begins. Default 600 000 (xai 3 600 000). */
  firstEventMs?: number;
  /** Silence within a turn, unless a tool call waits for you. Default 120 000. */
  idleMs?: number;
  /** Gemini: how long a handle can be gone on from. Default 7 200 000 (2 h). */
  handleLifeMs?: number;
  /** OpenAI, xAI: when a connection is changed for a new one, between two turns. Default 3 540 000: the server ends it at 60 minutes. */
  connectionLifeMs?: number;
  /** Gemini: how long before the end that `goAway` announced a connection is left at the latest. Default 1000. */
  marginMs?: number;
  /** How often in all a message is sent. OpenAI, xAI: one that the server refuses for a while before its turn has begun. Gemini, transparent: one that it had not consumed when connections ended; then it is lost. Default 4. */
  sends?: number;
  /** Bytes of messages kept: those that wait, and those that may have to be sent again. Default 8 MiB. */
  maxBufferBytes?: number;
  /** Gemini: how it counts the first message of a connection in `lastConsumedClientMessageIndex`, 0 or 1. Default 1: the setup is 0 (observed, not documented). */
  firstMessageIndex?: 0 | 1;
}

export interface LiveOptions {
  /** When the server's state is lost, begin a new session with the same setup, after an item `restarted`, instead of ending. Default false. */
  startOver?: boolean;
  /** Subprotocols to ask for. */
  protocols?: string[];
  /** Added to the client's headers. Only sockets in Node can carry headers. */
  headers?: Record<string, string>;
  /** Its abort ends the session with status `cancelled`. */
  signal?: AbortSignal;
  policy?: LivePolicy;
  /** Called for each item, in order. What it throws is reported, and does not harm the session. A session with `onItem` keeps nothing for a loop that comes later. */
  onItem?: (item: LiveItem) => void;
  onEvent?: (event: LiveEvent) => void;
}

/** What a live session gives, in the order in which it happened. Messages are counted as `send` numbers them. */
export type LiveItem =
  /** What the server sent, as it is. An error that Holdfast mends is not shown. */
  | { type: "message"; data: any }
  /** The conversation goes on where it was, on another connection. */
  | { type: "resumed" }
  /** The conversation has begun anew: the server knows nothing of before. */
  | { type: "restarted" }
  /** A turn was cut: what came of it is all there will be. It is not asked for again. `toolCalls` need no answer any more. `responseId` may be looked up where responses are stored. */
  | { type: "interrupted"; message?: number; responseId?: string; toolCalls: string[] }
  /** These messages may not have reached the model, and are not sent again: send them anew if they still matter. */
  | ({ type: "lost" } & LiveLost)
  /** Gemini: the model does not remember the last `turns` turns that ended: no handle holds them. */
  | { type: "forgotten"; turns: number }
  /** The server refused a message, or failed in its turn. `error.code` is `previous_response_not_found` when it no longer has what came before: send all of it, with `previous_response_id: null`. */
  | { type: "failed"; message?: number; responseId?: string; error: Failure };

/** Messages `first` to `last`. */
export interface LiveLost {
  first: number;
  last: number;
  /**
   * `cut`: the connection ended before the server confirmed them. `void`: they answer tool calls or
   * steer a turn that no longer exist. `overflow`: more waited than `maxBufferBytes`; the oldest
   * were dropped. `state`: they were to go on from what the server no longer has. `end`: the session ended before.
   */
  why: "cut" | "void" | "overflow" | "state" | "end";
}

/** One socket of a live session. */
export interface LiveConnection {
  /** 1, 2, 3, … */
  connection: number;
  /** Why it was opened: `resume` to go on, `restart` to begin anew, `retry` when nothing had been said. */
  kind: "first" | "resume" | "restart" | "retry";
  startedAtMs: number;
  /** From opening it until it could be used; absent when it never could. */
  readyMs?: number;
  durationMs: number;
  waitedMs: number;
  /** It was left on purpose: after `goAway`, before its time was over, or by you. */
  planned: boolean;
  /** With which the server closed it; 1006 when it just broke. */
  code?: number;
  error?: Failure;
}

/** What happens to a live session, for logs. Carries no key, handle or content. */
export type LiveEvent = { session: number; atMs: number; connection: number } & (
  | { type: "connecting"; kind: LiveConnection["kind"] }
  | { type: "ready" }
  /** The server announced the connection's end. */
  | { type: "leaving"; timeLeftMs: number }
  | { type: "closed"; planned: boolean; code?: number; error?: Failure }
  | { type: "waiting"; waitMs: number; untilMs: number; source: "hint" | "backoff" }
  | { type: "offline" }
  /** No connection is open until you send something. */
  | { type: "resting" }
  | { type: "warning"; message: string }
  | { type: "done"; status: LiveResult["status"] }
);

/** How a live session ended. */
export interface LiveResult {
  /** `complete`: you closed it and nothing was under way. `cancelled`: you ended it in the middle of something. `interrupted`: it could not be kept. `failed`: no connection was ever of use. */
  status: "complete" | "cancelled" | "interrupted" | "failed";
  /** Messages sent, turns that ended as they should, turns that were cut. */
  messages: number;
  turns: number;
  interrupted: number;
  lost: LiveLost[];
  /** Gemini: goes on from here elsewhere, as `setup.sessionResumption.handle`, until the time given. Whoever has it can read the conversation. */
  handle?: string;
  handleUntilMs?: number;
  /** OpenAI, xAI: the last response that ended, to be gone on from as `previous_response_id`. */
  responseId?: string;
  /**
   * The sum of what the server reported, and what that costs; the client's `health().spend` counts it, too. Of a
   * turn that was cut, and of audio and pictures, the price is not known: then `costEstimated`. A session in
   * which the client's `maxUsd` is used up ends at the next pause, with the reason `budget`.
   */
  usage?: Usage;
  costUsd: number;
  costEstimated?: boolean;
  /** Connections in all, and the last 64 of them. */
  opened: number;
  connections: LiveConnection[];
  /** The first failure of what ended the session; absent when you ended it. */
  error?: Failure;
  /** When the server allows the next try, in milliseconds since the epoch. */
  retryAtMs?: number;
  warnings: string[];
}

/**
 * A conversation over WebSockets that outlives its connections. Iterate it, or give `onItem`. It
 * can be iterated again and again: leaving a loop does not end the session, and the next loop takes
 * what has come since.
 */
export interface LiveSession extends AsyncIterable<LiveItem> {
  /** Settles when the session has ended. Never rejects for what a provider or the network does; rejects with Holdfast's own codes, as an answer's. */
  readonly result: Promise<LiveResult>;
  /**
   * Sends a message, now or as soon as there is a connection, and returns its number: 1, 2, 3, …
   *
   * Gemini: `clientContent`, `realtimeInput` or `toolResponse`. OpenAI and xAI: the body of a
   * `response.create`, without `stream` and `background`; what it leaves out is taken from the
   * setup. It goes on from the last response that ended, unless it has a `previous_response_id` of
   * its own; `null` begins anew. One turn runs at a time, and the next message waits for its end.
   * What has another `type`, such as `response.cancel`, goes to the turn under way.
   *
   * Throws `bad_body` for what is no JSON object, and `closed` after the end.
   */
  send(message: object): number;
  /** Ends the session: nothing more is sent, and no turn is waited for. */
  close(): Promise<LiveResult>;
  /** Ends it with status `cancelled`. */
  cancel(): void;
}

/** One limit of a provider. What is missing is unknown, never 0: providers send some of them only, and browsers hide most. */
export interface RateWindow {
  limit?: number;
  remaining?: number;
  /** Until it is full again. */
  resetMs?: number;
}

/** A provider's rate limits in one form. */
export interface RateLimits {
  requests?: RateWindow;
  tokens?: RateWindow;
  projectTokens?: RateWindow;
  inputTokens?: RateWindow;
  outputTokens?: RateWindow;
  priorityInputTokens?: RateWindow;
  priorityOutputTokens?: RateWindow;
  fastInputTokens?: RateWindow;
  fastOutputTokens?: RateWindow;
  plan?: RateWindow;
  /** For display only. */
  planStatus?: string;
  retryAfterMs?: number;
}

/** What a client's calls know of each other. */
export interface Health {
  targets: {
    /** The provider, or the host in its place; without `model` it is the provider as a whole. */
    host: string;
    model?: string;
    breaker: "closed" | "open" | "half_open";
    /** Failures in a row, while it is closed. */
    failures: number;
    /** The server has asked for patience. */
    gated: boolean;
    /** When it may be asked again; absent: now. Milliseconds since the epoch, like `limitsAtMs`. */
    retryAtMs?: number;
    limitsAtMs?: number;
    limits?: RateLimits;
  }[];
  /** How many retries may follow one another now; absent when they are not bounded. */
  retriesLeft?: number;
  spend: {
    spentUsd: number;
    /** Of it: what providers did not report, and is estimated. */
    estimatedUsd: number;
    /** Of it: what bills were higher than their reservations. */
    overrunUsd: number;
    /** Reserved by calls under way. */
    heldUsd: number;
    /** Attempts that were paid for, also those that broke. */
    attempts: number;
    maxUsd?: number;
  };
}

export interface Client {
  /** One request, one JSON answer. Throws a {@link HoldfastError}; `bad_body` for one that asks for a stream. */
  request<T = any>(path: string, body: unknown, options?: CallOptions): Promise<Result<T>>;
  /** A streamed answer, one: `n` above 1 is a `bad_body`. `stream: true` is set in the body. Never throws for what a provider does. */
  stream(path: string, body: unknown, options?: StreamOptions): Answer;
  /**
   * Comes back to a durable answer, after a reload or in another tab: `id` and `offset` are what the
   * answer gave, `text` what it had shown. Its deltas are what follows. Without an offset it is heard
   * from the beginning. Nothing is asked of the model.
   *
   *     const answer = client.stream("/v1/chat/completions", body, { durable: true, onDelta });
   *     // keep answer.id, answer.offset, answer.partial; or let holdfast/store do it
   *     client.resumeAnswer(id, offset, { text: partial, onDelta });
   */
  resumeAnswer(id: string, offset?: string, options?: ResumeOptions): Answer;
  /**
   * A `fetch` for official SDKs, with their own retries off:
   *
   *     new OpenAI({ fetch: client.fetch, maxRetries: 0 })
   *     new Anthropic({ fetch: client.fetch, maxRetries: 0 })
   *     createOpenAI({ fetch: client.fetch })            // AI SDK; maxRetries: 0 where it is called
   *     globalThis.fetch = client.fetch                  // @google/genai takes no other
   *
   * A POST to a path of one of the wire formats (chat, responses, messages, generate, interactions,
   * embeddings) becomes a call: it is retried, waited for and, where the client has `targets`,
   * answered by those. It goes to its own URL with its own headers; the client's key is not used.
   * Everything else passes untouched. A stream of several answers (`n`, `candidateCount`) is retried
   * before the first word and ends as an error when it breaks behind it: none is gone on with.
   *
   * A stream is one uninterrupted, well-formed stream of the request's own wire format: a healthy
   * one byte for byte, a broken one gone on with so that no reader learns of it, its usage that of
   * all attempts. What cannot be hidden ends as the provider itself would end it: in its last
   * response, or in its wire format's own error, on which the SDK throws. When there was no
   * response, it rejects with a TypeError whose `cause` is a {@link HoldfastError}; when nothing
   * could be asked (`closed`, `load_failed`), with that error itself; when aborted, with the
   * signal's reason. The body is read as fast as it is taken.
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * A conversation over WebSockets, whose server is reached at `baseURL` with `ws` for `http`.
   *
   * Gemini Live: `path` is the service's, `/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent`;
   * `setup` is the content of the setup message. Session resumption is asked for and the newest
   * handle kept; `sessionResumption: { handle }` goes on from one of yours, and `{ transparent: true }`
   * lets what the server has not consumed be sent again, where the server takes that.
   *
   * OpenAI and xAI: `path` is `/v1/responses`; `setup` holds what every `response.create` has in
   * common, and its `previous_response_id` is gone on from. Realtime sessions are not spoken.
   *
   * In a browser a socket cannot carry headers. **What signs it stands in the URL or in a
   * subprotocol instead, where logs and every script of the page can see it**: Gemini takes an
   * `apiKey` as `?key=` and a `token` as `?access_token=`, OpenAI and xAI either one as the
   * subprotocols `openai-insecure-api-key.…` and `xai-client-secret.…`. Give a short-lived token
   * that a server of yours makes; a function is asked before each connection. An `apiKey` needs
   * `dangerouslyAllowBrowser: true`, as for calls. In Node headers are used where the provider takes them.
   *
   * Never throws: an option at fault rejects `result`.
   */
  live(path: string, setup?: object | null, options?: LiveOptions): LiveSession;
  /** Breakers, gates, rate limits, the retries left, and the money. */
  health(): Promise<Health>;
  /** All of that as text, to be kept over a reload. It holds no key, prompt or answer. */
  snapshot(): Promise<string>;
  /** Takes up what `snapshot()` gave. Throws `bad_snapshot`, and changes nothing, when it is damaged or of another release. */
  restore(snapshot: string): Promise<void>;
  /** Cancels every call of this client, as `leave` does it, and frees it. */
  close(): void;
}

/**
 * Everything that Holdfast throws. `code` is a stable word: the failure's `reason` for what a
 * provider did, or one of `bad_option`, `bad_body`, `body_too_large`, `bad_snapshot`, `load_failed`,
 * `version_mismatch`, `program_died`, `closed`, and of `holdfast/store` `store_failed`. Ask for `name`
 * and `code` rather than for the class, of which a page with two copies of this package has two.
 */
export class HoldfastError extends Error {
  readonly name: "HoldfastError";
  readonly code: string;
  readonly decision?: Decision;
  readonly reason?: Reason;
  /** The failure that ended the call. `cause` is the first one, as a HoldfastError, when that was another; of a cancelled call it is the signal's reason. */
  readonly failure?: Failure;
  readonly attempts?: Attempt[];
  readonly retryAtMs?: number;
  /** Text that was shown before the failure. */
  readonly partial?: string;
  /** All of it but `cause` as plain data, for `JSON.stringify` and for `postMessage`, which drops all but the message from an error. */
  toJSON(): object;
}

/** Loads the program once; later calls share it. A load that failed can be tried again. */
export function createClient(options: ClientOptions): Promise<Client>;

/** Classifies one response. `body` may be text, bytes or parsed JSON. */
export function classify(provider: Provider, status: number, headers: Headers | Record<string, string> | [string, string][] | null | undefined, body: unknown): Promise<Failure | { decision: "success"; requestId?: string }>;

/** Whether sending the same request again may succeed, for an error thrown by an SDK, fetch or Holdfast. */
export function isRetryable(error: unknown, options: { provider: Provider }): Promise<boolean>;

/** The rate limits in a response's headers. */
export function parseRateLimits(provider: Provider, headers: Headers | Record<string, string> | [string, string][] | null | undefined): Promise<RateLimits>;

/** Releases the program. What is open ends with code `closed`; the next call loads the program again. */
export function unload(): void;

/** The version of this package. */
export const version: string;
