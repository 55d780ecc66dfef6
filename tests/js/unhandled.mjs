// Watches that no promise of Holdfast is ever left rejected and unhandled; every test file imports it.

import assert from "node:assert/strict";
import { after } from "node:test";

const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));
after(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(unhandled, [], "unhandled rejections");
});
