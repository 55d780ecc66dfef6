// Stage is what most files of tests play on: the demo's server and a browser, from the first test to the last.

import { after, before } from "node:test";
import { startBrowser, startServer } from "./harness.js";

export let browser, server;

before(async () => {
  server = await startServer();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  server?.stop();
});
