// Runs the gateway on this machine, offline: plain workerd in front of the simulated providers.
//
//	npm ci --prefix tests/worker
//	node wasm/worker/dev.mjs [-port 8787] [-pace 35] [CONFIG.json]
//
// Without a configuration it makes one: the token "dev", every provider simulated (a word every 35 ms, so
// that one can watch), the models fast and careful. With one it is the gateway that would be deployed:
// keys come from the environment, and what the configuration names is really asked. workerd comes from
// tests/worker, or is what WORKERD names.

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { Config } from "./config.js";
import { PROVIDERS } from "./providers.js";
import { serve } from "./serve.mjs";

const project = new URL("../../", import.meta.url).pathname;
const args = process.argv.slice(2).map((arg) => arg.replace(/^-(port|pace)$/, "--$1"));
const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { port: { type: "string", default: "8787" }, pace: { type: "string", default: "35" } } });
const workerd = process.env.WORKERD ?? createRequire(`${project}tests/worker/`)("workerd").default;

const PACE = { "x-sim-pace": values.pace };

/** Starts the simulated providers; they end with this process. */
async function simulate() {
  const child = spawn("go", ["run", "./tests/sim/run", "-addr", "127.0.0.1:0", "-reuse"], { cwd: project, stdio: ["pipe", "pipe", "inherit"] });
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith("listening ")) return line.slice("listening ".length);
  }
  throw new Error("the simulator did not start");
}

async function simulated() {
  const address = await simulate();
  const names = Object.keys(PROVIDERS);
  return {
    secrets: { ...Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_API_KEY`, "simulated"])), HOLDFAST_JWT_SECRET: randomBytes(32).toString("hex") },
    config: {
      tokens: { dev: { hash: createHash("sha256").update("dev").digest("hex"), limits: {}, admin: true } },
      origins: ["http://localhost:8080", "http://127.0.0.1:8080"],
      providers: Object.fromEntries(names.map((name) => [name, { baseURL: `${address}/${name}` }])),
      models: {
        fast: [{ provider: "openai", model: "gpt-sim", headers: PACE }, { provider: "gemini", model: "gemini-sim", headers: PACE }],
        careful: [{ provider: "anthropic", model: "claude-sim", headers: { "x-sim": "cut_reset", ...PACE } }, { provider: "openai", model: "gpt-sim", headers: PACE }],
      },
    },
  };
}

function deployed(file) {
  try {
    const config = JSON.parse(readFileSync(file, "utf8"));
    const names = Object.entries(config.providers ?? {}).map(([name, own]) => own?.secret ?? `${name.toUpperCase()}_API_KEY`);
    const secrets = Object.fromEntries([...names, "HOLDFAST_JWT_SECRET"].map((name) => [name, process.env[name] ?? ""]));
    new Config({ HOLDFAST: config, ...secrets });
    return { config, secrets };
  } catch (error) {
    console.error(`${file}: ${error.message}`);
    process.exit(1);
  }
}

const own = positionals.length > 0 ? deployed(positionals[0]) : await simulated();
const { address, stop, ended } = await serve(build(), { ...own, workerd, port: Number(values.port) });
console.log(`The gateway listens on ${address}`);
if (positionals.length === 0) {
  console.log(`\n  curl -N ${address}/v1/chat/completions -H 'authorization: Bearer dev' -H 'content-type: application/json' \\
    -d '{"model": "careful", "stream": true, "messages": [{"role": "user", "content": "Tell me of the sea"}]}'

  ${address}/control/status in a browser: any name, the password is dev\n`);
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop().then(() => process.exit()));
await ended;
