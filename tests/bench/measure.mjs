// Measure takes the bench's numbers. It runs in Node and in a page alike.

import { subjects } from "./subjects.mjs";
import { events, fetchOf, inChunks } from "./stream.mjs";

/** The memory of WebAssembly programs, which the host may not count as its own. */
const memories = [];
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const instance = await instantiate(...args);
  memories.push(instance.exports.mem ?? instance.exports.memory);
  return instance;
};
export const programs = () => memories.reduce((sum, memory) => sum + (memory?.buffer.byteLength ?? 0), 0);

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const quantile = (values, q) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];

/** One answer from start to end, in milliseconds. Whoever loses a delta is out. */
async function once(open, chunks, deltas) {
  const client = await open(fetchOf(() => {
    let i = 0;
    return () => (i < chunks.length ? chunks[i++] : null);
  }));
  let length = 0;
  const start = performance.now();
  await client.read((text) => (length += text.length));
  const took = performance.now() - start;
  client.close();
  if (length < deltas * 3) throw new Error(`only ${length} characters of ${deltas} deltas arrived`);
  return took;
}

/** Microseconds per event and MB/s: the median of rounds in which everybody takes his turn. */
async function speed(all, { deltas, rounds }, size) {
  const took = {};
  const bytes = {};
  for (let round = -2; round < rounds; round++) {
    for (const [name, { api, open }] of Object.entries(all)) {
      const made = events(api, deltas);
      const chunks = size ? inChunks(made, size) : made;
      const ms = await once(open, chunks, deltas);
      if (round >= 0) (took[name] ??= []).push(ms);
      bytes[name] = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    }
  }
  return Object.fromEntries(Object.keys(all).map((name) => [name, { us: (median(took[name]) * 1000) / deltas, mbs: bytes[name] / median(took[name]) / 1000 }]));
}

/** Microseconds from the moment at which a delta is at hand to the moment at which the caller has it. */
async function latency(all, { latencies }) {
  const result = {};
  for (const [name, { api, open }] of Object.entries(all)) {
    const made = events(api, latencies);
    const times = [];
    let given = 0;
    const client = await open(fetchOf(() => {
      let i = 0;
      return () =>
        i === made.length
          ? null
          : new Promise((resolve) => setTimeout(() => {
              given = performance.now();
              resolve(made[i++]);
            }));
    }));
    await client.read(() => times.push((performance.now() - given) * 1000));
    client.close();
    result[name] = { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
  }
  return result;
}

/** Opens n answers that have brought their first delta and stay open. Gives what closes them. */
export async function hold(dist, tiny, name, n) {
  const { api, open } = subjects(dist, tiny)[name];
  const first = events(api, 1).slice(0, api === "messages" ? 3 : 2);
  let finish;
  const end = new Promise((resolve) => (finish = resolve));
  const client = await open(fetchOf(() => {
    let i = 0;
    return () => (i < first.length ? first[i++] : end.then(() => null));
  }));
  let ended;
  await new Promise((started) => {
    let count = 0;
    ended = Promise.allSettled(Array.from({ length: n }, () => client.read(() => ++count === n && started())));
    if (n === 0) started();
  });
  return async () => {
    finish();
    await ended;
    client.close();
  };
}

/** Everything that one host can tell at one go. */
export async function measure(dist, tiny, options) {
  const all = subjects(dist, tiny);
  return {
    single: await speed(all, options, 0),
    large: await speed(all, options, 16 * 1024),
    latency: await latency(all, options),
  };
}

export const names = (tiny) => Object.keys(subjects("http://bench", tiny));

/** Milliseconds from nothing to a client that is ready. */
export async function ready(url) {
  const start = performance.now();
  const { createClient } = await import(url);
  await createClient({ provider: "openai", baseURL: "http://bench", token: "key" });
  return performance.now() - start;
}

/** The same until a program of Go that does nothing runs. */
export async function started(exec, program) {
  const start = performance.now();
  await import(exec);
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(fetch(program), go.importObject);
  go.run(instance);
  return performance.now() - start;
}

export { median };
