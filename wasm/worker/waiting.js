// Waiting is whoever waits in a Durable Object until something comes, or for so long.

export class Waiting {
  /** @type {Set<() => void>} */
  #resolves = new Set();

  /** Resolves with the next wake(), or after so long. */
  async wait(ms) {
    const { promise, resolve } = Promise.withResolvers();
    const timer = setTimeout(resolve, ms);
    this.#resolves.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#resolves.delete(resolve);
  }

  /** Something has come. */
  wake() {
    for (const resolve of this.#resolves) resolve();
  }
}
