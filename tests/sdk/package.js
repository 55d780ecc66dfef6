// The package under test: the folder that HOLDFAST_DIST names, or one that is built for this run.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

function build() {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-package-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  execFileSync("bash", ["build.sh", "-package", folder], { cwd: new URL("../../", import.meta.url), stdio: "inherit" });
  return folder;
}

const folder = process.env.HOLDFAST_DIST ? resolve(process.env.HOLDFAST_DIST) : build();

export const { createClient, HoldfastError } = await import(pathToFileURL(join(folder, "holdfast.js")));
