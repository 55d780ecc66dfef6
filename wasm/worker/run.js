// Run is one call for a durable answer, in one life of its object: the first, or one that takes up what a
// lost call has left. What it brings is written down before anybody reads it.
//
// The ladder, first that applies:
//
//	a cursor of the provider    resume there
//	a tool call or a refusal    no way on: interrupted
//	text                        continue behind it
//	nothing shown               the same request again, from zero

import { Call } from "../js/call.js";
import { cover } from "./account.js";
import { configOf } from "./config.js";
import { Covered } from "./covered.js";
import { Refusal } from "./errors.js";
import { failure, Given, interruption, kindOf } from "./given.js";
import { quote } from "./instance.js";
import { redactText } from "./redact.js";
import { WATCH_MS } from "./relay.js";
import { Session } from "./session.js";

/** The next write comes so long after the last one: a fast model brings many deltas, and a commit costs as much for one. */
const WRITE_MS = 40;
/** Lives after which an answer is given up: something in it may be what ends them. */
const MAX_RUNS = 10;

/** The open calls, by the names of their objects: one that was evicted has left its own in the program. */
const calls = new Map();

export class Run {
  /** Resolves when the call is over: with whether another one should follow at once. @type {Promise<boolean>} */
  over;
  #settle;
  #name;
  #storage;
  #store;
  #record;
  #env;
  /** @type {import("./config.js").Config} */
  #config;
  /** The providers' keys, which no reader gets, whoever put them there. */
  #keys = [];
  #number = 0;
  /** @type {Given} */
  #given;
  /** @type {Call | null} */
  #call = null;
  /** Somebody wants it to end; nobody wants it any more; its program has died. */
  #cancelled = false;
  #dropped = false;
  #lost = false;
  /** What is not written yet: messages, the newest cursor, how it ended. */
  #messages = [];
  /** The next text is of another attempt than the last one. */
  #apart = false;
  #cursor;
  #end = null;
  #writing = false;

  /**
   * @param {string} name of the object
   * @param {DurableObjectStorage} storage
   * @param {import("./store.js").Store} store
   * @param {import("./record.js").Record} record
   * @param {object} env
   */
  constructor(name, storage, store, record, env) {
    this.#name = name;
    this.#storage = storage;
    this.#store = store;
    this.#record = record;
    this.#env = env;
    const { promise, resolve } = Promise.withResolvers();
    this.over = promise;
    this.#settle = resolve;
  }

