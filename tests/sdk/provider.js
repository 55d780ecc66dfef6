// Starts the simulated provider for the official SDKs, and asks it for scenarios.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";

const project = new URL("../../", import.meta.url).pathname;

/** Builds and starts the simulator and returns its address; it ends with this process. */
export async function startProvider() {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-sdk-"));
  const program = join(directory, "sim");
  execFileSync("go", ["build", "-o", program, "./tests/sim/run"], { cwd: project, stdio: ["ignore", "inherit", "inherit"] });
  const child = spawn(program, ["-addr", "127.0.0.1:0", "-reuse"], { stdio: ["pipe", "pipe", "inherit"] });
  after(() => {
    child.stdin.end();
    rmSync(directory, { recursive: true, force: true });
  });
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith("listening ")) {
      for (const part of [child, child.stdin, child.stdout]) {
        part.unref(); // a test that waits for ever ends when nothing else happens
      }
      return line.slice("listening ".length);
    }
  }
  throw new Error("the simulator did not start");
}

let sessions = 0;

/** The headers that ask for a scenario or script, in a session of its own. */
export function asking(script = {}) {
  const escaped = (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`; // headers are ASCII
  const asked = typeof script === "string" ? script : JSON.stringify(script).replace(/[^\x20-\x7e]/g, escaped);
  return { "x-sim": asked, "x-sim-session": `sdk-${process.pid}-${++sessions}` };
}

export const prompt = "Say it in one sentence";
export const answer = "Small pools outlive big storms because everything in them knows when to hold on and when to let go. 🐚";
export const thought = "Let me think about tidepools.";
/** The answer with everything: a thought, the text, a tool call whose arguments come in parts. */
export const full = { reasoning: thought, tool: true };
export const call = { name: "find_tidepool", arguments: { near: "Monterey", radius_km: 25, species: ["limpet", "sea star"] } };
