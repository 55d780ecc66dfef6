// Session is what one client keeps in JavaScript: its secret, its injected functions, its place in the program.

import { badOption, HoldfastError, programError } from "./error.js";
import { encodeJSON, isHeaderValue, must, splitOptions } from "./check.js";
import { current, load } from "./program.js";
import { Move } from "./move.js";
import { pageURL } from "./host.js";
import { Share } from "./share.js";

/** Options that never enter the program. */
const OWN = {
  apiKey: must.secret,
  token: must.token,
  dangerouslyAllowBrowser: must.flag,
  targets: must.list,
  full: must.flag,
  onEvent: must.call,
  share: must.name,
  wasm: must.program,
  fetch: must.call,
  WebSocket: must.call,
  sleep: must.call,
  random: must.call,
  now: must.call,
};

/** Where Node keeps a provider's key by custom. */
const KEY_VARIABLES = {
  gloo: "GLOO_API_KEY",
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  xai: "XAI_API_KEY",
  gemini: "GEMINI_API_KEY",
};

/** Headers that hold a key and that fetch takes along to wherever it is redirected; authorization it leaves behind. */
const TAKEN_ALONG = /^(x-|x-goog-)?api-key$/;
const REDIRECTS = [301, 302, 303, 307, 308];

export class Session {
  /** The client's handle in the program that runs. */
  handle = 0;
  onEvent;
  sleep;
  /** Open calls of this client. @type {Set<import("./call.js").Call>} */
  calls = new Set();
  /** What keeps their knowledge, where the user wants that and the host can. @type {Share | null} */
  share = null;
  #port = null;
  /** Whether this client needs the full program. */
  #full;
  /** What its calls in the program before this one still learn. @type {Move | null} */
  #move = null;
  #closed = false;
  #options;
  /** What signs requests, by their target. @type {{apiKey?: string, token?: string | Function}[]} */
  #secrets;
  #wasm;
  #now;
  #random;
  #fetch;
  /** The host's fetch before a client's own took its place. */
  #before = globalThis.fetch;
  /** The fetch that this client gives to others. It must not call itself. */
  given;
  #WebSocket;

