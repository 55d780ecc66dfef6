// Bytes: pieces put together.

/** @param {Uint8Array[]} parts one list: a body may come in more pieces than a function takes arguments */
export function joined(parts) {
  const all = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
