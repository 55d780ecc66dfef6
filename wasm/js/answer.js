// Answer is a streamed answer on its way: who wants its deltas, what has come, and how it ended.

import { badOption, callBack, HoldfastError } from "./error.js";
import { encodeBody, encodeJSON, must, splitOptions } from "./check.js";
import { Call } from "./call.js";
import { newId, soon } from "./host.js";
import { Place } from "./place.js";

/** @typedef {import("./holdfast.d.ts").Delta} Delta */
/** @typedef {import("./holdfast.d.ts").AnswerResult} AnswerResult */

const EMPTY = Uint8Array.of(0x7b, 0x7d); // {}: importing makes no TextEncoder

/** Options that never enter the program as they are. */
const OWN = { signal: must.signal, onEvent: must.call, onDelta: must.call, continues: must.continues, durable: must.flag };
/** Options of the program that are none here. */
for (const key of ["route", "cursors", "from"]) {
  OWN[key] = () => {
    throw badOption(key, "is not an option of stream");
  };
}

export class Answer {
  #session;
  #path;
  #body;
  #options;
  /** @type {Call | null} */
  #call = null;
  #onDelta;
  /** Deltas that nobody has taken yet, from #head on. @type {Delta[]} */
  #queue = [];
  #head = 0;
  /** Calls of next() that wait for a delta. @type {{resolve: Function, reject: Function}[]} */
  #waiting = [];
  /** Whether deltas are wanted as fast as they come, rather than one for each next(). */
  #flowing = false;
  #iterated = false;
  #demanding = false;
  #partial = "";
  /** What a restart takes the text back to: what was continued. */
  #base = "";
  /** Of a durable answer: how far it has come. @type {Place | null} */
  #place = null;
  /** Of a durable answer: how far whoever reads it has come, and behind each delta that he has not taken. */
  #offset;
  #offsets = [];
  /** Its last delta, until it is known how far it has come with that. @type {Delta | null} */
  #held = null;
  /** How it ended was said by the gateway. */
  #told = false;
  /** Where it began, for who reads it from there. */
  #start;
  #cancelled = false;
  #left = false;
  #reason;
  /** How it ended: one of the two. @type {AnswerResult | null} */
  #outcome = null;
  /** @type {HoldfastError | null} */
  #error = null;
  #settle;
  #settled = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));

  /**
   * @param {import("./session.js").Session} session
   * @param {{id: string, offset?: string}} [back] comes back to a durable answer there
   */
  constructor(session, path, body, options, back) {
    this.#session = session;
    this.#path = path;
    this.#settled.catch(() => {}); // whoever wants the result learns of it; nobody else is bothered
    this.#options = { ...options };
    try {
      const { kept, rest } = splitOptions(options, OWN, "stream");
      if (!back || body !== undefined) this.#body = encodeBody(body);
      this.#onDelta = kept.onDelta;
      this.#flowing = this.#onDelta !== undefined;
      if (kept.continues !== undefined) {
        rest.continues = this.#partial = this.#base = kept.continues.text ?? kept.continues;
      }
      if (kept.durable) this.#openDurable(kept, rest, back);
      else this.#open(kept, encodeCall(path, named(rest)), this.#body);
    } catch (error) {
      this.#fail(error);
    }
  }

  get result() {
    this.#flow();
    return this.#settled;
  }

  get partial() {
    return this.#partial;
  }

  get id() {
    return this.#place?.id;
  }

  get offset() {
    return this.#offset;
  }