  /** @param {import("./holdfast.d.ts").ClientOptions} options */
  constructor(options) {
    const { kept, rest } = splitOptions(options, OWN, "createClient");
    this.#secrets = [secretOf(kept, rest, kept.dangerouslyAllowBrowser)];
    if (kept.targets) {
      rest.targets = kept.targets.map((target, i) => {
        const { kept: own, rest: plain } = splitOptions(target, { apiKey: must.secret, token: must.token }, `targets[${i}]`);
        this.#secrets.push(secretOf(own, plain, kept.dangerouslyAllowBrowser));
        return plain;
      });
    }
    // Some providers want to be told that a page calls.
    this.#options = encodeJSON({ ...rest, page: inBrowser() }, "createClient", "bad_option");
    this.#wasm = kept.wasm;
    this.#full = kept.full === true || kept.targets?.length > 0;
    this.#fetch = kept.fetch;
    this.#WebSocket = kept.WebSocket;
    this.#now = kept.now;
    this.#random = kept.random;
    this.sleep = kept.sleep;
    this.onEvent = kept.onEvent;
    if (kept.share !== undefined) this.share = Share.open(kept.share, (put) => this.#askNow(put));
  }

  /**
   * The running program with this client in it, or null when it must be loaded first.
   * @param {boolean} full the lean program will not do
   */
  attached(full = this.#full) {
    if (this.#closed) throw new HoldfastError("closed", "the client is closed");
    const port = current(full);
    if (!port || port === this.#port) return port;
    if (this.#port?.busy) return null; // it cannot tell now what it knows
    this.#register(port);
    this.#full = full; // a program that takes this one's place must be as able
    return port;
  }

  /** Loads the program if need be; it may have died since the last call. */
  async attach(full = this.#full) {
    const port = this.attached(full);
    if (port) return port;
    await load(this.#wasm, full);
    return this.attach(full);
  }

  /** Asks the program something about this client that it answers at once. */
  async ask(put) {
    const port = await this.attach();
    return port.ask((target) => put(port, target, this.handle), () => this.random());
  }

  /** The same for an answer now: undefined when the program does not run or refuses. */
  #askNow(put) {
    const port = this.#port;
    return port && !port.dead ? port.askNow((target) => put(port, target, this.handle, this.now())) : undefined;
  }

  #register(port) {
    const handle = port.handle();
    let failure;
    const take = ({ error }) => (failure = error);
    port.client({ take, read() {}, random: () => this.random() }, handle, this.#options);
    if (failure) throw programError(failure);
    const before = { port: this.#port, handle: this.handle };
    this.handle = handle;
    this.#port = port;
    this.#move = before.port && !before.port.dead ? new Move(before, { port, handle }, () => this.now()) : null;
    if (!this.#move) this.share?.begin();
  }

  /** A call that is open in a program may have learned something. */
  learned(port) {
    if (port !== this.#port) this.#move?.follow();
    this.share?.touch();
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    for (const call of [...this.calls]) call.abort(true);
    const forget = () => this.#port?.close(this.handle);
    if (this.share) this.share.close().then(forget);
    else forget();
  }

  /** Milliseconds since the epoch. */
  now() {
    return (this.#now && finite(this.#now)) ?? Date.now();
  }

  /** Uniform in [0, 1). */
  random() {
    const x = finite(this.#random);
    return x >= 0 && x < 1 ? x : Math.random();
  }

  /** Sends a request of a call. A key in it does not follow a redirect. */
  async send(url, init) {
    if (init.redirect || !Object.keys(init.headers).some((name) => TAKEN_ALONG.test(name))) return this.fetch(url, init);
    const response = await this.fetch(url, { ...init, redirect: "manual" });
    if (response?.type !== "opaqueredirect" && !REDIRECTS.includes(response?.status)) return response;
    response.body?.cancel();
    const to = response.headers.get("location"); // a page is not told
    const { origin, pathname } = new URL(to ?? url, url);
    const message = `${new URL(url).origin} redirects${to ? ` to ${origin}${pathname}` : ""}, where a key does not follow: let baseURL be the final address`;
    throw Object.assign(new Error(message), { name: "RedirectError" });
  }

  /** Sends any request. Without `this`, which a browser's own fetch demands. */
  fetch(url, init) {
    const { fetch: host } = globalThis;
    const fetch = this.#fetch ?? (host === this.given ? this.#before : host);
    return fetch(url, init);
  }

  /**
   * Opens a WebSocket. What the host has of its own takes headers only in Node, beside the protocols.
   * @param {{url: string, protocols: string[], headers?: Record<string, string>}} request
   */
  socket({ url, protocols, headers }) {
    if (this.#WebSocket) return new this.#WebSocket(url, protocols, headers && { headers });
    return new WebSocket(url, headers ? { protocols, headers } : protocols);
  }

  get hasSockets() {
    return (this.#WebSocket ?? globalThis.WebSocket) !== undefined;
  }

  /** The headers of an attempt, as send names them, with the credential in its place. A header that the user set himself stays. */
  async authorize(pairs, auth, target = 0) {
    const { apiKey, token } = this.#secrets[target];
    const headers = new Map();
    for (const [name, value] of pairs) headers.set(name.toLowerCase(), value);
    const complete = (header, secret) => {
      const colon = header.indexOf(": ");
      const name = header.slice(0, colon).toLowerCase();
      if (!headers.has(name)) headers.set(name, header.slice(colon + 2) + secret);
    };
    if (token !== undefined) complete("authorization: Bearer ", await bearer(token));
    else if (apiKey !== undefined && auth !== "") complete(auth, apiKey);
    return Object.fromEntries(headers);
  }
}

/** What signs the requests of a target. Its baseURL becomes absolute. */
function secretOf({ apiKey, token }, target, allowBrowser) {
  if (apiKey !== undefined && !allowBrowser && inBrowser()) {
    throw badOption(
      "apiKey",
      'every visitor of a page can read a key in it. Send the calls through a server of yours (baseURL: "/api", and token when it asks for one), ' +
        "or set dangerouslyAllowBrowser: true in a page that nobody else can open",
    );
  }
  if (apiKey === undefined && token === undefined && target.baseURL === undefined) apiKey = keyFromEnvironment(target.provider);
  if (target.baseURL !== undefined) target.baseURL = absolute(target.baseURL);
  return { apiKey, token };
}

async function bearer(token) {
  if (typeof token === "string") return token;
  let problem;
  try {
    const given = await token();
    if (typeof given === "string" && given !== "" && isHeaderValue(given)) return given;
    problem = "the token function gave no token that can stand in a header";
  } catch (error) {
    problem = `the token function failed: ${error?.message ?? error}`;
  }
  throw Object.assign(new Error(problem), { name: "TokenError" });
}

/** What a user's function gives, if it is a number; it may run inside the program and must not harm it. */
function finite(call) {
  try {
    const x = call?.();
    return Number.isFinite(x) ? x : undefined;
  } catch {
    return undefined;
  }
}

function inBrowser() {
  return (typeof window === "object" && typeof document === "object") || typeof importScripts === "function";
}

function keyFromEnvironment(provider) {
  const { process } = globalThis;
  if (typeof process?.versions?.node !== "string" || !Object.hasOwn(KEY_VARIABLES, provider)) return undefined;
  const key = process.env[KEY_VARIABLES[provider]]?.trim();
  return key === "" ? undefined : key;
}

/** In a page "/api" is a server's own path; the program and fetch want the whole address. */
function absolute(baseURL) {
  if (typeof baseURL !== "string") throw badOption("baseURL", "must be text");
  let url;
  try {
    url = new URL(baseURL, pageURL());
  } catch {
    throw badOption("baseURL", `${JSON.stringify(baseURL)} is not an absolute URL, and there is no page that it could be relative to`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw badOption("baseURL", "must begin with http:// or https://");
  if (url.search || url.hash || url.username || url.password) throw badOption("baseURL", "must not have a query, a fragment or a password");
  return url.href;
}
