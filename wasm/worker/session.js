// Session is one request's view of the gateway: its call, its time, its secrets, and what came of it.

import { attach } from "./instance.js";
import { PacedReader } from "./pace.js";
import { redactText } from "./redact.js";

/** Where requests seem to go that only tell the form in which they ask. */
export const FORM = "https://form.invalid";

/** A request in such a form that the program does not take for a call. */
export class NotACall extends Error {}

export class Session {
  /** @type {Set<import("../js/call.js").Call>} */
  calls = new Set();
  handle = 0;
  /** What the response headers tell. */
  facts = { attempts: 0, target: 0, dropped: [], waitedMs: 0, requestIds: [] };
  #config;
  #secrets;
  #port = null;
  #bill = null;
  #sent = false;
  /** @type {PacedReader | null} */
  #reader = null;

  /**
   * @param {import("./config.js").Config} config
   * @param {(string | undefined)[]} secrets by place in the call's chain; 0 is the request's own target
   */
  constructor(config, secrets) {
    this.#config = config;
    this.#secrets = secrets;
  }

  async attach() {
    const { port, handle } = attach(this.#config.options);
    this.#port = port;
    this.handle = handle;
    return port;
  }

  /** What it has cost; null when something was sent, and nobody said. @returns {{costUsd: number, costEstimated?: boolean} | null} */
  get bill() {
    return this.#bill ?? (this.#sent ? null : { costUsd: 0 });
  }

  /** Ends what is open when the program has died: it may have died on the turn of another request. */
  watch() {
    if (!this.#port?.dead) return;
    for (const call of [...this.calls]) call.take({ error: this.#port.dead });
  }

  onEvent = ({ type, ...event }) => {
    const { facts } = this;
    if (type === "sent") [facts.attempts, facts.dropped] = [event.attempt, event.dropped ?? []];
    else if (type === "fallback") facts.target = event.target;
    else if (type === "waiting") facts.waitedMs += event.waitMs;
    else if (type === "responded" && event.requestId) facts.requestIds.push(redactText(event.requestId, this.#secrets));
    else if (type === "done") this.#bill = event;
  };

  now() {
    return Date.now();
  }

  random() {
    return Math.random();
  }

  /** Sends a request of a call. */
  send(url, init) {
    return this.fetch(url, init);
  }

  /** Only what the configuration names is reached, and no redirect leads away from it. */
  fetch(url, init) {
    if (url.startsWith(FORM)) throw new NotACall();
    if (!this.#config.reaches(url)) throw new TypeError("this gateway does not reach that address");
    this.#sent = true;
    return fetch(url, { ...init, redirect: "manual" });
  }

  /** What reads the body of an attempt's response. */
  reader({ body }) {
    return (this.#reader = body && new PacedReader(body));
  }

  /** Resolves when no body is read any more: that of a whole answer runs out when its response is over. */
  async rested() {
    await this.#reader?.closed.catch(() => {});
  }

  /** The headers of an attempt at a further target. `auth` is a header that the secret completes. */
  async authorize(pairs, auth, target) {
    const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
    const colon = auth.indexOf(": ");
    if (colon > 0) headers[auth.slice(0, colon)] = auth.slice(colon + 2) + this.#secrets[target];
    return headers;
  }
}
