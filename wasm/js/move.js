// Move takes what a client has learned along when it changes from the lean program to the full one.
//
// All of it goes at once. Calls that are open in the lean program end there; what they learn until
// then (breakers, gates, money) follows as between the tabs of a page. What they may still spend
// counts as spent from the beginning.

import { encodeText } from "./check.js";
import { soon } from "./host.js";

/** @typedef {{port: import("./protocol.js").Port, handle: number}} Place a client's in a program */

export class Move {
  #from;
  #to;
  #now;
  #following = false;
  /** What the new place has of the old one. @type {string | undefined} */
  #seen;

  /**
   * @param {Place} from
   * @param {Place} to
   * @param {() => number} now
   */
  constructor(from, to, now) {
    this.#from = from;
    this.#to = to;
    this.#now = now;
    this.#changes(); // they are in what follows
    this.#seen = this.#all();
    if (this.#seen) to.port.askNow((target) => to.port.restore(target, to.handle, false, encodeText(this.#seen), now()));
  }

  /** Something may have been learned in the old place, which is delivering just now. */
  follow() {
    if (this.#following) return;
    this.#following = true;
    soon(this.#follow);
  }
  #follow = () => {
    this.#following = false;
    const { port, handle } = this.#to;
    const [news, all] = [this.#changes(), this.#all()];
    if (news) port.askNow((target) => port.restore(target, handle, true, encodeText(news), this.#now()));
    if (!all || all === this.#seen) return;
    port.askNow((target) => port.join(target, handle, encodeText(`${this.#seen}\n${all}`), this.#now()));
    this.#seen = all;
  };

  #changes() {
    return this.#ask(true);
  }

  #all() {
    return this.#ask(false);
  }

  /** Undefined when it died. */
  #ask(changes) {
    const { port, handle } = this.#from;
    return port.askNow((target) => port.state(target, handle, changes));
  }
}
