// Objects: how the gateway reaches its Durable Objects.

import { Refusal } from "./errors.js";

/**
 * The object that an owner calls by a name. Nobody else reaches it: its name has the owner in it.
 * @param {DurableObjectNamespace} namespace
 */
export function objectOf(namespace, owner, name) {
  return namespace.get(namespace.idFromName(`${encodeURIComponent(owner)}/${name}`));
}

/**
 * What an object answers. A call is lost when its object moves, gets new code or cannot write: whoever asks
 * again may be answered.
 * @template T
 * @param {() => T | Promise<T>} call
 * @returns {Promise<T>}
 */
export async function reach(call, code = "storage_unavailable", message = "The gateway could not reach what it keeps.") {
  try {
    return await call();
  } catch (error) {
    console.error("holdfast: an object:", error?.stack ?? error);
    throw new Refusal(503, code, message);
  }
}

const TRIES = 4;

/** Tells an object what it must learn, again where it could not be reached. What it never learns of stands in the log. */
export async function insist(tell, about) {
  for (let n = 1; ; n++) {
    try {
      return await tell();
    } catch (error) {
      if (n === TRIES) return console.error(`holdfast: ${about}:`, error?.stack ?? error);
      await new Promise((resolve) => setTimeout(resolve, 100 * 4 ** n));
    }
  }
}

/** What an object answers to a request, with headers that can be changed. */
export async function askObject(object, request) {
  const response = await reach(() => object.fetch(request));
  return new Response(response.body, response);
}
