// The gateway, and what its program holds: open calls on either side, and linear memory in bytes.
import "../wasm_exec.js";
import { configOf } from "./config.js";
import { attach } from "./instance.js";
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
    if (new URL(request.url).pathname !== "/holds") return gateway.fetch(request, env, ctx);
    const { port } = attach(configOf(env).options);
    return Response.json({ calls: port.calls.size, memory: last._inst.exports.mem.buffer.byteLength });
  },
};
