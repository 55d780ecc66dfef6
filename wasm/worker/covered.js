// Covered is the session of a call whose every attempt is paid for in advance. What is set aside at its begin
// covers one; before a further one may make it cost more, more is, or the attempt is not sent.

import { Session } from "./session.js";

export class Covered extends Session {
  #cover;
  /** What the call may have cost with the attempt that is about to be sent. */
  #mayCostUsd = 0;

  /** @param {(usd: number) => Promise<void>} cover sees to it that so much is set aside, or throws why not */
  constructor(config, secrets, cover) {
    super(config, secrets);
    this.#cover = cover;
    const { onEvent } = this;
    this.onEvent = (event) => {
      if (event.type === "sent") this.#mayCostUsd = event.mayCostUsd;
      onEvent(event);
    };
  }

  async fetch(url, init) {
    const usd = this.#mayCostUsd;
    this.#mayCostUsd = 0; // what is sent beside the attempts costs nothing
    try {
      if (usd > 0) await this.#cover(usd);
    } catch ({ message }) {
      throw Object.assign(new Error(message), { name: "BudgetError" }); // which is final: see core/fault/transport.go
    }
    return super.fetch(url, init);
  }
}
