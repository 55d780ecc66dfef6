// Account is what the gateway does about its callers' limits: it asks their ledger before a request is
// sent, and tells it afterwards what came of it. Whoever has no limits has no ledger, and nobody is asked.

import { Refusal } from "./errors.js";
import { limitsMoney, RENEW_MS, TICKS_PER_USD } from "./limits.js";
import { insist, reach } from "./objects.js";

const ledgerOf = (env, owner) => env.LEDGERS.get(env.LEDGERS.idFromName(owner));

/**
 * Sets money aside for a request, or throws what stands in its way.
 * @param {import("./tokens.js").Caller} caller who has limits
 * @param {string} id of the request; the same one again is the same request
 * @param {number} costUsd what it may cost
 */
export function reserve(env, caller, id, costUsd) {
  return asked(env, caller, "reserve", id, costUsd);
}

/**
 * Sees to it that so much is set aside for a request that is under way, or throws what stands in its way.
 * @param {{owner: string, limits: import("./limits.js").Limits}} caller
 * @param {number} heldUsd what is set aside already
 */
export async function cover(env, caller, id, heldUsd, costUsd) {
  if (limitsMoney(caller.limits) && ticksOf(costUsd) > ticksOf(heldUsd)) await asked(env, caller, "raise", id, costUsd);
}

async function asked(env, { owner, limits }, method, id, costUsd) {
  const ask = () => ledgerOf(env, owner)[method]({ id, ticks: ticksOf(costUsd), limits });
  const { refused, retryAtMs } = await reach(ask, "ledger_unavailable", "The gateway could not look up the limits of this token.");
  if (refused) throw new Refusal(...REFUSALS[refused], retryAtMs);
}

/** Money is no rate limit: no official SDK tries again after HTTP 402, and who looks at codes finds the usual one. */
const REFUSALS = {
  requestsPerMinute: [429, "rate_limit_exceeded", "This token has made as many requests as it may in a minute."],
  concurrent: [429, "rate_limit_exceeded", "This token has as many requests under way as it may."],
  maxUsdPerDay: [402, "insufficient_quota", "What is left of this token's money for today (UTC) does not cover the request."],
  maxUsdPerMonth: [402, "insufficient_quota", "What is left of this token's money for this month (UTC) does not cover the request."],
  maxUsd: [402, "insufficient_quota", "What is left of this token's money does not cover the request."],
  ended: [503, "ledger_unavailable", "The gateway's ledger has settled this request."],
};

/** Says that a request is still under way. */
export async function renew(env, owner, id) {
  await ledgerOf(env, owner).renew(id).catch(() => {}); // there will be another time, or the lease ends
}

/** One request of an owner's, as long as it runs here. */
export class Account {
  #env;
  #caller;
  #id;
  #heldUsd;
  #renewing;

  constructor(env, caller, id, heldUsd) {
    this.#env = env;
    this.#caller = caller;
    this.#id = id;
    this.#heldUsd = heldUsd;
    this.#renewing = setInterval(() => renew(env, caller.owner, id), RENEW_MS);
  }

  /** Admits a request of a caller who has limits. */
  static async open(env, caller, costUsd) {
    const id = crypto.randomUUID();
    await reserve(env, caller, id, costUsd);
    return new Account(env, caller, id, costUsd);
  }

  /** Sees to it that so much is set aside, or throws what stands in its way. */
  async cover(costUsd) {
    await cover(this.#env, this.#caller, this.#id, this.#heldUsd, costUsd);
    this.#heldUsd = Math.max(this.#heldUsd, costUsd);
  }

  /** Ends it, with what it has cost. */
  async close(bill) {
    clearInterval(this.#renewing);
    await settle(this.#env, this.#caller.owner, this.#id, bill);
  }
}

/** What an owner has spent: see Ledger. */
export const reportOf = (env, owner) => ledgerOf(env, owner).report();

/**
 * Tells what a request has cost, also when its client has left: to be waited for with waitUntil.
 * @param {{costUsd: number, costEstimated?: boolean, lost?: boolean} | null} bill null when nobody knows: then it is what
 *   was set aside; lost: of some of it nobody does, and it is no less
 */
export async function settle(env, owner, id, bill) {
  const told = bill && { ticks: ticksOf(bill.costUsd), estimated: bill.costEstimated === true, lost: bill.lost === true };
  await insist(() => ledgerOf(env, owner).settle(id, told), "the ledger"); // else its lease ends
}

/** Costs come as the nearest double to whole ticks. */
const ticksOf = (usd) => Math.round(usd * TICKS_PER_USD);
