// Stored is a Durable Object that knows which of the things that providers store are one owner's: it keeps
// the ids under which they went out to him, and nothing of what they are.
//
// The gateway's keys own all that its clients have made, so a provider shows it to whoever knows its id. Here
// what has not gone out to an owner is not his. With one owner in the configuration all is his: nobody asks.

import { DurableObject } from "cloudflare:workers";
import { Refusal } from "./errors.js";
import { insist, reach } from "./objects.js";
import { Waiting } from "./waiting.js";

const DAY_MS = 24 * 3600 * 1000;
/** Longer than any provider stores a response: OpenAI and xAI do for 30 days, Gemini for 55. */
const KEPT_MS = 60 * DAY_MS;
/** An id may be used while it is being written down: a client has it by then. */
const ON_ITS_WAY_MS = 1000;
/** As long as any id. */
const MAX_ID = 512;
/** The most ids that a request may name. */
const MAX_IDS = 2000;

export class Stored extends DurableObject {
  #sql = this.ctx.storage.sql;
  /** Requests that name what is not known yet. */
  #waiting = new Waiting();

  constructor(ctx, env) {
    super(ctx, env);
    this.#sql.exec("CREATE TABLE IF NOT EXISTS ids (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID");
    this.#sql.exec("CREATE INDEX IF NOT EXISTS byTime ON ids (at)");
  }

  /** Writes down what went out to the owner. @param {string[]} ids */
  async keep(ids) {
    for (const id of ids) this.#sql.exec("INSERT OR REPLACE INTO ids VALUES (?, ?)", id, Date.now());
    this.#waiting.wake();
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + DAY_MS);
  }

  /** The first of these ids that is not the owner's, or null. @param {string[]} ids */
  async foreign(ids) {
    const until = Date.now() + ON_ITS_WAY_MS;
    for (;;) {
      const id = ids.find((one) => this.#sql.exec("SELECT 1 FROM ids WHERE id = ?", one).toArray().length === 0);
      const ms = until - Date.now();
      if (id === undefined || ms <= 0) return id ?? null;
      await this.#waiting.wait(ms);
    }
  }

  async alarm() {
    this.#sql.exec("DELETE FROM ids WHERE at < ?", Date.now() - KEPT_MS);
    const { n } = this.#sql.exec("SELECT count(*) AS n FROM ids").one();
    if (n > 0) await this.ctx.storage.setAlarm(Date.now() + DAY_MS);
  }
}

const storedOf = (env, owner) => env.STORED.get(env.STORED.idFromName(owner));

/** Makes ids the owner's: to be waited for with waitUntil. */
export async function keep(env, owner, ids) {
  const known = ids.filter((id) => id.length <= MAX_ID);
  if (known.length > 0) await insist(() => storedOf(env, owner).keep(known), "what is stored"); // else it stays nobody's
}

/**
 * Refuses what is not the owner's.
 * @param {{id: string, member: string}[]} named see namedIn
 */
export async function permit(env, owner, named) {
  const ids = [...new Set(named.map(({ id }) => id))];
  if (ids.length === 0) return;
  if (ids.length > MAX_IDS) throw new Refusal(400, "invalid_request", `A request may name ${MAX_IDS} stored things.`);
  const ask = () => storedOf(env, owner).foreign(ids);
  const foreign = ids.find(({ length }) => length > MAX_ID) ?? (await reach(ask, "storage_unavailable", "The gateway could not look up whose that is."));
  if (foreign !== null) throw strange(named.find(({ id }) => id === foreign));
}

/** As the provider would say that there is no such thing. */
function strange({ id, member }) {
  const message = `${JSON.stringify(id.slice(0, 100))}: nothing of this token's is stored under that id.`;
  return member === "previous_response_id" ? new Refusal(400, "previous_response_not_found", message) : new Refusal(404, "not_found", message);
}
