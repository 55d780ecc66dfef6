// Passage is one request on its way through the gateway, to a provider or a chain of targets, and back.

import { fetchThrough } from "../js/fetch.js";
import { Account } from "./account.js";
import { digest } from "./bytes.js";
import { UnknownModel } from "./config.js";
import { Covered } from "./covered.js";
import { errorResponse, Refusal, refusalOf } from "./errors.js";
import { bounded, shallow } from "./guard.js";
import { quote } from "./instance.js";
import { limitsMoney, mayAsk } from "./limits.js";
import { askObject } from "./objects.js";
import { isEvents, toClient, toProvider } from "./headers.js";
import { dearer, modelsIn } from "./models.js";
import { namedIn, Telling, tells } from "./named.js";
import { isFree, passing, PROVIDERS, signature, strip } from "./providers.js";
import { redactText } from "./redact.js";
import { Relay } from "./relay.js";
import { FORM, NotACall, Session } from "./session.js";
import { keep, permit } from "./stored.js";

/**
 * What a request asks, of whom.
 * @typedef {object} Plan
 * @property {string} base where it goes, and `path`, with a query
 * @property {string} path
 * @property {Record<string, string>} headers without the key, which is in `signed`
 * @property {Record<string, string>} signed
 * @property {Uint8Array | undefined} body
 * @property {{provider: string, chain: number[], form?: boolean, metered: boolean}} route see wasm/bind/fetch.go
 * @property {{provider: string, model: string} | null} own the request's own target, when the body does not only tell the form
 * @property {boolean} tells its response tells ids by which only this caller may name what is stored
 */

/** The paths of providers that stream an answer. */
const STREAMS = /\/(chat\/completions|responses|messages|interactions)$|:streamGenerateContent$/;

export class Passage {
  #request;
  #url;
  #config;
  #caller;
  #env;
  #ctx;
  /** What its body says, where somebody must know. */
  #said = {};

  /** @param {{config: import("./config.js").Config, caller: import("./tokens.js").Caller, env: object, ctx: ExecutionContext}} place */
  constructor(request, url, { config, caller, env, ctx }) {
    this.#request = request;
    this.#url = url;
    this.#config = config;
    this.#caller = caller;
    this.#env = env;
    this.#ctx = ctx;
  }

