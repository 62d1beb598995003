/** Starts the Python runner: in the jail (level kernel), or held by Landlock and the filter alone (level kernel-lite). */
import { spawn } from 'node:child_process';
import { mkdtempSync, chownSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrokerRun } from '../protocol.ts';
import { filters } from '../filter/policies.ts';
import { runLimits } from '../limits.ts';
import { bindExisting, dropped, findPython, isRoot, libraryBinds, readText, type Python } from './machine.ts';
import { startJail } from './jail.ts';
import type { Started } from './member.ts';

const parts = ['check.py', 'explain.py', 'pack.py', 'host.py', 'runner.py'];
export const pythonSource = (entry: string[]): string => [...parts, ...entry].map((name) => readText('python', name)).join('\n\n');

let jailSource: string | undefined;
const source = (): string => (jailSource ??= pythonSource(['lockdown.py', 'main_jail.py']));
let stage2: string | undefined;

function configOf(
  python: Python,
  variant: 'plain' | 'data',
  memoryMb: number,
  landlock: { read: string[]; write: string[] } | null,
): string {
  stage2 ??= Buffer.from(filters.pythonStage2()).toString('base64');
  return JSON.stringify({
    filter: stage2,
    path: python.sitePackages,
    preload: variant === 'data' ? ['numpy', 'pandas', 'matplotlib.pyplot'] : [],
    memoryBytes: memoryMb * 1024 * 1024,
    tasks: landlock === null ? runLimits.tasks : null,
    fileBytes: runLimits.fileBytes,
    inputBytes: runLimits.inputBytes,
    cpuSeconds: runLimits.cpuSeconds,
    openFiles: runLimits.openFiles,
    resultChars: runLimits.imageChars + 10_000,
    landlock,
  });
}

const environment = {
  OPENBLAS_NUM_THREADS: '1',
  OMP_NUM_THREADS: '1',
  MPLBACKEND: 'agg',
  MPLCONFIGDIR: '/nowhere',
  PYTHONHASHSEED: 'random',
};

export function pythonRequest(run: BrokerRun, mark: string): Uint8Array[] {
  const request = {
    mark,
    code: run.code,
    check: run.check,
    tools: run.tools,
    inputs: run.inputs.map((input) => ({ name: input.name, base64: Buffer.from(input.bytes).toString('base64') })),
  };
  return [Buffer.from(`${JSON.stringify(request)}\n`)];
}

export function startPythonJail(variant: 'plain' | 'data', memoryMb: number): Started {
  const python = findPython();
  if (python === null) throw new Error('python3 is not installed');
  const data = ['/usr/share/zoneinfo', '/usr/share/matplotlib', '/usr/share/fonts', '/etc/matplotlibrc', '/etc/alternatives'];
  const child = startJail({
    binds: [
      '--ro-bind',
      python.real,
      '/usr/bin/python3',
      ...libraryBinds(),
      ...bindExisting([...python.folders, ...python.sitePackages, ...data]),
    ],
    env: environment,
    filter: filters.pythonStage1(),
    texts: [{ path: '/runner.py', content: source() }],
    command: ['/usr/bin/python3', '-I', '-S', '-B', '-u', '/runner.py', configOf(python, variant, memoryMb, null)],
  });
  return {
    child,
    runtime: `python-${python.version}`,
    request: pythonRequest,
    memorySource: 'vmhwm',
    watchMb: (run) => run.memoryMb + 40, // the interpreter is bound by RLIMIT_AS; this is for what escapes its count
  };
}

/** The weaker Linux level: no namespaces, so host process numbers and file metadata can be seen. */
export function startPythonLite(variant: 'plain' | 'data', memoryMb: number): Started {
  const python = findPython();
  if (python === null) throw new Error('python3 is not installed');
  const work = mkdtempSync(join(tmpdir(), 'handrail-run-'));
  if (isRoot()) chownSync(work, 65534, 65534);
  const read = [
    ...python.folders,
    ...python.sitePackages,
    '/usr/lib',
    '/lib',
    '/usr/lib64',
    '/lib64',
    '/usr/share/zoneinfo',
    '/usr/share/matplotlib',
    '/usr/share/fonts',
    '/etc/matplotlibrc',
    '/etc/alternatives',
    '/dev/null',
    '/dev/urandom',
  ];
  const child = spawn(
    python.path,
    ['-I', '-S', '-B', '-u', '-c', source(), configOf(python, variant, memoryMb, { read, write: [work, '/dev/null'] })],
    {
      ...dropped(),
      cwd: work,
      env: { PATH: '/usr/bin', LANG: 'C.UTF-8', HOME: work, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    },
  );
  child.on('error', () => undefined);
  return {
    child,
    runtime: `python-${python.version}`,
    request: pythonRequest,
    memorySource: 'vmhwm',
    watchMb: (run) => run.memoryMb + 40,
    dispose: () => {
      rmSync(work, { recursive: true, force: true });
      return null;
    },
  };
}
