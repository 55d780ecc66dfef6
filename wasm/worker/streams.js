// Streams is a Durable Object that keeps one stream by the Durable Streams protocol: PUT creates it, POST
// appends, closes, or both, DELETE deletes; reading.js serves the readers. Forks are not part of it.
//
// Stream-Seq is compared within a stream, whoever writes. A producer's state and what it appends are
// written in one transaction.

import { DurableObject } from "cloudflare:workers";
import { configOf } from "./config.js";
import { errorResponse, Refusal } from "./errors.js";
import { bounded } from "./guard.js";
import { facts, gone, head, kindOf, offsetOf, read } from "./reading.js";
import { MAX_ROW_BYTES, Store } from "./store.js";

export class Streams extends DurableObject {
  #store = new Store(this.ctx.storage);

  async fetch(request) {
    try {
      if (this.#store.expired) await this.#store.delete();
      return await this.#serve(request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return errorResponse("openai", error);
    }
  }

  async alarm() {
    if (this.#store.expired) await this.#store.delete();
    else if (this.#store.stream?.diesAtMs) this.#store.dieAt(this.#store.stream.diesAtMs);
  }

  async #serve(request) {
    const store = this.#store;
    // All of the body first: what is decided below must not change while it comes.
    const body = request.method === "PUT" || request.method === "POST" ? await bounded(request, configOf(this.env).maxBodyBytes) : null;
    if (request.method === "PUT") return create(store, request, body);
    if (!store.stream) throw gone();
    switch (request.method) {
      case "GET":
        store.touch();
        return read(store, request);
      case "HEAD":
        return head(store);
      case "POST":
        return append(store, request.headers, body);
      case "DELETE":
        await store.delete();
        return new Response(null, { status: 204 });
    }
    throw new Refusal(405, "method_not_allowed", "A stream takes PUT, POST, GET, HEAD and DELETE.");
  }
}

/** PUT: the stream is there afterwards, as it was asked for. */
async function create(store, { url, headers }, body) {
  const settings = settingsOf(headers);
  const close = closes(headers);
  const had = store.stream;
  if (had) {
    const same =
      mediaOf(had.type) === mediaOf(settings.type) && had.ttlSeconds === settings.ttlSeconds && had.expiresAtMs === settings.expiresAtMs && (had.closed === 1) === close;
    if (!same) throw new Refusal(409, "stream_exists", "There is a stream of that name with other settings.");
  } else {
    const messages = body.length > 0 ? messagesOf(settings.type, body) : [];
    store.create(settings);
    await store.append(messages, { close });
    if (!store.stream) throw gone(); // deleted meanwhile
  }
  const answer = facts(store, store.safe);
  answer.set("content-type", store.stream.type);
  if (!had) answer.set("location", url);
  return new Response(null, { status: had ? 200 : 201, headers: answer });
}

/** POST: adds messages, closes, or both. */
async function append(store, headers, body) {
  const close = closes(headers);
  const producer = producerOf(headers);
  const writer = headers.get("stream-seq");
  const { stream } = store;
  const only = body.length === 0; // closes, and nothing more
  if (only && !close) throw new Refusal(400, "empty_body", "There is nothing to append.");
  if (!only && !headers.has("content-type")) throw new Refusal(400, "missing_content_type", "An append needs the stream's content type.");
  if (!only && mediaOf(headers.get("content-type")) !== mediaOf(stream.type)) throw new Refusal(409, "content_type_mismatch", `This stream is of ${stream.type}.`);
  const messages = only ? [] : messagesOf(stream.type, body);
  if (!only && messages.length === 0) throw new Refusal(400, "empty_body", "An empty list is nothing to append.");

  const answer = producer ? judge(producer, store.producer(producer.id)) : { fresh: true, headers: {} };
  if (answer.refused) return refuse(answer.refused, answer.headers);
  const closer = producer && JSON.stringify(producer);
  if (stream.closed === 1) {
    const again = producer ? stream.closer === closer : only;
    const said = { ...answer.headers, "stream-next-offset": offsetOf(store, store.tail), "stream-closed": "true" };
    if (again || !answer.fresh) return new Response(null, { status: 204, headers: said });
    return refuse(new Refusal(409, "stream_closed", "This stream is closed."), said);
  }
  if (answer.fresh) {
    if (writer !== null && stream.writer !== null && writer <= stream.writer) throw new Refusal(409, "sequence_regression", "Stream-Seq must grow with every append.");
    if (stream.ttlSeconds !== null) store.touch();
    await store.append(messages, {
      close,
      closer: close && producer ? closer : undefined,
      writer: writer ?? undefined,
      along: (sql) => producer && sql.exec("INSERT OR REPLACE INTO producers VALUES (?, ?, ?)", producer.id, producer.epoch, producer.seq),
    });
    if (!store.stream) throw gone(); // deleted meanwhile
  }
  const said = { ...answer.headers, "stream-next-offset": offsetOf(store, store.safe), ...(close && { "stream-closed": "true" }) };
  return new Response(null, { status: producer && answer.fresh && !only ? 200 : 204, headers: said });
}

/**
 * What an append is, by the state of its producer: the next one, one that is there already, or a refusal.
 * @returns {{fresh?: boolean, refused?: Refusal, headers: Record<string, string>}}
 */
function judge({ epoch, seq }, state) {
  const headers = { "producer-epoch": String(epoch), "producer-seq": String(seq) };
  if (!state || epoch > state.epoch) {
    if (seq === 0) return { fresh: true, headers };
    if (state) return { refused: new Refusal(400, "epoch_start", "A new epoch begins with Producer-Seq 0."), headers: {} };
    state = { epoch, seq: -1 };
  }
  if (epoch < state.epoch) {
    return { refused: new Refusal(403, "stale_epoch", "Another producer has taken over with a later epoch."), headers: { "producer-epoch": String(state.epoch) } };
  }
  if (seq <= state.seq) return { fresh: false, headers: { ...headers, "producer-seq": String(state.seq) } };
  if (seq === state.seq + 1) return { fresh: true, headers };
  const expected = { "producer-expected-seq": String(state.seq + 1), "producer-received-seq": String(seq) };
  return { refused: new Refusal(409, "sequence_gap", `Producer-Seq ${state.seq + 1} comes next.`), headers: expected };
}

function refuse(refusal, headers) {
  const response = errorResponse("openai", refusal);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

// What requests say.

const mediaOf = (type) => type.split(";")[0].trim().toLowerCase();
const closes = (headers) => headers.get("stream-closed")?.trim().toLowerCase() === "true";

/** @returns {import("./store.js").Settings} */
function settingsOf(headers) {
  const type = headers.get("content-type") ?? "application/octet-stream";
  const ttl = headers.get("stream-ttl");
  const expires = headers.get("stream-expires-at");
  if (!/^[\w.+-]+\/[\w.+-]+\s*(;.*)?$/.test(type)) throw new Refusal(400, "invalid_request", "Content-Type is not a media type.");
  if (ttl !== null && expires !== null) throw new Refusal(400, "invalid_request", "Stream-TTL and Stream-Expires-At exclude each other.");
  if (ttl !== null && !/^(0|[1-9]\d{0,9})$/.test(ttl)) throw new Refusal(400, "invalid_request", "Stream-TTL must be a whole number of seconds.");
  const expiresAtMs = expires === null ? null : Date.parse(expires);
  if (expires !== null && !(/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(expires) && expiresAtMs > 0)) {
    throw new Refusal(400, "invalid_request", "Stream-Expires-At must be a time as in RFC 3339.");
  }
  return { type, ttlSeconds: ttl === null ? null : Number(ttl), expiresAtMs };
}

function producerOf(headers) {
  const [id, epoch, seq] = ["producer-id", "producer-epoch", "producer-seq"].map((name) => headers.get(name));
  if (id === null && epoch === null && seq === null) return null;
  const whole = (text) => /^\d{1,16}$/.test(text ?? "") && Number(text) <= Number.MAX_SAFE_INTEGER;
  if (!id || !whole(epoch) || !whole(seq)) {
    throw new Refusal(400, "invalid_producer", "Producer-Id, Producer-Epoch and Producer-Seq belong together; the latter two are whole numbers.");
  }
  return { id, epoch: Number(epoch), seq: Number(seq) };
}

/** The messages in a body. */
function messagesOf(type, body) {
  if (kindOf(type) !== "json") return pieces(body);
  let values;
  try {
    values = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body), exact);
  } catch {
    throw new Refusal(400, "invalid_json", "The body must be JSON.");
  }
  return (Array.isArray(values) ? values : [values]).map((value) => JSON.stringify(value));
}

/** Numbers keep their digits. */
const exact = (key, value, { source }) => (typeof value === "number" && String(value) !== source ? JSON.rawJSON(source) : value);

/** A long body in rows, none of which ends within a character of UTF-8. */
function pieces(body) {
  const parts = [];
  for (let at = 0; at < body.length; ) {
    let end = Math.min(at + MAX_ROW_BYTES, body.length);
    for (let back = 0; back < 3 && end < body.length && (body[end] & 0xc0) === 0x80; back++) end--;
    parts.push(body.slice(at, end));
    at = end;
  }
  return parts;
}
