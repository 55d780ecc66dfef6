// Relay hands an answer to the client on the request's own turn, and learns when nobody takes it any more.

import { errorEvent, refusalOf } from "./errors.js";
import { isEvents } from "./headers.js";
import { Redactor } from "./redact.js";

/** How often a request looks whether the program has died under it: each look is a turn of its own. */
export const WATCH_MS = 1000;
/** After so many silent looks a comment asks whether the client is still there: only a write tells. */
const SILENT_LOOKS = 5;
const PING = new TextEncoder().encode(": ping\n\n");
/** So many chunks may wait for the client before the provider waits as well. */
const MAX_CHUNKS = 16;
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
  /** @type {ReadableStreamDefaultController} */
  #out;
  #call = null;
  #left = () => {};
  #timer;
  /** Chunks since the client has last taken all there were; whether the provider waits for that; who else does. */
  #waiting = 0;
  #paused = false;
  #taken = null;
  /** Nobody reads any more. */
  #gone = false;
  /** What went out so far ends with a whole event. The last chunk itself is not held: the next may be long in coming. */
  #whole = true;
  /** Chunks so far, and at the last look; how many looks there was no other. */
  #chunks = 0;
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
    this.#timer = setInterval(this.#look, WATCH_MS);
  }

  /** The body of a call's response: see fetchThrough. The call gives what it has, without being asked for each chunk. */
  open = (call, left, headers) => {
    // An IdentityTransformStream would cost 64 kB more for each client.
    this.#readable = new ReadableStream({ start: (out) => (this.#out = out), pull: this.#pulled, cancel: this.#lost }, { highWaterMark: 0 });
    this.#call = call;
    this.#left = left;
    this.#events = isEvents(headers);
    call?.flow();
    return { readable: this.#readable, write: this.#write, close: this.#close, fail: this.#fail };
  };

  /** What the client is given of a response: this body, or that of what was no call, which is read here. */
  carry({ body, headers }) {
    if (body === null) this.over();
    if (body === null || this.#readable !== null) return body;
    const reader = body.getReader();
    const { readable } = this.open(null, () => reader.cancel().catch(() => {}), [...headers]);
    this.#pump(reader);
    return readable;
  }

  async #pump(reader) {
    try {
      for (let next; !(next = await reader.read()).done; await this.#all()) this.#write(next.value);
      this.#close();
    } catch (error) {
      this.#fail(error);
    }
  }

  #write = (bytes) => {
    const safe = this.#redactor.pass(bytes);
    if (safe.length > 0) this.#send(safe);
  };

  #close = () => {
    const rest = this.#redactor.end();
    if (rest.length > 0) this.#send(rest);
    if (!this.#gone) this.#out.close();
    this.over();
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
      await this.#all();
      await scheduler.wait(APART_MS);
      this.#write(last);
    }
    if (!this.#signal.aborted) await this.#all();
    if (last) await scheduler.wait(APART_MS);
    if (!this.#gone) this.#out.error(error);
    this.over();
  }

  #send(bytes) {
    if (this.#gone) return;
    this.#chunks++;
    this.#whole = endsEvent(bytes);
    this.#out.enqueue(bytes);
    if (++this.#waiting < MAX_CHUNKS || this.#paused || !this.#call) return;
    this.#paused = true;
    this.#call.demand();
  }

  /** The client has taken all there was. */
  #pulled = () => {
    this.#waiting = 0;
    this.#taken?.resolve();
    this.#taken = null;
    if (!this.#paused) return;
    this.#paused = false;
    this.#call.flow();
  };

  /** Resolves when the client has taken all there is, or takes nothing any more. */
  #all() {
    if (this.#waiting === 0 || this.#gone) return undefined;
    return (this.#taken ??= Promise.withResolvers()).promise;
  }

  #lost = () => {
    this.#gone = true;
    this.#taken?.resolve();
    this.#left();
    this.over();
  };

  #look = () => {
    this.#session.watch();
    this.#silent = this.#chunks === this.#seen && this.#waiting === 0 ? this.#silent + 1 : 0;
    if (this.#silent >= SILENT_LOOKS && this.#between) {
      this.#silent = 0;
      this.#send(PING);
    }
    this.#seen = this.#chunks;
  };

  /** Another event may go out. */
  get #between() {
    return this.#events && this.#whole;
  }

  /** Nothing more goes out. */
  over = () => {
    clearInterval(this.#timer);
    this.#end();
  };
}

const [LF, CR] = [10, 13];

/** Whether bytes end with a blank line. */
function endsEvent(bytes) {
  const n = bytes.length;
  return bytes[n - 1] === LF && (bytes[n - 2] === LF || (bytes[n - 2] === CR && bytes[n - 3] === LF));
}
