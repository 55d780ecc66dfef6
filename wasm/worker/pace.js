// Pace lets one isolate keep up with many streams. A read costs a turn of JavaScript, whatever it
// brings. When the streams bring more chunks than the isolate has turns, each read waits for more of them.
// How many turns that are is told by a timer: it comes late where there are too many.
//
// The price: a body that breaks takes with it what a read has waited with. Nobody was shown that, and the
// call goes on from what was.

/** So many reads a second leave an isolate the time for everything else, if it is not late with them. */
const READS_A_SECOND = 4000;
/** So few reads a second make no turn late. */
const FEW_READS_A_SECOND = 500;
/** So long after more than those it is looked how late turns are. */
const BUSY_MS = 1000;
const WINDOW_MS = 250;

/** Turns that come so late are too many; up to so late, there may be more. */
const LATE_MS = 50;
const PROMPT_MS = 10;
/** When the timer is due, and after how long it is taken for one that has gone with its request. */
const BEAT_MS = 50;
const LOST_MS = 250;

/** No read waits for more than its stream brings in so long; where turns are late, in longer. */
const HOLD_MS = 250;
const MAX_HOLD_MS = 1000;
/** What a read waits for at most where turns are late: it has to have room for it. */
const MAX_LEAST_BYTES = 2 << 10;

/** Each read has room for so many bytes, workerd another time: as little as most chunks take. */
const MIN_BUFFER_BYTES = 1 << 10;
const MAX_BUFFER_BYTES = 64 << 10;

/** What all streams of an isolate bring together, and how it keeps up with them. */
export class Pace {
  /** A read should bring so many bytes, */
  leastBytes = 1;
  /** but wait for no more than its stream brings in so long. */
  holdMs = HOLD_MS;
  /** How late turns come. */
  lateMs = 0;
  #busyUntil = 0;
  #dueAt = 0;
  #since = 0;
  #reads = 0;
  #bytes = 0;

  /** Counts a read. */
  count(bytes, now) {
    this.#reads++;
    this.#bytes += bytes;
    const seconds = (now - this.#since) / 1000;
    if (seconds < WINDOW_MS / 1000) return;
    this.#adapt(this.#reads / seconds, this.#bytes / seconds);
    this.#busyUntil = this.#reads / seconds > FEW_READS_A_SECOND ? now + BUSY_MS : 0;
    [this.#since, this.#reads, this.#bytes] = [now, 0, 0];
    this.#beat(now);
  }

  /** Sets what the next reads wait for, by the reads and bytes a second of the last ones. */
  #adapt(reads, bytes) {
    if (this.lateMs > LATE_MS) {
      this.leastBytes = Math.min(MAX_LEAST_BYTES, 2 * Math.max(this.leastBytes, bytes / reads));
      this.holdMs = Math.min(MAX_HOLD_MS, 2 * this.holdMs);
      return;
    }
    const enough = bytes / READS_A_SECOND;
    if (reads > READS_A_SECOND) this.leastBytes = Math.max(0.9 * this.leastBytes, enough);
    if (this.lateMs > PROMPT_MS) return;
    this.holdMs = Math.max(HOLD_MS, 0.9 * this.holdMs);
    if (reads < READS_A_SECOND / 2) this.leastBytes = Math.max(1, this.leastBytes / 8);
    else if (reads <= READS_A_SECOND) this.leastBytes = Math.min(0.9 * this.leastBytes, enough);
  }

  /** Finds out how late a timer comes, again and again. It belongs to the request at hand, and ends with it. */
  #beat(now) {
    if (now > this.#busyUntil) {
      this.lateMs = 0;
      return;
    }
    if (now < this.#dueAt + LOST_MS) return;
    const due = (this.#dueAt = now + BEAT_MS);
    setTimeout(() => {
      const now = Date.now();
      this.lateMs = Math.max(0, now - due);
      this.#dueAt = 0;
      this.#beat(now);
    }, BEAT_MS);
  }
}

const shared = new Pace();

/** Reads a provider's body at the pace of its isolate. */
export class PacedReader {
  #reader;
  #pace;
  #buffer = new ArrayBuffer(MIN_BUFFER_BYTES);
  #full = false;
  /** What the stream brings while it is waited for. */
  #bytesPerMs = 0;
  #since = Date.now();
  #bytes = 0;
  #waitedMs = 0;

  /** @param {ReadableStream} body of a fetch */
  constructor(body, pace = shared) {
    this.#reader = body.getReader({ mode: "byob" });
    this.#pace = pace;
  }

  async read() {
    const { leastBytes, holdMs } = this.#pace;
    const wanted = Math.max(1, Math.floor(Math.min(leastBytes, this.#bytesPerMs * holdMs)));
    const size = this.#buffer.byteLength;
    if ((this.#full || wanted > size) && size < MAX_BUFFER_BYTES) this.#buffer = new ArrayBuffer(2 * size);
    const asked = Date.now();
    const { done, value } = await this.#reader.readAtLeast(Math.min(wanted, this.#buffer.byteLength), new Uint8Array(this.#buffer));
    if (done) return { done };
    this.#buffer = value.buffer;
    this.#full = value.length === value.buffer.byteLength && value.length > wanted;
    this.#count(value.length, asked);
    return { done, value: value.slice() }; // the buffer is for the next read
  }

  cancel() {
    return this.#reader.cancel();
  }

  /** @returns {Promise<void>} */
  get closed() {
    return this.#reader.closed;
  }

  #count(bytes, asked) {
    const now = Date.now();
    this.#pace.count(bytes, now);
    this.#bytes += bytes;
    this.#waitedMs += Math.max(0, now - asked - this.#pace.lateMs); // as long as the turn was late, the bytes have waited
    if (now - this.#since < HOLD_MS) return;
    this.#bytesPerMs = this.#bytes / Math.max(1, this.#waitedMs);
    [this.#since, this.#bytes, this.#waitedMs] = [now, 0, 0];
  }
}
