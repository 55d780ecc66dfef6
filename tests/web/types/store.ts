// What compiles and what must not: holdfast/store.

import type { Answer, Client, Status } from "holdfast";
import { openStore } from "holdfast/store";
import type { KeepOptions, KeptAnswer, KeptRequest, Store, StoreOptions } from "holdfast/store";

declare const client: Client;
const request: KeptRequest = { path: "/v1/responses", body: { input: "Hi" } };

const store: Store = openStore();
openStore({ name: "mine", maxAgeMs: Infinity });
// @ts-expect-error an option that does not exist
openStore({ nmae: "mine" });
// @ts-expect-error milliseconds are a number
openStore({ maxAgeMs: "1d" });

const answer = client.stream(request.path, request.body);
const done: Promise<void> = store.keep("chat", answer, request);
store.keep("chat", answer, request, { signal: AbortSignal.timeout(5) });
// @ts-expect-error the request is needed to go on
store.keep("chat", answer);
// @ts-expect-error an id is text
store.keep(7, answer, request);
// @ts-expect-error an answer, not its result
store.keep("chat", answer.result, request);
// @ts-expect-error a request has a body
store.keep("chat", answer, { path: "/v1/responses" });

const kept: KeptAnswer | undefined = await store.get("chat");
// @ts-expect-error it may not be there
kept.text;
if (kept) {
  const status: Status = kept.status;
  if (kept.offer.includes("continue")) store.keep(kept.id, client.stream(kept.path, kept.body, { continues: kept }), kept);
  // @ts-expect-error it may have been cut by a reload, without an error
  kept.error.message;
  // @ts-expect-error keys are never kept
  kept.apiKey;
  console.log(status, new Date(kept.atMs));
}
const again: Answer | undefined = await store.resume("chat", client, { onDelta: (delta) => console.log(delta.type), signal: AbortSignal.timeout(5) });
// @ts-expect-error the text is what is kept
await store.resume("chat", client, { text: "Once" });
const all: KeptAnswer[] = await store.all();
await store.delete("chat");
await store.clear();
// @ts-expect-error which one
await store.delete();

export type { KeepOptions, StoreOptions };
export { again, all, done };
