// Relay hands an answer to the client on the request's own turn, and learns when nobody takes it any more.

import { errorEvent, refusalOf } from "./errors.js";

/** How often a request looks whether the program has died under it. */
export const WATCH_MS = 500;
/** After so long a silence a comment asks whether the client is still there: only a write tells. */
const PING_MS = 5000;
const PING = new TextEncoder().encode(": ping\n\n");

/**
 * A response that streams the body of another, and when it has ended. What breaks in a stream of
 * events becomes its last event, in the form of its API.
 * @param {Response} response
 * @param {import("./session.js").Session} session
 * @param {string} form
 * @param {AbortSignal} signal of the client
 * @returns {{response: Response, ended: Promise<void>}}
 */
export function relay(response, headers, session, form, signal) {
  const { status, body } = response;
  if (!body) return { response: new Response(null, { status, headers }), ended: Promise.resolve() };
  const events = headers.get("content-type")?.startsWith("text/event-stream");
  const { readable, writable } = new IdentityTransformStream();
  return { response: new Response(readable, { status, headers }), ended: pump(body.getReader(), writable.getWriter(), session, events && form, signal) };
}

async function pump(reader, writer, session, form, signal) {
  let silentSince = Date.now();
  let writing = false;
  const write = async (bytes) => {
    writing = true;
    await writer.write(bytes);
    writing = false;
    silentSince = Date.now();
  };
  const stop = (error) => reader.cancel(error).catch(() => {});
  const timer = setInterval(() => {
    session.watch();
    if (form && !writing && Date.now() - silentSince >= PING_MS) write(PING).catch(stop);
  }, WATCH_MS);
  try {
    for (let next; !(next = await read(reader)).done; ) await write(next.value);
    await writer.close();
  } catch (error) {
    await stop(error);
    // A stream of Gemini's has no end mark, and an error event in it would be no error to its SDK.
    if (form && form !== "gemini" && error instanceof Broken && !signal.aborted) {
      await writer.write(new TextEncoder().encode(errorEvent(form, refusalOf(error.cause)))).catch(() => {});
      await writer.close().catch(() => {});
    } else {
      await writer.abort(error).catch(() => {});
    }
  } finally {
    clearInterval(timer);
  }
}

/** The answer broke, not the way to the client. */
class Broken extends Error {}

async function read(reader) {
  try {
    return await reader.read();
  } catch (cause) {
    throw new Broken("the answer broke", { cause });
  }
}
