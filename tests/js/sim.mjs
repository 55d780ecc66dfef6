// Starts the simulated provider of tests/sim for one test file and gives its address.

import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after } from "node:test";

const root = new URL("../../", import.meta.url).pathname;

/** Builds and starts the simulator; it ends with this process. */
export async function startSim() {
  execFileSync("go", ["build", "-o", `dist/test/sim-${process.pid}`, "./tests/sim/run"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const child = spawn(`dist/test/sim-${process.pid}`, ["-addr", "127.0.0.1:0"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  after(async () => {
    child.stdin.end();
    const { rmSync } = await import("node:fs");
    rmSync(`${root}dist/test/sim-${process.pid}`, { force: true });
  });
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith("listening ")) {
      child.stdout.unref?.();
      child.unref();
      child.stdin.unref?.();
      return line.slice("listening ".length);
    }
  }
  throw new Error("the simulator did not start");
}

let sessions = 0;
/** The headers that ask the simulator for a scenario, one session a call. */
export function scenario(script, paceMs = 0) {
  return { "x-sim": typeof script === "string" ? script : JSON.stringify(script), "x-sim-session": `js-${process.pid}-${++sessions}`, "x-sim-pace": String(paceMs) };
}
