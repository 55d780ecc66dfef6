// Fetch is fetch for official SDKs: what asks a model becomes a call, everything else passes untouched.

import { HoldfastError } from "./error.js";
import { encodeText } from "./check.js";
import { Call } from "./call.js";
import { newId, pageURL } from "./host.js";

/**
 * @param {import("./session.js").Session} session
 * @param {RequestInfo | URL} input
 * @param {RequestInit} [init]
 * @param {{provider?: string, chain?: number[], form?: boolean}} [route] a gateway's: see wasm/bind/fetch.go
 * @param {(call: Call, left: () => void, headers: [string, string][]) => Body} [open] makes the body of a call's
 *   response; left is to be called when nobody reads it any more
 * @returns {Promise<Response>}
 *
 * @typedef {object} Body
 * @property {ReadableStream} readable
 * @property {(bytes: Uint8Array) => void} write
 * @property {() => void} close
 * @property {(error: Error, last?: Uint8Array) => void} fail behind what was written, and behind a last chunk
 */
export async function fetchThrough(session, input, init, route, open = pulled) {
  const asked = await read(input, init);
  if (!asked) return session.fetch(input, init);
  const { url, headers, body, signal, plain } = asked;
  if (signal?.aborted) throw signal.reason;
  const port = await session.attach(true);
  const reply = new Reply(url, signal, open);
  const call = new Fetch(port, session, reply, asked);
  reply.call = call;
  const options = encodeText(JSON.stringify({ url, id: newId(), outer: Number(headers["x-stainless-retry-count"]) || 0, ...route }));
  call.open(false, options, body);
  if (call.idle) {
    call.drop();
    return session.fetch(...plain);
  }
  call.demand();
  return reply.response;
}

/** A call for a request that is signed already. */
class Fetch extends Call {
  /** Tells the program what kind of call this is. */
  fetches = true;
  /** The program has nothing to do: the request is no call. */
  idle = true;
  #own;
  #headers;

  constructor(port, session, reply, { own, headers, signal }) {
    super(port, session, reply, { signal });
    this.#own = own;
    this.#headers = headers;
  }

  send(attempt, request) {
    this.idle = false;
    super.send(attempt, request);
  }

  take(item) {
    this.idle = false;
    super.take(item);
  }

  /** At the first target the headers, and all else that fetch takes, are the caller's own. */
  async sign(request) {
    if (request.target !== 0) return super.sign(request);
    const headers = { ...this.#headers };
    if (request.body === undefined) delete headers["content-type"];
    return { ...this.#own, headers };
  }
}

/** What takes a call's output, and the response that it becomes. */
class Reply {
  /** @type {Call} */
  call;
  #url;
  #signal;
  #settle;
  #open;
  /** @type {Body | null} */
  #body = null;
  #over = false;

  constructor(url, signal, open) {
    this.#url = url;
    this.#signal = signal;
    this.#open = open;
    /** @type {Promise<Response>} */
    this.response = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
  }

  head({ status, headers }) {
    const left = () => {
      this.#over = true;
      this.call.abort();
    };
    this.#body = this.#open(this.call, left, headers);
    const empty = status === 204 || status === 205 || status === 304;
    if (status < 200 || status > 599) status = 502; // a Response takes no other
    const response = new Response(empty ? null : this.#body.readable, { status, headers: headers.filter(([name]) => !ABOUT_BYTES.has(name)) });
    Object.defineProperty(response, "url", { value: this.#url });
    this.#settle.resolve(response);
  }

  bytes(bytes) {
    if (!this.#over) this.#body.write(bytes);
  }

  done({ failure, first, attempts, retryAtMs, cancelled, breaks }) {
    if (cancelled) return this.#fail(this.#signal?.aborted ? this.#signal.reason : new DOMException("The client was closed", "AbortError"));
    const error = failure && failed(HoldfastError.of(failure, first, { attempts, retryAtMs }));
    // Google's SDK finds an error only where it is all of a chunk. Other readers overlook it: for
    // them the body breaks behind it.
    if (!this.#body) this.#fail(error);
    else if (breaks) this.#fail(error, encodeText(breaks));
    else if (!this.#over) this.#body.close();
    this.#over = true;
  }

  fail(error) {
    this.#fail(failed(error));
  }

  #fail(error, last) {
    if (!this.#body) this.#settle.reject(error);
    else if (!this.#over) this.#body.fail(error, last);
    this.#over = true;
  }
}

/** A body whose reader asks for each chunk. */
function pulled(call, left) {
  let controller;
  let broken = null;
  const readable = new ReadableStream(
    {
      start: (given) => (controller = given),
      pull: () => (broken ? controller.error(broken) : call.demand()),
      cancel: left,
    },
    { highWaterMark: 0 },
  );
  return {
    readable,
    write: (bytes) => controller.enqueue(bytes),
    close: () => controller.close(),
    fail(error, last) {
      if (!last) return controller.error(error); // which drops what waits
      controller.enqueue(last);
      broken = error;
    },
  };
}

/** Headers that describe the bytes of one response, which these are no longer. */
const ABOUT_BYTES = new Set(["content-encoding", "content-length", "transfer-encoding"]);

/** What fetch itself rejects with; SDKs know these words. */
function failed(cause) {
  return new TypeError("fetch failed", { cause });
}

/** A request as far as it may be a call, with its body in memory, and as it goes out when it is none; null when it cannot be one. */
async function read(input, init) {
  init ??= {}; // fetch takes null
  const request = typeof input?.arrayBuffer === "function" ? input : null;
  const method = init.method ?? request?.method;
  if (typeof method !== "string" || method.toUpperCase() !== "POST") return null;
  const url = address(request?.url ?? input);
  const headers = Object.fromEntries(new Headers(init.headers ?? request?.headers));
  if (init.body instanceof Blob && init.body.type) headers["content-type"] ??= init.body.type;
  if (!url || !/json|^text\/plain|^$/.test(headers["content-type"] ?? "")) return null;
  const body = await bytesOf(init.body, request);
  if (!body) return null;
  delete headers["content-length"]; // a continuation is longer
  const { method: _, headers: __, body: given, signal = request?.signal, duplex, ...own } = init;
  const same = !given || typeof given === "string" || given instanceof Blob; // a stream has been read, bytes may change
  return { url, headers, body, signal: signal ?? undefined, own: { ...settings(request), ...own }, plain: [input, same ? init : { ...init, body }] };
}

/** The address of a request, if it is one of HTTP. */
function address(input) {
  try {
    const url = new URL(input, pageURL());
    url.hash = "";
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null; // fetch says so itself
  }
}

async function bytesOf(body, request) {
  if (typeof body === "string") return encodeText(body);
  if (body instanceof Uint8Array) return body.slice(); // as it is now
  if (body instanceof FormData || body instanceof URLSearchParams) return null;
  if (body === undefined || body === null) {
    // Firefox does not tell a Request's body, only gives it.
    if (!request || request.body === null || request.bodyUsed) return null;
    return new Uint8Array(await request.clone().arrayBuffer());
  }
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** What else a Request says, as far as it is not the default. */
function settings(request) {
  if (!request) return {};
  const usual = new Request(request.url);
  const names = ["cache", "credentials", "integrity", "keepalive", "mode", "redirect", "referrer", "referrerPolicy"];
  return Object.fromEntries(names.filter((name) => request[name] !== usual[name]).map((name) => [name, request[name]]));
}