  /**
   * Begins the call.
   * @returns {Promise<Error | null>} what is wrong with a request that cannot be asked; its run is over
   */
  async begin() {
    this.#config = configOf(this.#env);
    this.#number = this.#record.begin();
    const asked = this.#record.asked;
    this.#given = new Given(this.#store, this.#record.lost(this.#number));
    await this.#storage.sync(); // nothing is asked that the next life would not know of
    if (this.#dropped) return null;
    const { text, messages } = this.#given;
    const chain = placesOf(this.#config.targets, asked.targets, asked.plan.route.chain);
    const stuck = this.#stuck(asked, chain);
    // What runs on at the provider is withdrawn by the call that takes it up.
    if (stuck || (this.#cancelled && !asked.cursor)) {
      this.#finish(this.#given.without(asked.id, this.#cancelled ? "cancelled" : "interrupted", stuck ? interruption(stuck) : undefined));
      return null;
    }
    const continues = asked.cursor ? text : text.trim() && text;
    if (!asked.cursor && !continues && messages > 0) this.#take({ type: "restart" });
    return this.#open(asked, chain, continues);
  }

  /** Why there is no way on. */
  #stuck({ cursor, plan, owner }, chain) {
    const { tools, refusal } = this.#given;
    if (this.#number > MAX_RUNS) return "its process ended too often";
    if (plan.own ? !this.#config.providers.has(plan.own.provider) : chain.length === 0) return "its models are not configured any more";
    if (!cursor && !this.#config.allowed(owner, plan.limits)) return "its owner is not configured any more";
    if (!cursor && (tools.length > 0 || refusal !== "")) return "what it has shown cannot be gone on with";
    return null;
  }

  /** Ends the answer where it is. */
  cancel() {
    this.#cancelled = true;
    this.#call?.abort();
  }

  /** Stops the call, and leaves nothing. */
  drop() {
    this.#dropped = true;
    this.#call?.abort();
    this.#settle(false);
  }

  /**
   * What is set aside covers the first attempt, and before each that may cost more, more is set aside. Where calls
   * were lost and the model is asked anew, all that was set aside for them may be spent.
   */
  #session({ plan, owner, heldUsd, cursor }) {
    const { limits } = this.#config.allowed(owner, plan.limits) ?? plan;
    if (!limits || heldUsd === null) return new Session(this.#config, this.#keys);
    const lostUsd = cursor || this.#given.lost.length === 0 ? 0 : heldUsd;
    return new Covered(this.#config, this.#keys, async (usd) => {
      const mayUsd = lostUsd + usd;
      await cover(this.#env, { owner, limits }, this.#name, heldUsd, mayUsd);
      if (mayUsd > heldUsd) this.#record.held((heldUsd = mayUsd));
    });
  }

  async #open(asked, chain, continues) {
    const { id, plan, cursor } = asked;
    const targets = [plan.own, ...chain.map((place) => this.#config.targets[place])];
    this.#keys = targets.map((target) => target && this.#config.providers.get(target.provider)?.key);
    const session = this.#session(asked);
    session.facts.target = plan.route.form ? 1 : 0;
    let refused = null;
    let opened = false;
    const taker = {
      delta: (delta) => {
        this.#take(delta);
        // It takes back to what this call began with, and readers drop everything.
        if (delta.type === "restart" && continues) this.#take({ type: "text", text: continues });
      },
      cursor: (place) => {
        this.#cursor = place;
        this.#write();
      },
      done: ({ answer }) => this.#finish(this.#given.result(answer)),
      fail: (error) => {
        if (!opened) refused = error;
        this.#fail(error, id);
      },
    };
    const port = await session.attach();
    const call = new Call(port, session, taker, { onEvent: (event) => this.#note(event, session.facts.target, targets) });
    calls.get(this.#name)?.(); // nothing else of it is left to stop
    calls.set(this.#name, () => port.calls.delete(call.handle) && port.free(call));
    const watch = setInterval(() => session.watch(), WATCH_MS);
    this.over.then(() => {
      clearInterval(watch);
      calls.delete(this.#name);
    });
    const options = { ...optionsOf(plan, chain, this.#config), id, cursors: true, ...(cursor && { from: cursor }), ...(continues && { continues }) };
    call.open(true, new TextEncoder().encode(JSON.stringify(options)), this.#record.body);
    opened = true;
    this.#call = call;
    if (this.#cancelled || this.#dropped) call.abort();
    else call.flow();
    return refused;
  }

  #take(delta) {
    if (this.#dropped) return;
    this.#given.take(delta);
    const last = this.#messages.at(-1);
    if (delta.text !== undefined && last?.type === delta.type && !this.#apart) last.text += delta.text;
    else this.#messages.push({ ...delta });
    this.#apart = false;
    this.#write();
  }

  #note({ type, attempt, kind, atMs, error }, target, targets) {
    if (this.#dropped) return;
    if (type === "failed") this.#record.failed(this.#number, attempt, error);
    if (type !== "sent") return;
    const facts = { kind: kindOf(kind, this.#given.lost.length > 0), target, provider: targets[target]?.provider, model: targets[target]?.model || undefined, startedAtMs: atMs };
    this.#record.sent(this.#number, attempt, facts, this.#store.tail + this.#messages.length);
    this.#apart = true;
  }

  #fail(error, id) {
    if (error.code === "program_died") {
      this.#lost = true; // the answer is taken up in another program, behind what this one has brought
      this.#write();
    } else this.#finish(this.#given.without(id, "failed", failure(error.message)));
  }

  #finish(result) {
    if (this.#dropped) return;
    this.#end = { type: "done", result };
    this.#write();
  }

  /** Writes down what has come, and what comes while it does so. */
  async #write() {
    if (this.#writing) return;
    this.#writing = true;
    try {
      await null; // all that one chunk has brought
      while (!this.#dropped && (this.#messages.length > 0 || this.#cursor !== undefined || this.#end !== null)) {
        const messages = this.#messages.splice(0);
        const [cursor, end] = [this.#cursor, this.#end];
        this.#cursor = undefined;
        if (end !== null) messages.push(end);
        const texts = messages.map((message) => redactText(JSON.stringify(message), this.#keys));
        await this.#store.append(texts, { close: end !== null, along: () => cursor !== undefined && this.#record.mark(cursor) });
        if (end !== null) return this.#settle(false);
        await new Promise((resolve) => setTimeout(resolve, WRITE_MS));
      }
      if (this.#lost) this.#settle(true);
    } catch (error) {
      console.error("holdfast: an answer could not be written:", error); // the alarm takes it up, at what was written
      this.drop();
    } finally {
      this.#writing = false;
    }
  }
}

/** A call's options, as far as they say what is asked, of whom. */
function optionsOf({ path, headers, route, own }, chain, { providers }) {
  return { path, headers, route: { ...route, chain, ...(own && { baseURL: providers.get(own.provider).base }) } };
}

/** What an answer may cost. @param {import("./record.js").Asked} asked */
export async function quoteOf({ plan, body }, config) {
  const session = new Session(config, []);
  try {
    return quote(await session.attach(), session.handle, 1, optionsOf(plan, plan.route.chain, config), body) ?? 0;
  } catch (error) {
    throw error.code === "bad_body" ? new Refusal(400, "invalid_request", error.message) : error;
  }
}

/** The places of a chain of targets that was chosen when the configuration may have been another one. */
function placesOf(now, then, places) {
  const same = (a, b) => a !== undefined && ["provider", "model", "asked"].every((key) => a[key] === b[key]);
  return then.map((target, i) => (same(now[places[i]], target) ? places[i] : now.findIndex((one) => same(one, target)))).filter((place) => place >= 0);
}
