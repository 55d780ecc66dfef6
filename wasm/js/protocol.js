// Protocol drives the program from JavaScript. It is the JavaScript side of one protocol; the
// other side is wasm/bind/protocol.go, and both open with the same text:
//
// The program and its host share integer handles and bytes in linear memory.
//
// Inward, the host calls exports. It asks hf_in(n) for room, writes n bytes there, and calls an
// export; every export except hf_protocol, hf_in and hf_out runs to its end at once, takes the
// present time in milliseconds where time matters, and returns one number r:
//
//	r < 0    the handle is unknown, or its call has ended: nothing to do
//	r >= 0   r & 1 (READ)  the host should read the attempt's next chunk
//	         r & 2 (TEXT)  the output is the UTF-8 of one text delta, else it is JSON
//	         r >> 3        the length of the output, which begins at hf_out()
//
// JSON output is an array of {"delta":…}, {"event":…}, {"done":…} and {"error":…}, in order. It
// stands until the next export is called, and the host delivers it only after the export has
// returned: user code never runs inside the program.
//
//	hf_protocol()                                 version of this protocol
//	hf_in(n), hf_out()                            pointers; take a fresh view after each
//	hf_client(client, n)                          options, JSON
//	hf_close(client)
//	hf_open(client, call, stream, n, m, now)      n bytes of options, JSON, then m bytes of body
//	hf_responded(call, attempt, status, n, now)   headers, JSON [[name, value], …]
//	hf_received(call, attempt, n, now)            a chunk of the response body
//	hf_ended(call, attempt, now)                  the body ended cleanly
//	hf_broke(call, attempt, n, now)               {name, code, message} of the failure, JSON
//	hf_demand(call, now)                          the consumer has room for more
//	hf_tick(call, now)                            the time that wake asked for has come
//	hf_abort(call, now)                           the caller cancelled
//	hf_online(call, online, now)                  the network went away (0) or came back (1)
//	hf_free(call)                                 forget a call, also one that runs
//	hf_classify(n, m)                             n bytes {provider, status, headers}, then m of body
//	hf_retryable(n)                               {provider, error}
//
// Outward, the program imports functions of the module "holdfast". Each returns at once and must
// not throw:
//
//	ready()                     exports may be called from now on
//	send(call, attempt, request, n, body, m)
//	                            n bytes of JSON at request, {method, url, auth, headers}, and m
//	                            bytes of body, both to be copied before it returns. auth is "", or
//	                            a header with its scheme to complete with the secret, such as
//	                            "authorization: Bearer "; headers is [[name, value], …]
//	cancel(call, attempt)       stop an attempt's exchange
//	wake(call, ms, wait)        call hf_tick in ms milliseconds, instead of any earlier wish;
//	                            ms < 0: never. wait is 1 for a wait between attempts, which
//	                            an injected sleep may cut short: hf_tick's now then counts as
//	                            the time that was waited for.
//	random()                    uniform in [0, 1)

import { HoldfastError } from "./error.js";
import { Network } from "./network.js";

/** The version that both sides must agree on. */
export const PROTOCOL = 1;

// Bits of an export's result.
const READ = 1;
const TEXT = 2;
const LENGTH = 3; // shift of the output's length

const NOTHING = new Uint8Array(0);

/** One running program: its exports, its memory, and the calls that are open in it. */
export class Port {
  /** Open calls by handle. @type {Map<number, import("./call.js").Call>} */
  calls = new Map();
  /** Why the program can no longer be entered, once it cannot. @type {HoldfastError | null} */
  dead = null;
  network = new Network(this);
  #handles = 0;

  #exports;
  #memory;
  #encoder = new TextEncoder();
  // A BOM inside an answer is the model's own text.
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  /** True while an export runs. User code can run there in one place only: an injected `random`. */
  #inside = false;
  /** Entries asked for while an export ran. @type {(() => void)[]} */
  #entries = [];
  /** Whom the running export serves. */
  #target = null;
  /** Output not yet delivered: target, item, target, item, … */
  #output = [];
  #delivering = false;

