// Reading serves a stream to those who read it, by the Durable Streams protocol: what there is, a wait
// for more (long-poll), or all that comes (Server-Sent Events).
//
// https://github.com/durable-streams/durable-streams/blob/main/PROTOCOL.md

import { joined } from "./bytes.js";
import { Refusal } from "./errors.js";

/** What one response or event holds at most, unless one message is longer. */
const MAX_BATCH_BYTES = 1 << 20;
const MAX_EVENT_BYTES = 1 << 16;
const LONG_POLL_MS = 15_000;
/** A connection ends after so long, and the client comes back; caches in between can collapse readers. */
const CONNECTION_MS = 60_000;
/** After so long a silence a comment asks whether the client is still there: only a write tells. */
const PING_MS = 5000;
/** Cursors count intervals of time, so that no cache answers a long-poll with the same nothing for ever. */
const CURSOR_EPOCH_MS = Date.UTC(2024, 9, 9);
const CURSOR_INTERVAL_MS = 20_000;

const encoder = new TextEncoder();

/** The kind of a media type: how its messages become bodies and events. */
export function kindOf(type) {
  const [media] = type.split(";");
  if (/^\s*application\/json\s*$/i.test(media)) return "json";
  return /^\s*text\//i.test(media) ? "text" : "bytes";
}

/** The offset behind message n. */
export const offsetOf = (store, n) => `${store.stream.incarnation}_${String(n).padStart(12, "0")}`;

/** What every response about a stream says. */
export function facts(store, n) {
  const headers = new Headers({ "stream-next-offset": offsetOf(store, n) });
  if (n === store.safe) headers.set("stream-up-to-date", "true");
  if (n === store.safe && store.ended) headers.set("stream-closed", "true");
  return headers;
}

/** HEAD: what there is to know without reading. */
export function head(store) {
  const { type, ttlSeconds, diesAtMs } = store.stream;
  const headers = facts(store, store.safe);
  headers.delete("stream-up-to-date");
  headers.set("content-type", type);
  headers.set("cache-control", "no-store");
  if (ttlSeconds !== null) headers.set("stream-ttl", String(Math.max(0, Math.ceil((diesAtMs - Date.now()) / 1000))));
  else if (diesAtMs !== null) headers.set("stream-expires-at", new Date(diesAtMs).toISOString());
  return new Response(null, { headers });
}

/** GET in each of its modes. @param {import("./store.js").Store} store */
export async function read(store, request) {
  const { searchParams } = new URL(request.url);
  const [offset = null, ...more] = searchParams.getAll("offset");
  const live = searchParams.get("live");
  const cursor = searchParams.get("cursor");
  if (more.length > 0) throw new Refusal(400, "invalid_offset", "There must be one offset.");
  if (live !== null && offset === null) throw new Refusal(400, "missing_offset", "A live read needs an offset: -1 is the beginning, now is the end.");
  const from = position(store, offset ?? "-1");
  switch (live) {
    case null:
      return caughtUp(store, request, from, offset === "now");
    case "long-poll":
      return longPoll(store, request, from, cursor);
    case "sse":
      return events(store, from, cursor);
  }
  throw new Refusal(400, "invalid_request", "live must be long-poll or sse.");
}

/** The number of the message behind which an offset stands. */
function position(store, offset) {
  if (offset === "-1") return 0;
  if (offset === "now") return store.safe;
  const [, incarnation, n] = /^([0-9a-f]{8})_(\d{12})$/.exec(offset) ?? [];
  if (!n) throw new Refusal(400, "invalid_offset", "That is no offset of this gateway.");
  if (incarnation !== store.stream.incarnation || Number(n) > store.safe) {
    throw new Refusal(410, "offset_gone", "That offset is of a stream that is no more; -1 is the beginning of this one.");
  }
  return Number(n);
}

function caughtUp(store, request, from, now) {
  const { messages, next } = now ? { messages: [], next: from } : store.read(from, MAX_BATCH_BYTES);
  const headers = facts(store, next);
  headers.set("content-type", store.stream.type);
  // What a browser keeps it must ask for again: the next who asks may hold another token.
  headers.set("cache-control", now ? "no-store" : "private, no-cache");
  if (!now) {
    const etag = `"${offsetOf(store, from)}:${next}${headers.has("stream-closed") ? ":closed" : ""}"`;
    headers.set("etag", etag);
    const known = (request.headers.get("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    if (known.includes(etag)) return new Response(null, { status: 304, headers });
  }
  return new Response(bodyOf(store, messages), { headers });
}

async function longPoll(store, request, from, cursor) {
  const { incarnation } = store.stream;
  await store.more(from, LONG_POLL_MS);
  if (store.stream?.incarnation !== incarnation) throw gone();
  if (store.safe > from) {
    const response = caughtUp(store, request, from, false);
    response.headers.set("stream-cursor", cursorAfter(cursor));
    return response;
  }
  const headers = facts(store, from);
  headers.set("cache-control", "no-store");
  headers.set("stream-cursor", cursorAfter(cursor));
  return new Response(null, { status: 204, headers });
}

function events(store, from, cursor) {
  const { readable, writable } = new IdentityTransformStream();
  send(store, writable.getWriter(), from, cursor).catch(() => {}); // the client has left
  const headers = new Headers({ "content-type": "text/event-stream", "cache-control": "private, no-cache" });
  if (kindOf(store.stream.type) === "bytes") headers.set("stream-sse-data-encoding", "base64");
  return new Response(readable, { headers });
}

async function send(store, writer, from, cursor) {
  const end = Date.now() + CONNECTION_MS;
  const { incarnation } = store.stream;
  const begin = Number(cursorAfter(cursor));
  const write = (text) => writer.write(encoder.encode(text));
  let at = from;
  for (let first = true; store.stream?.incarnation === incarnation; first = false) {
    const { messages, next } = store.read(at, MAX_EVENT_BYTES);
    at = next;
    const upToDate = at === store.safe;
    const closed = upToDate && store.ended;
    if (messages.length > 0 || closed || first) {
      const control = { streamNextOffset: offsetOf(store, at), ...(closed ? { streamClosed: true } : { streamCursor: String(Math.max(begin, interval())) }), ...(upToDate && { upToDate }) };
      await write(`${messages.length > 0 ? dataEvent(store, messages) : ""}event: control\ndata:${JSON.stringify(control)}\n\n`);
    } else {
      await write(": ping\n\n");
    }
    if (closed || Date.now() >= end) break;
    await store.more(at, PING_MS);
  }
  await writer.close();
}

function dataEvent(store, messages) {
  const body = bodyOf(store, messages);
  const text = kindOf(store.stream.type) === "bytes" ? body.toBase64() : typeof body === "string" ? body : new TextDecoder().decode(body);
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data:${line.startsWith(" ") ? " " : ""}${line}\n`); // parsers drop one space
  return `event: data\n${lines.join("")}\n`;
}

/** Messages as the body of a response: of JSON one array, of anything else its bytes. */
function bodyOf(store, messages) {
  if (kindOf(store.stream.type) === "json") return `[${messages.join(",")}]`;
  return joined(messages);
}

const interval = () => Math.floor((Date.now() - CURSOR_EPOCH_MS) / CURSOR_INTERVAL_MS);

/** A cursor of now, but behind the one that the client has. */
function cursorAfter(cursor) {
  const now = interval();
  const had = /^\d{1,12}$/.test(cursor ?? "") ? Number(cursor) : -1;
  return String(had < now ? now : had + 1 + Math.floor((Math.random() * 3600_000) / CURSOR_INTERVAL_MS));
}

export const gone = () => new Refusal(404, "not_found", "There is no such stream.");
