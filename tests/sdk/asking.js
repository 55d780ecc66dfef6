// What the simulated provider is asked for, in Node and in pages: scripts, and the answers they give.

let sessions = 0;
const run = Math.random().toString(36).slice(2);

/** The headers that ask for a scenario or script, in a session of its own. */
export function asking(script = {}) {
  const escaped = (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`; // headers are ASCII
  const asked = typeof script === "string" ? script : JSON.stringify(script).replace(/[^\x20-\x7e]/g, escaped);
  return { "x-sim": asked, "x-sim-session": `sdk-${run}-${++sessions}` };
}

export const prompt = "Say it in one sentence";
export const answer = "Small pools outlive big storms because everything in them knows when to hold on and when to let go. 🐚";
export const thought = "Let me think about tidepools.";
/** The answer with everything: a thought, the text, a tool call whose arguments come in parts. */
export const full = { reasoning: thought, tool: true };
export const call = { name: "find_tidepool", arguments: { near: "Monterey", radius_km: 25, species: ["limpet", "sea star"] } };
