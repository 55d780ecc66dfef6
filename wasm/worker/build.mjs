// Builds the Worker: its modules as they are, the library's that it uses, and the programs.
//
//	node wasm/worker/build.mjs [FOLDER]     dist/worker when none is named

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../../", import.meta.url));

/** @param {string} folder */
export function build(folder = join(project, "dist/worker")) {
  const root = execFileSync("go", ["env", "GOROOT"], { cwd: project, encoding: "utf8" }).trim();
  rmSync(folder, { recursive: true, force: true });
  for (const [from, to] of [["wasm/worker", "worker"], ["wasm/js", "js"]]) {
    mkdirSync(join(folder, to), { recursive: true });
    for (const file of readdirSync(join(project, from))) {
      if (file.endsWith(".js")) cpSync(join(project, from, file), join(folder, to, file));
    }
  }
  cpSync(join(root, "lib/wasm/wasm_exec.js"), join(folder, "wasm_exec.js"));
  for (const [name, program] of [["holdfast", "./wasm"], ["control", "./wasm/worker/control"]]) {
    execFileSync("bash", ["build.sh", "-program", program, join(folder, `${name}.wasm`)], { cwd: project, stdio: "inherit" });
  }
  return folder;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build(process.argv[2]);
