/**
 * From start to result of the smallest program, cold and warm, beside a bare interpreter and plain bubblewrap in the same run. Peers and
 * ours take turns, so that a busy moment hits both; figures are medians.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createSandbox, type HostedSandbox } from '../../src/main/sandbox/index.ts';
import { filters } from '../../src/main/sandbox/filter/policies.ts';
import { startJail } from '../../src/main/sandbox/broker/jail.ts';
import { bindExisting, findPython, libraryBinds } from '../../src/main/sandbox/broker/machine.ts';
import { processTree } from '../../src/main/sandbox/broker/processes.ts';
import type { RunLang, RunLevel } from '../../src/shared/contracts/sandbox.ts';
import type { Bench, Figure } from './main.ts';

const rounds = 15;
const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const rounded = (value: number): number => Math.round(value * 100) / 100;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function spawned(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    child.stdout.resume();
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', () => resolve(performance.now() - from));
  });
}

const python = findPython();
function emptyJail(): Promise<number> {
  const from = performance.now();
  const child = startJail({
    binds: ['--ro-bind', python!.real, '/usr/bin/python3', ...libraryBinds(), ...bindExisting(python!.folders)],
    env: {},
    filter: filters.pythonStage1(),
    texts: [],
    command: ['/usr/bin/python3', '-I', '-S', '-c', 'print(1)'],
  });
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  child.stdout!.resume();
  child.stderr!.resume();
  return new Promise((resolve) => child.on('close', () => resolve(performance.now() - from)));
}
const plainBwrap = ['--ro-bind', '/', '/', '--unshare-all', '--die-with-parent', '--', '/usr/bin/python3', '-I', '-S', '-c', 'print(1)'];

const programs: Record<RunLang, string> = { python: '1', javascript: 'result=1', sql: 'SELECT 1', shell: 'echo 1' };

/** A process that is dead but not yet collected takes nothing any more. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

type Times = { result: number; gone: number };

/** From the request to the result, and until no process of the run is left. */
async function run(sandbox: HostedSandbox, lang: RunLang, level: RunLevel, code = programs[lang]): Promise<Times> {
  let pids: number[] = [];
  const from = performance.now();
  const onStarted = (pid: number): void => void (pids = processTree(pid));
  const result = await sandbox.runWith({ lang, level, code, useCache: false }, { onStarted });
  const toResult = performance.now() - from;
  if (result.status !== 'ok') throw new Error(`${lang} ${level}: ${result.status} ${result.error?.message}`);
  for (const end = performance.now() + 2_000; pids.some(isAlive) && performance.now() < end;) await turn();
  return { result: toResult, gone: performance.now() - from };
}
const timed = async (...args: Parameters<typeof run>): Promise<number> => (await run(...args)).result;

/** Waits until a new interpreter stands ready, so that a warm run is one. */
async function ready(sandbox: HostedSandbox, key: string): Promise<void> {
  for (let i = 0; i < 400; i++) {
    const { pools } = await sandbox.health();
    if (pools.some((pool) => pool.key.startsWith(key) && pool.waiting > 0)) return;
    await pause(20);
  }
  throw new Error(`no ${key} became ready`);
}

async function warmRuns(
  sandbox: HostedSandbox,
  lang: RunLang,
  level: RunLevel,
  variant: 'plain' | 'data',
  count: number,
  code?: string,
): Promise<Times> {
  sandbox.warm(lang, level, variant);
  const times: Times[] = [];
  for (let i = 0; i < count; i++) {
    await ready(sandbox, `${lang}:${level}:${variant}`);
    await pause(30);
    times.push(await run(sandbox, lang, level, code));
  }
  return { result: median(times.map((t) => t.result)), gone: median(times.map((t) => t.gone)) };
}

