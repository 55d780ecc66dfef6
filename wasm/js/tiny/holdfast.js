// Holdfast with the small program: the same API, a fifth of the download. One program serves a page:
// where it also imports "holdfast", the one that is loaded first is the one that runs.

import { prefer } from "../program.js";

// Bundlers know this form of URL and bring the files along.
prefer({ lean: new URL("./holdfast.wasm", import.meta.url), full: new URL("./holdfast-full.wasm", import.meta.url) });

export * from "../holdfast.js";
