// Bytes: pieces put together, and what stands for all of them.

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

/** The SHA-256 of bytes, in hex. */
export async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
