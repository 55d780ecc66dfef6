// Options that do not exist are errors, so that a typo never does nothing.

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The object that it is given, if it has no key that is not one of these. */
export function known(object, where, keys) {
  if (!isObject(object)) throw new Error(`${where}: must be an object with ${keys.join(", ")}`);
  for (const key of Object.keys(object)) {
    if (!keys.includes(key)) throw new Error(`${where}: ${key} is not an option; there are ${keys.join(", ")}`);
  }
  return object;
}

/** The members of an object whose keys are names. */
export function members(object, where) {
  if (!isObject(object)) throw new Error(`${where}: must be an object, by name`);
  return Object.entries(object);
}

/** A secret of the environment; "" when it is not set. */
export function secretIn(env, name) {
  const secret = env[name] ?? "";
  if (typeof secret !== "string") throw new Error(`${name}: must be text`);
  return secret.trim();
}
