// Config is what the deployment says: who may call, what may be reached, and which model names mean what.
//
//	{
//	  "tokens":       {"alice": "SHA-256 of her token, in hex",
//	                   "bob":   {"hash": "…", "limits": {"maxUsdPerDay": 5}, "models": ["fast"], "admin": true}},
//	  "jwt":          {"audience": "https://gateway.example", "limits": {…}, "models": […]},   see tokens.js
//	  "origins":      ["https://app.example"],                     pages that may call
//	  "maxBodyBytes": 8388608,
//	  "providers":    {"openai": {"secret": "OPENAI_API_KEY", "baseURL": "…", "fallbacks": ["fast"]}},
//	  "models":       {"fast": [{"provider": "openai", "model": "gpt-5-mini"}, {"provider": "anthropic", "model": "…"}]},
//	  "streams":      true,                                        clients may keep streams of their own: see streams.js
//	  "answers":      {"ttlSeconds": 86400},                       how long durable answers stay after their end
//	  "prices":       "…",                                         in place of the table in core/spend/table.go, whose format it has
//	  "policy": {…}, "breaker": {…}, "throttle": true              as in createClient
//	}
//
// A target of a model takes what createClient's targets take (api, path, maxOutputTokens, headers,
// policy), except for its place and its secret, which are its provider's. Limits stand in limits.js;
// those of jwt hold for every token that is accepted by its signature, whatever it says itself. In which
// variables it stands says variables.js.

import { readLimits, readModels, stricter } from "./limits.js";
import { known, members, secretIn } from "./options.js";
import { PROVIDERS } from "./providers.js";
import { secretsOf } from "./signature.js";
import { readToken } from "./tokens.js";
import { gathered, KEYS, sourcesOf } from "./variables.js";

/** The APIs in which models are asked, and the wire format in which a target is then asked. */
const ASKED = {
  chat: ({ own }) => ({ api: own }),
  responses: ({ responses }) => ({ api: responses }),
  embeddings: ({ embeddings }) => embeddings && { api: "embeddings", path: embeddings },
};

export class Config {
  maxBodyBytes;
  origins;
  streams;
  answerTtlSeconds;
  /** @type {{hash: Uint8Array, caller: import("./tokens.js").Caller}[]} */
  tokens;
  /** What holds for tokens that are accepted by their signature; null when none are. */
  jwt = null;
  /** Whether there is more than one owner: then what is one's is not the other's, at the providers as well. */
  shared;
  /** What signs tokens and links. @type {Uint8Array[]} */
  secrets;
  /** By name: {base, key, fallbacks}. @type {Map<string, {base: string, key: string, fallbacks: string[]}>} */
  providers = new Map();
  /** Model names. @type {string[]} */
  models;
  /** The options of the client that all requests share, as JSON. @type {Uint8Array} */
  options;
  /** By place: who serves a target, and the API in which it is asked there. @type {{provider: string, model: string, asked: string}[]} */
  targets = [];
  #chains = new Map();

  constructor(env) {
    const { tokens = {}, jwt, origins = [], maxBodyBytes = 8 << 20, providers = {}, models = {}, streams = false, answers = {}, prices, ...client } = known(gathered(env), "the configuration", KEYS);
    this.tokens = members(tokens, "tokens").map(([name, value]) => readToken(name, value));
    if (this.tokens.length === 0 && !jwt) throw new Error("tokens: without any, anybody could spend your money");
    const hashes = this.tokens.map(({ hash }) => hash.join());
    const twice = this.tokens.find((_, i) => hashes.indexOf(hashes[i]) < i);
    if (twice) throw new Error(`tokens.${twice.caller.owner}: is the token of somebody else, too`);
    this.secrets = secretsOf(secretIn(env, "HOLDFAST_JWT_SECRET"));
    if (jwt !== undefined) this.#signed(jwt);
    this.shared = this.jwt !== null || this.tokens.length > 1;
    this.origins = new Set(texts(origins, "origins"));
    if (!(Number.isInteger(maxBodyBytes) && maxBodyBytes > 0)) throw new Error("maxBodyBytes: must be a whole number of bytes");
    this.maxBodyBytes = maxBodyBytes;
    if (typeof streams !== "boolean") throw new Error("streams: must be true or false");
    this.streams = streams;
    const { ttlSeconds = 86400 } = known(answers, "answers", ["ttlSeconds"]);
    if (!(typeof ttlSeconds === "number" && ttlSeconds >= 1 && ttlSeconds <= 366 * 86400)) throw new Error("answers.ttlSeconds: must be a number of seconds from 1 to a year");
    this.answerTtlSeconds = ttlSeconds;
    for (const [name, own] of members(providers, "providers")) this.#provider(name, own, env);
    const targets = [];
    for (const [name, chain] of members(models, "models")) this.#model(name, chain, targets);
    this.models = Object.keys(models);
    for (const [name, { fallbacks }] of this.providers) {
      const strange = fallbacks.find((model) => !this.models.includes(model));
      if (strange !== undefined) throw new Error(`providers.${name}: fallbacks: there is no model ${JSON.stringify(strange)}`);
    }
    this.options = new TextEncoder().encode(JSON.stringify({ ...client, ...(prices !== undefined && { spend: { prices } }), provider: "openai", targets }));
  }

