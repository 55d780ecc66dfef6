// Line is the host's side of one live session: its clock, its sockets, and who takes its output.

import { Clock } from "./clock.js";
import { callBack, HoldfastError } from "./error.js";
import { Socket } from "./socket.js";

/**
 * @typedef {object} Taker
 * @property {(item: import("./holdfast.d.ts").LiveItem) => void} item
 * @property {(done: {live: import("./holdfast.d.ts").LiveResult}) => void} done
 * @property {(error: HoldfastError) => void} fail
 */

export class Line {
  #port;
  /** @type {Taker} */
  #taker;
  #onEvent;
  #signal;
  #clock;
  /** The current connection. @type {Socket | null} */
  #socket = null;
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
    this.#onEvent = onEvent;
    this.#signal = signal;
    this.#clock = new Clock(session, () => port.tick(this));
    this.handle = port.handle();
  }

  /** Opens the session in the program, which opens the first connection. */
  open(options, setup) {
    if (this.#port.dead) return this.take({ error: this.#port.dead });
    this.#port.calls.set(this.handle, this);
    this.session.calls.add(this);
    if (this.#port.calls.size === 1) this.#port.network.watch();
    this.#port.live(this, this.session.handle, options, setup);
    if (this.#ended) return;
    if (this.#signal?.aborted) return this.abort();
    this.#signal?.addEventListener("abort", this.abort);
    if (this.#port.network.offline) this.#port.online(this, false);
  }

  /** The caller sends a message. */
  say(bytes) {
    if (!this.#ended) this.#port.say(this, bytes);
  }

  /** The caller has no more to say. */
  shut() {
    if (!this.#ended) this.#port.shut(this);
  }

  /** The caller cancelled. */
  abort = () => {
    if (!this.#ended) this.#port.abort(this);
  };

  /** Milliseconds since the epoch, as this session counts them. */
  now() {
    return this.#clock.now();
  }

  random() {
    return this.session.random();
  }

  // What the program asks for. It is running: user code must not.

  connect(connection, request) {
    this.#socket = new Socket(this, connection);
    this.#socket.open(request);
  }

  transmit(connection, text) {
    if (this.#socket?.connection === connection) this.#socket.send(text);
  }

  disconnect(connection) {
    if (this.#socket?.connection === connection) this.#socket.close();
  }

  wake(ms, wait) {
    if (!this.#ended) this.#clock.wake(ms, wait);
  }

  // What a socket brings. The program ignores one that is no longer the current.

  opened({ connection }) {
    if (!this.#ended) this.#port.opened(this, connection);
  }
  message({ connection }, bytes) {
    if (!this.#ended) this.#port.message(this, connection, bytes);
  }
  closed({ connection }, how) {
    if (!this.#ended) this.#port.closed(this, connection, how);
  }

  // What the port delivers. The program has returned: user code may run.

  read() {}

  take(item) {
    if (this.#ended) return;
    if (item.item) {
      this.#taker.item(item.item);
    } else if (item.event) {
      if (this.#onEvent) callBack(this.#onEvent, item.event);
    } else if (item.done || item.error) {
      this.#end();
      if (item.done) this.#taker.done(item.done);
      else this.#taker.fail(item.error instanceof HoldfastError ? item.error : new HoldfastError(item.error.code, item.error.message));
    }
  }

  #end() {
    this.#ended = true;
    this.#clock.rest();
    this.#socket?.drop();
    this.#socket = null;
    this.#signal?.removeEventListener("abort", this.abort);
    this.session.calls.delete(this);
    this.#port.calls.delete(this.handle);
    this.#port.free(this);
    if (this.#port.calls.size > 0) return;
    this.#port.network.unwatch();
    this.#port.onidle();
  }
}
