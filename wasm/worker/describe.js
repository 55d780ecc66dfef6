// Describe tells what a configuration says without anything in it that is secret: no hashes, no keys, no
// values of headers. It takes one that is wrong as well, and leaves out what cannot be read.

import { PROVIDERS } from "./providers.js";
import { gathered } from "./variables.js";

/** What the control program takes as its settings: see control/facts.go. */
export function describe(env) {
  const { tokens, jwt, origins, providers, models, prices } = gathered(env, true);
  return {
    tokens: each(tokens, (token) => ({ limits: numbersOf(token?.limits), models: textsOf(token?.models), admin: token?.admin === true })),
    jwt: jwt ? { audience: String(jwt.audience ?? ""), limits: numbersOf(jwt.limits), models: textsOf(jwt.models) } : undefined,
    signs: Boolean(env.HOLDFAST_JWT_SECRET?.trim?.()),
    prices: typeof prices === "string" ? prices : undefined,
    origins: textsOf(origins) ?? [],
    providers: each(providers, (own, name) => {
      const secret = String(own?.secret ?? `${name.toUpperCase()}_API_KEY`);
      return { baseURL: addressOf(own?.baseURL ?? PROVIDERS[name]?.base), secret, set: Boolean(env[secret]?.trim?.()), fallbacks: textsOf(own?.fallbacks) };
    }),
    models: each(models, (chain) => (Array.isArray(chain) ? chain : []).map((target) => ({ provider: String(target?.provider ?? ""), model: String(target?.model ?? ""), api: target?.api && String(target.api) }))),
  };
}

const objectOf = (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {});
const each = (value, of) => Object.fromEntries(Object.entries(objectOf(value)).map(([name, item]) => [name, of(item, name)]));
const textsOf = (value) => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined);
const numbersOf = (value) => (value === undefined ? undefined : Object.fromEntries(Object.entries(objectOf(value)).filter(([, n]) => typeof n === "number")));

/** A base URL without a password, should there be one. */
function addressOf(value) {
  try {
    const { origin, pathname } = new URL(value);
    return origin + pathname;
  } catch {
    return "";
  }
}
