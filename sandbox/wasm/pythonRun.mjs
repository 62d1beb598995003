/** One Python program in CPython on WASI: the same in a process and in a page's worker, which differ in their `io` only. */
import { REPORTS } from './channel.mjs';
import { createMemoryFiles } from './memoryFiles.mjs';
import { withMemoryLimit } from './memoryLimit.mjs';
import { createWasi } from './wasi.mjs';

const utf8 = new TextEncoder();
const started = utf8.encode('"kind":"started"');

/** `wasm`: bytes of the interpreter, `program`: our runner's source, `config`: what the starter on the host's side tells it. */
export function runPython(io, { wasm, program, config }) {
  const limits = { fileBytes: config.workspaceBytes, bytes: config.workspaceBytes, files: config.workspaceFiles };
  const pause = new Int32Array(new SharedArrayBuffer(4));
  /** The given files may be bigger than what a program may write: the limit falls when the runner says that it starts the program. */
  function report(chunk) {
    if (limits.fileBytes !== config.fileBytes && holds(chunk, started)) limits.fileBytes = config.fileBytes;
    io.write(REPORTS, chunk);
  }
  const wasi = createWasi({
    args: ['python', '-I', '-S', '-B', '-u', '-c', program, JSON.stringify(config)],
    env: { HOME: '/workspace', LANG: 'C.UTF-8' },
    files: createMemoryFiles(limits),
    streams: {
      0: { read: () => new Uint8Array(0) },
      1: { write: (chunk) => io.write(1, chunk) },
      2: { write: (chunk) => io.write(2, chunk) },
    },
    devices: { '.host-channel': { read: (most) => io.receive(most), write: report } },
    sleep: (ms) => Atomics.wait(pause, 0, 0, ms),
    random: (into) => crypto.getRandomValues(into),
  });
  const module = new WebAssembly.Module(withMemoryLimit(wasm, config.memoryPages));
  const instance = new WebAssembly.Instance(module, wasi.imports);
  io.uses?.(instance.exports.memory);
  let code;
  try {
    code = wasi.start(instance);
  } catch (error) {
    io.write(2, utf8.encode(`${error?.name}: the interpreter stopped\n`));
    code = error?.name === 'RangeError' || error?.name === 'RuntimeError' ? 134 : 70;
  }
  io.exit(code);
}

function holds(bytes, part) {
  for (let at = bytes.indexOf(part[0]); at >= 0; at = bytes.indexOf(part[0], at + 1)) {
    if (part.every((byte, i) => bytes[at + i] === byte)) return true;
  }
  return false;
}
