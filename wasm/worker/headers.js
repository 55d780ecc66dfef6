// Headers: which of them pass the gateway, in either direction.

/** Between two neighbours only (RFC 9110, 7.6.1), or about bytes that are not the same behind the gateway. */
const HOP = [
  "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
  "transfer-encoding", "upgrade", "content-length", "content-encoding", "accept-encoding", "host", "expect",
];
/** Who the client is: its secrets, its page, its network. */
const CLIENT = [
  "authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie", "origin", "referer", "forwarded", "via", "x-real-ip",
  "true-client-ip", "cdn-loop", "openai-organization", "openai-project", "x-goog-user-project",
  "anthropic-dangerous-direct-browser-access",
];
/** What would make another request of it: Google's servers obey these. */
const METHOD = ["x-http-method-override", "x-http-method", "x-method-override"];
/** What would leave the bill out of Google's answer. */
const PARTS = ["x-goog-fieldmask"];
/**
 * What a provider tells of its answer: what it is, under which id and how fast it came, what is left, and whether
 * to come again. All else is between it and the account, browsers on its site, or its caches.
 */
const TOLD = /^(content-type|content-language|date|deprecation|sunset|warning|server-timing|retry-after(-ms)?|x-should-retry|openai-(version|model)|anthropic-(fast|priority)-.+|x-gemini-service-tier|x-gloo-.+)$|(^|-)(request-id|processing-ms|ratelimit(-.+)?)$/;
const KEPT = new Set([...HOP, ...CLIENT, ...METHOD, ...PARTS]);
const CLIENT_PREFIX = /^(x-forwarded-|cf-|sec-|x-holdfast-|access-control-)/;

/** The names that a Connection header makes hop-by-hop. */
const named = (headers) => new Set((headers.get("connection") ?? "").toLowerCase().split(",").map((name) => name.trim()));

function passing(headers, passes) {
  const hop = named(headers);
  return [...headers].filter(([name, value]) => passes(name, value) && !hop.has(name));
}

/** The headers of a request that go on to the provider, as an object. */
export function toProvider(headers) {
  return Object.fromEntries(passing(headers, (name) => !KEPT.has(name) && !CLIENT_PREFIX.test(name)));
}

/** The headers of a response that go on to the client: none that tells a key. */
export function toClient(headers, keys) {
  const out = new Headers(); // a list of pairs would take workerd five times as long
  for (const [name, value] of passing(headers, (name, value) => TOLD.test(name) && !keys.some((key) => key && value.includes(key)))) out.append(name, value);
  return out;
}

/** Whether pairs of names and values describe a stream of events. */
export const isEvents = (pairs) => pairs.some(([name, value]) => name.toLowerCase() === "content-type" && value.startsWith("text/event-stream"));

/** What every response says to browsers. */
export function secure(headers) {
  headers.set("x-content-type-options", "nosniff");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  headers.set("cross-origin-resource-policy", "same-origin");
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'"); // a provider's has been dropped
  headers.set("strict-transport-security", "max-age=31536000");
}
