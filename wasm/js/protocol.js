// Protocol drives the program from JavaScript. It is the JavaScript side of one protocol; the
// other side is wasm/bind/protocol.go, which opens with the same text.
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
// JSON output is an array of {"delta":…}, {"cursor":…}, {"event":…}, {"done":…} and {"error":…}, in
// order. It stands until the next export is called, and the host delivers it only after the export
// has returned: user code never runs inside the program. Cursors come where a gateway asks for them.
//
// Of a fetch, TEXT says that the output is n in 4 bytes, the lowest first, then n bytes of the
// response's body, then JSON, if any, in which {"head":…} begins the response, before those bytes.
// An output of 1 byte, which is not read, says that the chunk that has come goes out as it is.
//
//	hf_protocol()                                 version of this protocol
//	hf_in(n), hf_out()                            pointers; take a fresh view after each
//	hf_client(client, n)                          options, JSON
//	hf_close(client)
//	hf_open(client, call, bits, n, m, now)        n bytes of options, JSON, then m bytes of body;
//	                                              bits: 1 a stream, 2 the network is away, 4 a
//	                                              fetch: its options are {url, id, outer}, an output
//	                                              of nothing says that the request is no call;
//	                                              8 it was cancelled before: nothing is sent
//	hf_quote(client, bits, n, m, now)             as hf_open: {costUsd} that one attempt may cost;
//	                                              nothing when the request is no call
//	hf_responded(call, attempt, status, n, now)   headers, JSON [[name, value], …]
//	hf_received(call, attempt, n, now)            a chunk of the response body
//	hf_ended(call, attempt, now)                  the body ended cleanly
//	hf_broke(call, attempt, n, now)               {name, code, message} of the failure, JSON
//	hf_demand(call, now)                          the consumer has room for one more delta
//	hf_flow(call, now)                            it takes all, until hf_demand is called again
//	hf_tick(call, now)                            the time that wake asked for has come
//	hf_abort(call, left, now)                     the caller cancelled, or only leaves (1): what is
//	                                              made without us is not stopped then
//	hf_online(call, online, now)                  the network went away (0) or came back (1)
//	hf_free(call)                                 forget a call, also one that runs
//	hf_live(client, session, n, m, now)           n bytes of options, JSON, then m bytes of setup
//	hf_opened(session, connection, now)           a connection's socket is open
//	hf_message(session, connection, n, now)       it brought a message, JSON
//	hf_closed(session, connection, n, now)        it ended, or did not open: JSON {code, reason} of
//	                                              the close frame, {status, headers, body} of a
//	                                              refused handshake, as far as they are known,
//	                                              {name, errorCode, message} of an error
//	hf_say(session, n, now)                       the caller sends a message, JSON
//	hf_shut(session, now)                         the caller has no more to say
//	hf_classify(n, m)                             n bytes {provider, status, headers}, then m of body
//	hf_retryable(n)                               {provider, error}
//	hf_limits(n, now)                             {provider, headers}
//	hf_health(client, now)
//	hf_state(client, changes)                     what its calls know of each other, as text:
//	                                              all, or what has changed since the last time
//	hf_restore(client, kind, n, now)              n bytes of that: 0 all, 1 changes; 2 two of all, a
//	                                              line each: adds the money that the second one has
//	                                              beyond the first
//
// Outward, the program imports functions of the module "holdfast". Each returns at once and must
// not throw:
//
//	ready()                     exports may be called from now on
//	send(call, attempt, request, n, body, m)
//	                            n bytes of JSON at request, {target, method, url, auth, headers},
//	                            and m bytes of body, both to be copied before it returns. auth is
//	                            "", or a header with its scheme to complete with the secret of
//	                            that target, such as "authorization: Bearer "; target is 0, or the
//	                            place in the client's targets plus 1; headers is [[name, value], …].
//	                            Attempt 0 is none: its outcome is not told, and it outlives the call
//	cancel(call, attempt, whole)
//	                            stop an attempt's exchange; with 1 its answer is whole, and the body
//	                            should end by itself, so that its connection can serve again
//	connect(session, connection, request, n)
//	                            open a socket as n bytes of JSON say, {url, door, protocols,
//	                            headers}. door tells where the secret goes: {header, key, token,
//	                            protocol}, the forms of core/live's Door
//	transmit(session, connection, frame, n)
//	                            send n bytes as one text frame, to be copied before it returns
//	disconnect(session, connection)
//	                            close a connection's socket with code 1000
//	wake(call, ms, wait)        call hf_tick in ms milliseconds, instead of any earlier wish;
//	                            ms < 0: never. wait is 1 for a wait between attempts, which
//	                            an injected sleep may cut short: hf_tick's now then counts as
//	                            the time that was waited for.
//	random()                    uniform in [0, 1)
//
// A live session's handle is one of a call: hf_tick, hf_abort, hf_online, hf_free and wake take it
// too. Its output is an array of {"item":…}, {"event":…}, {"done":…} and {"error":…}.

