// Reader follows one durable answer from wherever it stands, as a page does that comes and goes.
import assert from "node:assert/strict";

export class Reader {
  offset = "-1";
  text = "";
  tools = [];
  /** The result, when the answer has ended. */
  result = null;
  /** Every message, in order. */
  messages = [];

  /** @param {(path: string, init?: RequestInit) => Promise<Response>} get asks the gateway */
  constructor(get, id) {
    this.get = get;
    this.id = id;
  }

  /** Reads until the answer ends, or until it is told to leave. Gives whether the answer has ended. */
  async follow(live = "sse", signal) {
    while (!this.result && !signal?.aborted) {
      const response = await this.get(`/answers/${this.id}?offset=${this.offset}&live=${live}`, { signal });
      if (live === "sse") await this.#events(response, signal);
      else await this.#batch(response);
    }
    return this.result !== null;
  }

  /** Reads what there is. */
  async catchUp() {
    await this.#batch(await this.get(`/answers/${this.id}?offset=${this.offset}`));
    return this;
  }

  async #batch(response) {
    assert.ok(response.status === 200 || response.status === 204, `HTTP ${response.status}`);
    const messages = response.status === 200 ? await response.json() : [];
    this.#take(messages, response.headers.get("stream-next-offset"));
  }

  async #events(response, signal) {
    assert.equal(response.status, 200);
    let rest = "";
    let data = [];
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        const [, name] = /^event: (\w+)$/m.exec(event) ?? [];
        const value = name && JSON.parse(event.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n"));
        if (name === "data") data = value;
        else if (name === "control") [data] = [[], this.#take(data, value.streamNextOffset)];
        if (signal?.aborted) return;
      }
    }
  }

  #take(messages, offset) {
    assert.equal(this.result, null, "nothing comes behind the end");
    for (const message of messages) {
      this.messages.push(message);
      if (message.type === "text") this.text += message.text;
      else if (message.type === "restart") [this.text, this.tools] = ["", []];
      else if (message.type === "tool_call") this.tools.push(message);
      else if (message.type === "done") this.result = message.result;
    }
    if (messages.length > 0) assert.ok(this.offset === "-1" || offset > this.offset, "offsets grow");
    this.offset = offset;
  }
}
