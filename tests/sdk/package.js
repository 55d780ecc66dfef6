// Builds the package under test, and makes clients of it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after } from "node:test";

const project = new URL("../../", import.meta.url).pathname;
const go = (args, env) => execFileSync("go", args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
const folder = mkdtempSync(join(tmpdir(), "holdfast-package-"));
after(() => rmSync(folder, { recursive: true, force: true }));
cpSync(join(project, "wasm/js"), folder, { recursive: true });
cpSync(join(go(["env", "GOROOT"]).trim(), "lib/wasm/wasm_exec.js"), join(folder, "wasm_exec.js"));
go(["build", "-trimpath", "-ldflags=-s -w", "-o", join(folder, "holdfast.wasm"), "./wasm"], { GOOS: "js", GOARCH: "wasm" });

export const { createClient, HoldfastError } = await import(pathToFileURL(join(folder, "holdfast.js")));

/** What reaches the network, also when globalThis.fetch is a client's. */
export const network = globalThis.fetch;

/** A client that does not wait long, whatever else is given. */
export const impatient = (options) =>
  createClient({
    provider: "openai",
    apiKey: "never-sent",
    fetch: network,
    ...options,
    policy: { idleMs: 400, interactive: { backoffBaseMs: 1, backoffCapMs: 2 }, ...options?.policy },
  });
