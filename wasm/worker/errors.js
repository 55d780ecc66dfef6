// Errors are what the gateway itself says, in the form of the API that was asked: official SDKs know
// these shapes, and throw what they throw for the provider's own. Those of providers come from core/translate.

import { HoldfastError } from "../js/error.js";

/** By status: OpenAI's type, Anthropic's type, google.rpc.Code. */
const NAMES = {
  400: ["invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"],
  401: ["authentication_error", "authentication_error", "UNAUTHENTICATED"],
  402: ["insufficient_quota", "billing_error", "RESOURCE_EXHAUSTED"],
  403: ["permission_error", "permission_error", "PERMISSION_DENIED"],
  404: ["invalid_request_error", "not_found_error", "NOT_FOUND"],
  405: ["invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"],
  409: ["invalid_request_error", "invalid_request_error", "ABORTED"],
  410: ["invalid_request_error", "not_found_error", "NOT_FOUND"],
  413: ["invalid_request_error", "request_too_large", "INVALID_ARGUMENT"],
  415: ["invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"],
  429: ["rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED"],
  500: ["server_error", "api_error", "INTERNAL"],
  502: ["server_error", "api_error", "INTERNAL"],
  503: ["service_unavailable_error", "overloaded_error", "UNAVAILABLE"],
  504: ["timeout_error", "timeout_error", "DEADLINE_EXCEEDED"],
};

/** What may be otherwise when the same request comes again. */
const AGAIN = new Set([429, 503]);

/** A request that ends here. */
export class Refusal extends Error {
  /** @param {number} [retryAtMs] when it may be worth another try */
  constructor(status, code, message, retryAtMs) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAtMs = retryAtMs;
  }
}

/** An error as a value of its form: openai, responses, anthropic, gemini or gloo. */
export function errorBody(form, { status, code, message }) {
  const [openai, anthropic, google] = NAMES[status];
  switch (form) {
    case "anthropic":
      return { type: "error", error: { type: anthropic, message } };
    case "gemini":
      return { error: { code: status, message, status: google } };
    case "gloo": {
      const [category, fault] = status < 500 ? ["client_error", "client"] : ["internal_error", "internal"];
      return { error: { message, type: openai, code, name: code.toUpperCase(), category, fault, retryable: AGAIN.has(status) } };
    }
  }
  return { error: { message, type: openai, param: null, code } };
}

/** The same as the last event of a stream, whose events are Server-Sent Events. */
export function errorEvent(form, error) {
  if (form === "responses") {
    return `event: error\ndata: ${JSON.stringify({ type: "error", code: error.code, message: error.message, param: null })}\n\n`;
  }
  const data = `data: ${JSON.stringify(errorBody(form, error))}\n\n`;
  return form === "anthropic" ? `event: error\n${data}` : data;
}

export function errorResponse(form, error) {
  const headers = { "content-type": "application/json" };
  // What is wrong with the request is wrong with the next one, and what could be retried has been.
  if (!AGAIN.has(error.status)) headers["x-should-retry"] = "false";
  if (error.retryAtMs) headers["retry-after"] = String(Math.max(1, Math.ceil((error.retryAtMs - Date.now()) / 1000)));
  return new Response(JSON.stringify(errorBody(form, error)), { status: error.status, headers });
}

/** What failed without a response, as a Refusal. */
export function refusalOf(error) {
  if (error instanceof Refusal) return error;
  const known = error instanceof HoldfastError ? error : error?.cause;
  const { code, failure, message, retryAtMs } = known ?? {};
  if (code === "budget") return new Refusal(402, "insufficient_quota", "What is left of this token's money does not cover another attempt.");
  if (!(known instanceof HoldfastError) || OURS.has(code)) {
    console.error("holdfast:", error?.stack ?? error);
    return new Refusal(500, "internal_error", "The gateway failed; its log tells why.");
  }
  return new Refusal(STATUS[code] ?? 502, code, failure?.developerMessage ?? message, retryAtMs);
}

const STATUS = { timeout: 504, deadline: 504, idle_timeout: 504, circuit_open: 503, program_died: 503, invalid_request: 400, body_too_large: 413 };
/** What is wrong with the gateway, and nobody's business outside. */
const OURS = new Set(["bad_option", "load_failed", "version_mismatch", "closed"]);
