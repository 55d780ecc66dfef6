// What compiles and what must not: holdfast/react.

import type { ReactNode } from "react";
import { createClient } from "holdfast";
import type { AnswerResult, Client } from "holdfast";
import { useAnswer } from "holdfast/react";
import type { SendOptions, UseAnswerOptions, UsedAnswer } from "holdfast/react";
import { openStore } from "holdfast/store";

declare const client: Client;
const store = openStore();

export function Chat({ id }: { id: string }): ReactNode {
  const answer: UsedAnswer = useAnswer(() => createClient({ provider: "gloo", baseURL: "/api" }), { store, id });
  useAnswer(client);
  useAnswer(createClient({ provider: "gloo" }), { store, id });
  // @ts-expect-error a client is needed
  useAnswer();
  // @ts-expect-error not its options
  useAnswer({ provider: "gloo" });
  // @ts-expect-error an id is text
  useAnswer(client, { store, id: 7 });
  // @ts-expect-error an option that does not exist
  useAnswer(client, { key: id });

  answer.send("/v1/responses", { input: "Hi" }, { background: true, onDelta: (delta) => delta.type });
  answer.continue();
  answer.tryAgain({ timeoutMs: 1000 });
  answer.stop();
  // @ts-expect-error a request has a body
  answer.send("/v1/responses");
  // @ts-expect-error the text to go on from is the hook's
  answer.send("/v1/responses", {}, { continues: "x" });
  // @ts-expect-error sending gives nothing to wait for
  answer.send("/v1/responses", {}).then();
  // @ts-expect-error a status that does not exist
  if (answer.status === "loading") return null;
  // @ts-expect-error there may be no error
  answer.error.message;

  const result: AnswerResult | undefined = answer.result;
  const running: boolean = answer.status === "running";
  return (
    <>
      <p aria-busy={running}>{answer.text}{answer.error?.message}{result?.costUsd}</p>
      <button onClick={answer.stop}>Stop</button>
      {/* @ts-expect-error an event is not a path */}
      <button onClick={answer.send}>Send</button>
    </>
  );
}

export type { SendOptions, UseAnswerOptions };
