// The demo against every failure that its list has. It takes longer than any other test of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { close } from "./harness.js";
import { browser, server } from "./stage.js";
import { arriving, ask, openDemo } from "./demo.js";

test("every failure in the list ends in words, and nothing on the page breaks", async () => {
  const first = await openDemo(browser, server.address);
  const names = await first.locator("input[name=failure]").evaluateAll((inputs) => inputs.map((input) => input.value));
  await close(first);
  const run = async () => {
    for (let sim; (sim = names.pop()); ) {
      const page = await openDemo(browser, server.address, { sim });
      await ask(page, "A short one, please");
      if (sim === "stall_heartbeat") { // comments are signs of life: only the reader ends this one
        await arriving(page);
        await page.keyboard.press("Escape");
      }
      await page.waitForFunction(() => document.querySelector("#send").textContent === "Send", null, { timeout: 60_000 });
      assert.ok((await page.textContent(".turn-main")).length > 8, sim);
      await close(page);
    }
  };
  await Promise.all([run(), run(), run()]);
});
