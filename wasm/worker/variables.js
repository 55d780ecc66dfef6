// Variables are where the configuration of a deployment stands: all of it in HOLDFAST, or what is long in
// a variable of its own, for Cloudflare lets one hold 5 kB: HOLDFAST_MODELS, HOLDFAST_PRICES and so on, by
// the keys of the configuration. Each is JSON, as text or read already; prices are plain text.

export const KEYS = ["tokens", "jwt", "origins", "maxBodyBytes", "providers", "models", "streams", "answers", "prices", "policy", "breaker", "throttle"];

const WHOLE = "HOLDFAST";
const OWN = KEYS.map((key) => [key, `${WHOLE}_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`]);

/** What the variables hold, in an order that is always the same. */
export function sourcesOf(env) {
  return [env[WHOLE], ...OWN.map(([, name]) => env[name])];
}

/** The configuration, put together. What cannot be read is an error, or, where it is tolerant, is left out. */
export function gathered(env, tolerant = false) {
  const whole = { ...read(env, WHOLE, tolerant) };
  for (const [key, name] of OWN) {
    if (env[name] === undefined) continue;
    if (!tolerant && Object.hasOwn(whole, key)) throw new Error(`${key}: stands in ${WHOLE} and in ${name}`);
    whole[key] = key === "prices" ? env[name] : read(env, name, tolerant);
  }
  const strange = !tolerant && stray(env, whole);
  if (strange) throw new Error(`${strange}: is no variable of the gateway; there are ${OWN.map(([, name]) => name).join(", ")}`);
  return whole;
}

/** A variable that is named as the gateway's own are and that nothing reads: a misspelt one, most likely. */
function stray(env, { providers }) {
  const secrets = Object.values(providers ?? {}).map((provider) => provider?.secret);
  const used = ["HOLDFAST_JWT_SECRET", ...OWN.map(([, name]) => name), ...secrets];
  return Object.keys(env).find((name) => name.startsWith(`${WHOLE}_`) && !used.includes(name));
}

function read(env, name, tolerant) {
  if (typeof env[name] !== "string") return env[name];
  try {
    return JSON.parse(env[name]);
  } catch (error) {
    if (tolerant) return undefined;
    throw new Error(`${name}: is not JSON: ${error.message}`);
  }
}
