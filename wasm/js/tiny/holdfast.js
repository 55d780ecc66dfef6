// Holdfast with the small program: the same API, a fifth of the download. One program serves a page:
// where it also imports "holdfast", the one that is loaded first is the one that runs.

import { prefer } from "../program.js";

prefer(new URL("./holdfast.wasm", import.meta.url)); // bundlers know this form and bring the file along

export * from "../holdfast.js";
