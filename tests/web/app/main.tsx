// A small page: one question, one answer that survives what happens to it, a reload included.

import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "holdfast";
import { useAnswer } from "holdfast/react";
import { openStore } from "holdfast/store";

const path = "/ai/v2/guarded/chat/completions";
const store = openStore();

// Only the simulated provider reads these: where it is, and the failure to play.
const asked = new URLSearchParams(location.search);
const session = (sessionStorage.session ??= String(Math.random()));
const headers = { "x-sim": asked.get("play") ?? "healthy", "x-sim-session": session, "x-sim-pace": "1" };
const open = () => createClient({ provider: "gloo", baseURL: asked.get("sim") ?? "/api", token: "sim", headers });

const words = {
  idle: "Nothing was asked yet.",
  running: "The answer is arriving.",
  complete: "The answer is complete.",
  content_filter: "The content filter ended this answer. That is final.",
  interrupted: "This answer is incomplete.",
  failed: "There is no whole answer.",
  cancelled: "You stopped this answer. It is incomplete.",
};

export function Chat({ id }: { id: string }) {
  const answer = useAnswer(open, { store, id });
  const [question, setQuestion] = useState("Tell me about tidepools.");
  const ask = () => answer.send(path, { model: "gloo-sim", messages: [{ role: "user", content: question }] }, { durable: asked.has("durable") });
  useEffect(() => {
    if (asked.has("auto")) ask();
  }, []);
  return (
    <>
      <input aria-label="Question" value={question} onChange={(event) => setQuestion(event.target.value)} />
      <button id="send" onClick={ask}>Send</button>
      {answer.status === "running" && <button id="stop" onClick={answer.stop}>Stop</button>}
      <p id="state" role="status" data-status={answer.status}>{words[answer.status]} {answer.error?.message}</p>
      <p id="text" style={{ whiteSpace: "pre-wrap" }}>{answer.text}</p>
      {answer.offer.includes("continue") && <button id="continue" onClick={() => answer.continue()}>Continue</button>}
      {answer.offer.includes("try_again") && <button id="again" onClick={() => answer.tryAgain()}>Try again</button>}
    </>
  );
}

function Page() {
  const [id, setId] = useState<string | null>("first");
  return (
    <>
      <nav>
        <button id="first" onClick={() => setId("first")}>First</button>
        <button id="second" onClick={() => setId("second")}>Second</button>
        <button id="none" onClick={() => setId(null)}>Close</button>
      </nav>
      {id && <Chat id={id} />}
    </>
  );
}

createRoot(document.getElementById("root")!).render(<StrictMode><Page /></StrictMode>);
