// Options that do not exist are errors, so that a typo never does nothing.

/** The object that it is given, if it has no key that is not one of these. */
export function known(object, where, keys) {
  if (typeof object !== "object" || object === null || Array.isArray(object)) throw new Error(`${where}: must be an object with ${keys.join(", ")}`);
  for (const key of Object.keys(object)) {
    if (!keys.includes(key)) throw new Error(`${where}: ${key} is not an option; there are ${keys.join(", ")}`);
  }
  return object;
}
