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
/** What a provider says to a browser about its own site. */
const SITE = [
  "set-cookie", "set-cookie2", "set-login", "authorization", "x-api-key", "x-goog-api-key", "www-authenticate", "location", "server", "alt-svc", "nel",
  "report-to", "reporting-endpoints", "strict-transport-security", "openai-organization", "openai-project",
  "anthropic-organization-id", "clear-site-data", "refresh", "link", "content-location", "sourcemap", "service-worker-allowed",
  "timing-allow-origin", "origin-agent-cluster", "permissions-policy", "document-policy", "feature-policy", "speculation-rules",
  "activate-storage-access", "accept-ch", "critical-ch", "expect-ct", "public-key-pins", "x-frame-options",
];
/** What a provider says to caches and proxies, which stand behind the gateway as well. */
const CACHE = [
  "cache-control", "age", "expires", "pragma", "etag", "last-modified", "vary", "surrogate-control", "x-accel-redirect", "x-accel-expires", "x-sendfile",
];
const TO_PROVIDER = new Set([...HOP, ...CLIENT, ...METHOD, ...PARTS]);
const TO_CLIENT = new Set([...HOP, ...SITE, ...CACHE]);
const CLIENT_PREFIX = /^(x-forwarded-|cf-|sec-|x-holdfast-|access-control-)/;
const SITE_PREFIX = /^(access-control-|cf-|cdn-|cloudflare-|content-security-policy|cross-origin-|x-holdfast-)/;

/** The names that a Connection header makes hop-by-hop. */
const named = (headers) => new Set((headers.get("connection") ?? "").toLowerCase().split(",").map((name) => name.trim()));

function passing(headers, dropped, prefix) {
  const hop = named(headers);
  return [...headers].filter(([name]) => !dropped.has(name) && !prefix.test(name) && !hop.has(name));
}

/** The headers of a request that go on to the provider, as an object. */
export function toProvider(headers) {
  return Object.fromEntries(passing(headers, TO_PROVIDER, CLIENT_PREFIX));
}

/** The headers of a response that go on to the client: none that tells a key. */
export function toClient(headers, keys) {
  const told = (value) => keys.some((key) => key && value.includes(key));
  const out = new Headers();
  for (const [name, value] of passing(headers, TO_CLIENT, SITE_PREFIX)) if (!told(value)) out.append(name, value);
  return out;
}

/** What every response says to browsers. */
export function secure(headers) {
  headers.set("x-content-type-options", "nosniff");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  headers.set("cross-origin-resource-policy", "same-origin");
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'"); // a provider's has been dropped
  headers.set("strict-transport-security", "max-age=31536000");
}
