// The peer in JavaScript: it reads each event and its JSON, as a gateway must that wants to know what passes.
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const response = await fetch(env.UPSTREAM + pathname, { method: "POST", headers: { "content-type": "application/json" }, body: await request.text() });
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    let rest = "";
    let text = "";
    const events = new TransformStream({
      transform(chunk, controller) {
        const found = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
        rest = found.pop();
        for (const event of found) {
          if (event.startsWith("data: {")) text += JSON.parse(event.slice(6)).choices[0]?.delta.content ?? "";
          controller.enqueue(encoder.encode(`${event}\n\n`));
        }
      },
      flush(controller) {
        if (rest) controller.enqueue(encoder.encode(rest));
      },
    });
    return new Response(response.body.pipeThrough(events), { headers: { "content-type": response.headers.get("content-type") } });
  },
};
