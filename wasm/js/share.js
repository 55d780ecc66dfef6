// Share keeps what a page's calls have learned over a reload, and shares it with its other tabs.

import { encodeText } from "./check.js";

/** How long news is gathered before it is told and written down: a reload may come at once. */
const GATHER_MS = 10;
/** A database that does not open is not waited for. */
const LOAD_MS = 1000;

export class Share {
  #name;
  #ask;
  /** @type {BroadcastChannel} */
  #channel;
  /** Undefined until it is open, and for ever where it cannot be. @type {IDBDatabase | undefined} */
  #database;
  #timer;
  /** What was on the disk at this tab's last look: others' spending is counted from it. @type {string | undefined} */
  #kept;
  /** The state behind which nothing of its own is to be written. @type {string | undefined} */
  #own;

  /**
   * Null where the host has no place to keep things, or no other tabs.
   * @param {string} name clients of one origin that use the same name share
   * @param {(put: (port: import("./protocol.js").Port, target: object, handle: number) => void) => any} ask
   *   asks the program at once; undefined when it does not run or refuses
   */
  static open(name, ask) {
    if (typeof indexedDB !== "object" || typeof BroadcastChannel !== "function") return null;
    try {
      return new Share(name, ask);
    } catch {
      return null; // a page that may not store anything, such as one in a sandbox
    }
  }

  constructor(name, ask) {
    this.#name = name;
    this.#ask = ask;
    this.#channel = new BroadcastChannel(`holdfast ${name}`);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    addEventListener("pagehide", this.#leave);
    addEventListener("pageshow", this.#return);
  }

  /** Reads what was kept. Never rejects. */
  async load() {
    const late = new Promise((resolve) => setTimeout(resolve, LOAD_MS));
    const found = await Promise.race([this.#read().catch(() => undefined), late]);
    if (typeof found === "string") this.#kept = found;
  }

  /** Gives a program that begins what was kept. What is damaged is dropped, and replaced soon. */
  begin() {
    const kept = this.#kept;
    if (kept) this.#ask((port, target, handle, now) => port.restore(target, handle, false, encodeText(kept), now));
    this.#own = this.#kept = this.#state();
  }

  /** Something may have been learned. */
  touch() {
    this.#timer ??= setTimeout(this.#pass, GATHER_MS);
  }

  /** The last moments in which the program can be asked. Never rejects. */
  async close() {
    await this.#pass();
    removeEventListener("pagehide", this.#leave);
    removeEventListener("pageshow", this.#return);
    this.#channel.close();
    this.#database?.close();
  }

  /** Passes on what was learned: to the other tabs, and to those that come later. */
  #pass = async () => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const news = this.#ask((port, target, handle) => port.state(target, handle, true));
    if (news) this.#channel.postMessage(news);
    if (this.#state() === this.#own) return;
    if (await this.#join(true)) this.#channel.postMessage(""); // the others read what it cost
  };

  /** A page that goes away waits for no answer. */
  #leave = () => {
    if (this.#state() !== this.#own) this.#write().catch(() => {});
  };

  /** A page that comes back was told nothing while it was away. */
  #return = ({ persisted }) => {
    if (persisted) this.#join(false);
  };

  #state() {
    return this.#ask((port, target, handle) => port.state(target, handle, false));
  }

  /**
   * Joins what other tabs have spent, in one transaction with what it writes. A database that was closed
   * is opened again; a full disk harms no call. Never rejects; tells whether it has written.
   */
  async #join(write) {
    const join = async () => {
      const transaction = this.#begun(write ? "readwrite" : "readonly");
      const found = await result(transaction.objectStore("state").get(this.#name));
      const idle = this.#state() === this.#own;
      this.#ask((port, target, handle, now) => port.join(target, handle, encodeText(`${this.#kept}\n${found}`), now));
      if (typeof found === "string") this.#kept = found;
      if (write) return this.#write(transaction);
      if (idle) this.#own = this.#state();
    };
    return this.#database && join().catch(() => this.#open().then(join)).catch(() => {});
  }

  async #write(transaction = this.#begun("readwrite")) {
    const state = this.#state();
    if (!state) return; // the program has ended
    transaction.objectStore("state").put(state, this.#name);
    transaction.commit();
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = reject;
    });
    this.#own = this.#kept = state;
    return true;
  }

  #begun(mode) {
    return this.#database.transaction("state", mode);
  }

  /** What another tab tells; an empty word: it has written. What is damaged, or of another release, is not taken. */
  #hear(news) {
    if (news === "") this.#join(false);
    else if (typeof news === "string") this.#ask((port, target, handle, now) => port.restore(target, handle, true, encodeText(news), now));
  }

  async #read() {
    await this.#open();
    return result(this.#database.transaction("state").objectStore("state").get(this.#name));
  }

  async #open() {
    this.#database?.close();
    const database = (this.#database = await open());
    database.onversionchange = () => database.close(); // whoever deletes it need not wait
  }
}

function open() {
  const opening = indexedDB.open("holdfast", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("state");
  return result(opening);
}

/** @param {IDBRequest} request */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
