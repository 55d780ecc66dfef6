// Held is the host's side of what the program holds by a handle, a call or a live session: how it opens
// and ends, its clock and its one timer.

import { Clock } from "./clock.js";
import { programError } from "./error.js";

export class Held {
  /** Nothing follows. */
  over = false;
  #clock;
  #signal;

  /**
   * @param {import("./protocol.js").Port} port
   * @param {import("./session.js").Session} session
   * @param {{done: (done: any) => void, fail: (error: import("./error.js").HoldfastError) => void}} taker
   * @param {AbortSignal} [signal]
   */
  constructor(port, session, taker, signal) {
    this.port = port;
    this.session = session;
    this.taker = taker;
    this.#signal = signal;
    this.#clock = new Clock(session, () => port.tick(this));
    this.handle = port.handle();
  }

  /** Opens it in the program, as enter does. */
  begin(enter) {
    const { port, session } = this;
    if (port.dead) return this.take({ error: port.dead });
    port.calls.set(this.handle, this);
    session.calls.add(this);
    if (port.calls.size === 1) port.network.watch();
    enter(port, session.handle);
    if (this.over) return;
    if (this.cancelled) return this.abort();
    this.#signal?.addEventListener("abort", this.abort);
    if (port.network.offline) port.online(this, false);
  }

  /** Its signal has aborted. */
  get cancelled() {
    return this.#signal?.aborted === true;
  }

  /** The caller cancelled, or only leaves: then what is made without us goes on. */
  abort = (left) => {
    if (!this.over) this.port.abort(this, left === true); // an event of the signal is no word
  };

  /** Milliseconds since the epoch, as they are counted here. */
  now() {
    return this.#clock.now();
  }

  random() {
    return this.session.random();
  }

  wake(ms, wait) {
    if (!this.over) this.#clock.wake(ms, wait);
  }

  /** Takes the last of its output. */
  finish({ done, error }) {
    this.drop();
    if (done) this.taker.done(done);
    else this.taker.fail(programError(error));
  }

  /** Forgets it. */
  drop() {
    const { port } = this;
    this.over = true;
    this.#clock.rest();
    this.#signal?.removeEventListener("abort", this.abort);
    this.session.calls.delete(this);
    port.calls.delete(this.handle);
    port.free(this);
    if (port.calls.size > 0) return;
    port.network.unwatch();
    port.onidle();
  }
}
