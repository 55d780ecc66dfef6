// Strict checks of what the user passes: options that exist, values that are JSON, headers that can be sent.

import { HoldfastError, badOption } from "./error.js";

/** Larger bodies are refused here, before they fill the program's memory; smaller limits are the policy's. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Text as UTF-8. Importing makes no TextEncoder. */
export const encodeText = (text) => (encoder ??= new TextEncoder()).encode(text);
let encoder;

/**
 * Splits options into those that JavaScript keeps, each checked, and the others, which the
 * program checks by name and type. Absent and undefined are the same.
 * @param {unknown} options
 * @param {Record<string, (value: any, key: string) => void>} own
 * @param {string} where
 */
export function splitOptions(options, own, where) {
  if (options === undefined || options === null) options = {};
  if (typeof options !== "object" || Array.isArray(options)) throw badOption(where, "must be an object");
  const kept = {};
  const rest = {};
  try {
    for (const [key, value] of Object.entries(options)) {
      if (value === undefined) continue;
      if (Object.hasOwn(own, key)) {
        own[key](value, key);
        kept[key] = value;
      } else {
        // The program says what it should have been, or that there is no such option.
        rest[key] = typeof value === "function" ? null : value;
        checkJSON(rest[key], key, "bad_option");
        if (key === "headers") checkHeaders(value);
      }
    }
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    throw new HoldfastError("bad_option", `${where}: the options cannot be read: ${error?.message ?? error}`, { cause: error });
  }
  return { kept, rest };
}

/** Kinds of objects that may be empty. */
const PLAIN = new Set(["Object", "Array", "String", "Number", "Boolean"]);

/** Throws unless value crosses to JSON without loss; names the path of what does not. */
export function checkJSON(value, path, code, above = []) {
  const bad = (problem) => new HoldfastError(code, `${path}: ${problem}`);
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (!Number.isFinite(value)) throw bad(`${value} is not a JSON number`);
      return;
    case "undefined":
      if (Array.isArray(above.at(-1))) throw bad("undefined is not a JSON value");
      return; // a member that is left out
    case "object":
      break;
    default:
      throw bad(`a ${typeof value} is not a JSON value`);
  }
  if (value === null) return;
  if (above.includes(value)) throw bad("refers back to itself");
  if (typeof value.toJSON === "function") return checkJSON(value.toJSON(), path, code, [...above, value]);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) throw bad("bytes are not a JSON value; encode them, for example as base64");
  // JSON would make {} of a Blob, a Map or an Error.
  const kind = value.constructor?.name;
  if (typeof value.then === "function" || (typeof kind === "string" && !PLAIN.has(kind) && Object.keys(value).length === 0)) {
    throw bad(`a ${kind ?? "promise"} is not a JSON value`);
  }
  if (above.length > 512) throw bad("is nested too deeply");
  above.push(value);
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) checkJSON(value[i], `${path}[${i}]`, code, above);
  else for (const key of Object.keys(value)) checkJSON(value[key], `${path}.${key}`, code, above);
  above.pop();
}

/** A request body as the bytes of its JSON. Text and bytes are taken as JSON already. */
export function encodeBody(body) {
  let bytes;
  if (typeof body === "string") bytes = encodeText(body);
  else if (body instanceof ArrayBuffer) bytes = new Uint8Array(body.slice(0));
  else if (ArrayBuffer.isView(body)) bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  else {
    if (body === undefined) throw new HoldfastError("bad_body", "body: is missing");
    bytes = encodeJSON(body, "body", "bad_body");
  }
  if (bytes.length > MAX_BODY_BYTES) throw new HoldfastError("body_too_large", `body: ${bytes.length} bytes are more than ${MAX_BODY_BYTES}`);
  return bytes;
}

/** A checked value as the bytes of its JSON. */
export function encodeJSON(value, path, code) {
  try {
    checkJSON(value, path, code);
    return encodeText(JSON.stringify(value));
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    throw new HoldfastError(code, `${path}: cannot be read: ${error?.message ?? error}`, { cause: error });
  }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether value can stand in an HTTP header. */
export function isHeaderValue(value) {
  return typeof value === "string" && FIELD_VALUE.test(value);
}

function checkHeaders(headers) {
  if (headers === null || typeof headers !== "object" || Array.isArray(headers) || typeof headers.forEach === "function") {
    throw badOption("headers", "must be a plain object of names and values");
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name)) throw badOption("headers", `${JSON.stringify(name)} is not a header name`);
    // The value is not quoted: it may be a secret.
    if (value !== undefined && !isHeaderValue(value)) throw badOption(`headers.${name}`, "is not a header value: one line of Latin-1 text");
  }
}

/** Checks for the options that JavaScript keeps. */
export const must = {
  /** A function. */
  call(value, key) {
    if (typeof value !== "function") throw badOption(key, "must be a function");
  },
  /** `true` or `false`. */
  flag(value, key) {
    if (typeof value !== "boolean") throw badOption(key, "must be true or false");
  },
  /** Text to find something by. */
  name(value, key) {
    if (typeof value !== "string" || value === "") throw badOption(key, "must be text that is not empty");
  },
  /** A list. */
  list(value, key) {
    if (!Array.isArray(value)) throw badOption(key, "must be a list");
  },
  /** A credential. The message never quotes it. */
  secret(value, key) {
    if (typeof value !== "string" || value === "") throw badOption(key, "must be text that is not empty");
    if (!isHeaderValue(value) || value.trim() !== value) throw badOption(key, "holds characters that cannot stand in a header, such as a line break at its end");
  },
  /** A credential, or a function that gives one. */
  token(value, key) {
    if (typeof value !== "function") must.secret(value, key);
  },
  /** An AbortSignal, also of another realm. */
  signal(value, key) {
    if (typeof value?.aborted !== "boolean" || typeof value.addEventListener !== "function") throw badOption(key, "must be an AbortSignal");
  },
  /** Where the program is; what else it may not be is found when it is loaded. */
  program(value, key) {
    if (typeof value !== "string" && (typeof value !== "object" || value === null)) throw badOption(key, "must be a URL, bytes, a WebAssembly.Module or a Response");
  },
  /** The text to go on from, or an answer's result. */
  continues(value, key) {
    if (typeof (value?.text ?? value) !== "string") throw badOption(key, "must be text, or an object with text");
  },
};