  /** What asks no provider. */
  plain(path) {
    const [, name] = /^\/models(?:\/(.+))?$/.exec(path) ?? [null, null];
    if (name === null || this.#request.method !== "GET") throw notFound();
    const data = this.#config.models.filter((id) => mayAsk(this.#caller, id)).map((id) => ({ id, object: "model", created: 0, owned_by: "holdfast" }));
    if (name === undefined) return Response.json({ object: "list", data });
    const model = data.find(({ id }) => encodeURIComponent(id) === name || id === name);
    if (!model) throw unknownModel(name);
    return Response.json(model);
  }

  /** A stream of the client's own, where the configuration has them. */
  async stream(object) {
    if (!this.#config.streams) throw notFound();
    return askObject(object, this.#request);
  }

  /** Asks a provider in its own API. */
  async native(name, path, form) {
    return this.#relay(await this.#nativePlan(name, path), form);
  }

  /** Asks a model of the configuration, in one of OpenAI's forms. */
  async model(asked, form) {
    return this.#relay(await this.#modelPlan(this.#url.pathname, asked), form);
  }

  /**
   * What a durable answer asks. The path is what stands behind /answers: nothing, a path of OpenAI's, or
   * a provider with a path of its own that streams.
   * @returns {Promise<Plan>}
   */
  async plan(path) {
    if (this.#request.method !== "POST") throw new Refusal(405, "method_not_allowed", "This path takes POST.");
    const asked = /^(?:\/v1)?\/(chat\/completions|responses)$/.exec(path)?.[1].replace("/completions", "");
    if (path === "" || asked) return this.#modelPlan(path, asked);
    const [, name, own] = /^\/([a-z]+)(\/.*)$/.exec(path) ?? [];
    if (!Object.hasOwn(PROVIDERS, name ?? "") || !STREAMS.test(own)) throw notFound();
    return this.#nativePlan(name, own);
  }

  async #nativePlan(name, path) {
    const { method, headers } = this.#request;
    const provider = this.#config.providers.get(name);
    const passed = provider && passing(name, method, path);
    if (!passed) throw notFound();
    strip(this.#url.searchParams);
    const [header, value] = signature(name, path, provider.key);
    const body = await this.#body();
    const said = this.#config.shared || this.#caller.models || limitsMoney(this.#caller.limits) ? this.#read(body) : {};
    const behind = namesIn(headers) ?? provider.fallbacks.filter((model) => mayAsk(this.#caller, model));
    const places = behind.flatMap((model) => this.#chain("chat", model));
    const own = { provider: name, model: "" };
    const sent = toProvider(headers);
    if (this.#caller.models !== null) this.#mayAsk(own, path, said, sent, places);
    await this.#permit(path, said, passed.stored);
    const again = sent["idempotency-key"]; // by which a provider may remember an answer: one owner's is not another's
    if (again && this.#config.shared) sent["idempotency-key"] = await digest(new TextEncoder().encode(`${this.#caller.owner}\n${again}`));
    if (body?.length) sent["content-type"] = "application/json"; // the list of paths has no other, and what is none would be no call, and not counted
    return { base: provider.base, path: path + this.#url.search, headers: sent, signed: { [header]: value }, body, route: { provider: name, chain: places, metered: this.#caller.limits !== null }, own, tells: this.#tells(path, said) };
  }

  async #modelPlan(path, asked) {
    if (this.#request.method !== "POST") throw new Refusal(405, "method_not_allowed", "This path takes POST.");
    const bytes = await this.#body();
    const body = this.#read(bytes);
    if (!asked) [asked, path] = "input" in body ? ["responses", "/v1/responses"] : ["chat", "/v1/chat/completions"];
    const names = namesIn(this.#request.headers) ?? listed(body.models) ?? [];
    if (names.length === 0 && typeof body.model !== "string") throw new Refusal(400, "invalid_request", "model must be the name of a model.");
    // As elsewhere: what is listed stands behind the model, if that is one.
    if (!names.includes(body.model) && (names.length === 0 || this.#config.models.includes(body.model))) names.unshift(body.model);
    const chain = names.flatMap((name) => this.#chain(asked, name));
    if (chain.length === 0) throw new Refusal(400, "not_supported", `None of these models' targets has ${asked}.`);
    const { model, models, ...rest } = body;
    if (this.#caller.models !== null) this.#mayRun(rest, [], chain);
    await this.#permit(path, body);
    const headers = { "content-type": "application/json" };
    return { base: FORM, path, headers, signed: {}, body: bytes, route: { provider: "openai", chain, form: true, metered: this.#caller.limits !== null }, own: null, tells: this.#tells(path, body) };
  }

  async #body() {
    if (this.#request.method !== "POST") return undefined;
    const bytes = await bounded(this.#request, this.#config.maxBodyBytes);
    shallow(bytes);
    return bytes;
  }

  /** What a body says, or a refusal when it asks for what cannot be paid. */
  #read(bytes) {
    if (!bytes?.length) return {};
    const said = (this.#said = parse(bytes));
    if (limitsMoney(this.#caller.limits) && dearer(said)) throw notMetered();
    return said;
  }

  /** Refuses what is stored and another owner's. */
  async #permit(path, body, stored) {
    if (!this.#config.shared) return;
    const named = namedIn(path, body);
    if (stored !== undefined) named.push({ id: stored, member: "" });
    await permit(this.#env, this.#caller.owner, named);
  }

  #tells(path, body) {
    return this.#config.shared && this.#request.method === "POST" && tells(path, body);
  }

  #may(name) {
    if (!mayAsk(this.#caller, name)) throw new Refusal(403, "model_not_allowed", `This token is not for ${JSON.stringify(name.slice(0, 100))}.`);
  }

  /** Refuses a request in a provider's own API that names what this token is not for: in its path, body, headers or parameters. */
  #mayAsk(own, path, { model, agent, ...rest }, headers, chain) {
    const [, inPath] = /\/models\/([^:/]+)/.exec(path) ?? [];
    const asked = modelsIn({ model: [inPath, model].flat(), agent });
    for (const one of asked.length > 0 ? asked : [""]) this.#may(`${own.provider}/${one}`);
    const parameters = [...this.#url.searchParams].map(([name, value]) => ({ [name]: value }));
    for (const more of [rest, headers, ...parameters]) this.#mayRun(more, [own], chain);
  }

  /** Refuses what would run another model, beside those that are asked, at any of those who are. */
  #mayRun(said, own, chain) {
    const providers = new Set([...own, ...chain.map((place) => this.#config.targets[place])].map(({ provider }) => provider));
    for (const model of modelsIn(said)) for (const provider of providers) this.#may(`${provider}/${model}`);
  }

  #chain(asked, name) {
    try {
      this.#may(name);
      return this.#config.chain(asked, name);
    } catch (error) {
      if (!(error instanceof UnknownModel)) throw error;
      throw unknownModel(name);
    }
  }

  /** The account of a request whose caller has limits. */
  async #account(session, url, body, route) {
    if (!this.#caller.limits) return null;
    return Account.open(this.#env, this.#caller, body?.length ? await this.#quote(session, url, body, route) : 0);
  }

  /** What a request may cost, or a refusal when nobody would tell what it has cost. */
  async #quote(session, url, body, route) {
    const costUsd = quote(await session.attach(), session.handle, 4, { url, ...route }, body);
    if (limitsMoney(this.#caller.limits)) {
      const uncounted = costUsd === null && !route.form && !isFree("POST", this.#url.pathname);
      const { background, deferred } = this.#said;
      if (uncounted || background || deferred) throw notMetered(); // a provider may take "true" for it
    }
    return costUsd ?? 0;
  }

  /** Sends the request, and everything that it takes until an answer has gone out whole. */
  async #relay({ base, path, headers, signed, body, route, own, tells }, form) {
    const targets = [own, ...route.chain.map((place) => this.#config.targets[place])];
    const keys = targets.map((target) => target && this.#config.providers.get(target.provider).key);
    let account = null;
    const session = limitsMoney(this.#caller.limits) ? new Covered(this.#config, keys, (usd) => account.cover(usd)) : new Session(this.#config, keys);
    session.facts.target = route.form ? 1 : 0;
    const { method, signal } = this.#request;
    const relay = new Relay(session, form, keys, signal);
    // The context of a client that has left lives on until its call has ended, and is settled: also while its money is set aside.
    this.#ctx.waitUntil(relay.ended.then(() => account?.close(session.bill)).then(() => session.rested()));
    try {
      account = await this.#account(session, base + path, body, route);
      const answer = await fetchThrough(session, base + path, { method, headers: { ...headers, ...signed }, body, signal }, route, tells ? this.#keeping(relay.open) : relay.open);
      const response = await this.#presentable(answer, keys, form);
      session.facts.attempts ||= 1; // it passed without being a call
      const out = told(toClient(response.headers, keys), session.facts, targets);
      return new Response(relay.carry(response), { status: response.status, headers: out });
    } catch (error) {
      relay.over();
      if (signal.aborted) throw error;
      const refused = errorResponse(form, refusalOf(error instanceof NotACall ? notACall() : error));
      told(refused.headers, session.facts, targets);
      return refused;
    }
  }

  /** The same way to the client, beside which what goes out is read for ids that are the caller's from now on. */
  #keeping(open) {
    return (call, left, headers) => {
      const tell = (ids) => this.#ctx.waitUntil(keep(this.#env, this.#caller.owner, ids));
      const telling = new Telling(tell, isEvents(headers), 2 * this.#config.maxBodyBytes);
      const body = open(call, left, headers);
      const write = (bytes) => {
        telling.take(bytes);
        return body.write(bytes);
      };
      const close = () => {
        telling.end();
        body.close();
      };
      return { ...body, write, close };
    };
  }

  /** A response without what is none of the client's business: the key, and where to go instead. */
  async #presentable(response, keys, form) {
    const { status, headers } = response;
    if (status < 300) return response;
    if (status < 400) {
      await response.body?.cancel();
      throw new Refusal(502, "redirected", "The provider answered with a redirect, which this gateway does not follow.");
    }
    if (status === 401) {
      await response.body?.cancel();
      throw new Refusal(401, "provider_key_refused", "The provider refused the key that this gateway has for it.");
    }
    if (status > 599) {
      await response.body?.cancel();
      throw new Refusal(502, "strange_status", `The provider answered with HTTP ${status}.`);
    }
    const text = redactText(await response.text(), keys);
    const safe = new Headers(headers);
    safe.set("x-should-retry", "false"); // what helps has been tried
    return new Response(text, { status, headers: safe });
  }
}

const notACall = () => new Refusal(400, "invalid_request", "No chain of models can serve this body: it must be one JSON object that asks for one answer.");
const notMetered = () => new Refusal(403, "not_metered", "A token with a limit of money is not good for this: nobody would tell the gateway what it costs.");
const unknownModel = (name) => new Refusal(404, "model_not_found", `This gateway has no model ${JSON.stringify(name.slice(0, 100))}.`);
const notFound = () => new Refusal(404, "not_found", "This gateway has no such path.");

/** The models that a request names in its header, or null. */
function namesIn(headers) {
  const text = headers.get("x-holdfast-models");
  return text === null ? null : listed(text.split(",").map((name) => name.trim()));
}

const MAX_NAMES = 8;

function listed(names) {
  if (names === undefined) return null;
  if (!Array.isArray(names) || names.length === 0 || names.length > MAX_NAMES || !names.every((name) => typeof name === "string")) {
    throw new Refusal(400, "invalid_request", `models must be a list of 1 to ${MAX_NAMES} names.`);
  }
  return names;
}

function parse(bytes) {
  let body;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // said below
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new Refusal(400, "invalid_request", "The body must be a JSON object.");
  return body;
}

/** A long conversation may have something at every turn that a target cannot be told. */
const MAX_PLACES = 20;

/** What a response's headers tell of how it came about: so far, when it is a stream. */
function told(headers, { attempts, target, dropped, waitedMs, requestIds }, targets) {
  const served = attempts > 0 && targets[target];
  if (served) headers.set("x-holdfast-served", served.model ? `${served.provider}/${encodeURI(served.model)}` : served.provider);
  headers.set("x-holdfast-attempts", String(attempts));
  headers.set("x-holdfast-waited-ms", String(Math.round(waitedMs)));
  const places = dropped.filter((place) => /^[\w/~.:-]{1,200}$/.test(place)).slice(0, MAX_PLACES);
  if (places.length > 0) headers.set("x-holdfast-dropped", places.join(", "));
  const ids = requestIds.filter((id) => /^[\w.:-]{1,200}$/.test(id));
  if (ids.length > 0) headers.set("x-holdfast-request-ids", ids.join(", "));
  return headers;
}
