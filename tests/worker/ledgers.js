// The gateway, a look at its ledgers, whose leases are short here, and a way to be without them.
import gateway, { Ledger as Real } from "./worker.js";

export * from "./worker.js";

export class Ledger extends Real {
  leaseMs = 1500;
}

export default {
  async fetch(request, env, ctx) {
    const [, owner] = /^\/ledger\/(.+)$/.exec(new URL(request.url).pathname) ?? [];
    if (owner) return Response.json(await env.LEDGERS.get(env.LEDGERS.idFromName(owner)).report());
    return gateway.fetch(request, request.headers.has("x-without-ledgers") ? { ...env, LEDGERS: undefined } : env, ctx);
  },
};
