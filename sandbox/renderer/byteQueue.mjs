/** Bytes from a page to its worker through shared memory, so that the worker can wait for them in the middle of a program. */
const WRITTEN = 0;
const READ = 1;
const HEADER_BYTES = 8;
const QUEUE_BYTES = 1 << 20;

export function createByteQueueWriter() {
  const buffer = new SharedArrayBuffer(HEADER_BYTES + QUEUE_BYTES);
  const counts = new Int32Array(buffer, 0, 2);
  const data = new Uint8Array(buffer, HEADER_BYTES);
  const waiting = [];
  function flush() {
    while (waiting.length > 0) {
      const written = Atomics.load(counts, WRITTEN) >>> 0;
      const free = QUEUE_BYTES - ((written - (Atomics.load(counts, READ) >>> 0)) >>> 0);
      if (free === 0) return;
      const at = written % QUEUE_BYTES;
      const piece = waiting[0].subarray(0, Math.min(free, QUEUE_BYTES - at));
      data.set(piece, at);
      Atomics.store(counts, WRITTEN, (written + piece.length) | 0);
      Atomics.notify(counts, WRITTEN);
      if (piece.length === waiting[0].length) waiting.shift();
      else waiting[0] = waiting[0].subarray(piece.length);
    }
  }
  return {
    buffer,
    push(bytes) {
      if (bytes.length > 0) waiting.push(bytes);
      flush();
    },
    /** To be called when the reader has taken something. */
    flush,
  };
}

export function createByteQueueReader(buffer) {
  const counts = new Int32Array(buffer, 0, 2);
  const data = new Uint8Array(buffer, HEADER_BYTES);
  return {
    /** Waits until there are bytes and takes at most so many. */
    receive(most) {
      const read = Atomics.load(counts, READ) >>> 0;
      let written = Atomics.load(counts, WRITTEN);
      while (written >>> 0 === read) {
        Atomics.wait(counts, WRITTEN, written);
        written = Atomics.load(counts, WRITTEN);
      }
      const at = read % QUEUE_BYTES;
      const length = Math.min(most, ((written >>> 0) - read) >>> 0, QUEUE_BYTES - at);
      const bytes = data.slice(at, at + length);
      Atomics.store(counts, READ, (read + length) | 0);
      return bytes;
    },
  };
}
