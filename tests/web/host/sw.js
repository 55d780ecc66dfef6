// A service worker that loads the program when it is asked, and says what became of it.

import { createClient } from "holdfast";

onmessage = async ({ source }) => {
  try {
    await createClient({ provider: "gloo", baseURL: `${location.origin}/api` });
    source.postMessage("loaded");
  } catch ({ name, code, message }) {
    source.postMessage(`${name} ${code}: ${message}`);
  }
};
