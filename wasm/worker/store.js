// Store keeps one stream of messages in the SQLite of a Durable Object.
//
// Whoever reads sees only what is safe: written, and on the disk. So what a reader has got is there after
// a power cut as well, and an offset that was given out stays true for ever.

import { Waiting } from "./waiting.js";

/** The most bytes in a row, or characters of text: a Durable Object's row takes 2 MB, a character up to 3 bytes. */
export const MAX_ROW_BYTES = 1 << 20;
const MAX_TEXT = 1 << 19;

/**
 * @typedef {object} Settings
 * @property {string} type the stream's media type
 * @property {number | null} ttlSeconds how long the stream lives after the last read or write
 * @property {number | null} expiresAtMs when it ends, whoever still reads
 */

export class Store {
  /** @type {Settings & {incarnation: string, diesAtMs: number | null, closed: number, closer: string | null, writer: string | null} | null} */
  stream = null;
  /** The number of the last message that readers may see. */
  safe = 0;
  /** Whether readers may know that the stream is closed. */
  ended = false;
  /** The number of the last message. */
  #tail = 0;
  #storage;
  #sql;
  /** Readers that have seen everything. */
  #waiting = new Waiting();

  /** @param {DurableObjectStorage} storage */
  constructor(storage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    if (this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'stream'").toArray().length > 0) this.#load();
  }

  #load() {
    this.stream = this.#sql.exec("SELECT * FROM stream").toArray()[0] ?? null;
    this.#tail = this.#sql.exec("SELECT max(n) AS n FROM messages").one().n ?? 0;
    this.safe = this.#tail;
    this.ended = this.stream?.closed === 1;
  }

  /**
   * Begins the stream.
   * @param {Settings} settings
   * @param {(sql: SqlStorage) => void} [along] writes more in the same transaction
   */
  create({ type, ttlSeconds = null, expiresAtMs = null }, along) {
    this.#storage.transactionSync(() => {
      for (const table of TABLES) this.#sql.exec(table);
      const incarnation = [...crypto.getRandomValues(new Uint8Array(4))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      this.#sql.exec("INSERT INTO stream (incarnation, type, ttlSeconds, expiresAtMs) VALUES (?, ?, ?, ?)", incarnation, type, ttlSeconds, expiresAtMs);
      along?.(this.#sql);
    });
    this.#load();
    this.touch();
    if (expiresAtMs !== null) this.dieAt(expiresAtMs);
  }

  /** Somebody reads or writes: a stream with a time to live lives longer. */
  touch() {
    const { ttlSeconds, diesAtMs } = this.stream;
    if (ttlSeconds === null) return;
    const dies = Date.now() + ttlSeconds * 1000;
    if (diesAtMs === null || dies - diesAtMs > ttlSeconds * 50) this.dieAt(dies); // not a write for every read
  }

  /** @param {number} ms */
  dieAt(ms) {
    this.#set("diesAtMs", ms);
    this.#storage.setAlarm(ms);
  }

  get expired() {
    return this.stream !== null && this.stream.diesAtMs !== null && Date.now() >= this.stream.diesAtMs;
  }

  /**
   * Adds messages, and whatever else belongs to them, in one transaction. When it resolves, they are safe.
   * @param {(string | Uint8Array)[]} messages
   * @param {{close?: boolean, closer?: string, writer?: string, along?: (sql: SqlStorage) => void}} [more]
   *   closer: who closes. writer: the last Stream-Seq. along: writes more in the same transaction
   */
  async append(messages, { close = false, closer, writer, along } = {}) {
    const { incarnation } = this.stream;
    this.#storage.transactionSync(() => {
      let n = this.#tail;
      for (const message of messages) this.#insert(++n, message);
      along?.(this.#sql);
      if (writer !== undefined) this.#set("writer", writer);
      if (close) this.#set("closed", 1);
      if (closer !== undefined) this.#set("closer", closer);
    });
    const tail = (this.#tail += messages.length);
    await this.#storage.sync();
    if (this.stream?.incarnation !== incarnation) return; // deleted meanwhile
    this.safe = Math.max(this.safe, tail);
    if (close) this.ended = true;
    this.#waiting.wake();
  }

  /** Writes a message down. What does not fit into its row stands in others. */
  #insert(n, message) {
    const [first, ...more] = typeof message === "string" ? rowsOf(message) : [message];
    this.#sql.exec("INSERT INTO messages VALUES (?, ?)", n, first);
    more.forEach((row, part) => this.#sql.exec("INSERT INTO rest VALUES (?, ?, ?)", n, part, row));
  }

  #whole({ n, data }) {
    if (data.length < MAX_TEXT - 1) return data;
    const rest = this.#sql.exec("SELECT data FROM rest WHERE n = ? ORDER BY part", n).toArray();
    return data + rest.map((row) => row.data).join("");
  }

  /** The last message of those that are there, safe or not. */
  get tail() {
    return this.#tail;
  }

  /**
   * Messages behind number n, as many as fit, but at least one.
   * @returns {{messages: (string | Uint8Array)[], next: number}}
   */
  read(n, maxBytes) {
    const messages = [];
    let size = 0;
    for (const row of this.#sql.exec("SELECT n, data FROM messages WHERE n > ? AND n <= ? ORDER BY n", n, this.safe)) {
      const data = typeof row.data === "string" ? this.#whole(row) : new Uint8Array(row.data);
      if (messages.length > 0 && size + data.length > maxBytes) break;
      messages.push(data);
      size += data.length;
      n = row.n;
    }
    return { messages, next: n };
  }

  /** @returns {{epoch: number, seq: number} | null} what is known of a producer */
  producer(id) {
    return this.#sql.exec("SELECT epoch, seq FROM producers WHERE id = ?", id).toArray()[0] ?? null;
  }

  /** Resolves when there is more than n, when the stream has ended or is gone, or after so long. */
  async more(n, ms) {
    if (this.stream && this.safe <= n && !this.ended) await this.#waiting.wait(ms);
  }

  /** Deletes everything. */
  async delete() {
    this.stream = null;
    this.#tail = this.safe = 0;
    this.ended = false;
    await this.#storage.deleteAll();
    await this.#storage.deleteAlarm(); // last: what is lost before this is deleted by it
    this.#waiting.wake();
  }

  #set(column, value) {
    this.#sql.exec(`UPDATE stream SET ${column} = ?`, value);
    this.stream[column] = value;
  }
}

const TABLES = [
  `CREATE TABLE stream (incarnation TEXT NOT NULL, type TEXT NOT NULL, ttlSeconds INTEGER, expiresAtMs INTEGER, diesAtMs INTEGER,
    closed INTEGER NOT NULL DEFAULT 0, closer TEXT, writer TEXT)`,
  "CREATE TABLE messages (n INTEGER PRIMARY KEY, data NOT NULL)",
  "CREATE TABLE rest (n INTEGER, part INTEGER, data TEXT NOT NULL, PRIMARY KEY (n, part))",
  "CREATE TABLE producers (id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL)",
];

/** A text in rows, none of which ends within a character. */
function rowsOf(text) {
  const rows = [];
  let at = 0;
  do {
    let end = at + MAX_TEXT;
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
    rows.push(text.slice(at, end));
    at = end;
  } while (at < text.length);
  return rows;
}
