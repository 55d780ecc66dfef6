// Measures the gateway under load, in real workerd: what a delta costs beside its peers, and a thousand
// streams at once. A command, not a test:
//
//	node tests/worker/load.mjs                                   all tables
//	node tests/worker/load.mjs --only ratio --streams 50         some of them (ratio, many), in other numbers
//	node tests/worker/load.mjs --only many --peers holdfast      and without some of the peers
//
// CPU is workerd's own, of the whole run; memory is what it holds; latency is that of a delta from
// the provider's write to the client's read, on one clock. What is printed as "none" asks the provider itself.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { build } from "../../wasm/worker/build.mjs";
import { COMPATIBILITY, serve, V8_FLAGS } from "../../wasm/worker/serve.mjs";

const number = (fallback) => ({ type: "string", default: String(fallback) });
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "ratio,many" }, rounds: number(2),
    streams: { type: "string", default: "50,250" }, deltas: number(200), many: number(1000), "many-deltas": number(200), every: number(50),
    peers: { type: "string", default: "none,pass,parse,instance,holdfast,durable" },
  },
});
const [rounds, deltas, many, manyDeltas, everyMs] = ["rounds", "deltas", "many", "many-deltas", "every"].map((name) => Number(values[name]));

const project = new URL("../../", import.meta.url).pathname;
const place = mkdtempSync(join(tmpdir(), "holdfast-load-"));
const workerd = createRequire(import.meta.url)("workerd").default;
const go = (args, env) => execFileSync("go", args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
const TOKEN = "load";

/** The load generator: both ends of every stream. */
go(["build", "-o", join(place, "load"), "./tests/worker/load"]);
const generator = spawn(join(place, "load"), { stdio: ["pipe", "pipe", "inherit"] });
const results = createInterface(generator.stdout)[Symbol.asyncIterator]();
const answer = async () => JSON.parse((await results.next()).value);
const { upstream } = await answer();
const measure = (run) => (generator.stdin.write(`${JSON.stringify({ token: TOKEN, model: "gpt-load", spreadMs: everyMs * 4, everyMs, ...run })}\n`), answer());

/** Runs one module as a Worker of its own. */
async function single(name, modules, flags = V8_FLAGS) {
  const folder = join(place, name);
  mkdirSync(folder, { recursive: true });
  const kind = (file) => (file.endsWith(".wasm") ? "wasm" : "esModule");
  const text = JSON.stringify;
  writeFileSync(join(folder, "w.capnp"), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "w", worker = .w), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "w")],
  v8Flags = ${text(flags)},
);
const w :Workerd.Worker = (
  modules = [${modules.map((file) => `(name = ${text(file)}, ${kind(file)} = embed ${text(file)})`).join(", ")}],
  bindings = [(name = "UPSTREAM", text = ${text(upstream)})],
  compatibilityDate = ${text(COMPATIBILITY.date)}, compatibilityFlags = ${text(COMPATIBILITY.flags)},
);
`);
  const child = spawn(workerd, ["serve", join(folder, "w.capnp"), "--control-fd=3"], { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  for await (const line of createInterface(child.stdio[3])) {
    const said = JSON.parse(line);
    if (said.event === "listen") return { url: `http://127.0.0.1:${said.port}/v1/chat/completions`, pid: child.pid, stop: () => child.kill("SIGKILL") };
  }
  throw new Error(`${name} did not start`);
}

/** By name: what it is, and how it starts. */
const peers = {
  none: ["nothing in between", async () => ({ stop() {} })],
  pass: ["JavaScript, passed through untouched", () => script("pass")],
  parse: ["JavaScript, SSE and JSON read", () => script("parse")],
  instance: ["Go by syumai/workers, an instance per request", async () => {
    const folder = join(place, "instance");
    mkdirSync(folder, { recursive: true });
    go(["run", "github.com/syumai/workers/cmd/workers-assets-gen", "-mode=go", "-o", folder]);
    go(["build", "-trimpath", "-ldflags=-s -w", "-o", join(folder, "app.wasm"), "./tests/worker/load/instance"], { GOOS: "js", GOARCH: "wasm" });
    return single("instance", ["worker.mjs", "runtime.mjs", "wasm_exec.js", "app.wasm"], []); // of 128 MB it dies
  }],
  holdfast: ["Holdfast", () => gateway("/openai/v1/chat/completions")],
  durable: ["Holdfast, durable answers (databases in memory)", () => gateway("/answers/openai/v1/chat/completions")],
};

async function gateway(path) {
  const storage = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "holdfast-load-")); // one disk would be the measure of all
  process.once("exit", () => rmSync(storage, { recursive: true, force: true }));
  const { address, pid, stop } = await serve(build(join(place, "holdfast")), {
    config: { tokens: { load: createHash("sha256").update(TOKEN).digest("hex") }, providers: { openai: { baseURL: upstream } } },
    secrets: { OPENAI_API_KEY: "sk-load" }, workerd, storage,
  });
  return { url: address + path, pid, stop };
}

