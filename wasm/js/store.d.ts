/**
 * Keeps answers that are not whole in the browser's IndexedDB, so that the text, its mark and
 * Continue survive a reload:
 *
 * ```ts
 * const store = openStore();
 * const request = { path, body };
 * store.keep("chat-7", client.stream(path, body, { onDelta }), request);
 *
 * // after a reload
 * const kept = await store.get("chat-7");
 * if (kept?.offer.includes("continue")) {
 *   store.keep(kept.id, client.stream(kept.path, kept.body, { continues: kept, onDelta }), kept);
 * }
 * ```
 *
 * A durable answer needs no Continue: it was made while the page was away.
 *
 * ```ts
 * const answer = await store.resume("chat-7", client, { onDelta }); // undefined: there is none
 * ```
 *
 * Kept are the request's path and body, the text, and how it ended; never a client's key, token or
 * headers, nor a credential in the path's query. Whoever can open the page's profile can read it.
 */

import type { Answer, Client, ResumeOptions, Status } from "./holdfast.js";

export interface KeptAnswer {
  /** The place you gave it: of a chat, a document, a form. */
  id: string;
  path: string;
  body: any;
  /** All text that was shown. */
  text: string;
  /** What has not ended yet is `interrupted`: this is what you find when the page died. */
  status: Status;
  /** What a page may offer now, as of an answer's result. */
  offer: ("continue" | "try_again")[];
  /** Why it is not whole. Absent when the page died. `code` is a failure's reason or one of Holdfast's own. */
  error?: { code: string; message: string };
  /** Of a durable answer: for `client.resumeAnswer`, with `text`. Not `resumable`: it has ended as this says. */
  durable?: { id: string; offset: string; resumable: boolean };
  /** When the server allows the next try. Milliseconds since the epoch, as is `atMs`: when this was written. */
  retryAtMs?: number;
  atMs: number;
}

/** A request as `client.stream` takes it; a kept answer is one. */
export interface KeptRequest {
  path: string;
  body: unknown;
}

export interface KeepOptions {
  /** When it aborts, the answer is followed no longer and stays kept as interrupted: whoever shows it goes away. */
  signal?: AbortSignal;
}

export interface StoreOptions {
  /** Of the database. Default `holdfast-answers`; `holdfast` is that of `share`. */
  name?: string;
  /** What is older is forgotten. Default a week. `Infinity`: never. */
  maxAgeMs?: number;
}

export interface Store {
  /**
   * Keeps an answer as it grows (four times a second) and how it ended; a whole answer is forgotten,
   * since nothing is left to do. It replaces what was kept under the id. Reads the answer as
   * awaiting its `result` does. Resolves when the end is kept; nobody has to wait for it, and a
   * browser that keeps nothing never harms the answer. A call that makes no sense rejects with
   * `bad_option`, and is reported to the page as an uncaught error is.
   */
  keep(id: string, answer: Answer, request: KeptRequest, options?: KeepOptions): Promise<void>;
  /**
   * Comes back to a durable answer that is kept under an id, and keeps it further. Its `partial` is
   * what was shown; deltas are what follows. Undefined when none is kept that can be come back to.
   */
  resume(id: string, client: Client, options?: Omit<ResumeOptions, "text" | "path" | "body">): Promise<Answer | undefined>;
  /** What is kept under an id. In a second tab this is also an answer that still grows in the first. */
  get(id: string): Promise<KeptAnswer | undefined>;
  /** All that is kept, the newest first. */
  all(): Promise<KeptAnswer[]>;
  delete(id: string): Promise<void>;
  clear(): Promise<void>;
}

/**
 * Opens nothing yet: the database is opened by the first use, so a server may run this too. What
 * fails rejects with a HoldfastError `store_failed`.
 */
export function openStore(options?: StoreOptions): Store;
