// Host tells where the library runs: in Node or not, in which page.

/** A Worker with nodejs_compat is none: no files, no headers for sockets. */
export function isNode() {
  return typeof globalThis.process?.versions?.node === "string" && globalThis.navigator?.userAgent !== "Cloudflare-Workers";
}

/** What relative addresses start from: as for fetch the page, and in a worker made of a blob the page's origin. */
export function pageURL() {
  const { document, location } = globalThis;
  return document?.baseURI ?? (location?.protocol === "blob:" ? location.origin : location?.href);
}

/** A module of Node, under a name that no bundler follows. */
export function nodeModule(name) {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);
}

/** A name for what has none, unlike any other. A page on plain http has no randomUUID. */
export function newId() {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** Runs something as soon as what runs now is over. The host's own, also where tests have put clockwork in its place. */
export const soon = globalThis.queueMicrotask.bind(globalThis);
