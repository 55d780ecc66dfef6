// Ledger is a Durable Object that keeps one owner's account: what he has spent, and what is under way.
//
// Money is set aside before an attempt is sent and settled when its request has ended, in ticks of 1e-10 USD: see
// core/spend, whose law holds here as well. At any moment, for each limit of money,
//
//	spent - what bills were higher than their reservations + held <= limit
//
// The object decides on one request after the other, without a pause within, so that the law holds
// however many come at once. It belongs to the day and the month, in UTC, in which a request began.
//
// A request is under way as long as somebody says so: whoever runs it renews its lease. When a lease
// ends, since the isolate died, all that was set aside counts as spent, for the provider may have done
// its work; a settlement that comes after all puts that right.

import { DurableObject } from "cloudflare:workers";
import { RENEW_MS } from "./limits.js";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;

const TABLES = [
  "CREATE TABLE IF NOT EXISTS holds (id TEXT PRIMARY KEY, ticks INTEGER NOT NULL, beganAt INTEGER NOT NULL, leaseEndsAt INTEGER NOT NULL, lost INTEGER NOT NULL DEFAULT 0)",
  "CREATE TABLE IF NOT EXISTS spent (period TEXT PRIMARY KEY, ticks INTEGER NOT NULL, estimated INTEGER NOT NULL, requests INTEGER NOT NULL)",
  "CREATE TABLE IF NOT EXISTS recent (at INTEGER NOT NULL)",
  "CREATE INDEX IF NOT EXISTS byTime ON recent (at)",
];

/** The limits of money, and the period that each is about. */
const PERIODS = { maxUsdPerDay: dayOf, maxUsdPerMonth: monthOf, maxUsd: () => ({ name: "all", since: 0, until: undefined }) };

function dayOf(ms) {
  const since = ms - (ms % DAY_MS);
  return { name: new Date(ms).toISOString().slice(0, 10), since, until: since + DAY_MS };
}

function monthOf(ms) {
  const date = new Date(ms);
  const month = (n) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + n);
  return { name: date.toISOString().slice(0, 7), since: month(0), until: month(1) };
}

export class Ledger extends DurableObject {
  leaseMs = 3 * RENEW_MS;
  #storage;
  #sql;
  /** When the alarm is known to come. */
  #wakesAt = Infinity;

  constructor(ctx, env) {
    super(ctx, env);
    this.#storage = ctx.storage;
    this.#sql = ctx.storage.sql;
    for (const table of TABLES) this.#sql.exec(table);
  }

  /**
   * Admits a request that may cost so many ticks, or names the limit that is in its way. Who asks
   * again with the same id gets the same answer, and nothing is set aside twice.
   * @param {{id: string, ticks: number, limits: import("./limits.js").Limits}} request
   * @returns {{refused?: string, retryAtMs?: number}}
   */
  reserve({ id, ticks, limits }) {
    const now = Date.now();
    if (this.renew(id)) return {};
    this.#sql.exec("DELETE FROM recent WHERE at <= ?", now - MINUTE_MS);
    const refusal = this.#tooMany(now, limits) ?? this.#tooDear(now, ticks, limits);
    if (refusal) return refusal;
    this.#sql.exec("INSERT INTO holds (id, ticks, beganAt, leaseEndsAt) VALUES (?, ?, ?, ?)", id, ticks, now, 0);
    this.renew(id);
    if (limits.requestsPerMinute !== undefined) this.#sql.exec("INSERT INTO recent VALUES (?)", now);
    return {};
  }

  /**
   * Sets aside so many ticks in all for a request that is under way, or names what is in the way.
   * @param {{id: string, ticks: number, limits: import("./limits.js").Limits}} request
   * @returns {{refused?: string, retryAtMs?: number}}
   */
  raise({ id, ticks, limits }) {
    if (!this.renew(id)) return { refused: "ended" };
    const hold = this.#row("SELECT * FROM holds WHERE id = ?", id);
    if (ticks <= hold.ticks) return {};
    const refusal = this.#tooDear(hold.beganAt, ticks - hold.ticks, limits);
    if (refusal) return refusal;
    this.#sql.exec("UPDATE holds SET ticks = ? WHERE id = ?", ticks, id);
    return {};
  }

