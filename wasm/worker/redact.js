// Redact keeps the providers' keys out of what goes to a client, whoever put them there.

import { joined } from "./bytes.js";

const INSTEAD = "[key]";
const NOTHING = new Uint8Array(0);

/** A text without the keys. @param {(string | undefined)[]} keys */
export function redactText(text, keys) {
  for (const key of keys) if (key) text = text.replaceAll(key, INSTEAD);
  return text;
}

/** Pairs of bytes are counted in so many classes. */
const CLASSES = 4096;
const classOf = (a, b) => ((a << 5) ^ b) & (CLASSES - 1);
const LINE_END = 10;

/** Keys as bytes, and what finds them. Most pairs of bytes are in no key. */
class Keys {
  /** @type {Uint8Array[]} */
  list;
  shortest;
  /** By class of pairs: whether a key has such a pair. */
  pairs = new Uint8Array(CLASSES);

  /** @param {string[]} keys */
  constructor(keys) {
    const encoder = new TextEncoder();
    this.list = keys.map((key) => encoder.encode(key));
    this.shortest = Math.min(...this.list.map(({ length }) => length));
    for (const key of this.list) for (let i = 1; i < key.length; i++) this.pairs[classOf(key[i - 1], key[i])] = 1;
  }

  /** By the keys in them: there are as many as a configuration has sets of providers. @type {Map<string, Keys>} */
  static #known = new Map();

  /** @param {(string | undefined)[]} keys */
  static of(keys) {
    const real = [...new Set(keys)].filter((key) => key?.length > 1).sort();
    const name = real.join("\n");
    const known = this.#known.get(name) ?? new Keys(real);
    this.#known.set(name, known);
    return known;
  }
}

/**
 * The same for the bytes of a stream, in which a key may come in two chunks. Looking at one pair in each
 * stretch as long as the shortest key finds all of them.
 */
export class Redactor {
  /** @type {Keys} */
  #keys;
  /** What may be the beginning of a key. */
  #held = NOTHING;

  /** @param {(string | undefined)[]} keys */
  constructor(keys) {
    this.#keys = Keys.of(keys);
  }

  /** The bytes without keys, but for what may be the beginning of one. */
  pass(bytes) {
    if (this.#held.length > 0) {
      bytes = joined([this.#held, bytes]);
      this.#held = NOTHING;
    }
    const { shortest, pairs } = this.#keys;
    const stride = shortest - 1;
    // A header's value has no end of a line in it, and events end with one: they hold nothing back.
    if (bytes[bytes.length - 1] !== LINE_END) return this.#clean(bytes);
    for (let i = stride; i < bytes.length; i += stride) {
      if (pairs[classOf(bytes[i - 1], bytes[i])] === 1) return this.#clean(bytes);
    }
    return bytes;
  }

  /** What is held, at the end. */
  end() {
    const held = this.#held;
    this.#held = NOTHING;
    return this.#clean(held, true);
  }

  /** Looks at every pair. */
  #clean(bytes, last = false) {
    const parts = [];
    let from = 0;
    for (let i = 0; i < bytes.length; i++) {
      if (i + 1 < bytes.length && this.#keys.pairs[classOf(bytes[i], bytes[i + 1])] === 0) continue;
      const length = this.#match(bytes, i, last);
      if (length === 0) continue;
      parts.push(bytes.subarray(from, i));
      if (length < 0) {
        this.#held = bytes.slice(i);
        return joined(parts);
      }
      parts.push(new TextEncoder().encode(INSTEAD));
      from = i + length;
      i = from - 1;
    }
    return from === 0 ? bytes : joined([...parts, bytes.subarray(from)]);
  }

  /** The length of the key that begins at i; 0 for none, -1 when more bytes must come to tell. */
  #match(bytes, i, last) {
    let found = 0;
    for (const key of this.#keys.list) {
      let n = 0;
      while (n < key.length && i + n < bytes.length && bytes[i + n] === key[n]) n++;
      if (n === key.length) found = Math.max(found, n);
      else if (i + n === bytes.length && !last) return -1;
    }
    return found;
  }
}
