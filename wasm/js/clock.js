// Clock is the time of one call or live session: what it is, as the program is told, and the one timer.

import { reportLater } from "./error.js";
import { soon } from "./host.js";

/** A longer timer would fire at once; the program asks again when it is woken early. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Clock {
  #session;
  #tick;
  #timer;
  /** Stops an injected sleep. @type {AbortController | null} */
  #sleep = null;
  /** The time that was last told to the program, and how far injected sleeps ran ahead of the clock. */
  #at = 0;
  #ahead = 0;

  /**
   * @param {import("./session.js").Session} session
   * @param {() => void} tick called when the time that wake asked for has come
   */
  constructor(session, tick) {
    this.#session = session;
    this.#tick = tick;
  }

  /** Milliseconds since the epoch, as the program counts them here. */
  now() {
    this.#at = this.#session.now() + this.#ahead;
    return this.#at;
  }

  /** Ticks in ms milliseconds, instead of any earlier wish; ms < 0: never. An injected sleep stands for a wait. */
  wake(ms, wait) {
    this.rest();
    if (!(ms >= 0)) return;
    if (wait && this.#session.sleep) this.#sleepFor(ms, this.#at + ms);
    else this.#timer = setTimeout(this.#fire, Math.min(ms, MAX_TIMER_MS));
  }

  /** Drops the pending timer or sleep. */
  rest() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const sleep = this.#sleep;
    this.#sleep = null;
    if (sleep) soon(() => sleep.abort()); // listeners of the signal are user code
  }

  #fire = () => {
    this.#timer = undefined;
    this.#tick();
  };

  async #sleepFor(ms, until) {
    const stop = (this.#sleep = new AbortController());
    try {
      await null; // the program is still running
      if (this.#sleep === stop) await this.#session.sleep(ms, stop.signal);
    } catch (error) {
      if (this.#sleep !== stop) return;
      this.#sleep = null;
      // A sleep that fails is no reason to hurry: the host's own timer takes over.
      reportLater(error);
      this.#timer = setTimeout(this.#fire, Math.min(Math.max(until - this.now(), 0), MAX_TIMER_MS));
      return;
    }
    if (this.#sleep !== stop) return;
    this.#sleep = null;
    // The wait counts as waited, however long it took; later times follow from it.
    this.#ahead += Math.max(0, until - this.now());
    this.#tick();
  }
}
