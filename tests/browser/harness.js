// What the browser tests share: the server, the browser, a page that notices every error, and a
// look at each state by eye (screenshots) and by rule (axe), wide and narrow, light and dark.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "./launch.js";

export const here = dirname(fileURLToPath(import.meta.url));
/** The project; another one may be named to test what it has built. */
export const project = process.env.HOLDFAST_PROJECT ?? join(here, "../..");
const out = join(here, "out");
mkdirSync(out, { recursive: true });

/** The simulated provider's long answer, which every question without a keyword gets. */
export const longAnswer = readFileSync(join(here, "../sim/long.md"), "utf8").trimEnd();

/** Starts what `go run .` starts, on a free port. Returns its address and how to stop it. */
export async function startServer(...flags) {
  const program = join(out, "holdfast");
  execFileSync("go", ["build", "-o", program, "."], { cwd: join(here, "../.."), stdio: "inherit" });
  const server = spawn(program, ["-addr", "127.0.0.1:0", ...flags], { cwd: project, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout })
      .on("line", (line) => line.includes("http://") && resolve(/http:\/\/\S+/.exec(line)[0]))
      .on("close", () => reject(new Error("the server ended before it said where it listens")));
  });
  return { address, stop: () => server.kill() };
}

export const startBrowser = () => chromium.launch(launchOptions());

/** Opens a page in a context of its own. `page.complaints` has all that should not have happened. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    // The browser itself reports each refused or reset request; those are the scenarios' purpose.
    const about = new URL(message.location().url || "about:blank").pathname;
    if (/^\/(api|answers)\//.test(about) && message.text().startsWith("Failed to load resource")) return;
    page.complaints.push(`console: ${message.text()} (${about})`);
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`));
  });
  await page.goto(url);
  return page;
}

/** Closes a page and fails on its complaints. */
export async function close(page) {
  await page.context().close();
  assert.deepEqual(page.complaints, []);
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const sizes = { wide: { width: 1280, height: 900 }, narrow: { width: 360, height: 740 } };

/** Where a screenshot goes. */
export const shot = (name) => join(out, `${name}.png`);

/** Looks at the page's present state in each size and scheme. Ends wide and light again. */
export async function look(page, name) {
  await page.evaluate(axe);
  for (const [size, viewport] of Object.entries(sizes).reverse()) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["dark", "light"]) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await page.screenshot({ path: shot(`${name}-${size}-${colorScheme}`) });
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      const found = violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target} ${n.failureSummary}`));
      assert.deepEqual(found, [], `axe, ${name}, ${size}, ${colorScheme}`);
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name}, ${size}: ${overflow} pixels stick out`);
  }
}
