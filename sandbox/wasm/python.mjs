/** One Python program in CPython on WASI, alone in this process. */
import { readFileSync } from 'node:fs';
import { nodeIo } from './nodeIo.mjs';
import { runPython } from './pythonRun.mjs';

const { wasm, source, config } = JSON.parse(process.argv[2]);
runPython(nodeIo, {
  wasm: new Uint8Array(readFileSync(wasm)),
  program: source.map((path) => readFileSync(path, 'utf8')).join('\n\n'),
  config,
});
