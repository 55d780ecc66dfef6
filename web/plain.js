// An answer that survives, and an honest page when it does not: the JavaScript API alone.

import { createClient } from "./holdfast/holdfast.js";

const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((e) => [e.id, e]));
const path = "/ai/v2/guarded/chat/completions";

// Only the simulated provider reads these: the failure to play. A page of yours has none.
const headers = {
  "x-sim": new URLSearchParams(location.search).get("sim") ?? "cut_twice",
  "x-sim-session": crypto.getRandomValues(new Uint32Array(2)).join("-"),
  "x-sim-pace": "30",
};

const loading = createClient({ provider: "gloo", baseURL: "/api", headers });
loading.catch((error) => say(`This page cannot start: ${error.message}`));

let answer; // the one on the page, running or ended
let timer; // counts down a wait that the server asked for

page.ask.addEventListener("submit", async (event) => {
  event.preventDefault();
  const client = await loading;
  const messages = [{ role: "user", content: page.question.value }];
  page.text.textContent = "";
  run((options) => client.stream(path, { model: "gloo-sim", messages }, options));
});
page.continue.addEventListener("click", () => run((options) => answer.continue(options)));
page.again.addEventListener("click", () => {
  page.text.textContent = "";
  run((options) => answer.tryAgain(options));
});
page.stop.addEventListener("click", () => answer.cancel());
offer({}); // a form that nobody listens to would load the page anew

async function run(start) {
  offer({ running: true });
  say("The answer is arriving.");
  answer?.cancel();
  const mine = (answer = start({
    onDelta(delta) {
      if (answer !== mine) return;
      if (delta.type === "text") page.text.append(delta.text);
      if (delta.type === "restart") page.text.textContent = ""; // background answers only
    },
  }));
  const result = await mine.result.catch((error) => ({ status: "failed", text: mine.partial, error, offer: ["try_again"] }));
  if (answer === mine) end(result);
}

/** Says how the answer ended, and offers what the result offers. */
function end({ status, text, error, retryAtMs, offer: actions }) {
  offer({ actions, holdUntil: retryAtMs });
  if (status === "complete") say(actions.length > 0 ? "✓ The output limit ends this answer." : "✓ The answer is complete.");
  else if (status === "content_filter") say("⊘ The content filter ended this answer. That is final.");
  else if (status === "cancelled") say("■ You stopped this answer. It is incomplete.");
  else if (text) say(`⚠ This answer is incomplete. ${error.message}`);
  else say(`⚠ There is no answer. ${error.message}`);
  if (actions.includes("continue")) page.continue.focus();
}

function offer({ running = false, actions = [], holdUntil = 0 }) {
  clearInterval(timer);
  page.send.disabled = running;
  page.stop.disabled = !running;
  page.continue.hidden = !actions.includes("continue");
  page.again.hidden = !actions.includes("try_again");
  page.again.lastElementChild.hidden = !page.text.textContent; // nothing to replace
  const hold = () => {
    const ms = holdUntil - Date.now();
    page.wait.textContent = ms > 0 ? `The service asks to wait until ${new Date(holdUntil).toLocaleString()}.` : "";
    page.continue.disabled = page.again.disabled = ms > 0 && ms < 600_000; // a longer wait is told, not enforced
  };
  hold();
  timer = setInterval(hold, 1000);
}

function say(words) {
  page.answer.hidden = false;
  page.state.textContent = words;
}
