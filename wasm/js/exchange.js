// Exchange performs one attempt of a call: it sends the request and reads the body when it is told to.

import { describeFailure, headerPairs, quietly } from "./error.js";
import { encodeText } from "./check.js";
import { soon } from "./host.js";

/** The most bytes that enter the program at once; a larger chunk enters in pieces. */
const MAX_CHUNK_BYTES = 1024 * 1024;
/** So long, and in so many pieces, the body of a whole answer has to end. */
const MAX_END_MS = 1000;
const MAX_END_READS = 64;

export class Exchange {
  #call;
  #controller = new AbortController();
  /** What the body is read from: a reader, or something that behaves like one. */
  #reader = null;
  /** The part of a large chunk that has not entered the program yet. @type {Uint8Array | null} */
  #rest = null;
  #reading = false;
  #wanted = false;
  /** Ended, failed or stopped: whatever still arrives is dropped. */
  #over = false;

  /** @param {import("./call.js").Call} call */
  constructor(call, attempt) {
    this.#call = call;
    this.attempt = attempt;
  }

  /** Sends the request. Never rejects: what goes wrong is told to the program. */
  async send(request) {
    const { method, url, body } = request;
    await null; // the program is still running: user code must wait until it has returned
    if (this.#over) return;
    let response;
    let status;
    let received;
    try {
      const signal = this.#controller.signal;
      const signed = await this.#call.sign(request);
      if (this.#over) return;
      // A body of text rather than bytes: it is what doubles of fetch and debugging proxies expect.
      const init = { ...signed, method, signal };
      if (body !== undefined) init.body = body;
      response = await this.#call.session.send(url, init);
      if (this.#over) return discard(response);
      status = response?.status;
      if (!Number.isInteger(status) || status < 100 || status > 999) {
        // Status 0 is how a page sees an answer that it may not look at.
        throw new TypeError(`fetch gave no readable response (status ${status})`);
      }
      received = headerPairs(response.headers);
      this.#reader = this.#call.session.reader?.(response) ?? readerOf(response);
    } catch (error) {
      if (response) discard(response);
      this.#broke(error);
      return;
    }
    this.#call.responded(this, status, received);
  }

  /**
   * Reads one chunk and gives it to the program, and another as long as the program asks again.
   * One read is outstanding at a time; asking twice is asking once.
   */
  async read() {
    this.#wanted = true;
    if (this.#reading || this.#over || !this.#reader) return;
    this.#reading = true;
    while (this.#wanted) {
      let chunk = this.#rest;
      if (chunk === null) {
        try {
          const { done, value } = await this.#reader.read();
          chunk = done ? null : bytesOf(value);
        } catch (error) {
          this.#broke(error);
          return;
        }
        if (this.#over) return;
        if (chunk === null) {
          this.#over = true;
          this.#call.ended(this);
          return;
        }
        if (chunk.length === 0) continue;
      }
      this.#rest = chunk.length > MAX_CHUNK_BYTES ? chunk.subarray(MAX_CHUNK_BYTES) : null;
      this.#wanted = false;
      this.#call.received(this, this.#rest === null ? chunk : chunk.subarray(0, MAX_CHUNK_BYTES));
    }
    this.#reading = false;
  }

  /** Stops the exchange. Harmless at any time. */
  stop(whole) {
    if (this.#over) return;
    this.#over = true;
    this.#rest = null;
    // Later, since the program may be running and listeners of the signal are user code.
    soon(() => (whole && !this.#reading ? this.#runOut() : this.#abort()));
  }

  #abort = () => {
    this.#controller.abort();
    // fetch's own body is freed by the abort; that of an injected fetch may not listen to it.
    quietly(() => this.#reader?.cancel());
  };

  /** Reads on to the end of the body, behind which its connection serves another request. */
  async #runOut() {
    const timer = setTimeout(this.#abort, MAX_END_MS);
    await quietly(async () => {
      for (let n = 0; n < MAX_END_READS; n++) if ((await this.#reader.read()).done) return;
      this.#abort(); // it does not end, and one that is made here would let no timer run
    });
    clearTimeout(timer);
  }

  #broke(error) {
    if (this.#over) return;
    this.#over = true;
    quietly(() => this.#reader?.cancel());
    this.#call.broke(this, describeFailure(error));
  }
}

/** A reader of the response's body; where bodies are no streams (React Native), one read gives it whole. */
function readerOf(response) {
  const body = response.body;
  if (typeof body?.getReader === "function") return body.getReader();
  let whole = typeof response.arrayBuffer === "function" ? () => response.arrayBuffer() : null;
  return {
    async read() {
      if (!whole) return { done: true };
      const value = await whole();
      whole = null;
      return { done: false, value };
    },
    cancel() {},
  };
}

function bytesOf(value) {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]") return new Uint8Array(value);
  if (typeof value === "string") return encodeText(value);
  throw new TypeError(`the response body gave a ${value === null ? "null" : typeof value} instead of bytes`);
}

/** Frees a response that came too late or that nobody can read. */
function discard(response) {
  quietly(() => (typeof response?.body?.cancel === "function" ? response.body.cancel() : undefined));
}