  /** What the program imports. Nothing in it throws, waits or runs user code. */
  imports = {
    ready: () => this.#ready(),
    send: (call, attempt, request, n, body, m) =>
      this.calls.get(call)?.send(attempt, { ...JSON.parse(this.#text(request, n)), body: m > 0 ? this.#text(body, m) : undefined }),
    cancel: (call, attempt) => this.calls.get(call)?.cancel(attempt),
    wake: (call, ms, wait) => this.calls.get(call)?.wake(ms, wait !== 0),
    random: () => this.#target?.random() ?? Math.random(),
  };
  #ready;
  /** Resolves when exports may be called, or never will be. @type {Promise<void>} */
  ready = new Promise((resolve) => (this.#ready = resolve));
  /** What the program printed: its last words tell why it died. */
  #words = "";

  /** Called once when the program has died. @type {() => void} */
  ondeath = () => {};

  /** @param {WebAssembly.Exports} exports */
  attach(exports) {
    this.#exports = exports;
    this.#memory = exports.mem ?? exports.memory; // the Go compiler's name, TinyGo's name
  }

  /** Throws unless the program speaks this version of the protocol. */
  shakeHands() {
    const theirs = this.#exports.hf_protocol?.();
    if (theirs === PROTOCOL) return;
    throw new HoldfastError(
      "version_mismatch",
      theirs === undefined
        ? "the WebAssembly file is not Holdfast's program"
        : `the program speaks protocol ${theirs}, this module speaks ${PROTOCOL}: holdfast.js and holdfast.wasm are of different releases`,
    );
  }

  /** A new handle. */
  handle() {
    this.#handles = this.#handles === 0x7fffffff ? 1 : this.#handles + 1;
    return this.#handles;
  }

  client(target, handle, options) {
    this.#enter(target, "hf_client", options, NOTHING, handle, options.length);
  }
  close(handle) {
    this.#enter(null, "hf_close", NOTHING, NOTHING, handle);
  }
  open(call, client, stream, options, body) {
    this.#enter(call, "hf_open", options, body, client, call.handle, stream ? 1 : 0, options.length, body.length, call.now());
  }
  responded(call, attempt, status, headers) {
    const bytes = this.#encoder.encode(JSON.stringify(headers));
    this.#enter(call, "hf_responded", bytes, NOTHING, call.handle, attempt, status, bytes.length, call.now());
  }
  received(call, attempt, chunk) {
    this.#enter(call, "hf_received", chunk, NOTHING, call.handle, attempt, chunk.length, call.now());
  }
  ended(call, attempt) {
    this.#enter(call, "hf_ended", NOTHING, NOTHING, call.handle, attempt, call.now());
  }
  broke(call, attempt, failure) {
    const bytes = this.#encoder.encode(JSON.stringify(failure));
    this.#enter(call, "hf_broke", bytes, NOTHING, call.handle, attempt, bytes.length, call.now());
  }
  demand(call) {
    this.#enter(call, "hf_demand", NOTHING, NOTHING, call.handle, call.now());
  }
  tick(call) {
    this.#enter(call, "hf_tick", NOTHING, NOTHING, call.handle, call.now());
  }
  abort(call) {
    this.#enter(call, "hf_abort", NOTHING, NOTHING, call.handle, call.now());
  }
  online(call, online) {
    this.#enter(call, "hf_online", NOTHING, NOTHING, call.handle, online ? 1 : 0, call.now());
  }
  free(call) {
    this.#enter(null, "hf_free", NOTHING, NOTHING, call.handle);
  }
  classify(target, question, body) {
    this.#enter(target, "hf_classify", question, body, question.length, body.length);
  }
  retryable(target, question) {
    this.#enter(target, "hf_retryable", question, NOTHING, question.length);
  }

  print(text) {
    if (this.#words.length < 4096) this.#words += text;
  }

  /** The program has come to its end, or an exception in it has. */
  died(how, cause) {
    const why = this.#words.split("\n", 1)[0] || cause?.message;
    this.kill(new HoldfastError("program_died", `the program ${how}${why ? `: ${why}` : ""}`, { cause }));
  }

  /** Ends everything that is open with one error; nothing enters the program from now on. */
  kill(error) {
    if (this.dead) return;
    this.dead = error;
    this.#ready();
    if (!this.#inside) this.#bury(null);
  }

  #bury(target) {
    const { dead: error } = this;
    this.ondeath();
    for (const call of [...this.calls.values()]) this.#deliver(call, { error });
    if (target) this.#deliver(target, { error });
    for (const entry of this.#entries.splice(0)) entry();
  }

  /** Text that the program wrote. */
  #text(at, size) {
    return this.#decoder.decode(new Uint8Array(this.#memory.buffer, at >>> 0, size));
  }

  /**
   * Writes the bytes, calls one export and delivers its output to target. Numbers follow in the
   * export's order; an export takes as many as it declares.
   */
  #enter(target, name, head, tail, a, b, c, d, e, f) {
    if (this.dead) {
      if (target) this.#deliver(target, { error: this.dead });
      return;
    }
    if (this.#inside) {
      this.#entries.push(() => this.#enter(target, name, head, tail, a, b, c, d, e, f));
      return;
    }
    const exports = this.#exports;
    let result;
    let text;
    let items;
    this.#inside = true;
    this.#target = target;
    try {
      const size = head.length + tail.length;
      if (size > 0) {
        const at = exports.hf_in(size) >>> 0;
        const room = new Uint8Array(this.#memory.buffer, at, size); // a fresh view: growth detaches old ones
        room.set(head);
        if (tail.length > 0) room.set(tail, head.length);
      }
      result = exports[name](a, b, c, d, e, f);
      if (result >> LENGTH > 0) {
        text = this.#text(exports.hf_out(), result >> LENGTH);
        if (!(result & TEXT)) items = JSON.parse(text);
      }
    } catch (error) {
      // When it exited, the reason is known already and this is only what the exit looks like.
      this.died(`died in ${name}`, error);
    }
    this.#inside = false;
    if (this.dead) return this.#bury(target);

    if (result < 0 && name === "hf_open") {
      this.#deliver(target, { error: new HoldfastError("closed", "the client is closed") });
    } else if (target !== null && result >= 0) {
      if (result & READ) target.read();
      if (items) {
        for (const item of items) this.#output.push(target, item);
        this.#deliver();
      } else if (text !== undefined) {
        this.#deliver(target, { delta: { type: "text", text } });
      }
    }
    while (this.#entries.length > 0) this.#entries.shift()();
  }

  /**
   * Hands output to its targets in order. What a target does may enter the program again: that
   * output waits for its turn here, so deltas never overtake each other.
   */
  #deliver(target, item) {
    if (target) this.#output.push(target, item);
    if (this.#delivering) return;
    this.#delivering = true;
    const output = this.#output;
    for (let i = 0; i < output.length; i += 2) output[i].take(output[i + 1]);
    output.length = 0;
    this.#delivering = false;
  }
}
