// Serves the built Worker with plain workerd, offline: for development and for tests.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";

/** As deployed: a client that leaves is noticed, and a Durable Object that reads a provider is not evicted. */
export const COMPATIBILITY = { date: "2026-04-01", flags: ["enable_request_signal", "durable_object_io_tasks_prevent_eviction"] };

/** An isolate has 128 MB where it is deployed. Without a bound V8 collects late: a thousand streams then hold 100 MB more. */
export const V8_FLAGS = ["--max-heap-size=128"];

/** The classes of Durable Objects by their bindings, as in wrangler.jsonc. */
const CLASSES = {
  ANSWERS: "Answers",
  LEDGERS: "Ledger",
  STORED: "Stored",
  STREAMS: "Streams",
};

/**
 * @param {string} folder what build() made
 * @param {{config: object, secrets: Record<string, string>, workerd: string, port?: number, storage?: string, main?: string}} options
 *   storage: a folder in which Durable Objects outlive the process, by default one that ends with it.
 *   main: another module of the folder to begin with
 */
export async function serve(folder, { config, secrets, workerd, port = 0, storage, main = "worker/worker.js" }) {
  const place = mkdtempSync(join(tmpdir(), "holdfast-worker-"));
  const kept = storage ?? mkdtempSync(join(tmpdir(), "holdfast-objects-"));
  const file = join(place, "gateway.capnp");
  const bindings = { HOLDFAST: JSON.stringify(config), ...secrets }; // by its environment: the file holds no secrets
  writeFileSync(file, capnp(relative(place, folder), modulesOf(folder, main), Object.keys(bindings), kept));
  const child = spawn(workerd, ["serve", file, `--socket-addr=http=127.0.0.1:${port}`, "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
    env: { ...process.env, ...bindings },
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  if (!storage) gone.then(() => rmSync(kept, { recursive: true, force: true }));
  for await (const line of createInterface(child.stdio[3])) {
    const said = JSON.parse(line);
    if (said.event !== "listen") continue;
    rmSync(place, { recursive: true, force: true });
    for (const part of [child, child.stdio[3]]) part.unref();
    // It drains for ever when a client has left its connection half open.
    const stop = () => (child.ref(), child.kill("SIGKILL"), gone);
    return { address: `http://127.0.0.1:${said.port}`, pid: child.pid, stop, ended: gone };
  }
  throw new Error("workerd did not start");
}

/** The names of the modules, the main one first, as workerd wants it. */
function modulesOf(folder, main) {
  const found = readdirSync(folder, { recursive: true }).filter((name) => /\.(js|wasm)$/.test(name) && name !== main);
  return [main, ...found];
}

function capnp(folder, modules, bindings, storage) {
  const text = JSON.stringify;
  const list = (items, line) => items.map(line).join(",\n    ");
  const kind = (name) => (name.endsWith(".wasm") ? "wasm" : "esModule");
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "gateway", worker = .gateway),
    (name = "objects", disk = (path = ${text(storage)}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "gateway")],
  v8Flags = ${text(V8_FLAGS)},
);
const gateway :Workerd.Worker = (
  modules = [
    ${list(modules, (name) => `(name = ${text(name)}, ${kind(name)} = embed ${text(join(folder, name))})`)},
  ],
  bindings = [
    ${list([...bindings, ...Object.keys(CLASSES)], (name) => `(name = ${text(name)}, ${name in CLASSES ? `durableObjectNamespace = ${text(CLASSES[name])}` : `fromEnvironment = ${text(name)}`})`)},
  ],
  durableObjectNamespaces = [${list(Object.values(CLASSES), (name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`)}],
  durableObjectStorage = (localDisk = "objects"),
  compatibilityDate = ${text(COMPATIBILITY.date)},
  compatibilityFlags = ${text(COMPATIBILITY.flags)},
);
`;
}
