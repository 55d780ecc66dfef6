// The gateway, a way to lose the object of an answer while the process lives on, and the number of open calls.
import { configOf } from "./config.js";
import { attach } from "./instance.js";
import gateway, { Answers as Real } from "./worker.js";

export * from "./worker.js";

export class Answers extends Real {
  evict() {
    this.ctx.abort("evicted");
  }
}

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/calls") return new Response(String(attach(configOf(env).options).port.calls.size));
    const [, name] = /^\/evict\/(.+)$/.exec(pathname) ?? [];
    if (!name) return gateway.fetch(request, env, ctx);
    await env.ANSWERS.get(env.ANSWERS.idFromName(name)).evict().catch(() => {});
    return new Response(null, { status: 204 });
  },
};
