// Ask is what a page, a worker and a server do alike: an answer that is cut and comes out whole, twice.

import { createClient } from "holdfast";

/** How the answer of a simulated provider ended. */
export async function ask(sim, scenario = "cut_clean") {
  const headers = { "x-sim": scenario, "x-sim-session": `web-${Math.random()}`, "x-sim-pace": "1" };
  const client = await createClient({ provider: "gloo", baseURL: sim, token: "sim", headers });
  const path = "/ai/v2/guarded/chat/completions";
  const body = { model: "gloo-sim", messages: [{ role: "user", content: "Hi" }] };
  const { status, text, continued } = await client.stream(path, body).result;
  // What the lean program does not have brings the full one.
  const response = await client.fetch(sim + path, { method: "POST", headers: { ...headers, "content-type": "application/json", authorization: "Bearer sim" }, body: JSON.stringify({ ...body, stream: true }) });
  const fetched = (await response.text()).trimEnd().endsWith("data: [DONE]");
  client.close();
  return { status, continued, fetched, length: text.length };
}
