// LiveSession is a conversation over WebSockets: what is said, what comes, and how it ended.

import { badOption, callBack, HoldfastError } from "./error.js";
import { encodeJSON, must, splitOptions } from "./check.js";
import { encodeCall } from "./answer.js";
import { Line } from "./line.js";

/** @typedef {import("./holdfast.d.ts").LiveItem} LiveItem */
/** @typedef {import("./holdfast.d.ts").LiveResult} LiveResult */

/** Options that never enter the program. */
const OWN = { signal: must.signal, onEvent: must.call, onItem: must.call };

const NOTHING = new Uint8Array(0);
const OVER = Object.freeze({ done: true, value: undefined });

export class LiveSession {
  /** @type {Line | null} */
  #line = null;
  #onItem;
  /** Items that nobody has taken yet. @type {LiveItem[]} */
  #queue = [];
  /** The oldest of them, last first: shifting a long queue takes long. @type {LiveItem[]} */
  #oldest = [];
  /** Calls of next() that wait for an item. @type {{loop: object, resolve: Function, reject: Function}[]} */
  #waiting = [];
  /** What was sent before the program ran. @type {Uint8Array[]} */
  #early = [];
  #messages = 0;
  /** What the caller wants of the end. @type {"" | "shut" | "abort"} */
  #wish = "";
  /** How it ended: one of the two. @type {LiveResult | null} */
  #outcome = null;
  /** @type {HoldfastError | null} */
  #error = null;
  #settle;
  #settled = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));

  constructor(session, path, setup, options) {
    this.#settled.catch(() => {}); // who wants the result learns of it
    try {
      const { kept, rest } = splitOptions(options, OWN, "live");
      this.#onItem = kept.onItem;
      if (!session.hasSockets) throw badOption("WebSocket", "this host has none (Node has one from 22 on); give createClient that of the package ws");
      const first = setup === undefined || setup === null ? NOTHING : encodeJSON(setup, "setup", "bad_body");
      const head = encodeCall(path, rest);
      const open = (port) => {
        const line = new Line(port, session, this.#taker, kept);
        line.open(head, first, this.#early);
        this.#line = line;
        if (this.#wish !== "") line[this.#wish]();
      };
      const port = session.attached(true);
      if (port) open(port);
      else session.attach(true).then(open).catch(this.#fail);
    } catch (error) {
      this.#fail(error);
    }
  }

  get result() {
    return this.#settled;
  }

  send(message) {
    if (this.#error) throw this.#error;
    if (message === null || typeof message !== "object" || Array.isArray(message)) throw new HoldfastError("bad_body", "message: must be an object");
    const bytes = encodeJSON(message, "message", "bad_body");
    const over = this.#outcome || this.#wish !== "" || (this.#line ? !this.#line.say(bytes) : !this.#early.push(bytes));
    if (over) throw new HoldfastError("closed", "the session has ended");
    return ++this.#messages;
  }

  close() {
    this.#end("shut");
    return this.#settled;
  }

  cancel() {
    this.#end("abort");
  }

  [Symbol.asyncIterator]() {
    const loop = { left: false };
    return {
      next: () => this.#next(loop),
      return: async (value) => {
        // Another loop takes what comes next.
        loop.left = true;
        this.#waiting = this.#waiting.filter((call) => call.loop !== loop || call.resolve(OVER));
        return { done: true, value };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** What the line delivers. */
  #taker = {
    item: (item) => {
      if (this.#waiting.length > 0) this.#waiting.shift().resolve({ done: false, value: item });
      else if (!this.#onItem) this.#queue.push(item);
      if (this.#onItem) callBack(this.#onItem, item);
    },
    done: ({ live }) => {
      this.#outcome = live;
      this.#settle.resolve(live);
      for (const { resolve } of this.#waiting.splice(0)) resolve(OVER);
    },
    fail: (error) => this.#fail(error),
  };

  #fail = (error) => {
    if (this.#outcome || this.#error) return;
    const { code = "bad_option", message } = error;
    this.#error = error instanceof HoldfastError ? error : new HoldfastError(code, message, { cause: error });
    this.#settle.reject(this.#error);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#error);
  };

  #next(loop) {
    if (loop.left) return Promise.resolve(OVER);
    if (this.#oldest.length === 0) this.#oldest = this.#queue.splice(0).reverse();
    if (this.#oldest.length > 0) return Promise.resolve({ done: false, value: this.#oldest.pop() });
    if (this.#outcome) return Promise.resolve(OVER);
    if (this.#error) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => this.#waiting.push({ loop, resolve, reject }));
  }

  #end(wish) {
    if (this.#outcome || this.#error || this.#wish === "abort") return;
    this.#wish = wish;
    this.#line?.[wish]();
  }
}
