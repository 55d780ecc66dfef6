// Program loads the WebAssembly program, once for all clients, and notices when it dies.
//
// There are two. The lean one asks one target and reads its answers; the full one also has targets,
// fetch and live sessions, and weighs a quarter to a half more. The lean one is the default. When a client
// needs more, the full one takes its place, for all clients: each moves there with its next call (see
// move.js), while the calls that are open in the lean one end there.

import { HoldfastError, badOption } from "./error.js";
import { isNode, nodeModule, pageURL } from "./host.js";
import { Port } from "./protocol.js";
import { goRuntime, start } from "./runtime.js";

/** @typedef {import("./holdfast.d.ts").ClientOptions["wasm"]} Source */

/** Where they are when nobody names a place. Bundlers know this form of URL and bring the files along. */
const PLACES = { lean: () => new URL("./holdfast.wasm", import.meta.url), full: () => new URL("./holdfast-full.wasm", import.meta.url) };
/** Where each was found; who names no place gets the same. @type {{lean?: Source, full?: Source}} */
const found = {};
/** Kept, so that a program that died starts again without a download. @type {{lean?: WebAssembly.Module, full?: WebAssembly.Module}} */
let compiled = {};
/** @type {{lean?: Promise<Port>, full?: Promise<Port>}} */
let loading = {};
/** @type {Port | null} */
let running = null;
/** The lean one, when its place is taken and calls are still open in it. @type {Port | null} */
let leaving = null;

/** Names the places of the programs for those who name none. @param {{lean: URL, full: URL}} places */
export function prefer(places) {
  found.lean ??= places.lean;
  found.full ??= places.full;
}

/** The program that runs now, or null when there is none, or none that is full where that is needed. */
export function current(full = false) {
  return running && (running.full || !full) ? running : null;
}

/**
 * The running program; loads it when there is none. Calls that come while it loads share the load,
 * and a load that failed is tried again by the next call.
 * @param {Source} [source]
 * @param {boolean} [full] the lean one will not do
 * @returns {Promise<Port>}
 */
export function load(source, full = false) {
  const port = current(full);
  if (port) return Promise.resolve(port);
  const under = loading.full ?? (full ? undefined : loading.lean);
  if (under) return under;
  const kind = full ? "full" : "lean";
  const mine = (loading[kind] = begin(source, full).then(
    (port) => {
      // unload() came between: what was loaded for its callers is released as well.
      if (loading[kind] !== mine) throw new HoldfastError("closed", "the program was unloaded while it loaded");
      delete loading[kind];
      if (source !== undefined) found[port.full ? "full" : "lean"] = source;
      if (full && !port.full) throw onlyLean();
      return take(port);
    },
    (error) => {
      if (loading[kind] === mine) delete loading[kind];
      throw error;
    },
  ));
  return mine;
}

/** Makes a program the one that runs, unless a full one does. @param {Port} port */
function take(port) {
  if (running?.full) return running;
  if (running?.calls.size > 0) {
    leaving = running;
    leaving.onidle = leaving.ondeath = () => (leaving = null);
  }
  running = port;
  port.ondeath = () => {
    if (running === port) running = null;
  };
  return port;
}

/** Releases the program. What is open ends; the next call loads the program again. */
export function unload() {
  const ports = [running, leaving];
  running = leaving = null;
  loading = {};
  compiled = {};
  for (const port of ports) port?.kill(new HoldfastError("closed", "the program was unloaded"));
}

async function begin(source, full) {
  try {
    if (full && source !== undefined && source === found.lean) throw onlyLean();
    // What lies beside this module is by the Go compiler: its runtime comes while it is compiled.
    if (source === undefined && !found.lean && !found.full) goRuntime().catch(() => {});
    const module = compiled.full ?? (full ? undefined : compiled.lean) ?? (await compile(source ?? placeOf(full)));
    const port = new Port();
    await start(module, port);
    await port.ready;
    if (port.dead) throw loadFailed(port.dead.message, port.dead);
    port.shakeHands();
    compiled[port.full ? "full" : "lean"] = module;
    return port;
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    throw loadFailed(error?.message ?? error, error);
  }
}

/** The place of a program that nobody names. */
function placeOf(full) {
  try {
    return full ? (found.full ?? PLACES.full()) : (found.lean ?? found.full ?? PLACES.lean());
  } catch (cause) {
    throw loadFailed('its place is not known, since this script has no address of its own. The option "wasm" names it', cause);
  }
}

function onlyLean() {
  return badOption("wasm", "is the lean program; targets, fetch and live sessions need the full one, holdfast-full.wasm");
}

function loadFailed(problem, cause) {
  const help = HELP.find(([words]) => words.test(problem))?.[1] ?? "";
  return new HoldfastError("load_failed", `the WebAssembly program could not be loaded: ${problem}${help}`, { cause });
}

/** What to do, where browsers do not say it. */
const HELP = [
  [/content.security.policy|\bCSP\b/i, " (the page's policy must allow it: script-src 'wasm-unsafe-eval')"],
  [/service.?worker/i, " (in a service worker use holdfast/tiny)"],
];

/** Makes a module of what names or holds a program. */
async function compile(source) {
  const found = await source;
  if (kindOf(found) === "WebAssembly.Module") return found;
  if (kindOf(found) === "ArrayBuffer" || ArrayBuffer.isView(found)) return compileBytes(found, "the bytes given");
  if (typeof found?.arrayBuffer === "function") return compileResponse(found);
  if (typeof found !== "string" && !(found instanceof URL)) {
    throw badOption("wasm", "must be a URL, bytes, a WebAssembly.Module or a Response");
  }
  const url = locate(found);
  // Node's fetch does not read files.
  if (url.protocol === "file:" && isNode()) return compileBytes(await (await nodeModule("fs/promises")).readFile(url), url.href);
  return compileResponse(await fetch(url).catch(failing(url.href)), url.href);
}

/** Says of what an error was. */
function failing(what) {
  return (error) => {
    throw loadFailed(`${what}: ${error?.message ?? error}`, error);
  };
}

/** An absolute URL; what is relative starts from the page, or in Node from the working directory. */
function locate(source) {
  const base = pageURL() ?? (isNode() ? `file://${process.cwd()}/` : undefined);
  try {
    return new URL(source, base);
  } catch (cause) {
    throw loadFailed(`${source} is not a URL`, cause);
  }
}

async function compileResponse(response, url = response.url || "the response given") {
  if (response.ok === false) throw loadFailed(`${url} answered with HTTP ${response.status}`);
  if (response.bodyUsed) throw loadFailed(`${url} has been read already`);
  const type = response.headers?.get?.("content-type") ?? "none";
  // Streaming demands exactly this type. Servers that do not know .wasm send another.
  if (type.trim().toLowerCase() === "application/wasm" && typeof WebAssembly.compileStreaming === "function") {
    return WebAssembly.compileStreaming(response).catch(failing(url));
  }
  return compileBytes(await response.arrayBuffer(), `${url} (content type ${type})`);
}

async function compileBytes(source, what) {
  const bytes = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
  // A development server that does not find the file likes to answer with its start page.
  if (bytes[0] !== 0 || bytes[1] !== 0x61 || bytes[2] !== 0x73 || bytes[3] !== 0x6d) {
    throw loadFailed(`${what}: this is not WebAssembly. Is holdfast.wasm where the server can find it? The option "wasm" names another place`);
  }
  return WebAssembly.compile(bytes).catch(failing(what));
}

/** The kind of a built-in object, also of another realm. */
function kindOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}
