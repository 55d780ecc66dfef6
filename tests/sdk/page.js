// client.fetch under the official SDKs in a page, ?sim=ADDRESS&places=NUMBER: see cases.js. `report` is
// every case with its error, "" for none.
import * as holdfast from "holdfast";
import { casesOf } from "./cases.js";
import { fetching } from "./fetching.js";
import { runs } from "./runs.js";

const asked = new URLSearchParams(location.search);
const world = { ...fetching(holdfast, asked.get("sim")), places: Number(asked.get("places")) };

/** One after the other: some SDKs take no fetch but the global one. */
globalThis.report = (async () => {
  const report = [];
  for (const name of Object.keys(runs)) {
    for (const [what, run] of Object.entries(casesOf(name, world))) {
      const error = await run().then(() => "", (error) => error?.message ?? String(error));
      report.push({ name: `${name}: ${what}`, error });
    }
  }
  return report;
})();
