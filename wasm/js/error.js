// HoldfastError: everything that Holdfast throws, and how errors of others are described to the program.

/** @typedef {import("./holdfast.d.ts").Failure} Failure */

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

  /**
   * The error for what a provider did. `first` becomes the cause when it is another failure.
   * @param {Failure} failure
   * @param {Failure | null} [first]
   * @param {object} [facts]
   */
  static of(failure, first, facts) {
    const cause = first && JSON.stringify(first) !== JSON.stringify(failure) ? HoldfastError.of(first) : undefined;
    const { decision, reason } = failure;
    const code = failure.code === "body_too_large" ? failure.code : reason; // our own limit, not the provider's
    return new HoldfastError(code, failure.message, { decision, reason, failure, cause, ...facts });
  }
}
// On the prototype, so that the name survives minifiers and does not clutter a printed error.
Object.defineProperty(HoldfastError.prototype, "name", { value: "HoldfastError", writable: true, configurable: true });

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
  queueMicrotask(() => {
    if (typeof reportError === "function") reportError(error);
    else throw error;
  });
}

/** What the program wants to know of a failed exchange. It never throws, whatever was thrown. */
export function describeFailure(error) {
  const { name, message, code } = describeError(error);
  return { name, message, code };
}

/**
 * An error of an SDK, of fetch or of Holdfast as plain data. Every field is optional.
 * @returns {{name?: string, message?: string, code?: string, type?: string, status?: number,
 *   headers?: [string, string][], body?: unknown}}
 */
export function describeError(error) {
  const read = (object, key) => {
    try {
      return object?.[key];
    } catch {
      return undefined; // a hostile getter tells nothing
    }
  };
  const text = (value) => (typeof value === "string" && value !== "" ? value : undefined);
  if (typeof error === "string") return { name: "Error", message: error };

  const cause = read(error, "cause");
  const response = read(error, "response");
  // Node hides what happened to a socket ("ECONNRESET") in the cause of "fetch failed".
  const code = read(error, "code") ?? read(cause, "code") ?? read(error, "errno");
  const message = [text(read(error, "message")), text(read(cause, "message"))].filter(Boolean).join(": ");
  const status = [read(error, "status"), read(error, "statusCode"), read(response, "status")].find(Number.isInteger);
  return {
    name: text(read(error, "name")) ?? "Error",
    message: message || "the exchange failed without saying why",
    code: typeof code === "number" || typeof code === "string" ? String(code) : undefined,
    type: text(read(error, "type")),
    status,
    headers: headerPairs(read(error, "headers") ?? read(error, "responseHeaders") ?? read(response, "headers")),
    body: read(error, "error") ?? read(error, "responseBody") ?? read(error, "body"),
  };
}

/**
 * Headers in any shape (Headers, plain object, Map, pairs, nothing) as pairs of strings.
 * @returns {[string, string][]}
 */
export function headerPairs(headers) {
  /** @type {[string, string][]} */
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
