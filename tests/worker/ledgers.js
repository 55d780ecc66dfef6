// The gateway, a look at its ledgers, whose leases are short here, and a way to be without them.
import gateway, { Ledger as Real } from "./worker.js";

export * from "./worker.js";

export class Ledger extends Real {
  leaseMs = 1500;

  /** Calls one method after the other; after each, what it gave and what the ledger reports. */
  async play(calls) {
    const steps = [];
    for (const [method, ...args] of calls) {
      if (method === "lease") this.leaseMs = args[0];
      else steps.push({ gave: await this[method](...args), report: this.report() });
    }
    return steps;
  }
}

export default {
  async fetch(request, env, ctx) {
    const [, owner] = /^\/ledger\/(.+)$/.exec(new URL(request.url).pathname) ?? [];
    const ledger = owner && env.LEDGERS.get(env.LEDGERS.idFromName(owner));
    if (ledger) return Response.json(request.method === "POST" ? await ledger.play(await request.json()) : await ledger.report());
    return gateway.fetch(request, request.headers.has("x-without-ledgers") ? { ...env, LEDGERS: undefined } : env, ctx);
  },
};