  #signed(jwt) {
    const { audience, limits, models } = known(jwt, "jwt", JWT_KEYS);
    if (typeof audience !== "string" || audience === "") throw new Error("jwt.audience: must be text; whoever makes tokens names it as aud");
    if (this.secrets.length === 0) throw new Error("jwt: the secret HOLDFAST_JWT_SECRET is not set");
    this.jwt = { audience, limits: readLimits(limits, "jwt"), models: readModels(models, "jwt") };
  }

  #provider(name, own, env) {
    if (!Object.hasOwn(PROVIDERS, name)) throw new Error(`providers: there is no ${name}; there are ${Object.keys(PROVIDERS).join(", ")}`);
    const { secret = `${name.toUpperCase()}_API_KEY`, baseURL = PROVIDERS[name].base, fallbacks = [] } = known(own, `providers.${name}`, PROVIDER_KEYS);
    const key = secretIn(env, secret);
    if (!key) throw new Error(`providers.${name}: the secret ${secret} is not set`);
    if (!/^[!-~]+$/.test(key)) throw new Error(`providers.${name}: the secret ${secret} has a space or a sign in it that no key has`);
    const url = URL.parse(baseURL);
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) throw new Error(`providers.${name}: baseURL is not one`);
    this.providers.set(name, { base: url.href.replace(/\/+$/, ""), key, fallbacks: texts(fallbacks, `providers.${name}: fallbacks`) });
  }

  #model(name, chain, targets) {
    if (!Array.isArray(chain) || chain.length === 0) throw new Error(`models.${name}: must be a list of targets`);
    for (const target of chain) known(target, `models.${name}`, TARGET_KEYS);
    for (const [asked, format] of Object.entries(ASKED)) {
      const places = [];
      for (const target of chain) {
        const provider = this.providers.get(target.provider);
        if (!provider) throw new Error(`models.${name}: ${target.provider} is not among the providers`);
        const usual = target.api || target.path ? (asked === "embeddings" ? target.api === asked && {} : {}) : format(PROVIDERS[target.provider]);
        if (!usual) continue;
        places.push(targets.length);
        targets.push({ ...usual, ...target, baseURL: provider.base });
        this.targets.push({ provider: target.provider, model: target.model, asked });
      }
      this.#chains.set(`${asked} ${name}`, places);
    }
  }

  /** The places of a model's targets that can be asked so, or UnknownModel. */
  chain(asked, name) {
    if (!this.models.includes(name)) throw new UnknownModel(name);
    return this.#chains.get(`${asked} ${name}`);
  }

  /** What an owner may use now of the limits that he once asked with; null for who may not ask any more. */
  allowed(owner, limits) {
    const now = this.tokens.find(({ caller }) => caller.owner === owner)?.caller ?? this.jwt;
    return now && stricter(now, { limits, models: null });
  }

  /** Tells whether an address is one of a provider's. */
  reaches(url) {
    return [...this.providers.values()].some(({ base }) => url.startsWith(`${base}/`));
  }
}

function texts(value, where) {
  if (!Array.isArray(value) || !value.every((text) => typeof text === "string")) throw new Error(`${where}: must be a list of texts`);
  return value;
}

/** A name that the configuration does not have. */
export class UnknownModel extends Error {}

const JWT_KEYS = ["audience", "limits", "models"];
const PROVIDER_KEYS = ["secret", "baseURL", "fallbacks"];
const TARGET_KEYS = ["provider", "model", "api", "path", "maxOutputTokens", "headers", "policy"];

/** What can be told of a configuration that is wrong: who may ask what is wrong with it. Null when nobody may. */
export function brokenConfig(env, error) {
  const { tokens, origins } = gathered(env, true);
  const readable = Object.entries(tokens ?? {}).flatMap(([name, value]) => {
    try {
      return [readToken(name, value)];
    } catch {
      return [];
    }
  });
  if (readable.length === 0) return null;
  return { tokens: readable, jwt: null, secrets: [], origins: new Set(Array.isArray(origins) ? origins : []), problem: error.message };
}

let last = { sources: [], text: "", config: null };

/** The configuration of a deployment, read once. */
export function configOf(env) {
  const sources = sourcesOf(env);
  if (sources.every((source) => !source)) throw new Error("the variable HOLDFAST is not set");
  if (sources.some((source, i) => source !== last.sources[i])) {
    const text = JSON.stringify(sources); // an object can be another one that says the same
    last = { sources, text, config: text === last.text ? last.config : new Config(env) };
  }
  return last.config;
}
