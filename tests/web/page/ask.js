// Ask is what a page, a worker and a server do alike: one answer that is cut and comes out whole.

import { createClient } from "holdfast";

/** How the answer of a simulated provider ended. */
export async function ask(sim, scenario = "cut_clean") {
  const headers = { "x-sim": scenario, "x-sim-session": `web-${Math.random()}`, "x-sim-pace": "1" };
  const client = await createClient({ provider: "gloo", baseURL: sim, token: "sim", headers });
  const { status, text, continued } = await client.stream("/ai/v2/guarded/chat/completions", { model: "gloo-sim", messages: [{ role: "user", content: "Hi" }] }).result;
  client.close();
  return { status, continued, length: text.length };
}
