/** The child's side of the result channel: request on descriptor 3, report on descriptor 4, both read and written in place. */
import { readSync, writeSync } from 'node:fs';

const IN = 3;
const OUT = 4;
let rest = Buffer.alloc(0);
let mark = '';

export function writeAll(fd, bytes) {
  for (let from = 0; from < bytes.length;) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

export function send(message) {
  writeAll(OUT, Buffer.from(`\n${mark} ${typeof message === 'string' ? message : JSON.stringify(message)}\n`));
}

/** The next line as text; the broker's end closes this process. */
export function receiveLine() {
  const parts = [rest];
  const chunk = Buffer.alloc(1 << 16);
  while (!parts.at(-1).includes(10)) {
    let count = 0;
    try {
      count = readSync(IN, chunk, 0, chunk.length, null);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
      if (error.code !== 'EOF') throw error;
    }
    if (count === 0) process.exit(90);
    parts.push(Buffer.from(chunk.subarray(0, count)));
  }
  const all = Buffer.concat(parts);
  const at = all.indexOf(10);
  rest = all.subarray(at + 1);
  return all.subarray(0, at).toString('utf8');
}

export function receiveRequest() {
  const request = JSON.parse(receiveLine());
  mark = request.mark;
  return request;
}

export function waitForEnd() {
  try {
    readSync(IN, Buffer.alloc(1), 0, 1, null);
  } catch {
    /* the other side is gone */
  }
  process.exit(0);
}
