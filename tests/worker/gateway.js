// Starts the gateway in real workerd before the simulated providers, and asks the latter for scenarios.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { build } from "../../wasm/worker/build.mjs";
import { serve } from "../../wasm/worker/serve.mjs";

export const project = new URL("../../", import.meta.url).pathname;
const require = createRequire(import.meta.url);
export const folder = mkdtempSync(join(tmpdir(), "holdfast-worker-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

export const TOKEN = "hf-token-of-alice";
export const hashed = (token) => createHash("sha256").update(token).digest("hex");
export const KEYS = { OPENAI_API_KEY: "sk-real-openai", ANTHROPIC_API_KEY: "sk-ant-real", GEMINI_API_KEY: "AIza-real", XAI_API_KEY: "xai-real", GLOO_API_KEY: "gloo-real" };
export const ORIGIN = "https://app.example";

/** Builds and starts the simulator and returns its address; it ends with this process. */
async function startProvider() {
  const program = join(folder, "sim");
  execFileSync("go", ["build", "-o", program, "./tests/sim/run"], { cwd: project, stdio: ["ignore", "inherit", "inherit"] });
  const child = spawn(program, ["-addr", "127.0.0.1:0", "-reuse"], { stdio: ["pipe", "pipe", "inherit"] });
  after(() => child.stdin.end());
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith("listening ")) continue;
    for (const part of [child, child.stdin, child.stdout]) part.unref(); // a test that waits for ever ends when nothing else happens
    return line.slice("listening ".length);
  }
  throw new Error("the simulator did not start");
}

export const provider = await startProvider();

const names = ["openai", "anthropic", "gemini", "xai", "gloo"];
/** A target that the simulator serves as a scenario says. */
export const acting = (provider, model, script, more) => ({ provider, model, headers: { ...asking(script) }, ...more });

const built = build(join(folder, "built"));

/**
 * Starts a gateway with what differs from the usual configuration. main is a module of this folder that
 * stands before it; port and storage are those of one that was stopped, to take its place; bundle is a
 * folder with one that was bundled into worker.js.
 */
export async function startGateway({ secrets = KEYS, ...config } = {}, { main, port, storage, bundle } = {}) {
  if (main) cpSync(join(project, "tests/worker", main), join(built, "worker", main));
  const { address, stop, pid } = await serve(bundle ?? built, {
    config: {
      tokens: { alice: hashed(TOKEN) }, origins: [ORIGIN],
      providers: Object.fromEntries(names.map((name) => [name, { baseURL: `${provider}/${name}` }])),
      policy: { idleMs: 4000, switchMs: 4000, interactive: { backoffBaseMs: 1, backoffCapMs: 2 } },
      throttle: false, breaker: false, ...config,
    },
    secrets, port, storage, main: bundle ? "worker.js" : main && `worker/${main}`, workerd: require("workerd").default,
  });
  after(stop);
  return { address, stop, pid };
}

/** A folder for what outlives the gateway; in memory where there is such a thing, since hundreds of databases wait for one disk. */
export function storageFolder() {
  const place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "holdfast-objects-"));
  process.once("exit", () => rmSync(place, { recursive: true, force: true })); // when nobody writes there any more
  return place;
}

let sessions = 0;

/** The headers that ask for a scenario or script, in a session of its own. */
export function asking(script = {}) {
  return { "x-sim": typeof script === "string" ? script : JSON.stringify(script), "x-sim-session": `worker-${process.pid}-${++sessions}` };
}

/** What the simulator saw of a session, or of all. */
export const log = async (session = "") => (await fetch(`${provider}/sim/log?session=${session}`)).json();
