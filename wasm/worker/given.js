// Given is what the readers of an answer have got so far, and the attempts that calls before this one made
// for it: what the next call goes on from, and what the result adds up.

/** @typedef {import("../js/holdfast.d.ts").AnswerResult} AnswerResult */

/** The end of an attempt whose call was lost. */
const LOST = {
  code: "gateway_lost",
  decision: "retry", reason: "transport", breaker: "ignore", fallback: "never",
  message: "The connection to the AI service was lost.",
  developerMessage: "the gateway's process ended during this attempt",
};
const AGAIN = new Set(["retry", "restart"]);

export class Given {
  /** How many messages, the last restart included. */
  messages = 0;
  text = "";
  reasoning = "";
  refusal = "";
  tools = [];
  /** Of calls that were lost. What they cost, nobody has told. @type {object[]} */
  lost;

  /**
   * @param {import("./store.js").Store} store
   * @param {{facts: object, message: number}[]} lost attempts, in order, and how many messages there were when each was sent
   */
  constructor(store, lost) {
    this.lost = lost.map(({ facts }, i) => ({ attempt: i + 1, error: LOST, shown: false, textLength: 0, toolCall: false, waitedMs: 0, costUsd: 0, costEstimated: true, ...facts }));
    let of = -1;
    for (let at = 0; at < store.safe; ) {
      const { messages, next } = store.read(at, 1 << 20);
      for (const message of messages) {
        while (lost[of + 1]?.message <= at) of++;
        at++;
        const delta = JSON.parse(message);
        if (of >= 0) credit(this.lost[of], delta);
        this.take(delta);
      }
      at = next;
    }
  }

  /** @param {import("../js/holdfast.d.ts").Delta} delta */
  take(delta) {
    this.messages++;
    switch (delta.type) {
      case "text":
      case "reasoning":
      case "refusal":
        this[delta.type] += delta.text;
        break;
      case "tool_call": {
        const { type, ...tool } = delta;
        this.tools.push(tool);
        break;
      }
      case "restart":
        this.text = this.reasoning = this.refusal = "";
        this.tools = [];
    }
  }

  /**
   * The result of the whole answer, without its text, which the messages are.
   * @param {AnswerResult} result of the call that ended it
   * @returns {Omit<AnswerResult, "text">}
   */
  result({ text, ...result }) {
    const own = result.attempts.map((attempt) => ({ ...attempt, attempt: this.lost.length + attempt.attempt, kind: kindOf(attempt.kind, this.lost.length > 0) }));
    const retried = this.lost.filter(({ kind }) => AGAIN.has(kind)).length + (own[0]?.kind !== result.attempts[0]?.kind ? 1 : 0);
    const lost = this.lost.map((attempt) => ({ ...attempt, api: own.find(({ target }) => target === attempt.target)?.api }));
    const attempts = [...lost, ...own];
    // As within one call: that a recovery failed does not hide what made it necessary.
    const broke = result.status === "failed" && this.lost.length > 0 && this.text.trim() !== "";
    return {
      ...result,
      ...(broke && { status: "interrupted", error: LOST, offer: this.#offer("interrupted") }),
      reasoning: this.reasoning || undefined,
      refusal: this.refusal || undefined,
      toolCalls: this.tools,
      costEstimated: this.lost.length > 0 || result.costEstimated,
      attempts,
      fullRetries: result.fullRetries + retried,
      continued: result.continued || attempts.some(({ kind }) => kind === "continue"),
    };
  }

  /** The result when no call ends it. */
  without(callId, status, error) {
    return this.result({ status, callId, attempts: [], costUsd: 0, fullRetries: 0, continued: false, error, offer: this.#offer(status), warnings: [] });
  }

  #offer(status) {
    return status === "interrupted" && this.tools.length === 0 && this.text.trim() !== "" ? ["continue", "try_again"] : ["try_again"];
  }
}

function credit(attempt, { type, text }) {
  if (type === "text") [attempt.shown, attempt.textLength] = [attempt.shown || text.trim() !== "", attempt.textLength + text.length];
  else if (type === "tool_call") attempt.toolCall = true;
}

/** A call that begins from zero after others were lost tries again. */
export const kindOf = (kind, later) => (kind === "first" && later ? "retry" : kind);

/** Why an answer ended that could not be gone on with. */
export const interruption = (developerMessage) => ({ ...LOST, decision: "stop", developerMessage });

/** Why an answer ended that could not be asked for. */
export const failure = (developerMessage) => ({ ...interruption(developerMessage), code: undefined, reason: "unknown", message: "The gateway could not ask for this answer." });
