// Limits are what one owner may use: how many requests, how many at once, how much money, which models.

/** Ten billionths of a dollar, in which core/spend counts: every price of a token is a whole number of them. */
export const TICKS_PER_USD = 1e10;
/** How often whoever runs a request should tell the ledger that it is still under way. */
export const RENEW_MS = 60_000;
/** Sums stay whole numbers in a double: 2^53 ticks are 900,000 dollars. */
const MAX_USD = 100_000;

/** By name: the highest value, and what one of it is in the ledger's unit. Money is of calendar days and months, in UTC, as bills are. */
const KINDS = {
  requestsPerMinute: { most: 10_000, unit: 1, whole: true },
  concurrent: { most: 10_000, unit: 1, whole: true },
  maxUsdPerDay: { most: MAX_USD, unit: TICKS_PER_USD },
  maxUsdPerMonth: { most: MAX_USD, unit: TICKS_PER_USD },
  maxUsd: { most: MAX_USD, unit: TICKS_PER_USD },
};

/**
 * What is absent is not limited; with no limit at all an owner's requests are counted all the same.
 * @typedef {Partial<Record<keyof typeof KINDS, number>>} Limits money in ticks
 */

/** Reads limits as a configuration or a token writes them, or throws what is wrong. @returns {Limits | null} */
export function readLimits(value, where) {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${where}.limits: must be an object`);
  return Object.fromEntries(
    Object.entries(value).map(([name, n]) => {
      if (!Object.hasOwn(KINDS, name)) throw new Error(`${where}.limits: ${name} is not one; there are ${Object.keys(KINDS).join(", ")}`);
      const { most, unit, whole } = KINDS[name];
      if (!(typeof n === "number" && n >= 0 && n <= most) || (whole && !Number.isInteger(n))) {
        throw new Error(`${where}.limits.${name}: must be a ${whole ? "whole " : ""}number from 0 to ${most}`);
      }
      return [name, Math.floor(n * unit)];
    }),
  );
}

const MAX_MODELS = 100;

/**
 * Reads which models may be asked: names of the configuration, "provider/model" for a provider's own
 * API, and "provider/*" for all of that.
 * @returns {string[] | null} null when all may be
 */
export function readModels(value, where) {
  if (value === undefined) return null;
  const names = Array.isArray(value) && value.length <= MAX_MODELS && value.every((name) => typeof name === "string");
  if (!names) throw new Error(`${where}.models: must be a list of up to ${MAX_MODELS} names`);
  return value;
}

/** What two of them allow together. */
export function stricter(a, b) {
  const limits = a.limits || b.limits ? { ...a.limits, ...b.limits } : null;
  for (const name in limits) limits[name] = Math.min(a.limits?.[name] ?? Infinity, b.limits?.[name] ?? Infinity);
  const models = a.models && b.models ? [...a.models.filter((name) => mayAsk(b, name)), ...b.models.filter((name) => mayAsk(a, name))] : (a.models ?? b.models);
  return { limits, models };
}

/** Tells whether a caller may ask a model by its name, or as "provider/model". */
export function mayAsk({ models }, name) {
  return models === null || models.includes(name) || models.includes(name.replace(/\/.*/s, "/*"));
}

/** Tells whether an owner's money is limited. */
export function limitsMoney(limits) {
  return limits !== null && ["maxUsdPerDay", "maxUsdPerMonth", "maxUsd"].some((name) => limits[name] !== undefined);
}
