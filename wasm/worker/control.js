// Control is the edge of the control plane: it lets admins in, gathers the facts, and has the program in
// wasm/worker/control answer with them. Nothing of it is touched by a request that asks a model.

import { reportOf } from "./account.js";
import { describe } from "./describe.js";
import { Refusal } from "./errors.js";
import { bounded } from "./guard.js";
import { attach } from "./instance.js";
import { callerBy, STATUS } from "./tokens.js";

const ROUTES = {
  "/control/health": { method: "GET", facts: ({ config }) => ({ health: health(config) }) },
  "/control/config": { method: "GET", facts: ({ config, env }) => checked(config, env) },
  "/control/spend": { method: "GET", facts: async ({ config, env, url }) => ({ owners: await owners(config, env, url) }) },
  "/control/tokens": { method: "POST", facts: async ({ config, request }) => asked(config, request), status: 201, check: usable },
  [STATUS]: { method: "GET", facts: page, headers: ({ nonce }) => ({ "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'` }) },
};

export const isControl = (path) => Object.hasOwn(ROUTES, path);

/** @param {{request: Request, url: URL, config: import("./config.js").Config, caller: import("./tokens.js").Caller, env: object}} place */
export async function serveControl(place) {
  const { request, url, config, caller } = place;
  const route = ROUTES[url.pathname];
  if (!caller.admin) throw new Refusal(403, "insufficient_scope", "The control plane is for the tokens of admins.");
  if (request.method !== route.method) throw new Refusal(405, "method_not_allowed", `This path takes ${route.method}.`);
  const facts = await route.facts(place);
  const { status, type, text } = await inTurn(() => run(url, { atMs: Date.now(), ...facts }));
  if (status === 400) throw new Refusal(400, "invalid_request", JSON.parse(text).message);
  if (status !== 200) throw new Error(`the control program answered with HTTP ${status}`);
  await route.check?.(config, JSON.parse(text));
  return new Response(text, { status: route.status, headers: { "content-type": type, ...route.headers?.(facts) } });
}

/** How many may run at once, each with some 6 MB of an isolate's 128. */
const MAX_RUNNING = 4;
/** None runs so long: what a request left behind that workerd has dropped. */
const LOST_MS = 10_000;
/** When those began that run. @type {Set<{since: number}>} */
const running = new Set();

async function inTurn(start) {
  for (const one of running) if (one.since < Date.now() - LOST_MS) running.delete(one);
  // None waits for another: workerd lets no request wake one.
  if (running.size >= MAX_RUNNING) throw new Refusal(503, "busy", "The control plane is busy; ask again in a second.", Date.now() + 1000);
  const one = { since: Date.now() };
  running.add(one);
  try {
    return await start();
  } finally {
    running.delete(one);
  }
}

/**
 * Runs the program for one request. Its package looks for its bindings in a global, and only while it
 * starts, which it does at once; then nobody else's request can come between. The answer is read to its
 * end, and with it the program ends.
 */
async function run(url, facts) {
  const { default: program } = await import("../control.wasm");
  const go = new globalThis.Go();
  const binding = {};
  const instance = new WebAssembly.Instance(program, { ...go.importObject, workers: { ready() {} } });
  let over;
  try {
    globalThis.context = { binding, env: {}, ctx: {} };
    over = go.run(instance);
  } finally {
    delete globalThis.context;
  }
  const response = await binding.handleRequest(new Request(url, { method: "POST", body: JSON.stringify(facts) }));
  const text = await response.text();
  await over;
  return { status: response.status, type: response.headers.get("content-type"), text };
}

function health(config) {
  const { port, handle } = attach(config.options);
  let answer = null;
  port.health({ take: (item) => (answer = item) }, handle, Date.now());
  if (!answer?.done) throw answer?.error ?? new Error("the program told nothing of its health");
  return answer.done;
}

/** The configuration, and what is wrong with it, as far as the client's own options go. */
function checked(config, env) {
  let { problem = "" } = config;
  try {
    if (!problem) attach(config.options);
  } catch (error) {
    problem = error.message.replace(/^spend: prices/, "prices");
  }
  return { config: describe(env), problem };
}

const MAX_OWNERS = 100;

/** Those of the configuration who have limits, or whom the query names: nobody keeps a list of who had a signed token. */
async function owners(config, env, { searchParams }) {
  const named = searchParams.getAll("owner");
  if (named.length > MAX_OWNERS) throw new Refusal(400, "invalid_request", `Up to ${MAX_OWNERS} owners can be asked for.`);
  const known = config.tokens.map(({ caller }) => caller).filter(({ limits }) => limits !== null);
  const limitsOf = (name) => known.find(({ owner }) => owner === name)?.limits ?? config.jwt?.limits ?? {};
  const chosen = named.length > 0 ? [...new Set(named)].map((owner) => ({ owner, limits: limitsOf(owner) })) : known;
  return Promise.all(chosen.map(async ({ owner, limits }) => ({ owner, limits, report: await reportOf(env, owner) })));
}

async function page(place) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const nonce = btoa(String.fromCharCode(...bytes));
  return { ...checked(place.config, place.env), health: health(place.config), owners: await owners(place.config, place.env, place.url), nonce };
}

const MAX_ASKED = 16 << 10; // bytes

async function asked({ jwt, secrets: [secret] }, request) {
  return { asked: new TextDecoder().decode(await bounded(request, MAX_ASKED)), audience: jwt?.audience ?? "", secret: secret && new TextDecoder().decode(secret) };
}

/** A token that the gateway itself would refuse is not handed out. */
async function usable(config, { token }) {
  try {
    await callerBy(config, token);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(400, "invalid_request", error.message) : error;
  }
}
