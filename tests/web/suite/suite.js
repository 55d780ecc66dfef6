// Suite is what every browser must do: real HTTP, real resets, real silence. It needs nothing but a
// browser: /suite/?sim=ADDRESS shows a list, and `report` is what a driver reads.

import { classify, createClient, HoldfastError, unload } from "holdfast";
import { openStore } from "/holdfast/store.js";

const path = "/ai/v2/guarded/chat/completions";
const body = { model: "gloo-sim", messages: [{ role: "user", content: "Tell me about tidepools." }] };
const quick = { attempts: 4, backoff: "full", backoffBaseMs: 5, backoffCapMs: 10 };
const options = {
  provider: "gloo",
  baseURL: new URLSearchParams(location.search).get("sim"),
  token: "sim",
  // One client for every failure there is: it must not learn from them.
  breaker: false,
  throttle: false,
  policy: { interactive: quick, background: quick },
};
const play = (script, paceMs = 0) => ({
  "x-sim": typeof script === "string" ? script : JSON.stringify(script),
  "x-sim-session": `suite-${Math.random()}`,
  "x-sim-pace": String(paceMs),
});

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
function equal(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what}: ${JSON.stringify(actual)?.slice(0, 300)} instead of ${JSON.stringify(expected)?.slice(0, 300)}`);
}
function ok(value, what) {
  if (!value) throw new Error(what);
}
async function whole(answer) {
  const result = await answer.result;
  equal(result.status, "complete", `status (${JSON.stringify(result.error)})`);
  equal(result.text, text, "text");
  return result;
}

/** Set by the first tests, used by all others. */
let client, text;

const tests = {
  async "loads once, on first use"() {
    const both = await Promise.all([createClient(options), createClient(options)]);
    client = both[0];
    both[1].close();
    equal((await classify("openai", 503, new Headers({ "retry-after": "2" }), "")).retryAfterMs, 2000, "wait");
    for (const name of ["fs", "process", "path"]) ok(!(name in globalThis), `${name} is left behind`);
  },
  async "a request"() {
    const result = await client.request(path, body, { headers: play("unavailable_then_ok") });
    text = result.data.choices[0].message.content;
    equal(result.attempts.length, 2, "attempts");
    ok(text.length > 500, "there is text");
  },
  async "a stream, in order and whole"() {
    let seen = "";
    const answer = client.stream(path, body, { headers: play("healthy", 1) });
    for await (const delta of answer) if (delta.type === "text") seen += delta.text;
    equal(seen, text, "what was seen");
    await whole(answer);
  },
  async "characters cut by the network"() {
    const { status, text } = await client.stream(path, body, { headers: play("split_utf8") }).result;
    equal(status, "complete", "status");
    ok(!text.includes("\ufffd") && text.length > 100, "no character is broken");
  },
  async "a reset before any response is retried"() {
    equal((await whole(client.stream(path, body, { headers: play("reset_before_headers") }))).fullRetries, 1, "retries");
  },
  async "an error as first event is retried"() {
    equal((await whole(client.stream(path, body, { headers: play("error_first") }))).fullRetries, 1, "retries");
  },
  async "a reset in the middle comes out whole"() {
    // Continued, or retried: a reset takes away what the browser has not read yet.
    equal((await whole(client.stream(path, body, { headers: play("cut_reset", 1) }))).attempts.length, 2, "attempts");
  },
  async "an end that comes too early is continued"() {
    equal((await whole(client.stream(path, body, { headers: play("cut_clean") }))).continued, true, "continued");
  },
  async "repeated words are removed"() {
    await whole(client.stream(path, body, { headers: play("repeats_sentence", 1) }));
  },
  async "silence is noticed"() {
    await whole(client.stream(path, body, { headers: play("stall"), policy: { idleMs: 1000 } }));
  },
  async "cut twice is interrupted; Continue completes it"() {
    const answer = client.stream(path, body, { headers: play("cut_twice", 1) });
    const { status, offer, text: partial } = await answer.result;
    equal(status, "interrupted", "status");
    equal(offer.join(), "continue,try_again", "offer");
    ok(text.startsWith(partial.trimEnd()) && partial.length > 100, "the partial text stays");
    await whole(answer.continue());
  },
  async "a signal ends it at once, and its connection"() {
    const controller = new AbortController();
    const answer = client.stream(path, body, { headers: play("slow"), signal: controller.signal });
    await sleep(200);
    const began = performance.now();
    controller.abort(new Error("enough"));
    equal((await answer.result).status, "cancelled", "status");
    ok(performance.now() - began < 1200, "at once");
    const error = await answer.text().catch((error) => error);
    ok(error instanceof HoldfastError && error.code === "cancelled" && error.cause.message === "enough", "text() says why");
  },
  async "leaving the loop cancels"() {
    const answer = client.stream(path, body, { headers: play("healthy", 10) });
    for await (const delta of answer) if (delta.type === "text") break;
    equal((await answer.result).status, "cancelled", "status");
  },
  async "a ReadableStream"() {
    const read = async (answer) => {
      let seen = "";
      const reader = answer.toReadableStream().getReader();
      for (let part; !(part = await reader.read()).done; ) seen += part.value;
      return seen;
    };
    equal(await read(client.stream(path, body, { headers: play("cut_reset", 1) })), text, "what was read");
    const error = await read(client.stream(path, body, { headers: play("error_mid_final") })).catch((error) => error);
    equal(error.code, "server_error", "a broken one fails");
    const cancelled = client.stream(path, body, { headers: play("healthy", 10) });
    await cancelled.toReadableStream().cancel();
    equal((await cancelled.result).status, "cancelled", "status");
  },
  async "in background it starts again"() {
    let [seen, restarts] = ["", 0];
    const onDelta = (delta) => {
      if (delta.type === "text") seen += delta.text;
      if (delta.type === "restart") [seen, restarts] = ["", restarts + 1];
    };
    await whole(client.stream(path, body, { headers: play("cut_clean"), background: true, onDelta }));
    equal(restarts, 1, "restarts");
    equal(seen, text, "what was seen");
  },
  async "a slow reader is no stall"() {
    let n = 0;
    const answer = client.stream(path, body, { headers: play("healthy"), policy: { idleMs: 1000 } });
    for await (const _ of answer) if (++n === 2) await sleep(1800);
    equal((await whole(answer)).attempts.length, 1, "attempts");
  },
  async "the word that the network is gone harms no answer that still arrives"() {
    const answer = client.stream(path, body, { headers: play("healthy", 1) });
    answer.result; // begins to read
    await sleep(100);
    dispatchEvent(new Event("offline"));
    await sleep(100);
    dispatchEvent(new Event("online"));
    equal((await whole(answer)).attempts.length, 1, "attempts");
  },
  async "ten answers at once"() {
    await Promise.all(Array.from({ length: 10 }, (_, i) => whole(client.stream(path, body, { headers: play(i % 2 ? "cut_clean" : "healthy", 1) }))));
  },
  async "in a worker"() {
    const worker = new Worker("./worker.js", { type: "module" });
    const answer = await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message ?? "the worker did not load"));
      worker.postMessage({ options, path, body, headers: play("cut_clean") });
    });
    worker.terminate();
    equal(answer.status, "complete", "status");
    equal(answer.text, text, "text");
  },
  async "the store keeps what was interrupted"() {
    const store = openStore({ name: `suite-${Math.random()}` });
    const answer = client.stream(path, body, { headers: play("cut_twice", 1) });
    await store.keep("a", answer, { path, body });
    const kept = await store.get("a");
    equal(kept.status, "interrupted", "status");
    equal(kept.text, (await answer.result).text, "text");
    const rest = client.stream(path, body, { headers: play("healthy"), continues: kept });
    await store.keep("a", rest, kept);
    await whole(rest);
    equal(await store.get("a"), undefined, "kept");
  },
  async "released and loaded again"() {
    unload();
    await whole(client.stream(path, body, { headers: play("healthy") }));
    client.close();
  },
};

/** Every test with its error, "" for none. */
globalThis.report = (async () => {
  const report = [];
  for (const [name, run] of Object.entries(tests)) {
    const late = sleep(20_000).then(() => {
      throw new Error("took more than 20 s");
    });
    const error = await Promise.race([run(), late]).then(() => "", (error) => `${error?.message ?? error}`);
    report.push({ name, error });
    list.append(Object.assign(document.createElement("li"), { textContent: `${name}: ${error || "✓"}` }));
  }
  return report;
})();