function pssMb(root: number): number {
  const all = [root];
  let kb = 0;
  for (let i = 0; i < all.length; i++) {
    try {
      all.push(...readFileSync(`/proc/${all[i]}/task/${all[i]}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
      kb += Number(/Pss:\s+(\d+)/.exec(readFileSync(`/proc/${all[i]}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // gone, or not ours to read
    }
  }
  return kb / 1024;
}

/** Memory of a run's processes in the middle of a run that waits. */
async function memoryOf(sandbox: HostedSandbox, level: RunLevel): Promise<number> {
  let pid = 0;
  let hasBegun: () => void = () => undefined;
  const running = new Promise<void>((resolve) => (hasBegun = resolve));
  const run = sandbox.runWith(
    { lang: 'python', level, code: 'import time\ntime.sleep(1.5)', useCache: false },
    { onStarted: (p) => (pid = p), onRunning: () => hasBegun() },
  );
  await Promise.race([running, run]);
  await pause(200);
  const measured = pssMb(pid);
  await run;
  return measured;
}

export async function bench(): Promise<Bench> {
  const figures: Figure[] = [];
  const add = (name: string, value: number, unit: string, peer: number | null = null, most: number | null = null): void => {
    const ratio = peer === null ? null : value / peer;
    const judged = peer === null ? value : ratio!;
    figures.push({
      name,
      value: rounded(value),
      unit,
      peer: peer === null ? null : rounded(peer),
      ratio: ratio === null ? null : rounded(ratio),
      goal: most === null ? null : peer === null ? `<= ${most} ${unit}` : `ratio <= ${most}`,
      met: most === null ? null : judged <= most,
    });
  };
  const cold = createSandbox({ warm: 0 });
  const warm = createSandbox({ warm: 1 });
  try {
    for (const sandbox of [cold, warm]) await sandbox.levels();
    await warm.levelStates('python');
    const times = {
      bare: [] as number[],
      node: [] as number[],
      bwrap: [] as number[],
      jail: [] as number[],
      coldRun: [] as Times[],
      js: [] as number[],
      wasi: [] as number[],
      sql: [] as number[],
      shell: [] as number[],
    };
    for (let i = 0; i < rounds; i++) {
      times.bare.push(await spawned('/usr/bin/python3', ['-I', '-S', '-c', 'print(1)']));
      times.jail.push(await emptyJail());
      times.coldRun.push(await run(cold, 'python', 'kernel'));
      times.bwrap.push(await spawned('/usr/bin/bwrap', plainBwrap));
      if (i % 3 !== 0) continue;
      times.node.push(await spawned(process.execPath, ['-e', '0']));
      times.js.push(await timed(cold, 'javascript', 'wasm'));
      times.wasi.push(await timed(cold, 'python', 'wasm'));
      times.sql.push(await timed(cold, 'sql', 'kernel'));
      times.shell.push(await timed(cold, 'shell', 'kernel'));
    }
    const bare = median(times.bare);
    const node = median(times.node);
    add('bare python3 -I -S, start to exit', bare, 'ms');
    add('bare node, start to exit', node, 'ms');
    add('plain bubblewrap with python3, start to exit', median(times.bwrap), 'ms', bare);
    add('our jail with python3, start to exit', median(times.jail), 'ms', bare, 2.0);
    add('python cold run, request to result', median(times.coldRun.map((t) => t.result)), 'ms', bare);
    add('python cold run, request to all gone', median(times.coldRun.map((t) => t.gone)), 'ms', bare, 4.0);
    const warmPython = await warmRuns(warm, 'python', 'kernel', 'plain', rounds);
    add('python warm run, request to result', warmPython.result, 'ms', bare);
    add('python warm run, request to all gone', warmPython.gone, 'ms', bare, 0.3);
    const barePandas = median([
      await spawned('/usr/bin/python3', ['-c', 'import pandas']),
      await spawned('/usr/bin/python3', ['-c', 'import pandas']),
      await spawned('/usr/bin/python3', ['-c', 'import pandas']),
    ]);
    add(
      'python warm run with pandas',
      (await warmRuns(warm, 'python', 'kernel', 'data', 9, 'import pandas as pd\n1')).result,
      'ms',
      barePandas,
      0.05,
    );
    add('javascript cold run', median(times.js), 'ms', node);
    add('javascript warm run', (await warmRuns(warm, 'javascript', 'wasm', 'plain', 9)).result, 'ms', null, 5);
    add('python on WASI cold run', median(times.wasi), 'ms', bare);
    add('python on WASI warm run', (await warmRuns(warm, 'python', 'wasm', 'plain', 9)).result, 'ms', null, 10);
    add('sql cold run', median(times.sql), 'ms', node);
    add('sql warm run', (await warmRuns(warm, 'sql', 'kernel', 'plain', 9)).result, 'ms');
    add('shell cold run', median(times.shell), 'ms');
    add('shell warm run', (await warmRuns(warm, 'shell', 'kernel', 'plain', 9)).result, 'ms');
    const [jailed, free] = [await memoryOf(cold, 'kernel'), await memoryOf(cold, 'kernel-lite')];
    add('memory of the jail over the same interpreter without it (PSS)', Math.max(0, jailed - free), 'MB', null, 3);
    add('memory of the jailed interpreter (PSS)', jailed, 'MB');
    const late: number[] = [];
    for (const level of ['kernel', 'wasm'] as const) {
      const from = performance.now();
      const result = await cold.run({ lang: 'python', level, code: 'while True: pass', limits: { timeoutMs: 1_000 }, useCache: false });
      late.push(performance.now() - from - 1_000 - result.metadata.start_ms);
    }
    add('longest overshoot of a deadline', Math.max(...late), 'ms', null, 200);
    const from = performance.now();
    const many = await Promise.all(
      Array.from({ length: 100 }, () => cold.run({ lang: 'python', level: 'kernel', code: '1', useCache: false })),
    );
    add('100 runs at once, all done', performance.now() - from, 'ms');
    add('of them ok', many.filter((r) => r.status === 'ok').length, 'runs');
  } finally {
    await cold.close();
    await warm.close();
  }
  const lost = figures.filter((f) => f.met === false).map((f) => f.name);
  return { name: 'sandbox', figures, summary: lost.length === 0 ? 'All goals are met.' : `Not met: ${lost.join('; ')}.` };
}
