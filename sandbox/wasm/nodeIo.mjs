/** Descriptors of a process of its own: request on 3, report on 4, both read and written in place. */
import { readSync, writeSync } from 'node:fs';

const IN = 3;

export const nodeIo = {
  receive(most) {
    const chunk = new Uint8Array(Math.min(most, 1 << 18));
    for (;;) {
      try {
        return chunk.subarray(0, readSync(IN, chunk, 0, chunk.length, null));
      } catch (error) {
        if (error.code === 'EOF') return new Uint8Array(0);
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  },
  write(fd, bytes) {
    for (let from = 0; from < bytes.length;) {
      try {
        from += writeSync(fd, bytes, from);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  },
  exit: (code) => process.exit(code),
};
