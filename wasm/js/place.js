// Place is how far a durable answer was taken: what must be kept to come back to it.

import { badOption } from "./error.js";

const ID = /^[\w-]{8,64}$/;
const BEGINNING = "-1";
/**
 * An offset of the gateway, what was taken of the messages behind it, and how much of the text belongs to an
 * answer from which this one goes on. It has no comma of its own.
 */
const OFFSET = /^([^,&=?/\s]{1,200})(?:,(\d{1,9}),(\d{1,9}),(\d{1,9}),(\d{1,9})(?:,(\d{1,9}))?)?$/;
const NOTHING = { text: 0, reasoning: 0, refusal: 0, tools: 0 };

export class Place {
  id;
  #offset;
  /** What was taken behind the offset: several messages can come as one. */
  #ahead = { ...NOTHING };
  /** How long the text is that the gateway knows nothing of. */
  #before;

  /**
   * @param {string} id
   * @param {string} text that was shown
   * @param {string} [offset] as the property offset gave it
   */
  constructor(id, text, offset = BEGINNING) {
    if (typeof id !== "string" || !ID.test(id)) throw badOption("id", "must be 8 to 64 letters, digits, - or _");
    const [, behind, ...ahead] = (typeof offset === "string" && OFFSET.exec(offset)) || [];
    if (!behind) throw badOption("offset", "must be text that an answer gave as its offset");
    this.id = id;
    this.#offset = behind;
    if (ahead[0] !== undefined) for (const key of Object.keys(NOTHING)) this.#ahead[key] = Number(ahead.shift());
    this.#before = Math.min(text.length, this.fresh ? Infinity : Number(ahead[0] ?? 0));
  }

  /** As text: where to come back to. */
  get offset() {
    if (this.fresh) return BEGINNING; // all text is from elsewhere
    const ahead = Object.values(this.#ahead);
    if (this.#before > 0) ahead.push(this.#before);
    return ahead.some((n) => n > 0) ? [this.#offset, ...ahead].join() : this.#offset;
  }

  /** Nothing of the answer was taken. */
  get fresh() {
    return this.#offset === BEGINNING && Object.values(this.#ahead).every((n) => n === 0);
  }

  /** What a restart takes the text back to. */
  base(text) {
    return text.slice(0, this.#before);
  }

  /** The program's option for a call that comes back. */
  get from() {
    return { api: "answers", id: this.id, event: this.#offset, ahead: this.#ahead, before: this.#before };
  }

  /** A delta was taken. @param {import("./holdfast.d.ts").Delta} delta */
  take(delta) {
    if (delta.type === "tool_call") this.#ahead.tools++;
    else if (delta.type === "restart") this.#ahead = { ...NOTHING };
    else this.#ahead[delta.type] += delta.text.length;
  }

  /** Everything before an offset of the gateway was taken. */
  mark(offset) {
    this.#offset = offset;
    this.#ahead = { ...NOTHING };
  }
}