  #tooMany(now, { requestsPerMinute, concurrent }) {
    if (requestsPerMinute !== undefined) {
      const { n } = this.#row("SELECT count(*) AS n FROM recent");
      if (n >= requestsPerMinute) {
        const { at = now } = this.#row("SELECT at FROM recent ORDER BY at LIMIT 1 OFFSET ?", n - requestsPerMinute) ?? {};
        return { refused: "requestsPerMinute", retryAtMs: at + MINUTE_MS };
      }
    }
    if (concurrent !== undefined && this.#row("SELECT count(*) AS n FROM holds WHERE lost = 0").n >= concurrent) {
      return { refused: "concurrent", retryAtMs: now + 1000 };
    }
    return null;
  }

  /** Whether so much more is too much for a request that began then. */
  #tooDear(beganAt, ticks, limits) {
    if (ticks === 0) return null;
    for (const [name, periodOf] of Object.entries(PERIODS)) {
      if (limits[name] === undefined) continue;
      const period = periodOf(beganAt);
      if (this.#spent(period.name).ticks + this.#held(period) + ticks > limits[name]) return { refused: name, retryAtMs: period.until };
    }
    return null;
  }

  /** Says that a request is still under way, or is again; false when there is none of that id. */
  renew(id) {
    const hold = this.#row("SELECT * FROM holds WHERE id = ?", id);
    if (!hold) return false;
    if (hold.lost) this.#book(hold.beganAt, -hold.ticks, -hold.ticks, -1);
    const leaseEndsAt = Date.now() + this.leaseMs;
    this.#sql.exec("UPDATE holds SET leaseEndsAt = ?, lost = 0 WHERE id = ?", leaseEndsAt, id);
    if (leaseEndsAt < this.#wakesAt) this.#wake();
    return true;
  }

  /**
   * Turns what was set aside for a request into what it cost; null when nobody knows, which is all of
   * it. Where some of it was lost it is no less than was set aside. A second time it does nothing.
   * @param {{ticks: number, estimated: boolean, lost?: boolean} | null} bill
   */
  settle(id, bill) {
    const hold = this.#row("SELECT * FROM holds WHERE id = ?", id);
    if (!hold) return;
    const { estimated, lost } = bill ?? { estimated: true, lost: true };
    const ticks = lost ? Math.max(hold.ticks, bill?.ticks ?? 0) : bill.ticks;
    const before = hold.lost ? hold.ticks : 0; // counted already
    this.#book(hold.beganAt, ticks - before, (estimated ? ticks : 0) - before, hold.lost ? 0 : 1);
    this.#sql.exec("DELETE FROM holds WHERE id = ?", id);
  }

  /** Counts what nobody says any more to be under way. */
  alarm() {
    const now = Date.now();
    this.#sql.exec("DELETE FROM holds WHERE lost = 1 AND leaseEndsAt <= ?", now - DAY_MS); // nobody settles them any more
    for (const { id, ticks, beganAt } of this.#sql.exec("SELECT * FROM holds WHERE lost = 0 AND leaseEndsAt <= ?", now).toArray()) {
      this.#book(beganAt, ticks, ticks, 1);
      this.#sql.exec("UPDATE holds SET lost = 1 WHERE id = ?", id);
    }
    this.#wake();
  }

  /** Sets the alarm for the next lease that ends, if it is not renewed. */
  #wake() {
    const { at } = this.#row("SELECT min(leaseEndsAt + lost * ?) AS at FROM holds", DAY_MS);
    this.#wakesAt = at ?? Infinity;
    if (at !== null) this.#storage.setAlarm(at);
  }

  /** What has been spent today, this month and in all, in ticks, the days of this month and the last one, and what is under way. */
  report() {
    const now = Date.now();
    const { n, ticks } = this.#row("SELECT count(*) AS n, coalesce(sum(ticks), 0) AS ticks FROM holds WHERE lost = 0");
    const days = this.#sql.exec("SELECT * FROM spent WHERE length(period) = 10 AND period >= ? ORDER BY period", monthOf(monthOf(now).since - 1).name).toArray();
    return { day: this.#spent(dayOf(now).name), month: this.#spent(monthOf(now).name), all: this.#spent("all"), days, held: ticks, concurrent: n };
  }

  #book(beganAt, ticks, estimated, requests) {
    for (const periodOf of Object.values(PERIODS)) {
      this.#sql.exec(
        "INSERT INTO spent VALUES (?1, ?2, ?3, ?4) ON CONFLICT (period) DO UPDATE SET ticks = ticks + ?2, estimated = estimated + ?3, requests = requests + ?4",
        periodOf(beganAt).name, ticks, estimated, requests,
      );
    }
  }

  #spent(period) {
    return this.#row("SELECT * FROM spent WHERE period = ?", period) ?? { period, ticks: 0, estimated: 0, requests: 0 };
  }

  #held({ since, until = Number.MAX_SAFE_INTEGER }) {
    return this.#row("SELECT coalesce(sum(ticks), 0) AS ticks FROM holds WHERE lost = 0 AND beganAt >= ? AND beganAt < ?", since, until).ticks;
  }

  #row(query, ...values) {
    return this.#sql.exec(query, ...values).toArray()[0];
  }
}
