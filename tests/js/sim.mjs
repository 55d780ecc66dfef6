// Starts the simulated provider of tests/sim for one test file and gives its address.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after } from "node:test";

const root = new URL("../../", import.meta.url);

/** Starts the simulator, which ends when its standard input does. */
export async function startSim() {
  const child = spawn(new URL("dist/test/sim", root).pathname, ["-addr", "127.0.0.1:0"], { stdio: ["pipe", "pipe", "inherit"] });
  after(() => child.stdin.end());
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith("listening ")) continue;
    for (const handle of [child, child.stdin, child.stdout]) handle.unref();
    return line.slice("listening ".length);
  }
  throw new Error("the simulator did not start");
}

let sessions = 0;
/** The headers that ask the simulator for a scenario, one session a call. */
export function scenario(script, paceMs = 0) {
  return { "x-sim": typeof script === "string" ? script : JSON.stringify(script), "x-sim-session": `js-${process.pid}-${++sessions}`, "x-sim-pace": String(paceMs) };
}
