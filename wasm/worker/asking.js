// Asking is the front of durable answers: what stands behind /answers.
//
//	POST   /answers, /answers/v1/chat/completions, /answers/PROVIDER/PATH   asks; idempotency-key is the answer's id
//	GET    /answers/ID, HEAD                                                reads, by the Durable Streams protocol
//	POST   /answers/ID/cancel                                               ends it where it is
//	DELETE /answers/ID                                                      ends it, and forgets it

import { digest, joined } from "./bytes.js";
import { Refusal } from "./errors.js";
import { askObject, objectOf, reach } from "./objects.js";

const ID = /^[\w-]{8,64}$/;

/**
 * @param {import("./passage.js").Passage} passage
 * @param {string} path what stands behind /answers
 * @param {{request: Request, config: import("./config.js").Config, caller: import("./tokens.js").Caller, env: {ANSWERS: DurableObjectNamespace}}} about
 */
export async function serveAnswer(passage, path, { request, config, caller, env }) {
  const { owner } = caller;
  const [, id, action] = /^\/([\w-]{8,64})(\/cancel)?$/.exec(path) ?? [];
  if (id && !action && request.method !== "POST") return askObject(objectOf(env.ANSWERS, owner, id), request);
  if (action) return cancel(objectOf(env.ANSWERS, owner, id), request);
  const { signed, body, ...plan } = await passage.plan(path);
  delete plan.headers["idempotency-key"]; // it names the answer, here alone
  plan.limits = caller.limits; // of the calls that take the answer up as well
  const asked = { plan, body, caller, targets: plan.route.chain.map((place) => config.targets[place]) };
  return begin(request, { ...asked, hash: await hashOf(path, request.headers, body) }, env.ANSWERS, owner);
}

async function begin(request, asked, answers, owner) {
  const id = request.headers.get("idempotency-key") ?? crypto.randomUUID();
  if (!ID.test(id)) throw new Refusal(400, "invalid_request", `idempotency-key must match ${ID.source}.`);
  const object = objectOf(answers, owner, id);
  const { made, refused } = await reach(() => object.begin(asked));
  if (refused) throw new Refusal(refused.status, refused.code, refused.message, refused.retryAtMs);
  const { origin } = new URL(request.url);
  let response;
  if (/\btext\/event-stream\b/.test(request.headers.get("accept") ?? "")) {
    response = await askObject(object, new Request(`${origin}/answers/${id}?offset=-1&live=sse`));
  } else {
    response = Response.json({ id }, { status: made ? 201 : 200, headers: { location: `${origin}/answers/${id}` } });
  }
  response.headers.set("x-holdfast-answer", id);
  return response;
}

async function cancel(object, { method }) {
  if (method !== "POST") throw new Refusal(405, "method_not_allowed", "This path takes POST.");
  if (!(await reach(() => object.cancel()))) throw new Refusal(404, "not_found", "There is no such answer.");
  return new Response(null, { status: 204 });
}

/** Of all that says what is asked. What a name means may change, and SDKs count their tries in headers. */
function hashOf(path, headers, body) {
  return digest(joined([new TextEncoder().encode(JSON.stringify([path, headers.get("x-holdfast-models")])), body]));
}
