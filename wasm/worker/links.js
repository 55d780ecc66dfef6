// Links let whoever has one read one answer until they expire: ?read=BODY.SIGNATURE, where BODY is
// [owner, answer, expiry in seconds]. A JSON Web Token is no link, nor the other way round: what a
// link's signature is of begins with a line of its own.

import { Refusal } from "./errors.js";
import { bounded } from "./guard.js";
import { parsed, sign, signed, written } from "./signature.js";

const PURPOSE = "holdfast read\n";
const DEFAULT_SECONDS = 3600;
const MAX_SECONDS = 7 * 24 * 3600;
const MAX_LINK = 1024; // bytes

/** Answers POST /answers/ID/link, whose body may be {"seconds": …}. The answer is the caller's own, whether there is one or not. */
export async function serveLink(config, { owner }, answer, request) {
  if (request.method !== "POST") throw new Refusal(405, "method_not_allowed", "This path takes POST.");
  if (config.secrets.length === 0) throw new Refusal(400, "not_configured", "This gateway signs no links: its secret HOLDFAST_JWT_SECRET is not set.");
  const seconds = secondsIn(await bounded(request, MAX_LINK));
  const expiry = Math.floor(Date.now() / 1000) + seconds;
  const body = written([owner, answer, expiry]);
  const read = `${body}.${await sign(config.secrets, PURPOSE + body)}`;
  return Response.json({ url: `/answers/${answer}?read=${read}`, expiresAtMs: expiry * 1000 }, { status: 201 });
}

function secondsIn(bytes) {
  if (bytes.length === 0) return DEFAULT_SECONDS;
  let seconds;
  try {
    ({ seconds = DEFAULT_SECONDS } = JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    // said below
  }
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new Refusal(400, "invalid_request", `The body may be {"seconds": …}, a whole number from 1 to ${MAX_SECONDS}.`);
}

/** Who may read by a link. @returns {Promise<import("./tokens.js").Caller>} */
export async function readLink(config, link, { pathname }) {
  const [body, signature, more] = link.split(".");
  const ours = more === undefined && link.length <= MAX_LINK && (await signed(config.secrets, PURPOSE + body, signature));
  const [owner, answer, expiry] = (ours && parsed(body)) || [];
  if (!ours || pathname !== `/answers/${answer}`) throw new Refusal(401, "invalid_token", "This link does not lead here.");
  if (!(Date.now() / 1000 < expiry)) throw new Refusal(401, "token_expired", "This link has expired; ask its owner for another one.");
  return { owner, limits: null, models: [], admin: false, reads: true, answer };
}
