// Providers: what of each one's own API the gateway passes on, and how it is signed.
//
// A path that is not here does not exist: files, batches, fine-tuning and organisations of the
// account behind the key are nobody's business at the other end of a token.

/** One segment of a path: nothing that another server could read as a slash or as "..". */
const ID = "(?!\\.)[\\w.:-]+";
/** The same for the id of what a client has made there, which is nobody else's: see named.js. */
const STORED = `(?<stored>${ID})`;

const routes = (...lines) =>
  lines.map((line) => {
    const [methods, path] = line.split(" ");
    return { methods: methods.split("|"), path: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("*", ID).replaceAll("@", STORED)}$`) };
  });

/**
 * form: in which the provider tells errors. own, responses: the wire formats of targets that are
 * asked in chat and in responses. embeddings: the path of embeddings in OpenAI's form. bearer: paths
 * that take the key as a bearer token although the provider's own API does not.
 */
export const PROVIDERS = {
  openai: {
    base: "https://api.openai.com", form: "openai", header: "authorization", own: "chat", responses: "responses", embeddings: "/v1/embeddings",
    routes: routes(
      "POST /v1/(chat/completions|responses|embeddings|moderations|responses/input_tokens)",
      "GET /v1/models(/*)?", "GET|DELETE /v1/responses/@", "GET /v1/responses/@/input_items", "POST /v1/responses/@/cancel",
    ),
  },
  anthropic: {
    base: "https://api.anthropic.com", form: "anthropic", header: "x-api-key", own: "messages", responses: "messages", bearer: "/chat/completions",
    routes: routes("POST /v1/(messages|messages/count_tokens|chat/completions)", "GET /v1/models(/*)?"),
  },
  gemini: {
    base: "https://generativelanguage.googleapis.com", form: "gemini", header: "x-goog-api-key", own: "generate", responses: "generate",
    embeddings: "/v1beta/openai/embeddings", bearer: "/openai/",
    routes: routes(
      "POST /v1(beta)?/models/*:(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents|predict|predictLongRunning)", "GET /v1(beta)?/models(/*)?",
      "POST /v1beta/interactions", "GET|DELETE /v1beta/interactions/@", "POST /v1beta/interactions/@/cancel",
      "POST /v1beta/openai/(chat/completions|embeddings)", "GET /v1beta/openai/models(/*)?",
    ),
  },
  xai: {
    base: "https://api.x.ai", form: "openai", header: "authorization", own: "chat", responses: "responses", embeddings: "/v1/embeddings",
    routes: routes(
      "POST /v1/(chat/completions|responses|messages|embeddings)",
      "GET /v1/models(/*)?", "GET|DELETE /v1/responses/@", "GET /v1/chat/deferred-completion/@",
    ),
  },
  gloo: {
    base: "https://platform.ai.gloo.com", form: "gloo", header: "authorization", own: "chat", responses: "responses", embeddings: "/ai/v2/embeddings",
    routes: routes("POST /ai/v2/((guarded|direct)/)?(chat/completions|responses|embeddings)", "GET /ai/v2/models"),
  },
};

/** Parameters that stay here: where some clients of Gemini put the token, and what would leave the bill out of Google's answer, or write it otherwise. */
const DROPPED = ["key", "access_token", "oauth_token", "fields", "$fields", "alt", "$alt", "callback", "$callback"];

/** Takes out of an address what stays here. @param {URLSearchParams} parameters */
export function strip(parameters) {
  const events = parameters.get("alt") === "sse"; // beside JSON the one form that is read
  for (const name of DROPPED) parameters.delete(name);
  if (events) parameters.set("alt", "sse");
}

const FREE = /(:countTokens|\/count_tokens|\/input_tokens|\/moderations|\/cancel)$/;

/** Tells whether a request that asks no model costs nothing. */
export const isFree = (method, path) => method !== "POST" || FREE.test(path);

/**
 * A request as one that the gateway passes on; null when it is none.
 * @returns {{stored: string | undefined} | null} the id in its path
 */
export function passing(provider, method, path) {
  for (const route of PROVIDERS[provider].routes) {
    const match = route.methods.includes(method) && route.path.exec(path);
    if (match) return { stored: match.groups?.stored };
  }
  return null;
}

/** The header that signs a request to a path of a provider. */
export function signature(provider, path, key) {
  const { header, bearer } = PROVIDERS[provider];
  return header === "authorization" || (bearer && path.includes(bearer)) ? ["authorization", `Bearer ${key}`] : [header, key];
}
