// Build puts the package where npm would: a folder in node_modules. HOLDFAST_DIST names one that is built already.

import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: "inherit" });
const place = join(here, "node_modules/holdfast");

rmSync(place, { recursive: true, force: true });
if (process.env.HOLDFAST_DIST) cpSync(resolve(process.env.HOLDFAST_DIST), place, { recursive: true });
else run("bash", "build.sh", "-package", place);
run("go", "build", "-o", join(here, "out/sim"), "./tests/sim/run");
