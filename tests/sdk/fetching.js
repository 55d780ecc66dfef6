// Runs of the SDKs with nothing between them and the provider, and runs through client.fetch.
import { outcome } from "./runs.js";

/** What reaches the network, also while globalThis.fetch is a client's. */
export const network = globalThis.fetch;

/** Opens a client that does not wait long between attempts, whatever else is given. */
export const impatient = (createClient, options) =>
  createClient({
    provider: "openai",
    apiKey: "never-sent",
    dangerouslyAllowBrowser: true,
    fetch: network,
    ...options,
    policy: { interactive: { backoffBaseMs: 1, backoffCapMs: 2 }, ...options?.policy },
  });

/** What casesOf needs to be told, for the module whose functions are given. */
export const fetching = ({ createClient, HoldfastError }, address) => ({
  address,
  HoldfastError,
  there: (run, script) => outcome(run, { address, fetch: network, script }),
  /** Each through a client of its own, so that no case learns from another. */
  async here(run, script, options) {
    const client = await impatient(createClient, options);
    try {
      return await outcome(run, { address, fetch: client.fetch, script });
    } finally {
      client.close();
    }
  },
});
