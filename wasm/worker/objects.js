// Objects: how the gateway reaches its Durable Objects.

/**
 * The object that an owner calls by a name. Nobody else reaches it: its name has the owner in it.
 * @param {DurableObjectNamespace} namespace
 */
export function objectOf(namespace, owner, name) {
  return namespace.get(namespace.idFromName(`${encodeURIComponent(owner)}/${name}`));
}

/** What an object answers to a request, with headers that can be changed. */
export async function askObject(object, request) {
  const response = await object.fetch(request);
  return new Response(response.body, response);
}
