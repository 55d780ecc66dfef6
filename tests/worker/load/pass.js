// The peer that does nothing: the body passes through untouched.
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const response = await fetch(env.UPSTREAM + pathname, { method: "POST", headers: { "content-type": "application/json" }, body: request.body });
    return new Response(response.body, { headers: { "content-type": response.headers.get("content-type") } });
  },
};
