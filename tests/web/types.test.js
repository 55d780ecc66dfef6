// The types: snippets that must compile, and lines in them that must not.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { here } from "./harness.js";

/** What the compiler complains of. */
const tsc = (...args) =>
  promisify(execFile)(process.execPath, [join(here, "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--pretty", "false", ...args], { cwd: here }).then(
    () => "",
    ({ stdout, stderr }) => stdout + stderr,
  );

for (const [module, resolution] of [["nodenext", "nodenext"], ["esnext", "bundler"]]) {
  test(`what must compile does, and nothing else: module ${module}, resolution ${resolution}`, async () => {
    assert.equal(await tsc("-p", "types", "--module", module, "--moduleResolution", resolution), "");
  });
}

test("the React page", async () => {
  assert.equal(await tsc("--ignoreConfig", "--jsx", "react-jsx", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "app/main.tsx"), "");
});
