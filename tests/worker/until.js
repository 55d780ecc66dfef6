// Until waits for what must come soon.
import assert from "node:assert/strict";

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A busy machine may take so many times as long as a quiet one. */
const PATIENCE = 4;

/** Asks until it is so, for the time that a quiet machine may take, and gives what was found. */
export async function until(ms, so) {
  for (const end = Date.now() + PATIENCE * ms; ; await wait(20)) {
    const found = await so();
    if (found) return found;
    assert.ok(Date.now() < end, `not after ${PATIENCE} times ${ms} ms`);
  }
}
