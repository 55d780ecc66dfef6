// Relay hands an answer to the client on the request's own turn, and learns when nobody takes it any more.

import { errorEvent, refusalOf } from "./errors.js";
import { Redactor } from "./redact.js";

/** How often a request looks whether the program has died under it: each look is a turn of its own. */
export const WATCH_MS = 1000;
/** After so many silent looks a comment asks whether the client is still there: only a write tells. */
const SILENT_LOOKS = 5;
const PING = new TextEncoder().encode(": ping\n\n");
/** So many writes may wait for the client before the provider waits as well. */
const MAX_WRITES = 16;
/** Two chunks that are written so long after one another are mostly read as two. */
const APART_MS = 50;

/** The way of one answer to the client. What breaks in a stream of events becomes its last event, in the form of its API. */
export class Relay {
  #end;
  /** Resolves when nothing more goes out. @type {Promise<void>} */
  ended = new Promise((resolve) => (this.#end = resolve));
  #session;
  #form;
  #signal;
  #redactor;
  #events = false;
  /** @type {ReadableStream | null} */
  #readable = null;
  /** @type {WritableStreamDefaultWriter} */
  #writer;
  #call = null;
  #left = () => {};
  #timer;
  /** Writes that the client has not taken, and whether the provider waits for them. */
  #waiting = 0;
  #paused = false;
  /** The last write, and what it wrote. */
  #last = null;
  #tail = null;
  /** Writes so far, and at the last look; how many looks there was no other. */
  #writes = 0;
  #seen = 0;
  #silent = 0;

  /**
   * @param {import("./session.js").Session} session
   * @param {string} form of its errors
   * @param {(string | undefined)[]} keys that must not get out
   * @param {AbortSignal} signal of the client
   */
  constructor(session, form, keys, signal) {
    this.#session = session;
    this.#form = form;
    this.#signal = signal;
    this.#redactor = new Redactor(keys);
  }

  /** The body of a call's response: see fetchThrough. The call gives what it has, without being asked for each chunk. */
  open = (call, left, headers) => {
    const { readable, writable } = new IdentityTransformStream();
    this.#readable = readable;
    this.#writer = writable.getWriter();
    this.#call = call;
    this.#left = left;
    this.#events = headers.some(([name, value]) => name.toLowerCase() === "content-type" && value.startsWith("text/event-stream"));
    this.#timer = setInterval(this.#look, WATCH_MS);
    this.#writer.closed.then(this.#over, this.#lost);
    call?.flow();
    return { readable, write: this.#write, close: this.#close, fail: this.#fail };
  };

  /** What the client is given of a response: this body, or that of what was no call, which is read here. */
  carry({ body, headers }) {
    if (body === null) this.#over();
    if (body === null || this.#readable !== null) return body;
    const reader = body.getReader();
    const { readable } = this.open(null, () => reader.cancel().catch(() => {}), [...headers]);
    this.#pump(reader);
    return readable;
  }

  async #pump(reader) {
    try {
      for (let next; !(next = await reader.read()).done; ) await this.#write(next.value);
      this.#close();
    } catch (error) {
      this.#fail(error);
    }
  }

  #write = (bytes) => {
    const safe = this.#redactor.pass(bytes);
    return safe.length > 0 ? this.#send(safe) : undefined;
  };

  #close = () => {
    const rest = this.#redactor.end();
    if (rest.length > 0) this.#send(rest);
    this.#writer.close().catch(this.#over);
  };

  #fail = (error, last) => {
    // A stream of Gemini's has no end mark, and an error event in it would be no error to its SDK.
    if (last || !this.#between || this.#form === "gemini" || this.#signal.aborted) {
      this.#breakOff(error, last);
      return;
    }
    this.#send(new TextEncoder().encode(errorEvent(this.#form, refusalOf(error))));
    this.#close();
  };

  /** Breaks the body behind a last chunk: one that the client reads by itself, and before the break. */
  async #breakOff(error, last) {
    if (last) {
      await this.#last;
      await scheduler.wait(APART_MS);
      this.#write(last);
    }
    if (!this.#signal.aborted) await this.#last;
    if (last) await scheduler.wait(APART_MS);
    await this.#writer.abort(error).catch(() => {});
    this.#over();
  }

  #send(bytes) {
    this.#writes++;
    this.#tail = bytes;
    if (++this.#waiting === MAX_WRITES && this.#call) {
      this.#paused = true;
      this.#call.demand();
    }
    return (this.#last = this.#writer.write(bytes).then(this.#sent, this.#lost));
  }

  #sent = () => {
    if (--this.#waiting > MAX_WRITES / 2 || !this.#paused) return;
    this.#paused = false;
    this.#call.flow();
  };

  /** Nobody reads any more. */
  #lost = () => {
    this.#left();
    this.#over();
  };

  #look = () => {
    this.#session.watch();
    this.#silent = this.#writes === this.#seen && this.#waiting === 0 ? this.#silent + 1 : 0;
    if (this.#silent >= SILENT_LOOKS && this.#between) {
      this.#silent = 0;
      this.#send(PING);
    }
    this.#seen = this.#writes;
  };

  /** Another event may go out: what went out so far ends with a whole one. */
  get #between() {
    return this.#events && (this.#tail === null || /\n\r?\n$/.test(String.fromCharCode(...this.#tail.subarray(-3))));
  }

  #over = () => {
    clearInterval(this.#timer);
    this.#end();
  };
}
