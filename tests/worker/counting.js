// The gateway, and what its program holds and has asked for: open calls, linear memory in bytes, timers
// of the Go runtime, and how often it was started. x-starved makes fetch fail as the platform does when a
// request has used up its subrequests.
import "../wasm_exec.js";
import { configOf } from "./config.js";
import { attach } from "./instance.js";
import gateway from "./worker.js";

export * from "./worker.js";

let last;
let starts = 0;
let timers = 0;
globalThis.Go = class extends globalThis.Go {
  constructor() {
    super();
    last = this;
    starts++;
    const set = (functions, name, own) => {
      functions[name] = name === "runtime.scheduleTimeoutEvent" ? (sp) => (timers++, own(sp)) : own;
      return true;
    };
    this.importObject.gojs = new Proxy(this.importObject.gojs, { set });
  }
};

const { fetch } = globalThis;
globalThis.fetch = async (url, init) => {
  if (init?.headers?.["x-starved"]) throw new Error("Too many subrequests.");
  return fetch(url, init);
};

export default {
  fetch(request, env, ctx) {
    switch (new URL(request.url).pathname) {
      case "/starts":
        return new Response(String(starts));
      case "/holds": {
        const { port } = attach(configOf(env).options);
        return Response.json({ calls: port.calls.size, memory: last._inst.exports.mem.buffer.byteLength, timers });
      }
    }
    return gateway.fetch(request, env, ctx);
  },
};
