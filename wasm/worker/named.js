// Named finds ids of what providers store: in requests, which name it, and in responses, which tell it.
//
// Responses and interactions, the items of a response, and the containers and environments in which tools run are
// made by the clients of this gateway, and each is one client's. Files, vector stores, prompts and caches are not among
// them: no path of the gateway makes any, so those that a body can name are whoever's who holds the account.

import { joined } from "./bytes.js";
import { Refusal } from "./errors.js";

/** Some readers of JSON take previousResponseId as well, and any case. */
export const plain = (name) => name.toLowerCase().replace(/[_-]/g, "");

/** The values of a member, however it is written. */
function all(value, member) {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).filter(([name]) => plain(name) === plain(member)).map(([, one]) => one);
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const list = (value) => (Array.isArray(value) ? value : [value]);

/** Items of a response's input that bring all that they are: their ids lead nowhere. */
const WHOLE = /^(message|function_call|custom_tool_call)$|_output$/;
const SUBSTANCE = ["content", "arguments", "input", "output"];

/**
 * The stored things that a body names.
 * @param {string} path
 * @param {object} body
 * @returns {{id: string, member: string}[]}
 */
export function namedIn(path, body) {
  const named = [];
  const add = (member, value) => {
    if (typeof value === "string") named.push({ id: value, member });
    else if (value !== undefined && value !== null) throw new Refusal(400, "invalid_request", `${member} must be text.`);
  };
  const each = (value, member) => all(value, member).forEach((one) => add(member, one));
  const container = (value) => {
    for (const one of all(value, "container")) {
      if (isObject(one)) each(one, "id");
      else add("container", one);
    }
    each(value, "container_id");
  };

  for (const member of ["previous_response_id", "previous_interaction_id", "environment_id"]) each(body, member);
  container(body);
  for (const one of all(body, "environment")) {
    if (isObject(one)) for (const member of ["environment_id", "env_id", "id"]) each(one, member);
    else if (one !== "remote") add("environment", one); // that is a new one
  }
  for (const tool of all(body, "tools").flatMap(list)) {
    container(tool);
    all(tool, "environment").forEach(container);
  }
  if (all(body, "conversation").some((one) => one !== null)) throw unproven("conversation");
  for (const message of all(body, "messages").flatMap(list)) {
    if (all(message, "audio").some((audio) => all(audio, "id").length > 0)) throw unproven("audio.id");
  }
  if (!/\/responses(\/input_tokens)?$/.test(path)) return named;
  for (const item of all(body, "input").flatMap(list)) {
    container(item);
    all(item, "environment").forEach(container);
    each(item, "approval_request_id");
    if (!isWhole(item)) each(item, "id");
  }
  return named;
}

function isWhole(item) {
  if (all(item, "encrypted_content").some((one) => typeof one === "string" && one !== "")) return true;
  const [type = null, ...more] = all(item, "type");
  const whole = type === null ? all(item, "role").length > 0 : WHOLE.test(type);
  return whole && more.length === 0 && SUBSTANCE.some((member) => all(item, member).length > 0);
}

const unproven = (member) => new Refusal(400, "invalid_request", `${member}: this gateway has several owners, and does not know whose that is. Send what it stands for.`);

/** What a response, an event of its stream or an item of it tells. @returns {string[]} */
export function toldBy({ id, request_id, response, interaction, message, item, container, environment_id, delta, output }) {
  const things = [{ id, container, environment_id }, { id: request_id }, response, interaction, item, { container: message?.container }, { container: delta?.container }, ...list(response?.output), ...list(output)];
  const ids = things.flatMap((thing) => [thing?.id, thing?.container_id, thing?.container?.id, thing?.environment_id]);
  return ids.filter((one) => typeof one === "string" && one !== "");
}

/** APIs whose responses tell ids that a later request can name. A ticket of a deferred answer is one too. */
export const tells = (path, body) => /\/(responses|interactions|messages)$/.test(path) || body.deferred === true;

/** The stream's first events tell its own id, and its API may name no events. */
const FIRST_EVENTS = 4;
/** Later ones tell of an item that has begun, or at the end where tools have run. */
const LATER = ["event: response.output_item.added", "event: message_delta", "event: interaction."].map((line) => new TextEncoder().encode(line));
const DATA = new TextEncoder().encode("data:");
const LINE_END = 10;
const NOTHING = new Uint8Array(0);

/** Reads what goes out to a client, for what it tells. */
export class Telling {
  #tell;
  #events;
  #most;
  /** Ids that have been told. */
  #told = new Set();
  /** Of a whole response all that came; of a stream the line at hand. */
  #parts = [];
  #size = 0;
  /** Events so far whose data was read, and whether that of the one at hand is to be. */
  #read = 0;
  #later = false;

  /**
   * @param {(ids: string[]) => void} tell
   * @param {boolean} events whether it is a stream of events
   * @param {number} most bytes to be kept of a line, or of all
   */
  constructor(tell, events, most) {
    this.#tell = tell;
    this.#events = events;
    this.#most = most;
  }

  /** @param {Uint8Array} bytes */
  take(bytes) {
    let from = 0;
    if (this.#events) {
      for (let end; (end = bytes.indexOf(LINE_END, from)) >= 0; from = end + 1) this.#line(this.#all(bytes.subarray(from, end)));
    }
    if (from < bytes.length) this.#hold(bytes.subarray(from));
  }

  /** The response is whole. */
  end() {
    if (!this.#events) this.#parse(this.#all());
  }

  /** Keeps what is no whole line yet. */
  #hold(bytes) {
    this.#size += bytes.length;
    if (this.#size <= this.#most) this.#parts.push(bytes.slice()); // they are another's
    else this.#parts = [];
  }

  /** What was kept, and these bytes; nothing when it is too much. */
  #all(bytes = NOTHING) {
    const [parts, size] = [this.#parts, this.#size + bytes.length];
    if (size === bytes.length) return bytes;
    this.#parts = [];
    this.#size = 0;
    return size <= this.#most ? joined([...parts, bytes]) : NOTHING;
  }

  #line(line) {
    if (!begins(line, DATA)) {
      if (line.length > 0) this.#later = LATER.some((one) => begins(line, one));
    } else if (this.#later || this.#read < FIRST_EVENTS) {
      this.#read++;
      this.#parse(line.subarray(DATA.length));
    }
  }

  #parse(bytes) {
    let value;
    try {
      value = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return; // an end mark, or the beginning of what broke off
    }
    const ids = value === null ? [] : toldBy(value).filter((id) => !this.#told.has(id));
    for (const id of ids) this.#told.add(id);
    if (ids.length > 0) this.#tell(ids);
  }
}

function begins(bytes, text) {
  if (bytes.length < text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text[i]) return false;
  return true;
}
