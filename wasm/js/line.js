// Line is the host's side of one live session: its sockets, and who takes its output.

import { callBack } from "./error.js";
import { Held } from "./held.js";
import { Socket } from "./socket.js";

/**
 * @typedef {object} Taker
 * @property {(item: import("./holdfast.d.ts").LiveItem) => void} item
 * @property {(done: {live: import("./holdfast.d.ts").LiveResult}) => void} done
 * @property {(error: import("./error.js").HoldfastError) => void} fail
 */

export class Line extends Held {
  #onEvent;
  /** The current connection. @type {Socket | null} */
  #socket = null;

  /** As Held, with a taker of its own. @param {Taker} taker */
  constructor(port, session, taker, { signal, onEvent } = {}) {
    super(port, session, taker, signal);
    this.#onEvent = onEvent;
  }

  /** Opens the session in the program, with what was sent before. */
  open(options, setup, early) {
    this.begin((port, client) => {
      port.live(this, client, options, setup);
      for (const bytes of early) this.say(bytes);
    });
  }

  /** The caller sends a message; false when the session has ended. */
  say(bytes) {
    return !this.over && !(this.port.say(this, bytes) < 0);
  }

  /** The caller has no more to say. */
  shut() {
    if (!this.over) this.port.shut(this);
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

  // What a socket brings. The program ignores one that is no longer the current.

  opened({ connection }) {
    if (!this.over) this.port.opened(this, connection);
  }
  message({ connection }, bytes) {
    if (!this.over) this.port.message(this, connection, bytes);
  }
  closed({ connection }, how) {
    if (!this.over) this.port.closed(this, connection, how);
  }

  // What the port delivers. The program has returned: user code may run.

  read() {}

  take(item) {
    if (this.over) return;
    if (item.item) {
      this.taker.item(item.item);
    } else if (item.event) {
      if (this.#onEvent) callBack(this.#onEvent, item.event);
    } else if (item.done || item.error) {
      this.finish(item);
    }
  }

  drop() {
    this.#socket?.drop();
    this.#socket = null;
    super.drop();
  }
}
