/** Starts DuckDB in a Node process of its own: in the jail (level kernel), or bound by the engine's own locks and our watch (level engine). */
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filters } from '../filter/policies.ts';
import { runLimits } from '../limits.ts';
import { bindExisting, isRoot, libraryBinds, packageFolder, program, sandboxFolder } from './machine.ts';
import { startJail } from './jail.ts';
import type { Started } from './member.ts';
import { jsonRequest } from './python.ts';
import { startNode } from './wasm.ts';

/** The engine's own memory_limit does not count scalar texts (3.6 GB at a limit of 512 MB): the data limit of the process does. */
const dataLimitMb = (memoryMb: number): number => memoryMb + 288;
const watchMb = (run: { memoryMb: number }): number => run.memoryMb + 250;

function packages(): string[] {
  const names = ['@duckdb/node-api', '@duckdb/node-bindings', `@duckdb/node-bindings-${process.platform}-${process.arch}`];
  const folders = names.map(packageFolder);
  if (folders.includes(null)) throw new Error('the package @duckdb/node-api is not installed');
  return folders.filter((folder): folder is string => folder !== null);
}

const script = (): string => join(sandboxFolder(), 'sql', 'engine.mjs');
const engineArguments = (memoryMb: number, work: string): string[] => [
  JSON.stringify({ memoryMb, work, rows: 1_000, countRows: 200_000, resultChars: runLimits.resultChars }),
];

export function startSqlJail(memoryMb: number): Started {
  const node = realpathSync(process.execPath);
  const isElectron = process.versions['electron'] !== undefined;
  const prlimit = program('prlimit');
  const child = startJail({
    binds: [
      ...libraryBinds(),
      '--ro-bind',
      isElectron ? dirname(node) : node,
      isElectron ? dirname(node) : node,
      ...bindExisting([join(sandboxFolder(), 'sql'), ...packages()]),
    ],
    env: isElectron ? { ELECTRON_RUN_AS_NODE: '1' } : {},
    filter: filters.node(),
    texts: [],
    workspaceBytes: 3 * runLimits.inputBytes,
    before:
      prlimit === null
        ? []
        : [prlimit, `--data=${dataLimitMb(memoryMb) * 1024 * 1024}`, `--cpu=${2 * runLimits.cpuSeconds}`, '--core=0', '--'],
    command: [node, '--no-warnings', '--max-old-space-size=128', script(), ...engineArguments(memoryMb, '/workspace')],
  });
  return { child, runtime: 'duckdb', request: jsonRequest, memorySource: 'vmhwm', watchMb };
}

export function startSqlEngine(memoryMb: number): Started {
  const work = mkdtempSync(join(tmpdir(), 'handrail-sql-'));
  if (isRoot()) chownSync(work, 65534, 65534);
  const child = startNode(script(), [], engineArguments(memoryMb, work), ['--max-old-space-size=128'], {
    permission: false,
    dataMb: dataLimitMb(memoryMb),
  });
  return {
    child,
    runtime: 'duckdb',
    request: jsonRequest,
    memorySource: 'vmhwm',
    watchMb,
    dispose: () => {
      rmSync(work, { recursive: true, force: true });
      return null;
    },
  };
}
