// Stream makes the answers that the bench feeds to everyone: events of about 200 bytes, as OpenAI and Anthropic send them.

const encoder = new TextEncoder();
const words = ["Small", " pools", " outlive", " big", " storms", " because", " everything", " in", " them", " knows", " when", " to", " hold", " on."];

/** The events of an answer of n deltas, each as bytes. */
export function events(api, n) {
  const made = [];
  const add = (type, data) => made.push(encoder.encode(`${type ? `event: ${type}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`));
  const word = (i) => words[i % words.length];
  if (api === "messages") {
    const usage = { input_tokens: 12, output_tokens: 1 };
    add("message_start", { type: "message_start", message: { id: "msg_01", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage } });
    add("content_block_start", { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    // Anthropic's own events are shorter: padded, so that everybody reads the same number of bytes.
    for (let i = 0; i < n; i++) add("content_block_delta", { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word(i) }, padding: "x".repeat(50) });
    add("content_block_stop", { type: "content_block_stop", index: 0 });
    add("message_delta", { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: n } });
    add("message_stop", { type: "message_stop" });
    return made;
  }
  const chunk = (delta, finish_reason = null) => ({
    id: "chatcmpl-bench0123456789",
    object: "chat.completion.chunk",
    created: 1790000000,
    model: "gpt-bench",
    system_fingerprint: "fp_0123456789",
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  add("", chunk({ role: "assistant", content: "" }));
  for (let i = 0; i < n; i++) add("", chunk({ content: word(i) }));
  add("", chunk({}, "stop"));
  add("", "[DONE]");
  return made;
}

/** The same bytes in chunks of size. */
export function inChunks(events, size) {
  const all = new Uint8Array(events.reduce((sum, event) => sum + event.length, 0));
  let at = 0;
  for (const event of events) {
    all.set(event, at);
    at += event.length;
  }
  const chunks = [];
  for (let i = 0; i < all.length; i += size) chunks.push(all.slice(i, i + size));
  return chunks;
}

/** A fetch that answers with what chunks() gives when it is pulled; null ends the body, a promise is waited for. */
export function fetchOf(next) {
  return async (url, init) => {
    const pull = next();
    const body = new ReadableStream(
      {
        async pull(controller) {
          const chunk = pull();
          const bytes = chunk instanceof Promise ? await chunk : chunk;
          if (bytes === null) controller.close();
          else controller.enqueue(bytes);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } });
  };
}
