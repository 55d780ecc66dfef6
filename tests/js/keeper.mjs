// A small gateway over real HTTP that keeps answers and speaks as wasm/worker does, to break the way to it.

import { createServer } from "node:http";
import { once } from "node:events";
import { after } from "node:test";

/**
 * Starts one. `answers` holds what it keeps, by id; `log` each request as "POST /answers/…".
 * @param {(body: any) => {messages: object[], gapMs?: number, batch?: number}} model what it answers
 */
export async function startKeeper(model) {
  const answers = new Map();
  const log = [];
  const keeper = { answers, log, asked: 0, cut: () => Infinity, refuse: () => null };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://x");
    for (const [name, value] of Object.entries(FOR_PAGES)) response.setHeader(name, value);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    log.push(`${request.method} ${request.url}`);
    const refused = keeper.refuse(request, log.length);
    if (refused === "reset") return void request.socket.destroy();
    if (refused) {
      response.writeHead(refused, { "content-type": "application/json", "x-should-retry": refused < 500 ? "false" : "true" });
      return void response.end(JSON.stringify({ error: { message: "No.", code: refused === 404 ? "not_found" : "no" } }));
    }
    const [, id, action] = /^\/answers\/([\w-]{8,64})(\/cancel)?$/.exec(pathname) ?? [];
    if (request.method === "POST" && !action) {
      let text = "";
      for await (const chunk of request) text += chunk;
      const key = request.headers["idempotency-key"];
      if (!answers.has(key)) {
        keeper.asked++;
        answers.set(key, make(model(JSON.parse(text)), text));
      }
      return serve(answers.get(key), 0, response);
    }
    const answer = answers.get(id);
    if (!answer) return void response.writeHead(404, { "content-type": "application/json", "x-should-retry": "false" }).end('{"error":{"code":"not_found"}}');
    if (action) {
      answer.stop();
      return void response.writeHead(204).end();
    }
    const offset = searchParams.get("offset");
    serve(answer, offset === "-1" ? 0 : Number(offset.slice(4)), response);
  });

  /** Makes an answer as time goes by, whoever listens. */
  function make({ messages, gapMs = 0, batch = 1 }, body) {
    const answer = { body, there: [], closed: false, batch, wake: [] };
    const add = (message) => {
      if (answer.closed) return;
      answer.there.push(message);
      answer.closed = message.type === "done";
      for (const wake of answer.wake.splice(0)) wake();
    };
    answer.stop = () => add({ type: "done", result: { ...ending, status: "cancelled" } });
    if (gapMs === 0) for (const message of messages) add(message);
    else {
      let n = 0;
      const timer = setInterval(() => (n < messages.length && !answer.closed ? add(messages[n++]) : clearInterval(timer)), gapMs);
    }
    return answer;
  }

  async function serve(answer, at, response) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.on("error", () => {});
    let left = keeper.cut(log.length);
    const write = (text) => {
      if (text.length < left) return response.write(text), (left -= text.length);
      response.write(text.slice(0, left));
      setTimeout(() => response.destroy(), 1); // what was written goes out
      throw new Error("cut");
    };
    try {
      for (;;) {
        const messages = answer.there.slice(at, at + answer.batch);
        at += messages.length;
        const closed = answer.closed && at === answer.there.length;
        if (messages.length > 0) write(`event: data\ndata:${JSON.stringify(messages)}\n\n`);
        write(`event: control\ndata:${JSON.stringify({ streamNextOffset: `off_${at}`, ...(closed && { streamClosed: true }) })}\n\n`);
        if (closed) return void response.end();
        if (at === answer.there.length) await new Promise((resolve) => answer.wake.push(resolve));
      }
    } catch (error) {
      if (error.message !== "cut") throw error;
    }
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => (server.closeAllConnections(), server.close()));
  keeper.address = `http://127.0.0.1:${server.address().port}`;
  return keeper;
}

const FOR_PAGES = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, content-type, idempotency-key, *", "access-control-allow-methods": "GET, POST" };

/** The end of an answer that is whole. */
export const ending = { status: "complete", finishReason: "stop", toolCalls: [], usage: { inputTokens: 3, outputTokens: 40 }, costUsd: 0.5, attempts: [{ attempt: 1, kind: "first", provider: "openai" }], fullRetries: 0, continued: false, offer: [], warnings: [] };

/** The messages of an answer that says a text, a word a message. */
export const saying = (text, end) => [...text.match(/\S+\s*/g).map((word) => ({ type: "text", text: word })), { type: "done", result: { ...ending, ...end } }];
