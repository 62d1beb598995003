/** One Python program in CPython on WASI, alone in this process. */
import { readFileSync, readSync } from 'node:fs';
import { writeAll } from './channel.mjs';
import { createMemoryFiles } from './memoryFiles.mjs';
import { withMemoryLimit } from './memoryLimit.mjs';
import { createWasi } from './wasi.mjs';

const { wasm, source, config } = JSON.parse(process.argv[2]);
const IN = 3;
const OUT = 4;
const pause = new Int32Array(new SharedArrayBuffer(4));

function receive(wanted) {
  const chunk = Buffer.alloc(Math.min(wanted, 1 << 18));
  for (;;) {
    try {
      return chunk.subarray(0, readSync(IN, chunk, 0, chunk.length, null));
    } catch (error) {
      if (error.code === 'EOF') return new Uint8Array(0);
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

/** The given files may be bigger than what a program may write: the limit falls when the runner says that it starts the program. */
function report(chunk) {
  if (limits.fileBytes !== config.fileBytes && Buffer.from(chunk).includes('"kind":"started"')) limits.fileBytes = config.fileBytes;
  writeAll(OUT, chunk);
}

const limits = { fileBytes: config.workspaceBytes, bytes: config.workspaceBytes, files: config.workspaceFiles };
const files = createMemoryFiles(limits);
const program = source.map((path) => readFileSync(path, 'utf8')).join('\n\n');
const wasi = createWasi({
  args: ['python', '-I', '-S', '-B', '-u', '-c', program, JSON.stringify(config)],
  env: { HOME: '/workspace', LANG: 'C.UTF-8' },
  files,
  streams: {
    0: { read: () => new Uint8Array(0) },
    1: { write: (chunk) => writeAll(1, chunk) },
    2: { write: (chunk) => writeAll(2, chunk) },
  },
  devices: { '.host-channel': { read: receive, write: report } },
  sleep: (ms) => Atomics.wait(pause, 0, 0, ms),
  random: (into) => crypto.getRandomValues(into),
});

const bytes = withMemoryLimit(new Uint8Array(readFileSync(wasm)), config.memoryPages);
const module = new WebAssembly.Module(bytes);
const instance = new WebAssembly.Instance(module, wasi.imports);
try {
  process.exit(wasi.start(instance));
} catch (error) {
  writeAll(2, Buffer.from(`${error?.name}: the interpreter stopped\n`));
  process.exit(error?.name === 'RangeError' || error?.name === 'RuntimeError' ? 134 : 70);
}
