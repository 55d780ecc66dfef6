// Socket is one connection of a live session: it opens a WebSocket and passes on what comes.

import { describeFailure, headerPairs, quietly } from "./error.js";
import { encodeText } from "./check.js";
import { isNode, soon } from "./host.js";

/** A header that no provider knows, by which a bare key is asked for where the secrets are. */
const KEY = "x-holdfast-key";

export class Socket {
  #line;
  #socket = null;
  /** What the host said of a failure, before it says that the connection is closed. */
  #failure = {};
  /** What the URL and the subprotocols hold, and no report may. @type {string[]} */
  #secrets = [];
  /** Closed, or no longer wanted: whatever still arrives is dropped. */
  #over = false;
  #closing = false;
  /** A message that comes as a Blob takes a moment; those behind it wait. @type {Promise<void> | null} */
  #reading = null;

  /** @param {import("./line.js").Line} line */
  constructor(line, connection) {
    this.#line = line;
    this.connection = connection;
  }

  /** Opens the socket. Never rejects: what goes wrong is told to the program. */
  async open({ url, door, protocols, headers }) {
    await null; // the program is still running: user code must wait until it has returned
    try {
      const signed = await this.#line.session.authorize(headers, `${KEY}: `);
      if (this.#closing) return;
      const request = present(url, door, protocols, headers, signed);
      if (request.secret) this.#secrets = [encodeURIComponent(request.secret), request.secret];
      this.#socket = this.#line.session.socket(request);
    } catch (error) {
      this.#closed({ code: 1006, ...this.#describe(error) });
      return;
    }
    const socket = this.#socket;
    socket.binaryType = "arraybuffer"; // Gemini sends its JSON as binary messages
    socket.onopen = () => this.#over || this.#line.opened(this);
    socket.onmessage = ({ data }) => this.#message(data);
    // Only the package ws tells why a handshake was refused.
    socket.on?.("unexpected-response", (_, response) => this.#refused(response));
    socket.onerror = (event) => (this.#failure = this.#describe(event?.error ?? event));
    socket.onclose = (event) => {
      const how = { ...this.#failure, code: event?.code ?? 1006, reason: this.#hide(String(event?.reason ?? "")) };
      if (this.#reading) this.#reading.then(() => this.#closed(how));
      else this.#closed(how);
    };
  }

  // A socket that cannot be used says so by closing.

  /** Sends one text frame, after those before it. */
  send(text) {
    soon(() => quietly(() => this.#socket?.send(text)));
  }

  /** Closes the socket, after the frames before. Harmless at any time. */
  close() {
    this.#closing = true;
    soon(() => quietly(() => this.#socket?.close(1000)));
  }

  /** Closes it, and lets nothing come of it any more. */
  drop() {
    this.#over = true;
    this.close();
  }

  #describe(error) {
    const { name, code, message } = describeFailure(error);
    return { name, errorCode: code, message: this.#hide(message) };
  }

  #hide(text) {
    return this.#secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "…"), text);
  }

  async #refused(response) {
    let body = "";
    await quietly(async () => {
      for await (const chunk of response.setEncoding("utf8")) if ((body += chunk).length > 65_536) break;
    });
    this.#closed({ code: 1006, status: response.statusCode, headers: headerPairs(response.headers), body: this.#hide(body) });
    this.close();
  }

  #message(data) {
    if (this.#over || this.#closing) return;
    if (typeof data === "string") return this.#bring(encodeText(data));
    if (data instanceof ArrayBuffer) return this.#bring(new Uint8Array(data));
    if (ArrayBuffer.isView(data)) return this.#bring(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    if (typeof data?.arrayBuffer !== "function") return;
    this.#after(async () => this.#bring(new Uint8Array(await data.arrayBuffer()), true));
  }

  #bring(bytes, inTurn = false) {
    if (this.#reading && !inTurn) this.#after(() => this.#bring(bytes, true));
    else if (!this.#over && !this.#closing) this.#line.message(this, bytes);
  }

  #after(read) {
    const reading = (this.#reading = (this.#reading ?? Promise.resolve()).then(read).catch(() => {}));
    reading.then(() => {
      if (this.#reading === reading) this.#reading = null;
    });
  }

  #closed(how) {
    if (this.#over) return;
    this.#over = true;
    this.#line.closed(this, how);
  }
}

/**
 * Puts the credential where a socket can carry it: a header, else the query or a subprotocol, as
 * the provider's door has it. A header of the user's own counts instead, and needs a host with headers.
 */
function present(url, door, protocols, headers, { [KEY]: key, ...signed }) {
  const withHeaders = isNode() && typeof document === "undefined";
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const token = own.has("authorization") ? undefined : signed.authorization?.slice("Bearer ".length);
  if (token !== undefined) delete signed.authorization;
  const secret = token ?? key;
  const result = { url, protocols: [...protocols], headers: withHeaders ? signed : undefined, secret };
  if (secret === undefined) return result;
  const parameter = token === undefined ? door.key : door.token;
  if (door.header && withHeaders) {
    const colon = door.header.indexOf(": ");
    const name = door.header.slice(0, colon);
    if (!own.has(name)) result.headers[name] = door.header.slice(colon + 2) + secret;
  } else if (parameter) {
    result.url += `${url.includes("?") ? "&" : "?"}${parameter}=${encodeURIComponent(secret)}`;
  } else {
    result.protocols.push(door.protocol + secret);
  }
  return result;
}
