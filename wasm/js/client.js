// Client is what createClient gives: requests and answers of one provider.

import { badOption, HoldfastError } from "./error.js";
import { encodeBody, encodeText, must, splitOptions } from "./check.js";
import { Answer, encodeCall, named } from "./answer.js";
import { Call } from "./call.js";
import { fetchThrough } from "./fetch.js";
import { LiveSession } from "./live.js";
import { Session } from "./session.js";

const notHere = (_, key) => {
  throw badOption(key, "is an option of stream, not of request");
};
const OWN = { signal: must.signal, onEvent: must.call, onDelta: notHere, continues: notHere, durable: notHere };

export class Client {
  #session;

  /** @param {import("./holdfast.d.ts").ClientOptions} options */
  static async create(options) {
    const client = new Client();
    const session = (client.#session = new Session(options));
    session.given = client.fetch;
    try {
      if (session.share) await session.share.load();
      await session.attach();
    } catch (error) {
      session.close();
      throw error;
    }
    return client;
  }

  async request(path, body, options) {
    const { kept, rest } = splitOptions(options, OWN, "request");
    const head = encodeCall(path, named(rest));
    const bytes = encodeBody(body);
    const port = await this.#session.attach();
    return new Promise((resolve, reject) => {
      const done = (end) => (end.result ? resolve(end.result) : reject(errorOf(end, kept.signal)));
      new Call(port, this.#session, { done, fail: reject }, kept).open(false, head, bytes);
    });
  }

  stream(path, body, options) {
    return new Answer(this.#session, path, body, options);
  }

  resumeAnswer(id, offset, options) {
    const { text, path, body, ...rest } = options ?? {};
    return new Answer(this.#session, path, body, { ...rest, continues: text, durable: true }, { id, offset });
  }

  /** Bound, since SDKs call it without the client. */
  fetch = (input, init) => fetchThrough(this.#session, input, init);

  live(path, setup, options) {
    return new LiveSession(this.#session, path, setup, options);
  }

  async health() {
    return this.#session.ask((port, target, handle) => port.health(target, handle, this.#session.now()));
  }

  async snapshot() {
    return this.#session.ask((port, target, handle) => port.state(target, handle, false));
  }

  async restore(snapshot) {
    if (typeof snapshot !== "string") throw badOption("snapshot", "must be text that snapshot() gave");
    const bytes = encodeText(snapshot);
    await this.#session.ask((port, target, handle) => port.restore(target, handle, false, bytes, this.#session.now()));
  }

  close() {
    this.#session.close();
  }
}

function errorOf({ failure, first, attempts, retryAtMs, cancelled }, signal) {
  if (!cancelled) return HoldfastError.of(failure, first, { attempts, retryAtMs });
  const { decision, reason } = failure;
  return new HoldfastError("cancelled", failure.message, { decision, reason, failure, attempts, cause: signal?.reason });
}
