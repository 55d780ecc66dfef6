/**
 * A React hook for one answer at a time:
 *
 * ```tsx
 * const answer = useAnswer(() => createClient({ provider: "gloo", baseURL: "/api" }), { store, id: "chat-7" });
 * <button onClick={() => answer.send(path, body)}>Send</button>
 * <p>{answer.text}</p>
 * {answer.offer.includes("continue") && <button onClick={() => answer.continue()}>Continue</button>}
 * ```
 */

import type { AnswerResult, Client, Status, StreamOptions } from "./holdfast.js";
import type { Store } from "./store.js";

export interface UseAnswerOptions {
  /** Keeps what is not whole over a reload, and brings it back. With `id`. */
  store?: Store;
  /** The answer's place in the store. Another id is another answer: the one before is left, and kept. */
  id?: string;
}

/** Of a call; `continues` is the hook's own. */
export type SendOptions = Omit<StreamOptions, "continues">;

export interface UsedAnswer {
  /** `idle`: nothing was asked. `running`: the answer is on its way. Else how it ended. */
  status: "idle" | "running" | Status;
  /** All text so far, at most a frame old. */
  text: string;
  /** What to offer now. Empty while it runs. */
  offer: ("continue" | "try_again")[];
  /** Why the answer is not whole: a failure's reason or one of Holdfast's own codes, and a sentence for people. */
  error?: { code: string; message: string };
  /** When the server allows the next try, in milliseconds since the epoch. */
  retryAtMs?: number;
  /** The whole result, of an answer that has ended on this page. */
  result?: AnswerResult;
  /** Asks; what runs is cancelled and replaced. */
  send(path: string, body: unknown, options?: SendOptions): void;
  /** Goes on from the text, also after a reload. Does nothing unless it is offered. Without options those of `send` count. */
  continue(options?: SendOptions): void;
  /** Asks the same again, from zero. Does nothing before the first `send`. */
  tryAgain(options?: SendOptions): void;
  /** Ends the answer with status `cancelled`, keeping its text. */
  stop(): void;
}

/**
 * An answer and what can be done with it. The functions stay the same between renders. Unmounting
 * cancels what runs; a durable answer goes on at the gateway, and with `store` the next mount, or the
 * page after a reload, comes back to it by itself.
 *
 * A client given as a function is made when something is asked for the first time, so that a page
 * loads the program on first use and a server, which renders `idle`, never does. Components that
 * are given the same function share its client.
 */
export function useAnswer(client: Client | Promise<Client> | (() => Client | Promise<Client>), options?: UseAnswerOptions): UsedAnswer;
