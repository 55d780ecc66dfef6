// Objects: how the gateway reaches its Durable Objects.

/**
 * The object that an owner calls by a name. Nobody else can: the name has the owner in it.
 * @param {DurableObjectNamespace} namespace
 */
export function object(namespace, owner, name) {
  const stub = namespace.get(namespace.idFromName(`${encodeURIComponent(owner)}/${name}`));
  return {
    async fetch(request) {
      const response = await stub.fetch(request);
      return new Response(response.body, response); // its headers can be changed
    },
  };
}
