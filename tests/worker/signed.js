// The gateway for a client that cannot send a token: the Durable Streams conformance suite.
import gateway from "./worker.js";

export * from "./worker.js";

export default {
  fetch(request, env, ctx) {
    const signed = new Request(request);
    if (request.method !== "OPTIONS") signed.headers.set("authorization", `Bearer ${env.TOKEN}`);
    return gateway.fetch(signed, env, ctx);
  },
};
