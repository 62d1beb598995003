/** One JavaScript program in QuickJS on WebAssembly, alone in this process. */
import { readFileSync } from 'node:fs';
import { nodeIo } from './nodeIo.mjs';
import { runJavascript } from './quickjsRun.mjs';

await runJavascript(nodeIo, {
  memoryMb: Number(process.argv[2]),
  prelude: readFileSync(new URL('./prelude.js', import.meta.url), 'utf8'),
});
