// The gateway, whose objects fail as a POST to /faults says: {"full": true} leaves an answer's storage no room, {"lost": N} loses the
// next N calls of an answer's object, {"slowMs": N} keeps ledgers busy. A row holds 2 MB, as where it is deployed.
import gateway, { Answers as RealAnswers, Ledger as RealLedger } from "./worker.js";

export * from "./worker.js";

const MAX_ROW_BYTES = 2_000_000;
let faults = {};
let limited = false;

/** Gives storage the limits of the platform. */
function limit({ sql }) {
  if (limited) return;
  limited = true;
  const real = Object.getPrototypeOf(sql);
  const { exec } = real;
  real.exec = function (query, ...values) {
    const size = values.reduce((sum, value) => sum + (typeof value === "string" ? new TextEncoder().encode(value).length : (value?.byteLength ?? 0)), 0);
    if (size > MAX_ROW_BYTES) throw new Error("string or blob too big: SQLITE_TOOBIG");
    if (faults.full && /^(INSERT INTO|UPDATE) (stream|messages|asked|body|attempts)\b/.test(query)) throw new Error("database or disk is full: SQLITE_FULL");
    return exec.call(this, query, ...values);
  };
}

function lose() {
  if (faults.lost > 0 && faults.lost--) throw new Error("Durable Object reset because its code was updated.");
}

export class Answers extends RealAnswers {
  constructor(ctx, env) {
    limit(ctx.storage);
    super(ctx, env);
  }

  async begin(asked) {
    lose();
    return super.begin(asked);
  }

  async cancel() {
    lose();
    return super.cancel();
  }

  async fetch(request) {
    lose();
    return super.fetch(request);
  }
}

export class Ledger extends RealLedger {
  async reserve(request) {
    if (faults.slowMs) await new Promise((resolve) => setTimeout(resolve, faults.slowMs));
    return super.reserve(request);
  }
}

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/faults") {
      faults = await request.json();
      return new Response(null, { status: 204 });
    }
    const [, owner] = /^\/ledger\/(.+)$/.exec(pathname) ?? [];
    if (owner) return Response.json(await env.LEDGERS.get(env.LEDGERS.idFromName(owner)).report());
    return gateway.fetch(request, env, ctx);
  },
};
