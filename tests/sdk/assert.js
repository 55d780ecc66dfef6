// What the cases assert, in Node and in pages alike.

export function ok(value, what) {
  if (!value) throw new Error(what);
}

export function equal(actual, expected, what) {
  ok(Object.is(actual, expected), `${what}: ${shown(actual)} instead of ${shown(expected)}`);
}

/** Compares what JSON can say. */
export function alike(actual, expected, what) {
  equal(inOrder(actual), inOrder(expected), what);
}

/** The value of an outcome that must be no error. */
export function valueOf({ value, error }) {
  if (error) throw error;
  return value;
}

function inOrder(value) {
  const sorted = (key, item) => (item && typeof item === "object" && !Array.isArray(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item);
  return JSON.stringify(value, sorted);
}

const shown = (value) => (typeof value === "string" ? value : typeof value === "function" ? value.name : JSON.stringify(value) ?? String(value));
