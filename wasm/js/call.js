// Call is the host's side of one call: its clock, its one timer, its exchange, and who takes its output.

import { Clock } from "./clock.js";
import { callBack, HoldfastError } from "./error.js";
import { Exchange } from "./exchange.js";

/**
 * @typedef {object} Taker
 * @property {(delta: import("./holdfast.d.ts").Delta) => void} [delta]
 * @property {(cursor: object | null) => void} [cursor] of a stream with cursors: where it could be taken up now
 * @property {(head: {status: number, headers: [string, string][]}) => void} [head] of a fetch
 * @property {(bytes: Uint8Array) => void} [bytes] of a fetch
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
  #clock;
  #signal;
  #ended = false;

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
    this.#clock = new Clock(session, () => port.tick(this));
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

  /** The consumer takes everything as it comes, until demand is called again. */
  flow() {
    if (!this.#ended) this.#port.flow(this);
  }

  /** The caller cancelled, or only leaves: then what is made without us goes on. */
  abort = (left) => {
    if (!this.#ended) this.#port.abort(this, left === true); // an event of the signal is no word
  };

  /** Milliseconds since the epoch, as this call counts them. */
  now() {
    return this.#clock.now();
  }

  random() {
    return this.session.random();
  }

  /** What the host adds to a request: its headers, with the credential in its place. */
  async sign({ headers, auth, target }) {
    return { headers: await this.session.authorize(headers, auth, target) };
  }

  // What the program asks for. It is running: user code must not.

  send(attempt, request) {
    if (attempt === 0) return void this.#tell(request);
    this.#exchange?.stop();
    this.#exchange = new Exchange(this, attempt);
    this.#exchange.send(request);
  }

  /** Sends what nobody waits for: that an answer is not wanted any more. */
  async #tell({ url, method, body, ...request }) {
    for (const ms of [0, 1000, 5000]) {
      await new Promise((resolve) => setTimeout(resolve, ms)); // the program is still running
      try {
        const response = await this.session.fetch(url, { ...(await this.sign(request)), method, body, keepalive: true });
        if (response.status < 500) return void response.body?.cancel();
      } catch {
        // The network, most likely.
      }
    }
  }

  cancel(attempt) {
    if (this.#exchange?.attempt !== attempt) return;
    this.#exchange.stop();
    this.#exchange = null;
  }

  wake(ms, wait) {
    if (!this.#ended) this.#clock.wake(ms, wait);
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
    } else if (item.cursor !== undefined) {
      this.#taker.cursor?.(item.cursor);
    } else if (item.event) {
      this.session.learned?.(this.#port);
      for (const listener of this.#listeners) callBack(listener, item.event);
    } else if (item.head) {
      this.#taker.head(item.head);
    } else if (item.bytes) {
      this.#taker.bytes(item.bytes);
    } else if (item.done || item.error) {
      this.#end();
      if (item.done) this.#taker.done(item.done);
      else this.#taker.fail(item.error instanceof HoldfastError ? item.error : new HoldfastError(item.error.code, item.error.message));
    }
  }

  /** Forgets a call that is none. */
  drop() {
    this.#end();
  }

  #end() {
    this.#ended = true;
    this.#clock.rest();
    this.#exchange?.stop();
    this.#exchange = null;
    this.#signal?.removeEventListener("abort", this.abort);
    this.session.calls.delete(this);
    this.#port.calls.delete(this.handle);
    this.#port.free(this);
    if (this.#port.calls.size > 0) return;
    this.#port.network.unwatch();
    this.#port.onidle();
  }
}
