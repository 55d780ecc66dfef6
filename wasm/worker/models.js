// Models finds what a request would have run: the models that it names, wherever it does.
//
// A token that is for some models is good for a request when it is for all of them. What a tool runs without a
// name counts as a model that is called like the tool, and what else chooses a model as one that is called like its
// member: so what is not known here is refused, and can be allowed by that name.

import { list, plain } from "./named.js";

/** Members, parameters and headers that say what runs. */
const CHOOSES = /model|fallback|rout|preset|deployment|^(agents?|engine|prompt)$/;
/** What is said in a conversation, described to a model or noted beside it. Of all that only tools are run. */
const DATA = /^(messages|input|contents?|instances|instructions|system|systeminstruction|metadata|labels)$|(schema|properties|defs|definitions|examples)$/;
/** Lists of what is run beside the model. */
const TOOLS = /^(tools|plugins)$/;
/** Tools that run no model, without the version in their type. Gemini's have a member of that name instead. */
const PLAIN = new Set([
  "function", "functiondeclarations", "custom", "namespace", "toolsearch", "websearch", "webfetch", "xsearch", "filesearch", "collectionssearch",
  "googlesearch", "googlesearchretrieval", "googlemaps", "urlcontext", "codeinterpreter", "codeexecution", "computer", "computeruse", "mcp", "mcptoolset",
  "mcpserver", "mcpservers", "localshell", "shell", "applypatch", "bash", "texteditor", "memory",
]);
const VERSION = /(tool)?(preview|regex|bm25)?\d*$/;
/** Longer than any type: a million digits would be searched for a version for minutes. */
const MAX_KIND = 100;
/** By member: the values at which tokens cost what the table says. */
const USUAL = { servicetier: /^(auto|default|standard|standard_only|flex|batch|on_demand)$/i, speed: /^standard$/i };

const isObject = (value) => typeof value === "object" && value !== null;

/**
 * The models that an object names: a body, headers, or the parameters of an address.
 * @param {object} value
 * @param {boolean} [only] only those that its tools bring
 * @returns {string[]}
 */
export function modelsIn(value, only = false) {
  return Object.entries(value).flatMap(([name, one]) => {
    const said = plain(name);
    if (TOOLS.test(said)) return list(one).flatMap(tool);
    if (CHOOSES.test(said) && !only) return list(one).flatMap((choice) => chosen(name, choice));
    if (DATA.test(said)) return list(one).filter(isObject).flatMap(({ tools }) => modelsIn({ tools }));
    return isObject(one) ? modelsIn(one, only) : [];
  });
}

/** Tells whether a body asks for what costs more than its answer's usage tells: a dearer tier, or a tool with a model of its own. */
export function dearer(body) {
  const tiers = Object.entries(body).filter(([name, value]) => value !== null && Object.hasOwn(USUAL, plain(name)) && !USUAL[plain(name)].test(value));
  return tiers.length > 0 || modelsIn(body, true).length > 0;
}

function chosen(name, choice) {
  if (choice === undefined || choice === null || choice === false) return [];
  if (typeof choice === "string") return [choice.replace(/^models\//, "")]; // as Gemini writes it
  return isObject(choice) && typeof choice.model === "string" ? modelsIn(choice) : [name];
}

function tool(one) {
  if (one === undefined || one === null) return [];
  const named = isObject(one) ? modelsIn(one) : [];
  return named.length > 0 ? named : kinds(one).filter((kind) => kind.length > MAX_KIND || !PLAIN.has(plain(kind).replace(VERSION, "")));
}

/** What a tool is: by its type, or a function that is described, or by its members. */
function kinds(one) {
  if (!isObject(one)) return [String(one)];
  const type = one.type ?? one.id ?? (one.name === undefined ? null : "custom");
  return type === null ? Object.keys(one) : [String(type)];
}
