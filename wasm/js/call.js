// Call is the host's side of one call: its exchange, and who takes its output.

import { callBack } from "./error.js";
import { Exchange } from "./exchange.js";
import { Held } from "./held.js";

/**
 * @typedef {object} Taker
 * @property {(delta: import("./holdfast.d.ts").Delta) => void} [delta]
 * @property {(cursor: object | null) => void} [cursor] of a stream with cursors: where it could be taken up now
 * @property {(head: {status: number, headers: [string, string][]}) => void} [head] of a fetch
 * @property {(bytes: Uint8Array) => void} [bytes] of a fetch
 * @property {(done: any) => void} done
 * @property {(error: import("./error.js").HoldfastError) => void} fail
 */

export class Call extends Held {
  #listeners;
  /** The attempt under way. @type {Exchange | null} */
  #exchange = null;

  /** As Held, with a taker of its own. @param {Taker} taker */
  constructor(port, session, taker, { signal, onEvent } = {}) {
    super(port, session, taker, signal);
    this.#listeners = [session.onEvent, onEvent].filter(Boolean);
  }

  /** Opens the call in the program, which sends the first attempt. */
  open(stream, options, body) {
    this.begin((port, client) => port.open(this, client, stream, options, body));
  }

  /** The consumer has room for more. */
  demand() {
    if (!this.over) this.port.demand(this);
  }

  /** The consumer takes everything as it comes, until demand is called again. */
  flow() {
    if (!this.over) this.port.flow(this);
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
        const response = await this.session.send(url, { ...(await this.sign(request)), method, body, keepalive: true });
        if (response.status < 500) return void response.body?.cancel();
      } catch {
        // The network, most likely.
      }
    }
  }

  cancel(attempt, whole) {
    if (this.#exchange?.attempt !== attempt) return;
    this.#exchange.stop(whole);
    this.#exchange = null;
  }

  // What the exchange brings.

  responded(exchange, status, headers) {
    if (exchange === this.#exchange) this.port.responded(this, exchange.attempt, status, headers);
  }
  received(exchange, chunk) {
    if (exchange === this.#exchange) this.port.received(this, exchange.attempt, chunk);
  }
  ended(exchange) {
    if (exchange === this.#exchange) this.port.ended(this, exchange.attempt);
  }
  broke(exchange, failure) {
    if (exchange === this.#exchange) this.port.broke(this, exchange.attempt, failure);
  }

  // What the port delivers. The program has returned: user code may run.

  read() {
    this.#exchange?.read();
  }

  take(item) {
    if (this.over) return;
    if (item.delta) {
      this.taker.delta?.(item.delta);
    } else if (item.cursor !== undefined) {
      this.taker.cursor?.(item.cursor);
    } else if (item.event) {
      this.session.learned?.(this.port);
      for (const listener of this.#listeners) callBack(listener, item.event);
    } else if (item.head) {
      this.taker.head(item.head);
    } else if (item.bytes) {
      this.taker.bytes(item.bytes);
    } else if (item.done || item.error) {
      this.finish(item);
    }
  }

  drop() {
    this.#exchange?.stop();
    this.#exchange = null;
    super.drop();
  }
}
