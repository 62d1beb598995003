/**
 * The run's side of the result channel: a request in, reports out. `io` is what the surroundings give: `receive(most)` waits for
 * bytes (none: the other side is gone), `write(descriptor, bytes)` writes them all, `exit(code)` ends this run,
 * `uses(memory)`, where it is there, hears of the program's WebAssembly memory.
 */
export const REPORTS = 4;
const utf8 = new TextEncoder();

export function createChannel(io) {
  let rest = new Uint8Array(0);
  let mark = '';

  /** The next line as text; the broker's end closes this run. */
  function receiveLine() {
    const parts = [rest];
    while (!parts.at(-1).includes(10)) {
      const chunk = io.receive(1 << 16);
      if (chunk.length === 0) io.exit(90);
      parts.push(chunk);
    }
    const all = joined(parts);
    const at = all.indexOf(10);
    rest = all.slice(at + 1);
    return new TextDecoder().decode(all.subarray(0, at));
  }

  return {
    receiveLine,
    send(message) {
      io.write(REPORTS, utf8.encode(`\n${mark} ${typeof message === 'string' ? message : JSON.stringify(message)}\n`));
    },
    receiveRequest() {
      const request = JSON.parse(receiveLine());
      mark = request.mark;
      return request;
    },
    waitForEnd() {
      io.receive(1);
      io.exit(0);
    },
  };
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
