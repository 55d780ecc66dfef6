// The streams of the gateway keep the Durable Streams protocol, as its own suite sees it: all groups but
// those on forks. Subscriptions (webhooks), which the suite leaves out unless asked, are not part of the protocol.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { KEYS, startGateway, TOKEN } from "./gateway.js";

const { address } = await startGateway({ streams: true, maxBodyBytes: 32 << 20, origins: ["https://example.com"], secrets: { ...KEYS, TOKEN } }, { main: "signed.js" });

test("every group but Fork", { timeout: 300_000 }, async (t) => {
  // A long-poll lasts longer than vitest waits.
  const args = ["run", "--testTimeout=60000", "--reporter=json", "--testNamePattern=^(?!.*Fork)", "conformance.spec.js"];
  const child = spawn("node_modules/.bin/vitest", args, {
    cwd: new URL(".", import.meta.url), stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, CONFORMANCE_TEST_URL: `${address}/streams` },
  });
  const text = (await child.stdout.setEncoding("utf8").toArray()).join("");
  const { testResults } = JSON.parse(text.slice(text.indexOf("{")));
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const of = (status) => results.filter((result) => result.status === status);
  assert.deepEqual(of("failed").map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]}`), []);
  assert.deepEqual([...new Set(results.map(({ status }) => status))].sort(), ["passed", "skipped"]);
  assert.deepEqual(of("skipped").filter(({ fullName }) => !/^(Fork|Reserved subscription)/.test(fullName)).map(({ fullName }) => fullName), []);
  assert.ok(of("passed").length >= 250, `${of("passed").length} tests`);
  t.diagnostic(`${of("passed").length} passed, ${of("skipped").length} on forks left out`);
});
