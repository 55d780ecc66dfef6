// React's hook for one answer at a time: useAnswer.
"use client";

import { useInsertionEffect, useState, useSyncExternalStore } from "react";
import { broken, brokenBy } from "./broken.js";
import { badOption } from "./error.js";

/** @typedef {import("./react.d.ts").UsedAnswer} UsedAnswer */

/** What client functions gave. Components that have one in common share its client, and with it breakers and money. @type {WeakMap<Function, Promise<object>>} */
const made = new WeakMap();

/** Text is shown once a frame, however fast it comes. */
const FRAME_MS = 16;

/** @type {typeof import("./react.d.ts").useAnswer} */
export function useAnswer(client, options) {
  const { store, id, ...unknown } = options ?? {};
  for (const key of Object.keys(unknown)) throw badOption(key, "is not an option of useAnswer; there are id, store");
  // A state and no memo, which React may forget: when the component's code is changed while the page is developed, for one.
  let [view, setView] = useState(() => new View(store, id));
  if (!view.is(store, id)) setView((view = new View(store, id)));
  useInsertionEffect(() => view.use(client)); // before any other effect, which may send
  return useSyncExternalStore(view.subscribe, view.read, view.first);
}

/** What a component shows of one answer. It lives while somebody has subscribed. */
class View {
  #of;
  #store;
  #id;
  #given;
  /** What a client function gave. */
  #client;
  #listeners = new Set();
  /** What was asked: path, body, options. */
  #request = null;
  /** Where a durable answer can be come back to. */
  #back = null;
  /** The answer under way; anything else that still comes is late. */
  #run = null;
  #timer;
  #shown;
  #first;

  constructor(store, id) {
    this.#of = [store, id];
    if (store && id !== undefined) {
      this.#store = store;
      this.#id = id;
    }
    const { send, stop } = this;
    this.#shown = this.#first = { status: "idle", text: "", offer: [], send, continue: this.goOn, tryAgain: this.tryAgain, stop };
  }

  is(store, id) {
    return this.#of[0] === store && this.#of[1] === id;
  }

  use(client) {
    if (client === this.#given) return;
    this.#given = client;
    client?.then?.(undefined, () => {}); // whoever asks is told that it could not be made
  }

  read = () => this.#shown;
  first = () => this.#first;

  subscribe = (listener) => {
    this.#listeners.add(listener);
    if (this.#back && !this.#run) this.#start(this.#shown.text, {}, this.#back);
    else if (this.#store && !this.#request) this.#restore();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#leave();
    };
  };

  send = (path, body, options = {}) => {
    this.#request = { path, body, options };
    this.#start("");
  };

  goOn = (options) => {
    if (this.#shown.offer.includes("continue")) this.#start(this.#shown.text, options, this.#back);
  };

  tryAgain = (options) => {
    if (this.#request) this.#start("", options);
  };

  stop = () => {
    const run = this.#run;
    if (!run) return;
    if (run.answer) run.answer.cancel();
    else this.#end(run, { ...broken(this.#shown.text), status: "cancelled" }); // before the client was there
  };

  async #start(text, more, back) {
    this.#run?.answer?.cancel();
    const run = (this.#run = { answer: null, left: new AbortController() });
    const { path, body, options } = this.#request;
    this.#show({ status: "running", text, offer: [], error: undefined, retryAtMs: undefined, result: undefined });
    try {
      const client = await this.#open();
      if (run !== this.#run) return;
      if (typeof client?.stream !== "function") throw badOption("client", "must be a client, or a function that gives one");
      const all = { ...options, ...more };
      if (all.signal?.aborted && all.signal === options.signal) delete all.signal; // it did its work
      const onDelta = (delta) => {
        if (run === this.#run) this.#timer ??= setTimeout(this.#draw, FRAME_MS);
        return all.onDelta?.(delta);
      };
      run.answer = back
        ? client.resumeAnswer(back.id, back.offset, { ...withoutName(all), text, path, body, onDelta })
        : client.stream(path, body, { ...all, onDelta, ...(text && { continues: text }) });
      this.#store?.keep(this.#id, run.answer, { path, body }, { signal: run.left.signal });
      const result = await run.answer.result;
      const { status, error, retryAtMs, offer } = result;
      this.#end(run, { status, text: result.text, offer, retryAtMs, result, error: error && { code: error.reason, message: error.message } });
    } catch (error) {
      this.#end(run, brokenBy(run.answer?.partial ?? text, error));
    }
  }

  /** The client; one that could not be made is made anew by the next call. */
  async #open() {
    const given = this.#given;
    if (typeof given !== "function") return given;
    if (!this.#client) {
      const client = (this.#client = made.get(given) ?? Promise.resolve(given()));
      made.set(given, client);
      client.catch(() => {
        if (this.#client === client) this.#client = undefined;
        if (made.get(given) === client) made.delete(given);
      });
    }
    return this.#client;
  }

  #draw = () => {
    this.#timer = undefined;
    if (this.#run?.answer) this.#show({ text: this.#run.answer.partial });
  };

  #end(run, end) {
    if (run !== this.#run) return;
    this.#run = null;
    this.#back = run.answer?.resumable ? { id: run.answer.id, offset: run.answer.offset } : null;
    this.#show(end);
  }

  #show(change) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shown = { ...this.#shown, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Takes up what was kept, unless something has been asked meanwhile. */
  async #restore() {
    const kept = await this.#store.get(this.#id).catch(() => undefined);
    if (!kept || this.#request || this.#listeners.size === 0) return;
    const { path, body, status, text, offer, error, retryAtMs, durable } = kept;
    this.#request = { path, body, options: durable ? { durable: true } : {} };
    if (durable?.resumable) this.#start(text, {}, durable);
    else this.#show({ status, text, offer, error, retryAtMs });
  }

  /** Nobody looks any more. What runs is left; in the store it stays as interrupted. */
  #leave() {
    const run = this.#run;
    if (!run) return;
    run.left.abort();
    if (run.answer?.id) run.answer.leave(); // durable
    else run.answer?.cancel();
    this.#end(run, broken(run.answer?.partial ?? this.#shown.text));
  }
}

/** A durable answer that is come back to has its name. */
function withoutName({ durable, id, api, ...options }) {
  return options;
}
