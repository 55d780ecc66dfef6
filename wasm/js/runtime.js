// Runtime starts a compiled program, whichever compiler made it, and notices its end.

import { nodeModule } from "./host.js";

/**
 * Starts a program as what is behind a port.
 * @param {WebAssembly.Module} module
 * @param {import("./protocol.js").Port} port
 */
export async function start(module, port) {
  if (!WebAssembly.Module.exports(module).some(({ name }) => name === "hf_protocol")) throw new Error("this is not Holdfast's program");
  const standard = WebAssembly.Module.imports(module).some(({ name }) => name === "runtime.wasmExit");
  await (standard ? startGo : startTinyGo)(module, port);
}

/** A program of the Go compiler. */
async function startGo(module, port) {
  const { Go, globals } = await goRuntime();
  const go = new Go();
  go.exit = (code) => {
    // Timers of a dead Go runtime would throw into the page.
    for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer);
    go._scheduledTimeouts.clear();
    port.died(`exited with code ${code}`);
  };
  // What the Go runtime prints goes into the error, not to the console of somebody's page.
  go.importObject.gojs["runtime.wasmWrite"] = (sp) => {
    const at = go.mem.getUint32((sp >>> 0) + 16, true);
    const size = go.mem.getInt32((sp >>> 0) + 24, true);
    port.print(decode(go.mem.buffer, at, size));
  };
  const instance = await WebAssembly.instantiate(module, { ...go.importObject, holdfast: port.imports });
  port.attach(instance.exports);
  Object.assign(globalThis, globals);
  go.run(instance).then(
    () => port.died("ended"),
    (error) => port.died("died", error),
  );
  for (const name of Object.keys(globals)) delete globalThis[name];
}

/** @type {Promise<{Go: any, globals: object}> | null} */
let runtime = null;

/**
 * The Go runtime's JavaScript half, wasm_exec.js of the Go distribution. It is a script that sets
 * globals. They are taken away again and lent to the program while it starts: a page with a
 * made-up `process` is taken for Node by other libraries.
 */
export function goRuntime() {
  runtime ??= loadRuntime().catch((error) => {
    runtime = null;
    throw error;
  });
  return runtime;
}

async function loadRuntime() {
  await needCrypto();
  const theirs = globalThis.Go;
  const absent = ["fs", "process", "path"].filter((name) => !(name in globalThis));
  await import("./wasm_exec.js");
  const globals = Object.fromEntries(absent.map((name) => [name, globalThis[name]]));
  for (const name of absent) delete globalThis[name];
  const { Go } = globalThis;
  if (theirs) globalThis.Go = theirs;
  return { Go, globals };
}

/**
 * A program of TinyGo. It is a library without a main function and imports next to nothing, so it
 * does without the 17 kB of TinyGo's own wasm_exec.js and the globals that script sets. It cannot
 * end: a panic is a trap, which whoever called the export gets as an exception.
 */
async function startTinyGo(module, port) {
  await needCrypto();
  let memory;
  const host = {
    random_get(at, size) {
      crypto.getRandomValues(new Uint8Array(memory.buffer, at >>> 0, size));
      return 0;
    },
    fd_write(file, list, count, written) {
      const view = new DataView(memory.buffer);
      let total = 0;
      for (let i = list; i < list + 8 * count; i += 8) {
        const size = view.getUint32(i + 4, true);
        port.print(decode(memory.buffer, view.getUint32(i, true), size));
        total += size;
      }
      view.setUint32(written, total, true);
      return 0;
    },
    // The C library links these for files that nobody opens.
    fd_close: () => NO_SUCH_FILE,
    fd_seek: () => NO_SUCH_FILE,
  };
  const { exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: host, holdfast: port.imports });
  memory = exports.memory;
  port.attach(exports);
  exports._initialize();
}
const NO_SUCH_FILE = 8;

/** Node 18 has no global crypto, which the program seeds itself from and calls get their names from. */
async function needCrypto() {
  globalThis.crypto ??= (await nodeModule("crypto")).webcrypto;
}

function decode(buffer, at, size) {
  return new TextDecoder().decode(new Uint8Array(buffer, at, size));
}
