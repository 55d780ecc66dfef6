// Pace lets one isolate keep up with many streams. A read costs a turn of JavaScript, whatever it
// brings. When the streams bring more chunks than the isolate has turns, each read waits for more of them.
// The price: a body that breaks takes with it what a read has waited with. Nobody was shown that, and the
// call goes on from what was.

/** So many reads a second leave an isolate the time for everything else. */
const READS_A_SECOND = 4000;
const WINDOW_MS = 250;
/** No read waits for more than its stream has lately brought in so long. */
const HOLD_MS = 250;
/** Each read has room for so many bytes, workerd another time: as little as most chunks take. */
const MIN_BUFFER_BYTES = 1 << 10;
const MAX_BUFFER_BYTES = 64 << 10;

/** What all streams of an isolate bring together. */
export class Pace {
  /** A read should bring so many bytes. */
  leastBytes = 1;
  #since = 0;
  #reads = 0;
  #bytes = 0;

  /** Counts a read. */
  count(bytes, now) {
    this.#reads++;
    this.#bytes += bytes;
    const seconds = (now - this.#since) / 1000;
    if (seconds < WINDOW_MS / 1000) return;
    const reads = this.#reads / seconds;
    const enough = Math.ceil(this.#bytes / seconds / READS_A_SECOND);
    if (reads > READS_A_SECOND) this.leastBytes = enough;
    else this.leastBytes = reads < READS_A_SECOND / 2 ? 1 : Math.min(this.leastBytes, enough);
    [this.#since, this.#reads, this.#bytes] = [now, 0, 0];
  }
}

const shared = new Pace();

/** Reads a provider's body at the pace of its isolate. */
export class PacedReader {
  #reader;
  #pace;
  #buffer = new ArrayBuffer(MIN_BUFFER_BYTES);
  /** What the stream brings in HOLD_MS. */
  #usualBytes = 1;
  #since = Date.now();
  #bytes = 0;

  /** @param {ReadableStream} body of a fetch */
  constructor(body, pace = shared) {
    this.#reader = body.getReader({ mode: "byob" });
    this.#pace = pace;
  }

  async read() {
    const least = Math.max(1, Math.min(this.#pace.leastBytes, this.#usualBytes, this.#buffer.byteLength));
    const { done, value } = await this.#reader.readAtLeast(least, new Uint8Array(this.#buffer));
    if (done) return { done };
    this.#buffer = value.buffer;
    this.#count(value.length);
    const chunk = value.slice(); // the buffer is for the next read
    if (value.length === this.#buffer.byteLength && value.length < MAX_BUFFER_BYTES) this.#buffer = new ArrayBuffer(2 * value.length);
    return { done, value: chunk };
  }

  cancel() {
    return this.#reader.cancel();
  }

  #count(bytes) {
    const now = Date.now();
    this.#pace.count(bytes, now);
    this.#bytes += bytes;
    const ms = now - this.#since;
    if (ms < HOLD_MS) return;
    this.#usualBytes = Math.floor((this.#bytes * HOLD_MS) / ms);
    [this.#since, this.#bytes] = [now, 0];
  }
}
