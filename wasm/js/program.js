// Program loads the WebAssembly program, once for all clients, and notices when it dies.

import { HoldfastError, badOption } from "./error.js";
import { Port } from "./protocol.js";
import { isNode, nodeModule, start } from "./runtime.js";

/** @typedef {import("./holdfast.d.ts").ClientOptions["wasm"]} Source */

/** Where the program was found; who names no place gets the same. @type {Source} */
let lastSource;
/** Kept, so that a program that died starts again without a download. @type {WebAssembly.Module | null} */
let compiled = null;
/** @type {Promise<Port> | null} */
let loading = null;
/** @type {Port | null} */
let running = null;

/** Names the place of the program for those who name none. @param {URL} source */
export function prefer(source) {
  lastSource ??= source;
}

/** The program that runs now, or null. */
export function current() {
  return running;
}

/**
 * The running program; loads it when there is none. Calls that come while it loads share the load,
 * and a load that failed is tried again by the next call.
 * @param {Source} [source]
 * @returns {Promise<Port>}
 */
export function load(source) {
  if (running) return Promise.resolve(running);
  if (loading) return loading;
  source ??= lastSource;
  const mine = (loading = begin(source).then(
    (port) => {
      // unload() came between: what was loaded for its callers is released as well.
      if (loading !== mine) throw new HoldfastError("closed", "the program was unloaded while it loaded");
      loading = null;
      running = port;
      lastSource = source;
      port.ondeath = () => {
        if (running === port) running = null;
      };
      return port;
    },
    (error) => {
      if (loading === mine) loading = null;
      throw error;
    },
  ));
  return mine;
}

/** Releases the program. What is open ends; the next call loads the program again. */
export function unload() {
  const port = running;
  running = loading = compiled = null;
  port?.kill(new HoldfastError("closed", "the program was unloaded"));
}

async function begin(source) {
  try {
    const module = compiled ?? (await compile(source));
    const port = new Port();
    await start(module, port);
    await port.ready;
    if (port.dead) throw loadFailed(port.dead.message, port.dead);
    port.shakeHands();
    compiled = module;
    return port;
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    throw loadFailed(error?.message ?? error, error);
  }
}

function loadFailed(problem, cause) {
  return new HoldfastError("load_failed", `the WebAssembly program could not be loaded: ${problem}`, { cause });
}

/**
 * @param {Source} source
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(source) {
  // Bundlers know this form of URL and bring the file along.
  const found = (await source) ?? new URL("./holdfast.wasm", import.meta.url);
  if (kindOf(found) === "WebAssembly.Module") return found;
  if (kindOf(found) === "ArrayBuffer" || ArrayBuffer.isView(found)) return compileBytes(found, "the bytes given");
  if (typeof found?.arrayBuffer === "function") return compileResponse(found);
  if (typeof found !== "string" && !(found instanceof URL)) {
    throw badOption("wasm", "must be a URL, bytes, a WebAssembly.Module or a Response");
  }
  const url = locate(found);
  // Node's fetch does not read files.
  if (url.protocol === "file:" && isNode()) return compileBytes(await (await nodeModule("fs/promises")).readFile(url), url.href);
  return compileResponse(await fetch(url), url.href);
}

/** An absolute URL; what is relative starts from the page, or in Node from the working directory. */
function locate(source) {
  const base = globalThis.location?.href ?? (isNode() ? `file://${process.cwd()}/` : undefined);
  try {
    return new URL(source, base);
  } catch (cause) {
    throw loadFailed(`${source} is not a URL`, cause);
  }
}

/** @param {Response} response */
async function compileResponse(response, url = response.url || "the response given") {
  if (response.ok === false) throw loadFailed(`${url} answered with HTTP ${response.status}`);
  if (response.bodyUsed) throw loadFailed(`${url} has been read already`);
  const type = response.headers?.get?.("content-type") ?? "none";
  // Streaming demands exactly this type. Servers that do not know .wasm send another.
  if (type.trim().toLowerCase() === "application/wasm" && typeof WebAssembly.compileStreaming === "function") {
    return WebAssembly.compileStreaming(response);
  }
  return compileBytes(await response.arrayBuffer(), `${url} (content type ${type})`);
}

/** @param {ArrayBuffer | ArrayBufferView} source */
async function compileBytes(source, what) {
  const bytes = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
  // A development server that does not find the file likes to answer with its start page.
  if (bytes[0] !== 0 || bytes[1] !== 0x61 || bytes[2] !== 0x73 || bytes[3] !== 0x6d) {
    throw loadFailed(`${what}: this is not WebAssembly. Is holdfast.wasm where the server can find it? The option "wasm" names another place`);
  }
  return WebAssembly.compile(bytes);
}

/** The kind of a built-in object, also of another realm. */
function kindOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}
