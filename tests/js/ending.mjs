// A provider whose answers end before their bodies do, as they often come: it counts its connections.

import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";

/** A provider whose body ends so long after its answer has. */
export async function ending(afterMs) {
  const seen = { connections: 0, open: new Set() };
  const server = createServer(async (request, response) => {
    await request.resume().toArray();
    const chunk = (delta, finish = null) => response.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    chunk({ role: "assistant", content: "Hello" });
    chunk({}, "stop");
    response.write("data: [DONE]\n\n");
    setTimeout(() => response.end(), afterMs).unref();
  });
  server.on("connection", (socket) => {
    seen.connections++;
    seen.open.add(socket);
    socket.on("close", () => seen.open.delete(socket));
  });
  after(() => server.close().closeAllConnections());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  return { seen, url };
}
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const CHAT = { model: "m", messages: [{ role: "user", content: "Hi" }] };
