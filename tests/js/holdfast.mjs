// The package under test as it would be published: dist/holdfast, or the folder that HOLDFAST_DIST names.
// Importing this also watches that no promise of Holdfast is ever left rejected and unhandled.

import assert from "node:assert/strict";
import { after } from "node:test";
import { pathToFileURL } from "node:url";

const folder = process.env.HOLDFAST_DIST ? pathToFileURL(`${process.env.HOLDFAST_DIST}/`) : new URL("../../dist/holdfast/", import.meta.url);

export const { createClient, classify, isRetryable, unload, HoldfastError, version } = await import(new URL("holdfast.js", folder)).catch((error) => {
  throw new Error("dist/holdfast is missing or broken; run `npm run build` in tests/js", { cause: error });
});

const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));
after(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(unhandled, [], "unhandled rejections");
});
