// The package under test: what build.mjs made, or the folder that HOLDFAST_DIST names.

import { pathToFileURL } from "node:url";
import "./unhandled.mjs";

export const folder = process.env.HOLDFAST_DIST ? new URL(`${process.env.HOLDFAST_DIST}/`, pathToFileURL(`${process.cwd()}/`)) : new URL("../../dist/test/holdfast/", import.meta.url);

export const { createClient, classify, isRetryable, parseRateLimits, unload, HoldfastError, version } = await import(new URL("holdfast.js", folder)).catch((error) => {
  throw new Error("the package is missing or broken; run `npm run build` in tests/js", { cause: error });
});

/** The loader of that package. */
export const program = await import(new URL(folder.pathname.endsWith("/tiny/") ? "../program.js" : "program.js", folder));
