// Serves the built Worker with plain workerd, offline: for development and for tests.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";

/** Local workerd must be told to say when a client leaves; the date is that of the deployed Worker. */
export const COMPATIBILITY = { date: "2026-04-01", flags: ["enable_request_signal"] };

/**
 * @param {string} folder what build() made
 * @param {{config: object, secrets: Record<string, string>, workerd: string, port?: number, main?: string}} options
 *   main: another module of the folder to begin with
 */
export async function serve(folder, { config, secrets, workerd, port = 0, main = "worker/worker.js" }) {
  const place = mkdtempSync(join(tmpdir(), "holdfast-worker-"));
  const file = join(place, "gateway.capnp");
  const bindings = { HOLDFAST: JSON.stringify(config), ...secrets }; // by its environment: the file holds no secrets
  writeFileSync(file, capnp(relative(place, folder), modulesOf(folder, main), Object.keys(bindings)));
  const child = spawn(workerd, ["serve", file, `--socket-addr=http=127.0.0.1:${port}`, "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
    env: { ...process.env, ...bindings },
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
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
  const found = ["worker", "js"].flatMap((part) => readdirSync(join(folder, part)).map((name) => `${part}/${name}`));
  return [main, ...found.filter((name) => name !== main), "wasm_exec.js", "holdfast.wasm"];
}

function capnp(folder, modules, bindings) {
  const text = JSON.stringify;
  const kind = (name) => (name.endsWith(".wasm") ? "wasm" : "esModule");
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "gateway", worker = .gateway),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "gateway")],
);
const gateway :Workerd.Worker = (
  modules = [
    ${modules.map((name) => `(name = ${text(name)}, ${kind(name)} = embed ${text(join(folder, name))})`).join(",\n    ")},
  ],
  bindings = [
    ${bindings.map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`).join(",\n    ")},
  ],
  compatibilityDate = ${text(COMPATIBILITY.date)},
  compatibilityFlags = ${text(COMPATIBILITY.flags)},
);
`;
}
