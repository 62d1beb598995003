/** Starts the Python runner: in the jail (level kernel), or held by Landlock and the filter alone (level kernel-lite). */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, chownSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrokerRun } from '../protocol.ts';
import { filters } from '../filter/policies.ts';
import { runLimits } from '../limits.ts';
import { bindExisting, dropped, findPython, isRoot, libraryBinds, readText, type Python } from './machine.ts';
import { startJail } from './jail.ts';
import { ownGroup } from './processes.ts';
import type { Started } from './member.ts';

const parts = ['check.py', 'shape.py', 'explain.py', 'pack.py', 'host.py', 'runner.py'];
export const pythonSource = (entry: string[]): string => [...parts, ...entry].map((name) => readText('python', name)).join('\n\n');

let jailSource: string | undefined;
const source = (): string => (jailSource ??= pythonSource(['lockdown.py', 'main_jail.py']));
/** Compiled once for this interpreter: reading the source anew would cost each start some 10 ms. */
let bytecode: Buffer | undefined;
function compiled(python: Python): Buffer {
  const script =
    'import sys, marshal, importlib.util; sys.stdout.buffer.write(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(compile(sys.stdin.read(), "runner", "exec", optimize=1)))';
  bytecode ??= execFileSync(python.path, ['-I', '-S', '-c', script], {
    ...dropped(),
    input: source(),
    env: {},
    cwd: '/',
    timeout: 20_000,
    maxBuffer: 4 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return bytecode;
}
let stage2: string | undefined;

function configOf(
  python: Python,
  variant: 'plain' | 'data',
  memoryMb: number,
  landlock: { read: string[]; write: string[] } | null,
  warm: boolean,
): string {
  stage2 ??= Buffer.from(filters.pythonStage2()).toString('hex');
  return pythonLiteral({
    filter: stage2,
    warm,
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

/** One line of facts, the code, then each file: nothing that needs a parser inside. */
export function plainRequest(run: BrokerRun, mark: string): Uint8Array[] {
  const code = Buffer.from(run.code);
  const files = run.inputs.flatMap((input) => [Buffer.from(`${input.bytes.byteLength} ${input.name}\n`), Buffer.from(input.bytes)]);
  const wanted = run.defines.map((f) => `${f.name}/${f.parameters ?? '-'}`).join(',') || '-';
  return [Buffer.from(`${mark} ${Number(run.check)} ${wanted} ${Number(run.tools)} ${code.length} ${run.inputs.length}\n`), code, ...files];
}

/** The same as one line of JSON, for what runs in Node. */
export function jsonRequest(run: BrokerRun, mark: string): Uint8Array[] {
  const inputs = run.inputs.map((input) => ({ name: input.name, base64: Buffer.from(input.bytes).toString('base64') }));
  return [Buffer.from(`${JSON.stringify({ mark, code: run.code, check: run.check, defines: run.defines, tools: run.tools, inputs })}\n`)];
}

/** JSON is almost a literal of Python. The values are ours: numbers, texts without escapes, lists, true, false and null. */
export const pythonLiteral = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    item === null ? '\u0000None' : item === true ? '\u0000True' : item === false ? '\u0000False' : item,
  ).replace(/"\\u0000(\w+)"/g, '$1');

export function startPythonJail(variant: 'plain' | 'data', memoryMb: number, warm: boolean): Started {
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
    texts: [{ path: '/runner.pyc', content: compiled(python) }],
    command: ['/usr/bin/python3', '-I', '-S', '-B', '-u', '/runner.pyc', configOf(python, variant, memoryMb, null, warm)],
  });
  return {
    child,
    runtime: `python-${python.version}`,
    request: plainRequest,
    memorySource: 'vmhwm',
    watchMb: (run) => run.memoryMb + 40, // the interpreter is bound by RLIMIT_AS; this is for what escapes its count
  };
}

/** The weaker Linux level: no namespaces, so host process numbers and file metadata can be seen. */
export function startPythonLite(variant: 'plain' | 'data', memoryMb: number, warm: boolean): Started {
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
    ['-I', '-S', '-B', '-u', '-c', source(), configOf(python, variant, memoryMb, { read, write: [work, '/dev/null'] }, warm)],
    {
      ...dropped(),
      ...ownGroup,
      cwd: work,
      env: { PATH: '/usr/bin', LANG: 'C.UTF-8', HOME: work, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    },
  );
  child.on('error', () => undefined);
  return {
    child,
    runtime: `python-${python.version}`,
    request: plainRequest,
    memorySource: 'vmhwm',
    watchMb: (run) => run.memoryMb + 40,
    dispose: () => {
      rmSync(work, { recursive: true, force: true });
      return null;
    },
  };
}
