// Broken tells how an answer ended that has no result, for store and React alike.

import { text } from "./error.js";

/** It was left, with the text that it had shown. */
export function broken(shown) {
  return { status: "interrupted", text: shown, offer: shown.trim() === "" ? ["try_again"] : ["continue", "try_again"] };
}

/** There is an error in place of its result, perhaps one of user code. */
export function brokenBy(shown, error) {
  const end = broken(shown);
  const code = text(error?.code) ?? "unknown";
  if (end.offer.length === 1) end.status = "failed";
  if (code.startsWith("bad_")) end.offer = []; // it would be as bad again
  return { ...end, error: { code, message: text(error?.message) ?? text(error) ?? "it failed without saying why" } };
}
