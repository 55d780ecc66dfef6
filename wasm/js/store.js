// Store keeps answers that are not whole in IndexedDB, so that text, mark and Continue survive a reload.

import { broken, brokenBy } from "./broken.js";
import { badOption, HoldfastError, reportLater } from "./error.js";

/** @typedef {import("./store.d.ts").KeptAnswer} KeptAnswer */

/** How often a growing answer is written. A page that dies loses at most this much of it. */
const EVERY_MS = 250;
/** A database that does not open is not waited for. */
const OPEN_MS = 3000;
const WEEK_MS = 7 * 24 * 3600_000;
/** Parts of an address that sign a request. */
const CREDENTIALS = ["key", "api_key", "api-key", "apikey", "access_token", "token"];

/** @type {typeof import("./store.d.ts").openStore} */
export function openStore(options) {
  const { name = "holdfast-answers", maxAgeMs = WEEK_MS, ...unknown } = options ?? {};
  for (const key of Object.keys(unknown)) throw badOption(key, "is not an option of openStore");
  if (typeof name !== "string" || name === "") throw badOption("name", "must be text that is not empty");
  if (!(maxAgeMs > 0)) throw badOption("maxAgeMs", "must be a number above 0");
  return new Store(name, maxAgeMs);
}

class Store {
  #name;
  #maxAgeMs;
  /** @type {Promise<IDBDatabase> | null} */
  #database = null;
  /** The answer that is followed under an id: the last one given. @type {Map<string, object>} */
  #followed = new Map();

  constructor(name, maxAgeMs) {
    this.#name = name;
    this.#maxAgeMs = maxAgeMs;
  }

  keep(id, answer, request, options) {
    const kept = this.#follow(id, answer, request, options);
    // Whoever wants to know that it is kept learns of it, and nobody else is bothered but with his own mistakes.
    kept.catch((error) => error.code === "store_failed" || reportLater(error));
    return kept;
  }

  async resume(id, client, options) {
    const kept = await this.get(id);
    if (!kept?.durable?.resumable) return undefined;
    const { path, body, text, durable } = kept;
    const answer = client.resumeAnswer(durable.id, durable.offset, { ...options, text, path, body });
    this.keep(id, answer, kept);
    return answer;
  }

  async get(id) {
    return this.#young(await this.#run("readonly", (answers) => answers.get(checkId(id))));
  }

  async all() {
    const found = await this.#run("readonly", (answers) => answers.getAll());
    return found.filter((kept) => this.#young(kept)).sort((a, b) => b.atMs - a.atMs);
  }

  async delete(id) {
    this.#followed.delete(checkId(id));
    await this.#run("readwrite", (answers) => answers.delete(id));
  }

  async clear() {
    this.#followed.clear();
    await this.#run("readwrite", (answers) => answers.clear());
  }

  /**
   * Until it has ended, an answer is kept as what it would be if the page died now: interrupted.
   * @param {import("./holdfast.d.ts").Answer} answer
   */
  async #follow(id, answer, { path, body } = {}, { signal } = {}) {
    checkId(id);
    if (typeof answer?.partial !== "string") throw badOption("answer", "must be an answer, as client.stream gives it");
    const start = { id, path: withoutCredentials(path), body: plain(body) };
    const mine = {};
    this.#followed.set(id, mine);
    let written, offset;
    const write = (end) => {
      if (this.#followed.get(id) !== mine) return; // another answer has taken its place
      const text = end?.text ?? answer.partial;
      const durable = answer.id && { id: answer.id, offset: answer.offset, resumable: answer.resumable };
      if (!end && text === written && durable?.offset === offset) return;
      [written, offset] = [text, durable?.offset];
      const kept = { ...start, text, ...(durable && { durable }), ...(end ?? broken(text)), atMs: Date.now() };
      return this.#run("readwrite", (answers) => (isWhole(kept) ? answers.delete(id) : answers.put(kept)));
    };
    let timer;
    try {
      await write();
      timer = setInterval(() => write()?.catch(() => {}), EVERY_MS);
      const end = await Promise.race([answer.result.then(endOf, (error) => brokenBy(answer.partial, error)), left(signal)]);
      await write(end ?? broken(answer.partial));
    } finally {
      clearInterval(timer);
      if (this.#followed.get(id) === mine) this.#followed.delete(id);
    }
  }

  #young(kept) {
    return kept && kept.atMs > Date.now() - this.#maxAgeMs ? kept : undefined;
  }

  /**
   * One transaction of one request; resolves when it is on the disk. A database that was closed without
   * a word, as WebKit does to a page that slept, is opened again, once.
   */
  async #run(mode, ask, again = true) {
    const opened = (this.#database ??= this.#open());
    try {
      const transaction = (await opened).transaction("answers", mode);
      const request = ask(transaction.objectStore("answers"));
      return await new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
      });
    } catch (error) {
      if (error instanceof HoldfastError) throw error;
      if (this.#database === opened) this.#database = null;
      if (again) return this.#run(mode, ask, false);
      throw new HoldfastError("store_failed", `the browser does not keep answers: ${error?.message ?? error}`, { cause: error });
    }
  }

  /** Opens the database, and forgets what is too old. */
  #open() {
    const opening = new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore("answers", { keyPath: "id" }).createIndex("atMs", "atMs");
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const database = request.result;
        // Taken away, by the browser or by another release in another tab: the next use opens it again.
        const gone = () => (this.#database = null);
        database.onclose = gone;
        database.onversionchange = () => (database.close(), gone());
        const old = database.transaction("answers", "readwrite").objectStore("answers").index("atMs");
        old.openCursor(IDBKeyRange.upperBound(Date.now() - this.#maxAgeMs)).onsuccess = ({ target }) => {
          target.result?.delete();
          target.result?.continue();
        };
        resolve(database);
      };
      setTimeout(reject, OPEN_MS, new Error("the database does not open"));
    });
    opening.catch(() => (this.#database = null));
    return opening;
  }
}

/** What is kept of a result: nothing that a provider said in its own words, which may quote a key. */
function endOf({ status, text, offer, error, retryAtMs }) {
  return { status, text, offer, ...(error && { error: { code: error.reason, message: error.message } }), ...(retryAtMs && { retryAtMs }) };
}

/** Final, with nothing left to do: the page has it, and it is forgotten here. */
function isWhole({ status, offer }) {
  return (status === "complete" || status === "content_filter") && offer.length === 0;
}

/** Resolves when a signal aborts. */
function left(signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

function checkId(id) {
  if (typeof id !== "string" || id === "") throw badOption("id", "must be text that is not empty");
  return id;
}

/** A request's path without the parts of its query that sign it. */
function withoutCredentials(path) {
  if (typeof path !== "string") throw badOption("path", "must be text");
  const at = path.indexOf("?");
  if (at < 0) return path;
  const kept = path.slice(at + 1).split("&").filter((part) => !CREDENTIALS.includes(part.split("=")[0].toLowerCase()));
  return path.slice(0, at) + (kept.length > 0 ? `?${kept.join("&")}` : "");
}

/** A body as it would be sent, for good. */
function plain(body) {
  if (body === undefined) throw badOption("body", "is missing");
  return typeof body === "string" || ArrayBuffer.isView(body) || body instanceof ArrayBuffer ? body : JSON.parse(JSON.stringify(body));
}
