// Worker is the gateway: it lets a request in, and finds out where it goes.

import { serveAnswer } from "./asking.js";
import { brokenConfig, configOf } from "./config.js";
import { isControl, serveControl } from "./control.js";
import { errorResponse, Refusal, refusalOf } from "./errors.js";
import { allow, originOf, preflight } from "./guard.js";
import { secure } from "./headers.js";
import { serveLink } from "./links.js";
import { objectOf } from "./objects.js";
import { Passage } from "./passage.js";
import { PROVIDERS } from "./providers.js";
import { callerOf, STATUS } from "./tokens.js";

export { Answers } from "./answers.js";
export { Ledger } from "./ledger.js";
export { Stored } from "./stored.js";
export { Streams } from "./streams.js";

export default {
  async fetch(request, env, ctx) {
    const url = URL.parse(request.url) ?? new URL("http://unknown.invalid"); // by a Host that is none
    const route = routeOf(url);
    let origin = "";
    let response;
    try {
      const config = configured(env, url.pathname === "/control/config");
      origin = originOf(config, request.headers);
      if (request.method === "OPTIONS") response = preflight(request.headers);
      else {
        const caller = await callerOf(config, request, url);
        permit(caller, request, url);
        const [, linked] = LINK.exec(url.pathname) ?? [];
        if (isControl(url.pathname)) response = await serveControl({ request, url, config, caller, env });
        else response = linked ? await serveLink(config, caller, linked, request) : await route.serve(new Passage(request, url, { config, caller, env, ctx }), { request, config, caller, env });
      }
    } catch (error) {
      if (request.signal.aborted) return new Response(null, { status: 499 }); // nobody takes it
      response = errorResponse(route.form, refusalOf(error));
    }
    if (response.status === 401 && url.pathname === STATUS) response.headers.set("www-authenticate", 'Basic realm="Holdfast", charset="UTF-8"');
    secure(response.headers);
    allow(origin, response.headers);
    return response;
  },
};

/** The configuration; or, for whoever wants to know what is wrong with it, what there is of it. */
function configured(env, tolerant) {
  try {
    return configOf(env);
  } catch (error) {
    const readable = tolerant && brokenConfig(env, error);
    if (readable) return readable;
    console.error("holdfast: the configuration:", error.message);
    throw new Refusal(500, "misconfigured", "This gateway is not configured; its log tells why.");
  }
}

const LINK = /^\/answers\/([\w-]{8,64})\/link$/;
const ANSWER = /^\/answers\/[\w-]{8,64}$/;

/** Refuses what a caller may not do who may only read. */
function permit({ reads }, { method }, { pathname }) {
  if (!reads || (ANSWER.test(pathname) && (method === "GET" || method === "HEAD"))) return;
  throw new Refusal(403, "insufficient_scope", "This token is good for reading answers only.");
}

/** OpenAI's own paths, behind which stand the models of the configuration. Some clients write /v1 into their base URL. */
const ASKED = { "/chat/completions": "chat", "/responses": "responses", "/embeddings": "embeddings" };

/** What serves a path, and the form of its errors. */
function routeOf({ pathname }) {
  const own = pathname.replace(/^\/v1(?=\/)/, "");
  if (Object.hasOwn(ASKED, own)) {
    const asked = ASKED[own];
    const form = asked === "responses" ? asked : "openai";
    return { form, serve: (passage) => passage.model(asked, form) };
  }
  const [, first, path] = /^\/([a-z]+)(\/.*)$/.exec(pathname) ?? [];
  if (Object.hasOwn(PROVIDERS, first ?? "")) {
    const form = formOf(first, path);
    return { form, serve: (passage) => passage.native(first, path, form) };
  }
  const [, name] = /^\/streams\/([\w.~/-]{1,200})$/.exec(pathname) ?? [];
  if (name) return { form: "openai", serve: (passage, { caller, env }) => passage.stream(objectOf(env.STREAMS, caller.owner, name)) };
  const [, asked] = /^\/answers(\/.*|$)/.exec(pathname) ?? [];
  if (asked !== undefined) return { form: formOfAnswer(asked), serve: (passage, about) => serveAnswer(passage, asked, about) };
  return { form: "openai", serve: (passage) => passage.plain(own) };
}

function formOfAnswer(asked) {
  const [, provider, path] = /^\/([a-z]+)(\/.*)$/.exec(asked) ?? [];
  return Object.hasOwn(PROVIDERS, provider ?? "") ? formOf(provider, path) : "openai";
}

function formOf(provider, path) {
  if (/\/messages/.test(path)) return "anthropic";
  if (/\/responses/.test(path) && provider !== "gloo") return "responses";
  return /\/(openai|chat)\//.test(path) && provider !== "gloo" ? "openai" : PROVIDERS[provider].form;
}
