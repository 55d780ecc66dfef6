// Holdfast keeps an LLM answer alive. This is its JavaScript face; importing it does nothing until it is called.

import { Client } from "./client.js";
import { badOption, causesOf, describeError, headerPairs, HoldfastError, isHoldfastError } from "./error.js";
import { encodeBody, encodeJSON, encodeText } from "./check.js";
import { load, unload } from "./program.js";

export { HoldfastError, unload };

export const version = "0.1.0";

/** @type {typeof import("./holdfast.d.ts").createClient} */
export function createClient(options) {
  return Client.create(options);
}

/** @type {typeof import("./holdfast.d.ts").classify} */
export async function classify(provider, status, headers, body) {
  if (!Number.isInteger(status)) throw badOption("status", "must be a whole number");
  const question = encodeJSON({ provider, status, headers: headerPairs(headers) }, "classify", "bad_option");
  const bytes = encodeBody(body ?? "");
  const port = await load();
  return port.ask((target) => port.classify(target, question, bytes));
}

/** @type {typeof import("./holdfast.d.ts").isRetryable} */
export async function isRetryable(error, options) {
  const { provider } = options ?? {};
  const ours = causesOf(error).find(isHoldfastError);
  if (ours) {
    // It knows. A program that died or could not be loaded is loaded again by the next call.
    return ours.decision ? ours.decision === "retry" : ours.code === "program_died" || ours.code === "load_failed";
  }
  const described = describeError(error);
  try {
    JSON.stringify(described.body);
  } catch {
    described.body = undefined;
  }
  const question = encodeText(JSON.stringify({ provider, error: described }));
  const port = await load();
  return port.ask((target) => port.retryable(target, question));
}

/** @type {typeof import("./holdfast.d.ts").parseRateLimits} */
export async function parseRateLimits(provider, headers) {
  const question = encodeJSON({ provider, headers: headerPairs(headers) }, "parseRateLimits", "bad_option");
  const port = await load();
  return port.ask((target) => port.limits(target, question, Date.now()));
}
