// Main asks in the page and in a worker, and leaves both outcomes in the page for its test.

import { ask } from "./ask.js";

const sim = new URLSearchParams(location.search).get("sim");
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const inWorker = new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => resolve({ error: event.message ?? "the worker did not load" });
});
worker.postMessage(sim);
const told = (error) => ({ error: String(error) });

globalThis.outcome = Promise.all([ask(sim).catch(told), inWorker]).then(([page, worker]) => ({ page, worker }));
