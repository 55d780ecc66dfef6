// Guard lets in whom the configuration names: tokens, the pages of an origin, bodies of a bounded size.

import { Refusal } from "./errors.js";

/** The name of whoever sent a token, in any header where an official SDK puts its key. */
export async function authenticate(config, headers) {
  const token = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? headers.get("x-api-key") ?? headers.get("x-goog-api-key");
  if (!token) throw new Refusal(401, "missing_token", "A token of this gateway is needed where the API key usually stands.");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)));
  let owner = null;
  for (const { name, hash: known } of config.tokens) {
    if (same(hash, known)) owner = name; // no early end: the time tells nothing
  }
  if (owner === null) throw new Refusal(401, "invalid_token", "This gateway does not know that token.");
  return owner;
}

/** Compares in a time that does not depend on the bytes. */
function same(a, b) {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
  return difference === 0;
}

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
  if (Number(request.headers.get("content-length")) > 2 * limit) throw tooLarge();
  const chunks = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    if (size > 2 * limit) break;
  }
  if (size > limit) throw tooLarge();
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
