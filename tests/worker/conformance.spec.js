// The Durable Streams conformance suite, for vitest: conformance.test.js runs it.
import { runConformanceTests } from "@durable-streams/server-conformance-tests";

runConformanceTests({ baseUrl: process.env.CONFORMANCE_TEST_URL });
