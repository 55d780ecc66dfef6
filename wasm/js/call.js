// Call is the host's side of one call: its clock, its one timer, its exchange, and who takes its output.

import { callBack, HoldfastError, reportLater } from "./error.js";
import { Exchange } from "./exchange.js";

/** A longer timer would fire at once; the program asks again when it is woken early. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * @typedef {object} Taker
 * @property {(delta: import("./holdfast.d.ts").Delta) => void} [delta]
 * @property {(done: any) => void} done
 * @property {(error: HoldfastError) => void} fail
 */

export class Call {
  #port;
  /** @type {Taker} */
  #taker;
  #listeners;
  /** The attempt under way. @type {Exchange | null} */
  #exchange = null;
  #timer;
  /** Stops an injected sleep. @type {AbortController | null} */
  #sleep = null;
  #signal;
  #ended = false;
  /** The time that was last told to the program, and how far injected sleeps ran ahead of the clock. */
  #at = 0;
  #ahead = 0;

  /**
   * @param {import("./protocol.js").Port} port
   * @param {import("./session.js").Session} session
   * @param {Taker} taker
   * @param {{signal?: AbortSignal, onEvent?: Function}} [options]
   */
  constructor(port, session, taker, { signal, onEvent } = {}) {
    this.#port = port;
    this.session = session;
    this.#taker = taker;
    this.#listeners = [session.onEvent, onEvent].filter(Boolean);
    this.#signal = signal;
    this.handle = port.handle();
  }

  /** Opens the call in the program, which sends the first attempt. */
  open(stream, options, body) {
    if (this.#port.dead) return this.take({ error: this.#port.dead });
    this.#port.calls.set(this.handle, this);
    this.session.calls.add(this);
    if (this.#port.calls.size === 1) this.#port.network.watch();
    this.#port.open(this, this.session.handle, stream, options, body);
    if (this.#ended) return;
    if (this.#signal?.aborted) return this.abort();
    this.#signal?.addEventListener("abort", this.abort);
    if (this.#port.network.offline) this.#port.online(this, false);
  }

  /** The consumer has room for more. */
  demand() {
    if (!this.#ended) this.#port.demand(this);
  }

  /** The caller cancelled. */
  abort = () => {
    if (!this.#ended) this.#port.abort(this);
  };

  /** Milliseconds since the epoch, as this call counts them. */
  now() {
    this.#at = this.session.now() + this.#ahead;
    return this.#at;
  }

  random() {
    return this.session.random();
  }

  // What the program asks for. It is running: user code must not.

  send(attempt, request) {
    this.#exchange?.stop();
    this.#exchange = new Exchange(this, attempt);
    this.#exchange.send(request);
  }

  cancel(attempt) {
    if (this.#exchange?.attempt !== attempt) return;
    this.#exchange.stop();
    this.#exchange = null;
  }

  wake(ms, wait) {
    this.#rest();
    if (!(ms >= 0) || this.#ended) return;
    if (wait && this.session.sleep) this.#sleepFor(ms, this.#at + ms);
    else this.#timer = setTimeout(this.#tick, Math.min(ms, MAX_TIMER_MS));
  }

  // What the exchange brings.

  responded(exchange, status, headers) {
    if (exchange === this.#exchange) this.#port.responded(this, exchange.attempt, status, headers);
  }
  received(exchange, chunk) {
    if (exchange === this.#exchange) this.#port.received(this, exchange.attempt, chunk);
  }
  ended(exchange) {
    if (exchange === this.#exchange) this.#port.ended(this, exchange.attempt);
  }
  broke(exchange, failure) {
    if (exchange === this.#exchange) this.#port.broke(this, exchange.attempt, failure);
  }

  // What the port delivers. The program has returned: user code may run.

  read() {
    this.#exchange?.read();
  }

  take(item) {
    if (this.#ended) return;
    if (item.delta) {
      this.#taker.delta?.(item.delta);
    } else if (item.event) {
      for (const listener of this.#listeners) callBack(listener, item.event);
    } else if (item.done || item.error) {
      this.#end();
      if (item.done) this.#taker.done(item.done);
      else this.#taker.fail(item.error instanceof HoldfastError ? item.error : new HoldfastError(item.error.code, item.error.message));
    }
  }

  #tick = () => {
    this.#timer = undefined;
    this.#port.tick(this);
  };

  async #sleepFor(ms, until) {
    const stop = (this.#sleep = new AbortController());
    try {
      await null; // the program is still running
      if (this.#sleep === stop) await this.session.sleep(ms, stop.signal);
    } catch (error) {
      if (this.#sleep !== stop) return;
      this.#sleep = null;
      // A sleep that fails is no reason to hurry: the host's own timer takes over.
      reportLater(error);
      this.#timer = setTimeout(this.#tick, Math.min(Math.max(until - this.now(), 0), MAX_TIMER_MS));
      return;
    }
    if (this.#sleep !== stop) return;
    this.#sleep = null;
    // The wait counts as waited, however long it took; later times of this call follow from it.
    this.#ahead += Math.max(0, until - this.now());
    this.#port.tick(this);
  }

  /** Drops the pending timer or sleep. */
  #rest() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const sleep = this.#sleep;
    this.#sleep = null;
    if (sleep) queueMicrotask(() => sleep.abort()); // listeners of the signal are user code
  }

  #end() {
    this.#ended = true;
    this.#rest();
    this.#exchange?.stop();
    this.#exchange = null;
    this.#signal?.removeEventListener("abort", this.abort);
    this.session.calls.delete(this);
    this.#port.calls.delete(this.handle);
    if (this.#port.calls.size === 0) this.#port.network.unwatch();
    this.#port.free(this);
  }
}
