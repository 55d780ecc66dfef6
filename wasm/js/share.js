// Share keeps what a page's calls have learned over a reload, and tells its other tabs of an outage.

/** How long news is gathered before the other tabs are told, and before all is written down. */
const TELL_MS = 10;
const SAVE_MS = 250;
/** A database that does not open is not waited for. */
const LOAD_MS = 1000;

export class Share {
  #name;
  #ask;
  /** @type {BroadcastChannel} */
  #channel;
  /** @type {Promise<IDBDatabase>} */
  #database;
  #telling;
  #saving;
  /** What was kept, for a program that begins. It is the program's to judge. @type {string | undefined} */
  kept;

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
    this.#database = open();
    this.#database.catch(() => {}); // whoever uses it learns of it
    this.#channel = new BroadcastChannel(`holdfast ${name}`);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    addEventListener("pagehide", this.#save);
  }

  /** Reads what was kept. Never rejects. */
  async load() {
    const read = this.#store("readonly", (store) => store.get(this.#name)).catch(() => undefined);
    const found = await Promise.race([read, new Promise((resolve) => setTimeout(resolve, LOAD_MS))]);
    if (typeof found === "string") this.kept = found;
  }

  /** Something may have been learned. */
  touch() {
    this.#telling ??= setTimeout(this.#tell, TELL_MS);
    this.#saving ??= setTimeout(this.#save, SAVE_MS);
  }

  /** The last moment in which the program can be asked. */
  close() {
    this.#tell();
    this.#save();
    removeEventListener("pagehide", this.#save);
    this.#channel.close();
    this.#database.then((database) => database.close(), () => {});
  }

  #tell = () => {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const news = this.#ask((port, target, handle) => port.state(target, handle, true));
    if (news) this.#channel.postMessage(news);
  };

  /** What another tab tells. What is damaged, or of another release, is not taken. */
  #hear(news) {
    if (typeof news !== "string") return;
    this.#ask((port, target, handle, now) => port.restore(target, handle, true, new TextEncoder().encode(news), now));
  }

  #save = () => {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const state = this.#ask((port, target, handle) => port.state(target, handle, false));
    if (!state || state === this.kept) return;
    this.kept = state;
    this.#store("readwrite", (store) => store.put(state, this.#name)).catch(() => {}); // a full disk harms no call
  };

  async #store(mode, use) {
    return result(use((await this.#database).transaction("state", mode).objectStore("state")));
  }
}

async function open() {
  const opening = indexedDB.open("holdfast", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("state");
  const database = await result(opening);
  database.onversionchange = () => database.close(); // whoever deletes it need not wait
  return database;
}

/** @param {IDBRequest} request */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
