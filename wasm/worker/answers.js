// Answers is a Durable Object that keeps one answer: it asks the model, writes each delta down before
// anybody reads it, and goes on when every client has left. Readers are served as those of any stream.
//
//	nothing ── begin ──▶ asking ── done ──▶ ended ── time to live, DELETE ──▶ nothing
//	                      ▲  │
//	                      └──┘ the object or the program was lost: the next request or alarm takes up

import { DurableObject } from "cloudflare:workers";
import { HoldfastError } from "../js/error.js";
import { renew, reserve, settle } from "./account.js";
import { configOf } from "./config.js";
import { errorResponse, Refusal, refusalOf } from "./errors.js";
import { RENEW_MS } from "./limits.js";
import { gone, head, read } from "./reading.js";
import { Record } from "./record.js";
import { quoteOf, Run } from "./run.js";
import { Store } from "./store.js";
import { keep } from "./stored.js";

/** So often an unfinished answer makes sure that somebody still asks for it. */
const BEAT_MS = 5000;

export class Answers extends DurableObject {
  #storage = this.ctx.storage;
  #store = new Store(this.#storage);
  #record = new Record(this.#storage);
  #name = this.ctx.id.toString();
  /** @type {Run | null} */
  #run = null;
  /** One is made after the other: what is set aside for a question is not another's. */
  #made = Promise.resolve();
  /** When the ledger last heard that it is under way. */
  #renewedAt = 0;

  /**
   * Asks for an answer, once: the same question finds the answer that there is.
   * @param {import("./record.js").Asked} asked
   * @returns {Promise<{made: boolean, refused?: {status: number, code: string, message: string, retryAtMs?: number}}>}
   */
  async begin(asked) {
    try {
      return { made: await this.#through(this.#begin(asked)) };
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof HoldfastError)) throw error;
      const { status, code, message, retryAtMs } = refusalOf(error);
      return { made: false, refused: { status, code, message, retryAtMs } };
    }
  }

  async #begin(asked) {
    await this.#expire();
    const making = this.#made.then(() => this.#make(asked));
    this.#made = making.catch(() => {});
    if (!(await making)) {
      if (this.#record.asked.hash !== asked.hash) throw new Refusal(409, "idempotency_conflict", "Something else has been asked under that idempotency-key.");
      this.#takeUp();
      return false;
    }
    const wrong = await this.#takeUp();
    if (!wrong) return true;
    await this.#delete({ costUsd: 0 });
    throw new Refusal(400, "invalid_request", wrong.message);
  }

  /** Writes down what is asked, if nothing is yet. @returns {Promise<boolean>} whether it did */
  async #make(asked) {
    if (this.#store.stream) return false;
    const heldUsd = await this.#reserve(asked);
    try {
      this.#store.create({ type: "application/json" }, () => this.#record.create(asked, heldUsd));
    } catch (error) {
      if (heldUsd !== null) await settle(this.env, asked.caller.owner, this.#name, { costUsd: 0 });
      throw error;
    }
    return true;
  }

  /** Sets money aside. @returns {Promise<number | null>} how much; null for who has no account */
  async #reserve(asked) {
    const costUsd = await quoteOf(asked, configOf(this.env)); // whoever asks: what cannot be asked is not begun
    if (!asked.caller.limits) return null;
    await reserve(this.env, asked.caller, this.#name, costUsd);
    return costUsd;
  }

  /** Settles what was set aside. */
  async #settle(bill = this.#bill()) {
    const { owner, heldUsd, runs } = this.#record.asked;
    if (heldUsd === null) return;
    const lost = this.#record.lost(runs).length > 0; // what that has cost, nobody knows
    await settle(this.env, owner, this.#name, bill && { ...bill, lost });
  }

  /** What the answer has cost, by its last message; null when it has not ended. */
  #bill() {
    return this.#store.ended ? JSON.parse(this.#store.read(this.#store.safe - 1, 1).messages[0]).result : null;
  }

  /** Ends the answer where it is, or throws. @returns {Promise<boolean>} whether there is one */
  async cancel() {
    await this.#expire();
    if (!this.#store.stream) return false;
    await this.#through(this.#end());
    if (this.#store.stream && !this.#store.ended) throw new Error("the end of an answer could not be written");
    return true;
  }

  /** What is done to its end, whether or not its client stays. */
  #through(work) {
    this.ctx.waitUntil(work.catch(() => {}));
    return work;
  }

  /** Ends the answer where it is, if that can be written. */
  async #end() {
    for (let n = 0; n < 2 && !this.#store.ended; n++) { // a second time when the program dies of it
      this.#takeUp();
      this.#run?.cancel();
      await this.#run?.over;
    }
  }

  async fetch(request) {
    try {
      await this.#expire();
      if (!this.#store.stream) throw gone();
      if (request.method === "DELETE") {
        await this.#through(this.#end().then(() => this.#delete()));
        return new Response(null, { status: 204 });
      }
      this.#takeUp();
      if (request.method === "HEAD") return head(this.#store);
      if (request.method === "GET") return await read(this.#store, request);
      throw new Refusal(405, "method_not_allowed", "An answer takes GET, HEAD and DELETE.");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return errorResponse("openai", error);
    }
  }

  async alarm() {
    await this.#expire();
    if (!this.#store.stream) return;
    this.#storage.setAlarm(Date.now() + BEAT_MS); // first: whatever fails now is tried again
    if (this.#store.ended) return this.#ended();
    this.#takeUp();
    const { owner, heldUsd } = this.#record.asked;
    if (heldUsd === null || Date.now() - this.#renewedAt < RENEW_MS) return;
    this.#renewedAt = Date.now();
    await renew(this.env, owner, this.#name);
  }

  /**
   * Makes sure that an unfinished answer is being asked for.
   * @returns {Promise<Error | null>} what is wrong with a request that cannot be asked
   */
  async #takeUp() {
    if (this.#run || this.#store.ended) return null;
    this.#storage.setAlarm(Date.now() + BEAT_MS);
    const run = (this.#run = new Run(this.#name, this.#storage, this.#store, this.#record, this.env));
    this.ctx.waitUntil(run.over.then((again) => this.#over(run, again))); // else nothing runs when no client is there
    try {
      return await run.begin();
    } catch (error) {
      console.error("holdfast: an answer could not be asked for:", error); // the alarm tries again
      run.drop();
      return null;
    }
  }

  async #over(run, again) {
    if (this.#run !== run) return; // deleted
    this.#run = null;
    if (this.#store.ended) await this.#ended();
    else if (again) await this.#takeUp();
  }

  async #ended() {
    const { stream } = this.#store;
    const { plan, owner } = this.#record.asked;
    const id = plan.tells && this.#bill()?.id; // by which the provider stores it: it is the owner's
    await this.#settle();
    if (id) await keep(this.env, owner, [id]);
    if (this.#store.stream !== stream) return; // deleted meanwhile
    this.#record.forget();
    this.#store.dieAt(this.#store.stream.diesAtMs ?? Date.now() + configOf(this.env).answerTtlSeconds * 1000);
  }

  async #expire() {
    if (this.#store.expired) await this.#delete();
  }

  async #delete(bill) {
    const { stream } = this.#store;
    if (!stream) return;
    this.#run?.drop();
    this.#run = null;
    await this.#settle(bill);
    if (this.#store.stream === stream) await this.#store.delete();
  }
}