import { HoldfastError, programError } from "./error.js";
import { encodeText } from "./check.js";
import { Network } from "./network.js";

/** The version that both sides must agree on. */
export const PROTOCOL = 1;

// Bits of hf_open.
const [STREAM, AWAY, FETCH, CANCELLED] = [1, 2, 4, 8];

// Bits of an export's result.
const READ = 1;
const TEXT = 2;
const LENGTH = 3; // shift of the output's length

const NOTHING = new Uint8Array(0);

/** Up to so many bytes, which is most deltas, a loop is faster than a TextDecoder. */
const SHORT = 32;

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
  /** All of the memory. Growth detaches it: see #bytes. */
  #view = NOTHING;
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
    connect: (session, connection, request, n) => this.calls.get(session)?.connect(connection, JSON.parse(this.#text(request, n))),
    transmit: (session, connection, frame, n) => this.calls.get(session)?.transmit(connection, this.#text(frame, n)),
    disconnect: (session, connection) => this.calls.get(session)?.disconnect(connection),
    cancel: (call, attempt, whole) => this.calls.get(call)?.cancel(attempt, whole),
    wake: (call, ms, wait) => this.calls.get(call)?.wake(ms, wait !== 0),
    random: () => this.#target?.random() ?? Math.random(),
  };
  #ready;
  /** Resolves when exports may be called, or never will be. @type {Promise<void>} */
  ready = new Promise((resolve) => (this.#ready = resolve));
  /** What the program printed: its last words tell why it died. */
  #words = "";

  /** Whether it is the full program. */
  full = false;
  /** Called once when the program has died. @type {() => void} */
  ondeath = () => {};
  /** Called when no call is open any more. @type {() => void} */
  onidle = () => {};

  /** @param {WebAssembly.Exports} exports */
  attach(exports) {
    this.#exports = exports;
    this.#memory = exports.mem ?? exports.memory; // the Go compiler's name, TinyGo's name
    this.full = "hf_live" in exports;
  }

  /** Throws unless the program speaks this version of the protocol. */
  shakeHands() {
    const theirs = this.#exports.hf_protocol();
    if (theirs === PROTOCOL) return;
    throw new HoldfastError("version_mismatch", `the program speaks protocol ${theirs}, this module speaks ${PROTOCOL}: holdfast.js and holdfast.wasm are of different releases`);
  }

  /** What is asked now is answered later. */
  get busy() {
    return this.#inside || this.#delivering;
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
    const bits = (stream ? STREAM : 0) | (call.fetches ? FETCH : 0) | (this.network.offline ? AWAY : 0) | (call.cancelled ? CANCELLED : 0);
    this.#enter(call, "hf_open", options, body, client, call.handle, bits, options.length, body.length, call.now());
  }
  quote(target, client, bits, options, body, now) {
    this.#enter(target, "hf_quote", options, body, client, bits, options.length, body.length, now);
  }
  responded(call, attempt, status, headers) {
    const bytes = encodeText(JSON.stringify(headers));
    this.#enter(call, "hf_responded", bytes, NOTHING, call.handle, attempt, status, bytes.length, call.now());
  }
  received(call, attempt, chunk) {
    this.#enter(call, "hf_received", chunk, NOTHING, call.handle, attempt, chunk.length, call.now());
  }
  ended(call, attempt) {
    this.#enter(call, "hf_ended", NOTHING, NOTHING, call.handle, attempt, call.now());
  }
  broke(call, attempt, failure) {
    const bytes = encodeText(JSON.stringify(failure));
    this.#enter(call, "hf_broke", bytes, NOTHING, call.handle, attempt, bytes.length, call.now());
  }
  flow(call) {
    this.#enter(call, "hf_flow", NOTHING, NOTHING, call.handle, call.now());
  }
  demand(call) {
    this.#enter(call, "hf_demand", NOTHING, NOTHING, call.handle, call.now());
  }
  tick(call) {
    this.#enter(call, "hf_tick", NOTHING, NOTHING, call.handle, call.now());
  }
  abort(call, left) {
    this.#enter(call, "hf_abort", NOTHING, NOTHING, call.handle, left ? 1 : 0, call.now());
  }
  online(call, online) {
    this.#enter(call, "hf_online", NOTHING, NOTHING, call.handle, online ? 1 : 0, call.now());
  }
  free(call) {
    this.#enter(null, "hf_free", NOTHING, NOTHING, call.handle);
  }
  live(line, client, options, setup) {
    this.#enter(line, "hf_live", options, setup, client, line.handle, options.length, setup.length, line.now());
  }
  opened(line, connection) {
    this.#enter(line, "hf_opened", NOTHING, NOTHING, line.handle, connection, line.now());
  }
  message(line, connection, bytes) {
    this.#enter(line, "hf_message", bytes, NOTHING, line.handle, connection, bytes.length, line.now());
  }
  closed(line, connection, how) {
    const bytes = encodeText(JSON.stringify(how));
    this.#enter(line, "hf_closed", bytes, NOTHING, line.handle, connection, bytes.length, line.now());
  }
  say(line, bytes) {
    return this.#enter(line, "hf_say", bytes, NOTHING, line.handle, bytes.length, line.now());
  }
  shut(line) {
    this.#enter(line, "hf_shut", NOTHING, NOTHING, line.handle, line.now());
  }
  classify(target, question, body) {
    this.#enter(target, "hf_classify", question, body, question.length, body.length);
  }
  limits(target, question, now) {
    this.#enter(target, "hf_limits", question, NOTHING, question.length, now);
  }
  health(target, client, now) {
    this.#enter(target, "hf_health", NOTHING, NOTHING, client, now);
  }
  state(target, client, changes) {
    this.#enter(target, "hf_state", NOTHING, NOTHING, client, changes ? 1 : 0);
  }
  restore(target, client, changes, bytes, now) {
    this.#enter(target, "hf_restore", bytes, NOTHING, client, changes ? 1 : 0, bytes.length, now);
  }
  join(target, client, bytes, now) {
    this.#enter(target, "hf_restore", bytes, NOTHING, client, 2, bytes.length, now);
  }
  retryable(target, question) {
    this.#enter(target, "hf_retryable", question, NOTHING, question.length);
  }

  /** Asks something that the program answers at once. put enters it for a target. */
  ask(put, random = Math.random) {
    return new Promise((resolve, reject) =>
      put({ take: ({ done, error }) => (error ? reject(programError(error)) : resolve(done)), read() {}, random }),
    );
  }

  /** The answer, if there is one now. */
  askNow(put) {
    let answer;
    put({ take: ({ done }) => (answer = done), read() {}, random: Math.random });
    return answer;
  }

  /** The program's memory as it is now. */
  get #bytes() {
    const { buffer } = this.#memory;
    if (this.#view.buffer !== buffer) this.#view = new Uint8Array(buffer);
    return this.#view;
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

  /** The output of a fetch as items: the head first, then the bytes of the body. */
  #fetched(at, size) {
    const n = new DataView(this.#memory.buffer, at, 4).getUint32(0, true);
    const items = size > 4 + n ? JSON.parse(this.#text(at + 4 + n, size - 4 - n)) : [];
    if (n > 0) {
      const bytes = new Uint8Array(this.#memory.buffer, at + 4, n).slice();
      items.splice(items.findIndex(({ head }) => head) + 1, 0, { bytes });
    }
    return items;
  }

  /** Text that the program wrote. */
  #text(at, size) {
    const bytes = this.#bytes;
    const start = at >>> 0;
    const end = start + size;
    if (size > SHORT) return this.#decoder.decode(bytes.subarray(start, end));
    let text = "";
    for (let i = start; i < end; i++) {
      if (bytes[i] > 0x7f) return this.#decoder.decode(bytes.subarray(start, end));
      text += String.fromCharCode(bytes[i]);
    }
    return text;
  }

  /**
   * Writes the bytes, calls one export, delivers its output to target and returns its result, if it
   * was called at once. Numbers follow in the export's order; an export takes as many as it declares.
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
        const bytes = this.#bytes;
        bytes.set(head, at);
        if (tail.length > 0) bytes.set(tail, at + head.length);
      }
      result = exports[name](a, b, c, d, e, f);
      const length = result >> LENGTH;
      const fetched = target?.fetches && result & TEXT;
      if (fetched && length === 1) {
        items = [{ bytes: head }];
      } else if (length > 0) {
        const at = exports.hf_out() >>> 0;
        if (fetched) {
          items = this.#fetched(at, length);
        } else {
          text = this.#text(at, length);
          if (!(result & TEXT)) items = JSON.parse(text);
        }
      }
    } catch (error) {
      // When it exited, the reason is known already and this is only what the exit looks like.
      this.died(`died in ${name}`, error);
    }
    this.#inside = false;
    if (this.dead) return this.#bury(target);

    if (result < 0 && (name === "hf_open" || name === "hf_live")) {
      this.#deliver(target, { error: new HoldfastError("closed", "the client is closed") });
    } else if (target !== null && result >= 0) {
      if (result & READ) target.read();
      if (items) {
        this.#deliver(target, ...items);
      } else if (text !== undefined) {
        this.#deliver(target, { delta: { type: "text", text } });
      }
    }
    while (this.#entries.length > 0) this.#entries.shift()();
    return result;
  }

  /**
   * Hands output to its targets in order. What a target does may enter the program again: that
   * output waits for its turn here, so deltas never overtake each other.
   */
  #deliver(target, item, ...more) {
    const output = this.#output;
    const busy = this.#delivering;
    if (busy) output.push(target, item);
    for (const next of more) output.push(target, next);
    if (busy) return;
    this.#delivering = true;
    try {
      target.take(item);
      for (let i = 0; i < output.length; i += 2) output[i].take(output[i + 1]);
    } finally {
      // One target that fails must not leave all others waiting.
      output.length = 0;
      this.#delivering = false;
    }
  }
}