  get resumable() {
    if (!this.#place || !this.#call || this.#told) return false;
    const { status, error } = this.#outcome ?? {};
    if (status === "cancelled") return this.#left;
    return status !== "failed" && error?.status !== 404 && error?.status !== 410;
  }

  async text() {
    const result = await this.result;
    const error = this.#errorOf(result);
    if (error) throw error;
    return result.text;
  }

  continue(options) {
    const offered = this.#outcome ? this.#outcome.offer.includes("continue") : this.#error !== null && (this.#partial.trim() !== "" || this.resumable);
    if (!offered) throw badOption("continue", this.#ended ? "this answer does not offer it" : "this answer has not ended");
    if (this.resumable) return this.#again({ continues: this.#partial, ...options }, { id: this.id, offset: this.#offset });
    return this.#again({ continues: this.#outcome?.text ?? this.#partial, ...options });
  }

  tryAgain(options) {
    this.cancel();
    return this.#again({ continues: undefined, ...options });
  }

  cancel(reason) {
    if (this.#ended || this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.#call?.abort();
  }

  leave() {
    if (this.#ended || this.#cancelled) return;
    this.#cancelled = this.#left = true;
    this.#call?.abort(true);
  }

  [Symbol.asyncIterator]() {
    if (this.#iterated) throw badOption("stream", "an answer can be iterated once");
    this.#iterated = true;
    if (this.#flowing && this.#onDelta === undefined) {
      this.#flowing = false;
      this.#call?.demand(); // one more, and then one for each next()
    }
    if (this.#lags) [this.#partial, this.#offset] = this.#start;
    return {
      next: () => this.#next(),
      return: async (value) => {
        this.cancel();
        this.#queue.length = this.#head = 0;
        return { done: true, value };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  toReadableStream() {
    // A background answer may start again, and a stream cannot take back what it gave.
    const whole = this.#options.background === true;
    const deltas = this[Symbol.asyncIterator]();
    let text = "";
    let given = false;
    const pull = async (controller) => {
      for (;;) {
        const { done, value } = await deltas.next();
        if (done) break;
        if (value.type === "restart") {
          if (given) throw this.#restarted();
          text = "";
        }
        if (value.type !== "text") continue;
        given ||= !whole && value.text.trim() !== "";
        if (!whole) return controller.enqueue(value.text);
        text += value.text;
      }
      const error = this.#errorOf(await this.#settled);
      if (error) throw error;
      if (text !== "") controller.enqueue(text);
      controller.close();
    };
    return new ReadableStream({ pull, cancel: (reason) => this.cancel(reason) }, { highWaterMark: 0 });
  }

  /** A durable answer that somebody else asked for in background began anew, which was not to be foreseen. */
  #restarted() {
    this.leave();
    return new HoldfastError("truncated", "the answer began anew, and a stream cannot take back what it gave; iterate the answer instead", { reason: "truncated" });
  }

  get #ended() {
    return this.#outcome !== null || this.#error !== null;
  }

  /** Whoever iterates a durable answer is told how far he has come, not how far it has. */
  get #lags() {
    return this.#place !== null && this.#iterated && !this.#flowing;
  }

  /** Opens a call for an answer that the gateway keeps, or comes back to one. */
  #openDurable(kept, rest, back) {
    if ("api" in rest) throw badOption("api", "is not an option of durable answers: the path tells");
    const options = named(back ? { ...rest, id: back.id } : rest);
    const place = (this.#place = new Place(options.id, this.#partial, back?.offset));
    this.#base = place.base(this.#partial);
    this.#offset = place.offset;
    this.#start = [this.#partial, this.#offset];
    Object.assign(options, { api: "answers", cursors: true });
    // Nothing of it was heard: perhaps the question never arrived. Asked twice it is one.
    const asks = this.#body !== undefined && place.fresh;
    if (!asks) options.from = place.from;
    this.#open(kept, encodeCall(asks ? `/answers${this.#path}` : "/answers", options), asks ? this.#body : EMPTY);
  }

  /** Opens the call at once when the program runs, and as soon as it does when not. */
  #open(kept, options, body) {
    const open = (port) => {
      if (this.#cancelled && !(this.#left && this.#place)) kept.signal = AbortSignal.abort(); // while the program was loaded
      this.#call = new Call(port, this.#session, this.#taker, kept);
      this.#call.open(true, options, body);
      if (this.#left) this.#call.abort(true);
      this.#want();
    };
    const port = this.#session.attached();
    if (port) open(port);
    else this.#session.attach().then(open).catch(this.#fail);
  }

  /** What the call delivers. */
  #taker = {
    delta: (delta) => {
      if (!this.#place) return this.#give(delta);
      this.#release();
      this.#place.take(delta);
      this.#held = delta;
      soon(this.#release);
    },
    cursor: (cursor) => {
      if (cursor) this.#place.mark(cursor.event);
      this.#release();
    },
    done: ({ answer, told = false }) => {
      this.#release();
      this.#told = told;
      this.#outcome = answer;
      this.#settle.resolve(answer);
      this.#finish();
    },
    fail: (error) => this.#fail(error),
  };

  /** Gives the delta that was held, now that it is known how far it goes. */
  #release = () => {
    const delta = this.#held;
    this.#held = null;
    if (delta) this.#give(delta);
    else if (this.#place && !(this.#lags && this.#queue.length > 0)) this.#offset = this.#place.offset;
  };

  #give(delta) {
    const offset = this.#place?.offset;
    if (!this.#lags || this.#waiting.length > 0) this.#show(delta, offset);
    this.#keep(this.#onDelta ? { ...delta } : delta, offset); // each reader's own, to do with as he likes
    if (this.#onDelta) callBack(this.#onDelta, delta);
    if (!this.#flowing && this.#waiting.length > 0) this.#want();
  }

  #show(delta, offset) {
    if (delta.type === "text") this.#partial += delta.text;
    else if (delta.type === "restart") this.#partial = this.#base;
    this.#offset = offset;
  }

  #fail = (error) => {
    if (this.#ended) return;
    this.#release();
    const { code = "bad_option", message } = error;
    this.#error = new HoldfastError(code, message, { cause: error.cause, partial: this.#partial || undefined });
    this.#settle.reject(this.#error);
    this.#finish();
  };

  /** Gives a delta to who waits for it, or keeps it for who comes. */
  #keep(delta, offset) {
    if (this.#waiting.length > 0) {
      this.#waiting.shift().resolve({ done: false, value: delta });
      return;
    }
    // Read ahead for a result: many small deltas would only cost memory.
    const last = this.#queue.at(-1);
    if (this.#flowing && delta.type === "text" && last?.type === "text") last.text += delta.text;
    else this.#queue.push(delta);
    if (this.#place) this.#offsets[this.#queue.length - 1] = offset;
  }

  #next() {
    if (this.#head < this.#queue.length) {
      const value = this.#queue[this.#head];
      if (this.#lags) this.#show(value, this.#offsets[this.#head]);
      this.#head++;
      if (this.#head === this.#queue.length) this.#queue.length = this.#head = 0;
      return Promise.resolve({ done: false, value });
    }
    if (this.#outcome) return Promise.resolve({ done: true, value: undefined });
    if (this.#error) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#call?.demand();
    });
  }

  #finish() {
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (this.#error) reject(this.#error);
      else resolve({ done: true, value: undefined });
    }
  }

  /** Somebody awaits the end: read as fast as it comes, unless an iterator sets the pace. */
  #flow() {
    if (this.#flowing || this.#iterated || this.#ended) return;
    // A moment later: `answer.result` may be asked for in the line before `for await`.
    soon(() => {
      if (this.#iterated) return;
      this.#flowing = true;
      this.#want();
    });
  }

  /** Tells the program, after the deltas at hand have been delivered, that there is room for more. */
  #want() {
    if (this.#demanding || !(this.#flowing || this.#waiting.length > 0)) return;
    this.#demanding = true;
    soon(this.#demand);
  }
  #demand = () => {
    this.#demanding = false;
    if (this.#flowing) this.#call?.flow();
    else this.#call?.demand();
  };

  #again(options, back) {
    const before = { ...this.#options };
    if (this.#place) delete before.id; // it names this answer
    if (!back && this.#body === undefined) throw badOption("body", "is needed to ask anew: give path and body to resumeAnswer");
    if (before.signal?.aborted) delete before.signal; // it did its work; a new answer must not die of it
    return new Answer(this.#session, this.#path, this.#body, { ...before, ...options }, back);
  }

  /** What text() throws for a result; null when it is the whole answer. */
  #errorOf({ status, text, error, attempts, retryAtMs }) {
    const facts = { attempts, retryAtMs, partial: text };
    if (status === "complete") return null;
    if (status === "cancelled") {
      const cause = this.#reason ?? this.#options.signal?.reason;
      return new HoldfastError("cancelled", "the answer was cancelled", { ...facts, reason: "cancelled", cause });
    }
    if (error) return HoldfastError.of(error, null, facts);
    const reason = status === "content_filter" ? "content_policy" : "unknown";
    return new HoldfastError(reason, `the answer ended with status ${status}`, { ...facts, reason });
  }
}

/** The options of a call that has a name for sure. */
export function named(options) {
  return { id: newId(), ...options };
}

/** The options of a call as they cross to the program. */
export function encodeCall(path, options) {
  if (typeof path !== "string") throw badOption("path", "must be text");
  if ("path" in options) throw badOption("path", "is not an option");
  return encodeJSON({ ...options, path }, "options", "bad_option");
}
