// A program written in JavaScript, to test the host's side alone: exports and memory, no decisions.

import { Port } from "../../wasm/js/protocol.js";
import "./unhandled.mjs";

const READ = 1;
const TEXT = 2;

/**
 * A port to a scripted program. `script` holds functions by export name; each gets the host
 * object and the export's arguments (bytes first, where it has some) and returns what the export
 * gives: nothing, a number, {text}, or {items}, with `read: true` when it wants more.
 */
export function fakePort(script) {
  const port = new Port();
  const memory = new WebAssembly.Memory({ initial: 1 });
  let written = 0;
  let output = new Uint8Array(0);
  const log = [];

  const room = (n) => {
    const needed = Math.ceil((n + 16) / 65536) - memory.buffer.byteLength / 65536;
    if (needed > 0) memory.grow(needed); // detaches every view taken before
  };
  const exports = {
    mem: memory,
    hf_protocol: () => 1,
    hf_in(n) {
      room(n);
      written = n;
      return 16;
    },
    hf_out: () => {
      room(output.length);
      new Uint8Array(memory.buffer, 16, output.length).set(output);
      return 16;
    },
  };
  for (const name of ["client", "close", "open", "responded", "received", "ended", "broke", "demand", "flow", "tick", "abort", "online", "free", "classify", "retryable"]) {
    exports[`hf_${name}`] = (...args) => {
      const bytes = new Uint8Array(memory.buffer, 16, written).slice();
      written = 0;
      log.push(name);
      const given = script[name]?.call(script, host, bytes, ...args) ?? {};
      if (typeof given === "number") return given;
      const { text, items, read } = given;
      output = new TextEncoder().encode(text ?? (items ? JSON.stringify(items) : ""));
      return (output.length << 3) | (text === undefined ? 0 : TEXT) | (read ? READ : 0);
    };
  }
  port.attach(exports);
  // The program's side of what it imports: texts are bytes in its memory.
  const write = (text, at) => {
    const bytes = new TextEncoder().encode(text);
    room(at + bytes.length);
    new Uint8Array(memory.buffer, at).set(bytes);
    return bytes.length;
  };
  const host = {
    ...port.imports,
    send(call, attempt, method, url, auth, headers, body) {
      const n = write(JSON.stringify({ method, url, auth, headers }), 16);
      const m = body === null ? 0 : write(body, 16 + n);
      port.imports.send(call, attempt, 16, n, 16 + n, m);
    },
  };
  return { port, log, memory };
}

/** What a Call and an Answer need of a session. */
export function fakeSession(port, injected = {}) {
  const session = {
    handle: 1,
    calls: new Set(),
    now: () => Date.now(),
    random: () => 0.5,
    authorize: async (pairs) => Object.fromEntries(pairs),
    fetch: async () => new Response("hello"),
    send: (...request) => session.fetch(...request),
    attached: () => port,
    attach: async () => port,
    ...injected,
  };
  return session;
}

/** The smallest program that streams: every chunk is a text delta, and the end of the body is the end. */
export function echo(overrides = {}) {
  const demand = new Map();
  const flow = new Set();
  const texts = new Map();
  let last = 0;
  const finish = (call, status = "complete") => ({
    items: [{ done: { answer: { status, text: texts.get(call), attempts: [], offer: ["try_again"], toolCalls: [], warnings: [], fullRetries: 0, continued: false } } }],
  });
  return {
    open(host, bytes, client, call) {
      last = call;
      texts.set(call, "");
      host.send(call, 1, "POST", "http://test/", "", [], null);
    },
    flow(host, bytes, call) {
      flow.add(call);
      return this.demand(host, bytes, call);
    },
    demand(host, bytes, call) {
      const first = !demand.get(call);
      demand.set(call, true);
      return { read: first && demand.has(`${call} answered`) };
    },
    responded(host, bytes, call) {
      demand.set(`${call} answered`, true);
      return { read: demand.get(call) === true };
    },
    received(host, bytes, call) {
      demand.set(call, flow.has(call));
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      texts.set(call, texts.get(call) + text);
      return { text, read: flow.has(call) };
    },
    ended: (host, bytes, call) => finish(call),
    broke: (host, bytes, call) => finish(call, "interrupted"),
    abort(host, bytes, call) {
      host.cancel(call, 1);
      return finish(call, "cancelled");
    },
    ...overrides,
  };
}

/** Waits until what was started has settled, without time passing. */
export async function settle(turns = 20) {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** A Response whose body gives chunks when pulled, and counts the pulls. */
export function pulled(chunks, { end = true } = {}) {
  const state = { pulls: 0, cancelled: false };
  const body = new ReadableStream(
    {
      pull(controller) {
        const chunk = chunks[state.pulls];
        state.pulls++;
        if (chunk !== undefined) controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
        else if (end) controller.close();
        else return new Promise(() => {});
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body, { status: 200 }), state };
}
