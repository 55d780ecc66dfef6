// Network tells open calls when a page goes offline and comes back. Outside a page it does nothing.

export class Network {
  #port;
  #watching = false;

  /** @param {import("./protocol.js").Port} port */
  constructor(port) {
    this.#port = port;
  }

  /** What the host knows for sure: a page that is "online" may still reach nothing. */
  get offline() {
    return globalThis.navigator?.onLine === false;
  }

  /** Listens while calls are open, and only then. */
  watch() {
    if (this.#watching || typeof addEventListener !== "function" || typeof globalThis.navigator?.onLine !== "boolean") return;
    this.#watching = true;
    addEventListener("online", this.#tell);
    addEventListener("offline", this.#tell);
  }

  unwatch() {
    if (!this.#watching) return;
    this.#watching = false;
    removeEventListener("online", this.#tell);
    removeEventListener("offline", this.#tell);
  }

  #tell = (event) => {
    for (const call of [...this.#port.calls.values()]) this.#port.online(call, event.type === "online");
  };
}
