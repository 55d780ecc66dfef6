// Instance is the one Go program of this isolate, which every request shares.
//
// workerd lets a request touch no I/O object, promise or timer of another one. So the program starts
// without a promise, the Go runtime gets no timers (nothing in it asks for any), and when it dies
// every request finds that out on its own turn: see Session.

import "../wasm_exec.js";
import program from "../holdfast.wasm";
import { HoldfastError, programError } from "../js/error.js";
import { Port } from "../js/protocol.js";

/** @type {Port | null} */
let running = null;
/** The configuration whose client is open in the running program, and its handle there. */
let client = { options: null, handle: 0 };

/**
 * The running program with a client in it; starts one when there is none. The Go runtime wants random
 * bytes, which workerd gives only while a request is served.
 * @param {Uint8Array} options the client's, as JSON
 */
export function attach(options) {
  const port = (running ??= start());
  if (client.options !== options) client = { options, handle: open(port, options) };
  return { port, handle: client.handle };
}

function start() {
  const port = new Port();
  const go = new globalThis.Go();
  go.env.GOGC = "50"; // an isolate has 128 MB: the collector runs more often, a fiftieth of its time
  go.exit = (code) => port.died(`exited with code ${code}`);
  Object.assign(go.importObject.gojs, {
    "runtime.scheduleTimeoutEvent": (sp) => go.mem.setInt32((sp >>> 0) + 16, 0, true),
    "runtime.clearTimeoutEvent": () => {},
    // What it prints goes into the error.
    "runtime.wasmWrite": (sp) => {
      const [at, size] = [go.mem.getUint32((sp >>> 0) + 16, true), go.mem.getInt32((sp >>> 0) + 24, true)];
      port.print(new TextDecoder().decode(new Uint8Array(go.mem.buffer, at, size)));
    },
  });
  let ready = false;
  const imports = { ...port.imports, ready: () => (ready = true) };
  const instance = new WebAssembly.Instance(program, { ...go.importObject, holdfast: imports });
  port.attach(instance.exports);
  port.ondeath = () => {
    if (running === port) [running, client] = [null, { options: null, handle: 0 }];
    port.calls.clear(); // they are not this request's to end
  };
  go.run(instance).catch((error) => port.died("died", error)); // it runs until its main function waits
  if (port.dead || !ready) throw port.dead ?? new HoldfastError("load_failed", "the program did not start");
  port.shakeHands();
  return port;
}

function open(port, options) {
  const handle = port.handle();
  let failure;
  port.client({ take: ({ error }) => (failure = error), read() {}, random: Math.random }, handle, options);
  if (failure) throw programError(failure);
  return handle;
}

/**
 * What one attempt of a call may cost, in US dollars, or null when the request is no call.
 * @param {Port} port
 * @param {number} kind 4 for a fetch, 1 for a stream
 * @param {object} options as the call is opened with
 */
export function quote(port, client, kind, options, body) {
  let answer = null;
  port.quote({ take: (item) => (answer = item), read() {}, random: Math.random }, client, kind, new TextEncoder().encode(JSON.stringify(options)), body, Date.now());
  if (answer?.error) throw programError(answer.error);
  return answer && answer.done.costUsd;
}
