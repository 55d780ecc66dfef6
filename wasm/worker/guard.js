// Guard lets in what is harmless: the pages of an origin, bodies of a bounded size and depth.

import { joined } from "./bytes.js";
import { Refusal } from "./errors.js";

/** The origin of a page that may call, "" when no page calls. */
export function originOf(config, headers) {
  const origin = headers.get("origin");
  if (origin === null) return "";
  if (!config.origins.has(origin)) throw new Refusal(403, "origin_not_allowed", "Pages of this origin may not call this gateway.");
  return origin;
}

/** The answer to a browser that asks before it calls. */
export function preflight(headers) {
  const asked = headers.get("access-control-request-headers");
  const answer = new Headers({ "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE", "access-control-max-age": "600" });
  if (asked && /^[\w-]+( *, *[\w-]+)*$/.test(asked)) answer.set("access-control-allow-headers", asked);
  return new Response(null, { status: 204, headers: answer });
}

/** Lets the page read the response, and every header of it. */
export function allow(origin, headers) {
  headers.append("vary", "origin");
  if (origin === "") return;
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", [...headers.keys()].filter((name) => !name.startsWith("access-control-")).join(", "));
}

/**
 * The body of a request, or a refusal. What is a little too long is read to its end, though not kept:
 * a client that is cut off while it sends may never read the answer.
 */
export async function bounded(request, limit) {
  const tooLarge = () => new Refusal(413, "request_too_large", `This gateway takes bodies of up to ${limit} bytes.`);
  const coding = request.headers.get("content-encoding");
  if (coding && !/^identity$/i.test(coding)) throw new Refusal(415, "unsupported_encoding", "This gateway takes bodies without a Content-Encoding.");
  const told = Number(request.headers.get("content-length") ?? Infinity);
  if (told > 2 * limit && told < Infinity) throw tooLarge();
  let bytes;
  try {
    bytes = told <= limit ? new Uint8Array(await request.arrayBuffer()) : await upTo(request.body ?? [], limit);
  } catch {
    throw new Refusal(400, "invalid_request", "The body broke off, or is not sent as its headers say.");
  }
  if (bytes === null) throw tooLarge();
  return bytes;
}

/** The bytes of a body, or null when there are more. */
async function upTo(body, limit) {
  const chunks = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    if (size > 2 * limit) break;
  }
  return size <= limit ? joined(chunks) : null;
}

/** As deep as core/json reads. Providers nest about ten deep. */
const MAX_DEPTH = 64;
const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE, LIST, END] = new TextEncoder().encode('"\\:{}[]');

/**
 * Refuses a body of JSON that is too deep, or in which an object says something twice: of two, every
 * reader takes another one. It looks at each byte once; what is no JSON, its reader finds out.
 * @param {Uint8Array} bytes
 */
export function shallow(bytes) {
  /** By depth: the names of the object there so far. @type {Set<string>[]} */
  const names = [];
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      const begin = i;
      while (++i < bytes.length && bytes[i] !== QUOTE) if (bytes[i] === BACKSLASH) i++;
      if (next(bytes, i + 1) === COLON) once((names[Math.max(depth, 0)] ??= new Set()), nameIn(bytes, begin + 1, i));
    } else if (byte === OPEN || byte === LIST) {
      if (++depth > MAX_DEPTH) throw new Refusal(400, "invalid_request", `The body is nested more than ${MAX_DEPTH} deep.`);
      names[depth]?.clear();
    } else if (byte === CLOSE || byte === END) depth--;
  }
}

/** The first byte from a place on that is no white space. */
function next(bytes, at) {
  while (bytes[at] === 0x20 || (bytes[at] >= 0x09 && bytes[at] <= 0x0d)) at++;
  return bytes[at];
}

const decoder = new TextDecoder();

/** A name that stands between two quotes. Most are short words of ASCII, and there may be a million. */
function nameIn(bytes, begin, end) {
  let name = "";
  for (let i = begin; i < end; i++) {
    if (bytes[i] === BACKSLASH || bytes[i] >= 0x80) return written(decoder.decode(bytes.subarray(begin, end)));
    name += String.fromCharCode(bytes[i]);
  }
  return name;
}

function written(name) {
  try {
    return JSON.parse(`"${name}"`);
  } catch {
    return name; // no JSON: its reader finds out
  }
}

function once(names, name) {
  if (names.has(name)) throw new Refusal(400, "invalid_request", `The body says ${JSON.stringify(name.slice(0, 100))} twice.`);
  names.add(name);
}
