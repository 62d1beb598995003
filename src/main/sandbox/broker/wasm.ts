/** Starts the WebAssembly runtimes, each in a Node process of its own that has no files, no children and an empty environment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { runLimits } from '../limits.ts';
import { dropped, packageFolder, program, sandboxFolder } from './machine.ts';
import { pythonRequest } from './python.ts';
import type { Started } from './member.ts';

/** Ends the child with us even while a program spins in it and the broker was killed. */
const deathWatch = (): string[] => {
  const setpriv = process.platform === 'linux' ? program('setpriv') : null;
  const prlimit = process.platform === 'linux' ? program('prlimit') : null;
  return [
    ...(prlimit === null ? [] : [prlimit, `--cpu=${runLimits.cpuSeconds}`, '--core=0', '--']),
    ...(setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--']),
  ];
};

export function startNode(script: string, readable: string[], args: string[], flags: string[] = []): ChildProcess {
  const permission = ['--permission', ...readable.map((path) => `--allow-fs-read=${path}`)];
  const command = [...deathWatch(), process.execPath, '--no-warnings', ...flags, ...permission, script, ...args];
  const child = spawn(command[0]!, command.slice(1), {
    ...dropped(),
    cwd: '/',
    env: process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  child.on('error', () => undefined);
  return child;
}

export function startJavascript(memoryMb: number): Started {
  const folder = sandboxFolder();
  const packages = ['quickjs-emscripten', 'quickjs-emscripten-core', '@jitl'].map(
    (name) => packageFolder(name) ?? packageFolder('@jitl/quickjs-ffi-types')?.replace(/\/[^/]+$/, ''),
  );
  const readable = [
    folder,
    join(folder, '..', 'package.json'),
    ...packages.filter((path): path is string => path !== null && path !== undefined),
  ];
  const child = startNode(join(folder, 'wasm', 'quickjs.mjs'), readable, [String(memoryMb)]);
  return { child, runtime: 'quickjs', request: pythonRequest, memorySource: 'vmhwm', watchMb: (run) => run.memoryMb + 150 };
}
