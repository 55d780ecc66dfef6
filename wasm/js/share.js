// Share keeps what a page's calls have learned over a reload, and shares it with its other tabs.

import { encodeText } from "./check.js";

/** How long news is gathered before the other tabs are told and it is written down: a reload may come at once. */
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
  /** What this tab has read or written last. @type {string | undefined} */
  #kept;

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
    this.#kept = this.#state();
  }

  /** Something may have been learned. */
  touch() {
    this.#timer ??= setTimeout(this.#pass, GATHER_MS);
  }

  /** The last moments in which the program can be asked. Never rejects. */
  async close() {
    await this.#pass();
    removeEventListener("pagehide", this.#leave);
    this.#channel.close();
    this.#database?.close();
  }

  /** Passes on what was learned: to the other tabs, and to those that come later. */
  #pass = async () => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const news = this.#ask((port, target, handle) => port.state(target, handle, true));
    if (news) this.#channel.postMessage(news);
    if (this.#state() === this.#kept) return;
    const write = () => this.#write(true);
    // A database that was closed without a word is opened again; a full disk harms no call.
    await write().catch(() => this.#open().then(write)).catch(() => {});
  };

  /** A page that goes away waits for no answer. */
  #leave = () => {
    if (this.#state() !== this.#kept) this.#write(false).catch(() => {});
  };

  #state() {
    return this.#ask((port, target, handle) => port.state(target, handle, false));
  }

  /** Writes all down. To join what another tab has spent, it must be read in the same transaction. */
  async #write(join) {
    const transaction = this.#database?.transaction("state", "readwrite");
    if (!transaction) return;
    const store = transaction.objectStore("state");
    if (join) {
      const found = await result(store.get(this.#name));
      this.#ask((port, target, handle, now) => port.join(target, handle, encodeText(`${this.#kept}\n${found}`), now));
    }
    const state = this.#state();
    if (!state) return; // the program has ended
    store.put(state, this.#name);
    transaction.commit();
    this.#kept = state;
  }

  /** What another tab tells. What is damaged, or of another release, is not taken. */
  #hear(news) {
    if (typeof news !== "string") return;
    this.#ask((port, target, handle, now) => port.restore(target, handle, true, encodeText(news), now));
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
