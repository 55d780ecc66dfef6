// Build makes the package in dist/test/holdfast, as build.sh does for a release, and the programs of the tests.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
const go = (args, env) => execFileSync("go", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
const wasm = { GOOS: "js", GOARCH: "wasm" };

const dist = join(root, "dist/test/holdfast");
mkdirSync(dist, { recursive: true });
for (const name of readdirSync(join(root, "wasm/js"))) copyFileSync(join(root, "wasm/js", name), join(dist, name));
copyFileSync(join(go(["env", "GOROOT"]).trim(), "lib/wasm/wasm_exec.js"), join(dist, "wasm_exec.js"));

go(["build", "-o", "dist/test/sim", "./tests/sim/run"]);
go(["build", "-o", "dist/test/dying.wasm", "./tests/js/dying"], wasm);
go(["build", "-ldflags=-X main.release=x", "-o", "dist/test/stranger.wasm", "./tests/js/dying"], wasm);
go(["build", "-trimpath", "-ldflags=-s -w", "-o", "dist/test/holdfast/holdfast.wasm", "./wasm"], wasm);
