// Record is what an answer's object keeps beside the messages: what was asked, where it could be taken up,
// and the attempts of calls that were lost.

import { joined } from "./bytes.js";
import { MAX_ROW_BYTES } from "./store.js";

/**
 * @typedef {object} Asked
 * @property {string} hash of everything that was asked
 * @property {import("./passage.js").Plan} plan without secrets, and without its body
 * @property {{provider: string, model: string, asked: string}[]} targets the chain, as the configuration had it then
 * @property {Uint8Array} body
 * @property {import("./tokens.js").Caller} caller
 */

export class Record {
  #sql;

  /** @param {DurableObjectStorage} storage */
  constructor(storage) {
    this.#sql = storage.sql;
  }

  /**
   * Writes down what is asked. The id is what providers know the call by: nobody could have chosen it.
   * @param {Asked} asked
   * @param {number | null} heldUsd what was set aside for it, when its owner has an account
   */
  create({ hash, plan, targets, body, caller: { owner } }, heldUsd) {
    for (const table of TABLES) this.#sql.exec(table);
    const values = [hash, crypto.randomUUID(), JSON.stringify(plan), JSON.stringify(targets), owner, heldUsd];
    this.#sql.exec("INSERT INTO asked (hash, id, plan, targets, owner, heldUsd) VALUES (?, ?, ?, ?, ?, ?)", ...values);
    for (let at = 0; at < body.length; at += MAX_ROW_BYTES) this.#sql.exec("INSERT INTO body (part) VALUES (?)", body.slice(at, at + MAX_ROW_BYTES));
  }

  /** @returns {{hash: string, id: string, plan: object, targets: object[], owner: string, heldUsd: number | null, runs: number, cursor: object | null}} */
  get asked() {
    const { plan, targets, cursor, ...rest } = this.#sql.exec("SELECT * FROM asked").one();
    return { ...rest, plan: JSON.parse(plan), targets: JSON.parse(targets), cursor: cursor === null ? null : JSON.parse(cursor) };
  }

  get body() {
    const parts = this.#sql.exec("SELECT part FROM body ORDER BY n").toArray();
    return joined(parts.map(({ part }) => new Uint8Array(part)));
  }

  /** Counts one more call for this answer. */
  begin() {
    return this.#sql.exec("UPDATE asked SET runs = runs + 1 RETURNING runs").one().runs;
  }

  /** Where the answer can be taken up from now on; null: nowhere. */
  mark(cursor) {
    this.#sql.exec("UPDATE asked SET cursor = ?", cursor && JSON.stringify(cursor));
  }

  /** So much is set aside now. */
  held(usd) {
    this.#sql.exec("UPDATE asked SET heldUsd = ?", usd);
  }

  /** Nobody asks again, and what was set aside is settled: what was asked need not be kept, but for its hash. */
  forget() {
    this.#sql.exec("DELETE FROM body");
    this.#sql.exec("UPDATE asked SET plan = '{}', heldUsd = NULL");
  }

  /** An attempt was sent, when the stream had so many messages. */
  sent(run, attempt, facts, message) {
    this.#sql.exec("INSERT INTO attempts VALUES (?, ?, ?, ?)", run, attempt, JSON.stringify(facts), message);
  }

  /** It failed, and the call went on. */
  failed(run, attempt, error) {
    this.#sql.exec("UPDATE attempts SET facts = json_set(facts, '$.error', json(?)) WHERE run = ? AND attempt = ?", JSON.stringify(error), run, attempt);
  }

  /** The attempts of calls before a run, each with the number of the last message before it. */
  lost(run) {
    const rows = this.#sql.exec("SELECT facts, message FROM attempts WHERE run < ? ORDER BY run, attempt", run).toArray();
    return rows.map(({ facts, message }) => ({ facts: JSON.parse(facts), message }));
  }
}

const TABLES = [
  `CREATE TABLE asked (hash TEXT NOT NULL, id TEXT NOT NULL, plan TEXT NOT NULL, targets TEXT NOT NULL, owner TEXT NOT NULL, heldUsd REAL,
    runs INTEGER NOT NULL DEFAULT 0, cursor TEXT)`,
  "CREATE TABLE body (n INTEGER PRIMARY KEY, part BLOB NOT NULL)",
  "CREATE TABLE attempts (run INTEGER, attempt INTEGER, facts TEXT NOT NULL, message INTEGER NOT NULL, PRIMARY KEY (run, attempt))",
];
