// Tokens tell who calls: a static one by its SHA-256, a JSON Web Token (RFC 7519, HS256) by its
// signature. What a token says about itself counts only once that has been found right.

import { Refusal } from "./errors.js";
import { readLimits, readModels, stricter } from "./limits.js";
import { readLink } from "./links.js";
import { known } from "./options.js";
import { parsed, signed } from "./signature.js";

/**
 * Whoever sent a request, and what he may do.
 * @typedef {object} Caller
 * @property {string} owner whose money and answers it is about
 * @property {import("./limits.js").Limits | null} limits null when nothing is counted
 * @property {string[] | null} models null when all may be asked
 * @property {boolean} admin may ask the control plane
 * @property {boolean} [reads] may do nothing but read answers
 * @property {string} [answer] the only one that he may read
 */

const MAX_JWT = 4096; // bytes
/** A backend's clock may be ahead so far; what has expired has expired. */
const LEEWAY_SECONDS = 30;
/** Whose name can stand in the name of an object, a log line and a page. */
const OWNER = /^[\w.@:|~+-]{1,128}$/;

/** A static token of the configuration. */
export function readToken(name, value) {
  const where = `tokens.${name}`;
  const { hash, limits, models, admin = false } = typeof value === "string" ? { hash: value } : known(value, where, KEYS);
  if (!OWNER.test(name)) throw new Error(`tokens: ${name} cannot be an owner's name; it must match ${OWNER.source}`);
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`${where}: must be a SHA-256 in 64 hex digits`);
  if (typeof admin !== "boolean") throw new Error(`${where}.admin: must be true or false`);
  const caller = { owner: name, limits: readLimits(limits, where), models: readModels(models, where), admin };
  return { hash: Uint8Array.from(hash.match(/../g), (pair) => parseInt(pair, 16)), caller };
}

const KEYS = ["hash", "limits", "models", "admin"];

/**
 * Who sent a request, with a token in any header where an official SDK puts its key, or as the
 * parameter `read` of an answer's address.
 * @returns {Promise<Caller>}
 */
export async function callerOf(config, request, url) {
  const link = url.searchParams.get("read");
  if (link !== null) return readLink(config, link, url);
  const { headers } = request;
  const token = passwordIn(request, url) ?? /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? headers.get("x-api-key") ?? headers.get("x-goog-api-key");
  if (!token) throw new Refusal(401, "missing_token", "A token of this gateway is needed where the API key usually stands.");
  return callerBy(config, token);
}

/** The token as a browser sends it that was asked for a password, where that is expected. */
function passwordIn({ headers }, { pathname }) {
  const [, text] = (pathname === STATUS && /^basic +([\w+/=]+)$/i.exec(headers.get("authorization") ?? "")) || [];
  if (text === undefined) return undefined;
  try {
    return atob(text).replace(/^[^:]*:/, ""); // whatever the name
  } catch {
    return undefined;
  }
}

/** A page that a browser asks for, which can send a password and no bearer token. */
export const STATUS = "/control/status";

/** Whose token it is. */
export async function callerBy(config, token) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)));
  let found = null;
  for (const { hash: known, caller } of config.tokens) {
    if (same(hash, known)) found = caller; // no early end: the time tells nothing
  }
  if (found) return found;
  const parts = token.split(".");
  if (!config.jwt || parts.length !== 3 || token.length > MAX_JWT) throw invalid("This gateway does not know that token.");
  return claimed(await verified(config, parts), config);
}

/** Compares in a time that does not depend on the bytes. */
function same(a, b) {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
  return difference === 0;
}

const invalid = (message) => new Refusal(401, "invalid_token", message);

/** The claims of a JSON Web Token that we have signed. Its header decides nothing. */
async function verified(config, [head, body, signature]) {
  const { alg, typ = "JWT", crit } = parsed(head) ?? {};
  const ours = alg === "HS256" && /^jwt$/i.test(String(typ)) && crit === undefined && (await signed(config.secrets, `${head}.${body}`, signature));
  const claims = ours ? parsed(body) : null;
  if (!claims) throw invalid("This gateway has not signed that token.");
  return claims;
}

/** What a token of ours says, as far as it is good here and now. */
function claimed({ sub, aud, exp, nbf = 0, limits, models, scope = "call" }, { jwt }) {
  const now = Date.now() / 1000;
  if (typeof exp !== "number" || typeof nbf !== "number") throw invalid("The token must have exp, and exp and nbf must be numbers.");
  if (!(now < exp)) throw new Refusal(401, "token_expired", "The token has expired; get a new one.");
  if (now < nbf - LEEWAY_SECONDS) throw invalid("The token is not valid yet.");
  if (![aud].flat().includes(jwt.audience)) throw invalid("The token is for another audience.");
  if (typeof sub !== "string" || !OWNER.test(sub)) throw invalid("The token must have a sub that can be an owner's name.");
  if (!SCOPES.includes(scope)) throw invalid(`The token's scope must be one of ${SCOPES.join(", ")}.`);
  try {
    const own = { limits: readLimits(limits, "limits"), models: readModels(models, "models") };
    return { owner: sub, ...stricter(jwt, own), admin: false, reads: scope === "read" };
  } catch (error) {
    throw invalid(`The token's claims are wrong: ${error.message}`);
  }
}

/** What a token may be good for: asking models and all that is its owner's, or reading answers. */
export const SCOPES = ["call", "read"];
