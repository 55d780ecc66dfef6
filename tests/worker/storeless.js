// The gateway without the objects that know what is whose.
import gateway from "./worker.js";

export * from "./worker.js";

export default { fetch: (request, env, ctx) => gateway.fetch(request, { ...env, STORED: undefined }, ctx) };
