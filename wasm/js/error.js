// HoldfastError: everything that Holdfast throws, and how errors of others are described to the program.

import { soon } from "./host.js";

export class HoldfastError extends Error {
  /**
   * @param {string} code a stable word: a failure's reason, or one of Holdfast's own (`bad_option`, …)
   * @param {string} message
   * @param {object} [facts] decision, reason, failure, attempts, retryAtMs, partial, cause
   */
  constructor(code, message, { cause, ...facts } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    for (const [name, value] of Object.entries(facts)) {
      if (value !== undefined) this[name] = value;
    }
  }

  /** What JSON.stringify makes of it, for logs and for messages between workers: an Error's own words would be left out. */
  toJSON() {
    return { name: this.name, message: this.message, ...this };
  }

  /** The error for what a provider did, a Failure. `first` becomes the cause when it is another one. */
  static of(failure, first, facts) {
    const cause = first && JSON.stringify(first) !== JSON.stringify(failure) ? HoldfastError.of(first) : undefined;
    const { decision, reason } = failure;
    const code = failure.code === "body_too_large" ? failure.code : reason; // our own limit, not the provider's
    return new HoldfastError(code, failure.message, { decision, reason, failure, cause, ...facts });
  }
}

// On the prototype, so that the name survives minifiers and does not clutter a printed error.
Object.defineProperty(HoldfastError.prototype, "name", { value: "HoldfastError", writable: true, configurable: true });

/** Whether an error is a HoldfastError, also of another copy of this module. */
export function isHoldfastError(error) {
  return read(error, "name") === "HoldfastError" && typeof read(error, "code") === "string";
}

/** An error as the program told it, {code, message}, or the one that ended it. */
export function programError(error) {
  return error instanceof HoldfastError ? error : new HoldfastError(error.code, error.message);
}

/** An error that names the option at fault. */
export function badOption(path, problem) {
  return new HoldfastError("bad_option", `${path}: ${problem}`);
}

/** Calls a function of the user. What it throws, at once or later, does not come back to harm the call. */
export function callBack(callback, value) {
  try {
    const given = callback(value);
    if (typeof given?.then === "function") given.then(undefined, reportLater);
  } catch (error) {
    reportLater(error);
  }
}

/** Hands an error of user code to the host's last resort. */
export function reportLater(error) {
  soon(() => {
    if (typeof reportError === "function") reportError(error);
    else throw error;
  });
}

/** Runs what may fail, at once or later, without anybody to tell. */
export async function quietly(run) {
  try {
    await run();
  } catch {
    // Nothing needs to be done.
  }
}

/** What the program wants to know of a failed exchange. It never throws, whatever was thrown. */
export function describeFailure(error) {
  const { name, message, code, causeCode, causeMessage } = describeError(error);
  const words = [message, causeMessage].filter(Boolean).join(": ");
  return { name, message: words || "the exchange failed without saying why", code: code ?? causeCode };
}

/** What is looked at of an error that was caused by an error that was caused by … */
const MAX_CAUSES = 5;

/** A property, or undefined where a hostile getter throws. */
function read(object, key) {
  try {
    return object?.[key];
  } catch {
    return undefined;
  }
}

export const text = (value) => (typeof value === "string" && value !== "" ? value : undefined);
const word = (value) => (typeof value === "number" ? String(value) : text(value));

/** The error, what it gave up on (AI_RetryError) or was caused by, and so on. */
export function causesOf(error) {
  const chain = [error];
  while (chain.length <= MAX_CAUSES) {
    const next = read(chain.at(-1), "lastError") ?? read(chain.at(-1), "cause");
    if (next === undefined || next === null) break;
    chain.push(next);
  }
  return chain;
}

const statusOf = (error) => [read(error, "status"), read(error, "statusCode"), read(read(error, "response"), "status")].find(Number.isInteger);
/** The provider's words: in OpenAI's and Anthropic's SDK, in the AI SDK (value: an event that it did not expect), elsewhere. */
const BODIES = ["error", "responseBody", "data", "value", "body"];

function bodyOf(error) {
  const key = BODIES.find((key) => (read(error, key) ?? undefined) !== undefined);
  const body = key ? read(error, key) : read(read(error, "response"), "data"); // axios, gaxios
  if (body !== undefined && body !== null) return body;
  // The AI SDK also throws what Anthropic sent, as it is: no Error at all.
  return typeof error === "object" && read(error, "stack") === undefined ? error : undefined;
}

/**
 * An error of an SDK or of fetch as plain data, collected without asking for its class. Its shape is
 * that of core/fault/sdk.go; every field is optional.
 */
export function describeError(error) {
  if (typeof error === "string") return { name: "Error", message: error };
  // What answered says more than what wraps it, and Node hides what happened to a socket
  // ("ECONNRESET") in the cause of "fetch failed".
  const chain = causesOf(error);
  const at = Math.max(0, chain.findIndex((e) => statusOf(e) !== undefined));
  const causes = chain.slice(at + 1);
  const own = chain[at];
  const names = causes.map((cause) => text(read(cause, "name"))).filter(Boolean);
  const retryable = read(own, "isRetryable");
  return {
    name: text(read(own, "name")) ?? "Error",
    message: text(read(own, "message")),
    code: word(read(own, "code")),
    type: text(read(own, "type")),
    status: statusOf(own),
    causeName: names.find((name) => name !== "Error" && name !== "TypeError") ?? names[0],
    causeCode: causes.map((cause) => word(read(cause, "code"))).find(Boolean),
    causeMessage: causes.map((cause) => text(typeof cause === "string" ? cause : read(cause, "message"))).filter(Boolean).join(": ") || undefined,
    headers: headerPairs(read(own, "headers") ?? read(own, "responseHeaders") ?? read(read(own, "response"), "headers")),
    body: bodyOf(own),
    aiRetryable: typeof retryable === "boolean" ? retryable : undefined,
  };
}

/**
 * Headers in any shape (Headers, plain object, Map, pairs, nothing) as pairs of strings.
 * @returns {[string, string][]}
 */
export function headerPairs(headers) {
  const pairs = [];
  const add = (name, value) => {
    if (value === undefined || value === null || typeof value === "function") return;
    pairs.push([String(name).toLowerCase(), Array.isArray(value) ? value.join(", ") : String(value)]);
  };
  try {
    if (headers === null || typeof headers !== "object") return pairs;
    if (typeof headers[Symbol.iterator] === "function") for (const [name, value] of headers) add(name, value);
    else if (typeof headers.get === "function" && typeof headers.forEach === "function") headers.forEach((value, name) => add(name, value));
    else for (const [name, value] of Object.entries(headers)) add(name, value);
  } catch {
    // Headers that cannot be read tell nothing; what was read counts.
  }
  return pairs;
}
