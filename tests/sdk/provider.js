// Starts the simulated provider for the official SDKs in Node.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export * from "./asking.js";

const project = new URL("../../", import.meta.url).pathname;

/** Builds and starts the simulator and returns its address; it ends with this process. */
export async function startProvider() {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-sdk-"));
  const program = join(directory, "sim");
  execFileSync("go", ["build", "-o", program, "./tests/sim/run"], { cwd: project, stdio: ["ignore", "inherit", "inherit"] });
  const child = spawn(program, ["-addr", "127.0.0.1:0", "-reuse"], { stdio: ["pipe", "pipe", "inherit"] });
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
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
