// Build makes the package in dist/test/holdfast and the programs of the tests. `node build.mjs FOLDER` copies a
// package that is built already.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
const run = (command, args, env) => execFileSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
const wasm = { GOOS: "js", GOARCH: "wasm" };

const place = "dist/test/holdfast";
const [, , built] = process.argv;
if (built) {
  rmSync(join(root, place), { recursive: true, force: true });
  cpSync(built, join(root, place), { recursive: true });
} else {
  run("bash", ["build.sh", "-package", place]);
}
run("go", ["build", "-o", "dist/test/sim", "./tests/sim/run"]);
run("go", ["build", "-o", "dist/test/dying.wasm", "./tests/js/dying"], wasm);
// The same by TinyGo, where that is here.
const tinygo = process.env.TINYGO || (existsSync(join(root, "dist/test/holdfast/tiny")) ? "tinygo" : "");
if (tinygo) run(tinygo, ["build", "-target", "wasm", "-opt=z", "-scheduler=none", "-buildmode=c-shared", "-o", "dist/test/dying-tiny.wasm", "./tests/js/dying"]);
run("go", ["build", "-ldflags=-X main.release=x", "-o", "dist/test/stranger.wasm", "./tests/js/dying"], wasm);
