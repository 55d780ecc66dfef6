// Redact keeps the providers' keys out of what goes to a client, whoever put them there.

const INSTEAD = "[key]";
const NOTHING = new Uint8Array(0);

/** A text without the keys. @param {(string | undefined)[]} keys */
export function redactText(text, keys) {
  for (const key of keys) if (key) text = text.replaceAll(key, INSTEAD);
  return text;
}

/** The same for the bytes of a stream, in which a key may come in two chunks. */
export class Redactor {
  /** @type {Uint8Array[]} */
  #keys;
  /** By byte: whether a key begins with it. Most bytes are none, which is all that it costs. */
  #first = new Uint8Array(256);
  /** What may be the beginning of a key. */
  #held = NOTHING;

  /** @param {(string | undefined)[]} keys */
  constructor(keys) {
    const encoder = new TextEncoder();
    this.#keys = [...new Set(keys)].filter(Boolean).map((key) => encoder.encode(key));
    for (const [first] of this.#keys) this.#first[first] = 1;
  }

  /** The bytes without keys, but for what may be the beginning of one. */
  pass(bytes) {
    if (this.#held.length > 0) {
      bytes = joined(this.#held, bytes);
      this.#held = NOTHING;
    }
    const first = this.#first;
    let parts = null;
    let from = 0;
    for (let i = 0; i < bytes.length; i++) {
      if (first[bytes[i]] === 0) continue;
      const length = this.#match(bytes, i);
      if (length === 0) continue;
      if (length < 0) {
        this.#held = bytes.slice(i);
        bytes = bytes.subarray(0, i);
        break;
      }
      (parts ??= []).push(bytes.subarray(from, i), new TextEncoder().encode(INSTEAD));
      from = i + length;
      i = from - 1;
    }
    return parts === null ? bytes : joined(...parts, bytes.subarray(from));
  }

  /** What is held, at the end: it became no key. */
  end() {
    const held = this.#held;
    this.#held = NOTHING;
    return held;
  }

  /** The length of the key that begins at i; 0 for none, -1 when the bytes end before it is known. */
  #match(bytes, i) {
    let found = 0;
    for (const key of this.#keys) {
      let n = 0;
      while (n < key.length && i + n < bytes.length && bytes[i + n] === key[n]) n++;
      if (n === key.length) found = Math.max(found, n);
      else if (i + n === bytes.length) return -1;
    }
    return found;
  }
}

function joined(...parts) {
  const all = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
