// The gateway, and a path that makes its Go program die of a panic where nothing recovers it.
import "../wasm_exec.js";
import gateway from "./worker.js";

export * from "./worker.js";

let last;
globalThis.Go = class extends globalThis.Go {
  constructor() {
    super();
    last = this;
  }
};

export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== "/die") return gateway.fetch(request, env, ctx);
    try {
      last._inst.exports.hf_in(-1);
    } catch {
      // how an exit looks from outside
    }
    return new Response(String(last.exited));
  },
};
