// Starts the page: imports the module, loads web.wasm, and says so honestly when that fails.

/** Shows why the page cannot start. Go calls it too. */
function failed(reason) {
  document.getElementById("app").className = "app has-failed";
  document.getElementById("boot-reason").textContent = String(reason);
  document.getElementById("boot-failure").hidden = false;
}

/** Keeps answers over a reload, each tab's in a place of its own. Fails where the browser keeps nothing, not even for a tab. */
async function store() {
  const place = (sessionStorage["holdfast-answer"] ??= crypto.getRandomValues(new Uint32Array(2)).join("-"));
  const { openStore } = await import("./holdfast/store.js");
  return { store: openStore(), place };
}

async function load(url, imports) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
  // Streaming wants the right MIME type; a simple file server may not know it.
  if (response.headers.get("content-type") === "application/wasm") {
    return (await WebAssembly.instantiateStreaming(response, imports)).instance;
  }
  return (await WebAssembly.instantiate(await response.arrayBuffer(), imports)).instance;
}

try {
  if (typeof WebAssembly !== "object") throw new Error("this browser has no WebAssembly");
  const holdfast = await import("./holdfast/holdfast.js");
  await import("./holdfast/wasm_exec.js");
  globalThis.demo = { holdfast, failed, store };
  const go = new Go();
  const instance = await load("web.wasm", go.importObject);
  await go.run(instance); // for as long as the page lives
  throw new Error("the page's program has ended; the console may say why");
} catch (error) {
  failed(error?.message ?? error);
}