function script(name) {
  mkdirSync(join(place, name), { recursive: true });
  cpSync(join(project, `tests/worker/load/${name}.js`), join(place, name, `${name}.js`));
  return single(name, [`${name}.js`]);
}

const TICK_US = 1e6 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** CPU in µs and memory in MB of a process. */
function usage(pid) {
  if (!pid) return { cpu: 0, rss: 0 };
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13).map(Number);
  const rss = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  return { cpu: (user + system) * TICK_US, rss };
}

/** Runs a load against a subject; with what workerd spent on it, and held at most. */
async function load({ url, pid }, run) {
  const before = usage(pid);
  let peak = before.rss;
  const watch = setInterval(() => (peak = Math.max(peak, usage(pid).rss)), 100);
  const result = await measure({ url, ...run });
  clearInterval(watch);
  return { ...result, idle: before.rss, peak, cpu: (usage(pid).cpu - before.cpu) / result.deltas };
}

const ms = (n) => (n < 10 ? n.toFixed(1) : n.toFixed(0));
const print = (...cells) => console.log(cells.map((cell, i) => (i === 0 ? String(cell).padEnd(46) : String(cell).padStart(9))).join(" "));
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** What a delta costs: all subjects, in turns. */
async function ratio(streams) {
  console.log(`\n${streams} streams × ${deltas} deltas, ${everyMs} ms apart: ${Math.round((streams * 1000) / everyMs)} deltas a second, ${rounds} rounds; medians`);
  print("", "complete", "CPU µs/Δ", "ratio", "p50 ms", "p99 ms", "RSS MB", "+ MB");
  const rows = [];
  for (const name of values.peers.split(",")) {
    const [title, start] = peers[name];
    const subject = await start();
    await load(subject, { streams: Math.min(streams, 20), deltas: 200, everyMs: 5 }); // compiled, and compiled well
    rows.push({ name, title, subject, runs: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) row.runs.push(await load(row.subject, { streams, deltas }));
  }
  const of = (row, key) => median(row.runs.map((run) => run[key]));
  const base = rows.find(({ name }) => name === "parse") ?? rows.at(-1);
  const direct = rows.find(({ name }) => name === "none");
  for (const row of rows) {
    row.subject.stop();
    const added = (key) => ms(of(row, key) - (direct && row !== direct ? of(direct, key) : 0));
    const [first] = row.runs;
    const complete = row.runs.reduce((sum, run) => sum + run.complete, 0);
    print(row.title, `${complete}/${streams * rounds}`, of(row, "cpu").toFixed(0), (of(row, "cpu") / of(base, "cpu")).toFixed(2), added("p50Ms"), added("p99Ms"), of(row, "peak").toFixed(0), (of(row, "peak") - first.idle).toFixed(0));
    for (const run of row.runs) for (const why of run.why ?? []) console.log("   ", why);
  }
}

/** workerd's own heap grows for some thousand requests, to a size that it keeps. */
async function warm(subject) {
  for (let i = 0; i < 30; i++) await load(subject, { streams: 100, deltas: 10, everyMs: 2, spreadMs: 100 });
}

/** Who bears a thousand streams in one isolate. */
const KEEPING_UP = new Set(["none", "pass", "parse", "holdfast"]);

/** A thousand streams in one isolate. */
async function thousand() {
  console.log(`\n${many} streams × ${manyDeltas} deltas, ${everyMs} ms apart: ${Math.round((many * 1000) / everyMs)} deltas a second`);
  print("", "complete", "CPU µs/Δ", "seconds", "p50 ms", "p99 ms", "RSS MB", "+ MB");
  for (const name of values.peers.split(",").filter((name) => KEEPING_UP.has(name))) {
    const [title, start] = peers[name];
    const subject = await start();
    await warm(subject);
    const run = await load(subject, { streams: many, deltas: manyDeltas, spreadMs: 2000 });
    subject.stop();
    print(title, `${run.complete}/${many}`, run.cpu.toFixed(0), run.seconds.toFixed(1), ms(run.p50Ms), ms(run.p99Ms), run.peak.toFixed(0), (run.peak - run.idle).toFixed(0));
    for (const why of run.why ?? []) console.log("   ", why);
  }
}

console.log(`node tests/worker/load.mjs ${process.argv.slice(2).join(" ")}`);
try {
  if (values.only.includes("ratio")) for (const streams of values.streams.split(",")) await ratio(Number(streams));
  if (values.only.includes("many")) await thousand();
} finally {
  generator.stdin.end();
  rmSync(place, { recursive: true, force: true });
}
process.exit();
