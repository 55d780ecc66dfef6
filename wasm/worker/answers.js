// Answers is a Durable Object that keeps one answer: it asks the model, writes each delta down before
// anybody reads it, and goes on when every client has left. Readers are served as those of any stream.
//
//	nothing ── begin ──▶ asking ── done ──▶ ended ── time to live, DELETE ──▶ nothing
//	                      ▲  │
//	                      └──┘ the object or the program was lost: the next request or alarm takes up

import { DurableObject } from "cloudflare:workers";
import { configOf } from "./config.js";
import { errorResponse, Refusal, refusalOf } from "./errors.js";
import { gone, head, read } from "./reading.js";
import { Record } from "./record.js";
import { Run } from "./run.js";
import { Store } from "./store.js";

/** So often an unfinished answer makes sure that somebody still asks for it. */
const BEAT_MS = 5000;

export class Answers extends DurableObject {
  #storage = this.ctx.storage;
  #store = new Store(this.#storage);
  #record = new Record(this.#storage);
  /** @type {Run | null} */
  #run = null;

  /**
   * Asks for an answer, once: the same question finds the answer that there is.
   * @param {import("./record.js").Asked} asked
   * @returns {Promise<{made: boolean, refused?: {status: number, code: string, message: string}}>}
   */
  async begin(asked) {
    await this.#expire();
    if (this.#store.stream) {
      if (this.#record.asked.hash !== asked.hash) {
        return { made: false, refused: { status: 409, code: "idempotency_conflict", message: "Something else has been asked under that idempotency-key." } };
      }
      this.#takeUp();
      return { made: false };
    }
    this.#store.create({ type: "application/json" }, () => this.#record.create(asked));
    this.#storage.setAlarm(Date.now() + BEAT_MS);
    const wrong = await this.#takeUp();
    if (!wrong) return { made: true };
    await this.#delete();
    return { made: false, refused: { status: 400, code: "invalid_request", message: wrong.message } };
  }

  /** Ends the answer where it is. @returns {Promise<boolean>} whether there is one */
  async cancel() {
    await this.#expire();
    if (!this.#store.stream) return false;
    this.#takeUp();
    this.#run?.cancel();
    await this.#run?.over;
    return true;
  }

  async fetch(request) {
    try {
      await this.#expire();
      if (!this.#store.stream) throw gone();
      if (request.method === "DELETE") {
        await this.#delete();
        return new Response(null, { status: 204 });
      }
      this.#takeUp();
      if (request.method === "HEAD") return head(this.#store);
      if (request.method === "GET") return await read(this.#store, request);
      throw new Refusal(405, "method_not_allowed", "An answer takes GET, HEAD and DELETE.");
    } catch (error) {
      return errorResponse("openai", refusalOf(error));
    }
  }

  async alarm() {
    await this.#expire();
    if (!this.#store.stream) return;
    if (this.#store.ended) return this.#store.dieAt(this.#store.stream.diesAtMs ?? this.#deadline());
    this.#storage.setAlarm(Date.now() + BEAT_MS);
    this.#takeUp();
  }

  /**
   * Makes sure that an unfinished answer is being asked for.
   * @returns {Promise<Error | null>} what is wrong with a request that cannot be asked
   */
  async #takeUp() {
    if (this.#run || this.#store.ended) return null;
    const run = (this.#run = new Run(this.#storage, this.#store, this.#record, this.env));
    this.ctx.waitUntil(run.over.then((ended) => this.#over(run, ended))); // else nothing runs when no client is there
    try {
      return await run.begin();
    } catch (error) {
      console.error("holdfast: an answer could not be asked for:", error); // the alarm tries again
      run.drop();
      return null;
    }
  }

  #over(run, ended) {
    if (this.#run !== run) return undefined; // deleted
    this.#run = null;
    if (ended && this.#store.ended) this.#store.dieAt(this.#deadline());
    return ended ? undefined : this.#takeUp();
  }

  #deadline() {
    return Date.now() + configOf(this.env).answerTtlSeconds * 1000;
  }

  async #expire() {
    if (this.#store.expired) await this.#delete();
  }

  async #delete() {
    this.#run?.drop();
    this.#run = null;
    await this.#store.delete();
  }
}
