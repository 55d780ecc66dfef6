// Scripted providers for tests that inject fetch, sleep and now: who was asked what, and when.

const encoder = new TextEncoder();

/** A JSON response. */
export const json = (status, body, headers = {}) => () =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

/** An event stream of these chunks; `breaks` resets the connection behind them. */
export const sse = (chunks, { breaks = false, headers } = {}) => () => {
  const rest = [...chunks];
  const pull = (controller) => {
    if (rest.length > 0) controller.enqueue(encoder.encode(rest.shift()));
    else if (breaks) controller.error(Object.assign(new TypeError("terminated"), { cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }) }));
    else controller.close();
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: { "content-type": "text/event-stream", ...headers } });
};

const data = (value) => `data: ${JSON.stringify(value)}\n\n`;

/** Texts as the events of a wire format; without an end they are a stream that was cut. */
export const chat = {
  text: (text, model = "m") => data({ id: "c1", model, choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }),
  tool: () => data({ id: "c1", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "t1", function: { name: "f", arguments: "{" } }] }, finish_reason: null }] }),
  end: (usage) => data({ id: "c1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage }) + "data: [DONE]\n\n",
};
export const messages = {
  text: (text) => `event: content_block_delta\n${data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })}`,
  start: (model) => `event: message_start\n${data({ type: "message_start", message: { id: "msg_1", model, usage: { input_tokens: 10, output_tokens: 1 } } })}`,
  end: () => `event: message_delta\n${data({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 20 } })}event: message_stop\n${data({ type: "message_stop" })}`,
};
export const generate = {
  text: (text, finishReason) => data({ candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason }], modelVersion: "gemini-x", usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 } }),
};

/** Errors of a chat API. */
export const failing = {
  overloaded: json(503, { error: { message: "overloaded", type: "server_error", code: "server_is_overloaded" } }),
  auth: json(401, { error: { message: "bad key", type: "invalid_request_error", code: "invalid_api_key" } }),
  invalid: json(400, { error: { message: "bad", type: "invalid_request_error", param: "n", code: "invalid_value" } }),
  reset: () => {
    throw Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }) });
  },
};

/**
 * Hosts by name, each a list of answers of which the last one repeats; and a clock that only sleeping moves.
 * `options` are what a client is given to live there.
 */
export function world(hosts) {
  const state = { now: Date.UTC(2026, 10, 30, 12), requests: [], waits: [] };
  const options = {
    fetch: async (url, init) => {
      const { host, pathname, search } = new URL(url);
      const asked = { host, path: pathname + search, headers: init.headers, body: init.body === undefined ? undefined : JSON.parse(init.body) };
      state.requests.push(asked);
      const answers = hosts[host];
      if (!answers) throw new Error(`nobody is at ${host}`);
      return (answers.length > 1 ? answers.shift() : answers[0])(asked);
    },
    sleep: async (ms) => {
      state.waits.push(ms);
      state.now += ms;
    },
    now: () => state.now,
    random: () => 0.5,
  };
  const to = (host) => state.requests.filter((request) => request.host === host);
  return { state, options, to };
}
