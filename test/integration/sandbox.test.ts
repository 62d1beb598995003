import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunLevel } from '../../src/shared/contracts/sandbox.ts';
import { createSandbox, type HostedSandbox } from '../../src/main/sandbox/index.ts';
import { runOnce } from '../eval/sandbox.ts';
import { programsOf, readCase, type Case } from '../eval/sandbox/caseFile.ts';
import { judge } from '../eval/sandbox/judge.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'test/fixtures/sandbox');
const all = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .map((name) => join(folder, name));
const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;
const forOrdinaryUser = [
  'py-ok-main-guard.py',
  'py-ok-pathlib.py',
  'py-fs-proc.py',
  'py-net-tcp.py',
  'py-kern-bpf.py',
  'py-proc-fork.py',
  'py-res-memory.py',
  'py-res-inodes.py',
  'js-ok-class.js',
  'sql-ok-group.sql',
  'sh-ok-awk.sh',
  'sh-other-programs.sh',
];

/** What the whole of it says when an ordinary user runs it; it goes on beside the tests, which mostly wait for deadlines. */
let asOrdinaryUser: Promise<string> | null = null;
function runAsOrdinaryUser(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'handrail-user-'));
  chmodSync(home, 0o777);
  const user = ['--reuid=65534', '--regid=65534', '--clear-groups', 'env', '-i', 'PATH=/usr/bin:/bin', `HOME=${home}`];
  const program = [process.execPath, '--no-warnings', join(root, 'test/eval/main.ts'), 'sandbox'];
  const files = forOrdinaryUser.map((name) => join(folder, name));
  return new Promise<string>((resolve) =>
    execFile('setpriv', [...user, ...program, ...files], (error, stdout, stderr) => resolve(stdout + (error ? stderr : ''))),
  ).finally(() => rmSync(home, { recursive: true, force: true }));
}

let sandbox: HostedSandbox;
beforeAll(() => {
  process.env['HANDRAIL_CANARY'] = 'canary-7f3a';
  sandbox = createSandbox({ warm: 2 });
  if (isLinux && isRoot) asOrdinaryUser = runAsOrdinaryUser();
});
afterAll(async () => {
  await asOrdinaryUser;
  await sandbox.close();
}, 240_000);

/** A program that can only be ended by its deadline shows the same at one second as at five. */
const endsAtDeadline = ({ expect: { status } }: Case): boolean =>
  status !== undefined && status.every((each) => ['timeout', 'killed'].includes(each));

/**
 * What is wrong with each file on a level; several at once, because many wait for a deadline. One that ran into it with the check off and
 * of which the check may say what it likes is not run into it again.
 */
async function wrongOn(level: RunLevel, files: string[], checks: readonly ('on' | 'off')[]): Promise<string[]> {
  const wrong: string[] = [];
  const left = files.map(readCase).filter((one) => one.expect.heavy !== true || level === 'kernel');
  async function work(): Promise<void> {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      let atDeadline = false;
      for (const check of checks) {
        if (atDeadline && check === 'on' && one.expect.static !== 'reject' && one.expect.static !== 'allow') continue;
        if (one.afterFile !== null) await runOnce(sandbox, readCase(one.afterFile), readCase(one.afterFile).code, level, check);
        for (const code of programsOf(one)) {
          const seen = await runOnce(sandbox, one, code, level, check, endsAtDeadline(one) ? 1_000 : undefined);
          atDeadline ||= seen.envelope.status === 'timeout';
          const why = judge({ ...one.expect, max_ms: undefined }, level, check, seen);
          if (why !== null) wrong.push(`${one.expect.id} (${check}): ${why}`);
        }
      }
    }
  }
  await Promise.all(Array.from({ length: 4 }, work));
  return wrong;
}
const named = (...starts: string[]): string[] => all.filter((file) => starts.some((start) => basename(file).startsWith(start)));

test('the attempts and the ordinary programs are as many as promised', () => {
  expect(all.filter((file) => !basename(file).includes('-ok-')).length).toBeGreaterThanOrEqual(120);
  expect(all.filter((file) => basename(file).includes('-ok-')).length).toBeGreaterThanOrEqual(60);
});

test.runIf(isLinux)(
  'this machine has the kernel levels that its tests are about',
  async () => {
    for (const lang of ['python', 'sql', 'shell'] as const) {
      const [state] = await sandbox.levelStates(lang);
      expect(state, state!.reason ?? '').toMatchObject({ level: 'kernel', works: true });
    }
  },
  60_000,
);

test.runIf(isLinux)(
  'Python in the kernel jail: the wall holds without the check, the check refuses what it must and nothing ordinary',
  async () => {
    expect(await wrongOn('kernel', named('py-'), ['off', 'on'])).toEqual([]);
  },
  240_000,
);

test('JavaScript in WebAssembly: every attempt is contained, every ordinary program runs', async () => {
  expect(await wrongOn('wasm', named('js-'), ['off', 'on'])).toEqual([]);
}, 180_000);

test('Python in WebAssembly: files, network, results and state, with the wall alone', async () => {
  expect(
    await wrongOn('wasm', named('py-fs', 'py-net-t', 'py-out', 'py-pii', 'py-state', 'py-io-s', 'py-ok-c', 'py-ok-d'), ['off']),
  ).toEqual([]);
}, 240_000);

test.runIf(isLinux)(
  'SQL: no file, no network, no setting, and memory ends',
  async () => {
    expect(await wrongOn('kernel', named('sql-'), ['on'])).toEqual([]);
    expect(await wrongOn('engine', named('sql-f', 'sql-s', 'sql-w', 'sql-n', 'sql-ok'), ['off'])).toEqual([]);
  },
  240_000,
);

test.runIf(isLinux)(
  'the shell has its few tools and nothing else',
  async () => {
    expect(await wrongOn('kernel', named('sh-'), ['off'])).toEqual([]);
  },
  120_000,
);

test.runIf(isLinux)(
  'without namespaces Landlock and the filter still hold files, network and processes',
  async () => {
    expect(
      await wrongOn(
        'kernel-lite',
        named(
          'py-net',
          'py-proc-fork',
          'py-proc-exec',
          'py-fs-absolute',
          'py-fs-parent',
          'py-fs-proc',
          'py-ok-main',
          'py-ok-csv',
          'py-kern-b',
        ),
        ['off'],
      ),
    ).toEqual([]);
  },
  60_000,
);

test.runIf(isLinux && isRoot)(
  'it works for an ordinary user as it does for root',
  async () => {
    expect((await asOrdinaryUser)!.trim().split('\n').at(-1)).toBe(`${forOrdinaryUser.length} passed, 0 failed`);
  },
  240_000,
);

test('a program asks the plant and gets values; a refusal is an error it can read', async () => {
  const asked: [string, unknown][] = [];
  const onToolCall = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    asked.push([name, args]);
    if (name === 'propose_write') throw new Error('writing is locked');
    return { readings: [{ tag: 'TI-101', value: 20.5, quality: 'good' }] };
  };
  const code =
    "v = plant.read('TI-101')[0].value\ntry:\n    plant.propose_write('SP-1', v)\nexcept Exception as e:\n    print(e)\nresult = v * 2";
  for (const level of ['kernel', 'wasm'] as const) {
    if (level === 'kernel' && !isLinux) continue;
    const result = await sandbox.run({ lang: 'python', level, code, onToolCall });
    expect(result).toMatchObject({ status: 'ok', output: { data: 41 }, stdout: { text: 'writing is locked\n' } });
  }
  expect(asked[0]).toEqual(['read', { tags: ['TI-101'] }]);
  expect(asked[1]).toEqual(['propose_write', { tag: 'SP-1', value: 20.5 }]);
  const js = await sandbox.run({ lang: 'javascript', code: "result = plant.read('TI-101')[0].value * 2", onToolCall });
  expect(js).toMatchObject({ status: 'ok', output: { data: 41 } });
}, 60_000);

test('a result is kept for the same program and inputs, but never when it asked the plant', async () => {
  const inputs = [{ name: 'a.txt', bytes: Buffer.from('x') }];
  const code = "result = len(open('a.txt').read())";
  await sandbox.run({ lang: 'python', code, inputs });
  expect((await sandbox.run({ lang: 'python', code, inputs })).metadata.cached).toBe(true);
  expect((await sandbox.run({ lang: 'python', code, inputs: [{ name: 'a.txt', bytes: Buffer.from('yy') }] })).metadata.cached).toBe(false);
  const live = { lang: 'python' as const, code: "result = plant.read('a')", onToolCall: async () => ({ readings: [1] }) };
  await sandbox.run(live);
  expect((await sandbox.run(live)).metadata.cached).toBe(false);
}, 60_000);

test('Stop ends a run, and nothing of it is left', async () => {
  const stop = new AbortController();
  let pid = 0;
  const result = await sandbox.runWith(
    { lang: 'python', code: 'while True: pass', signal: stop.signal, useCache: false },
    {
      onStarted: (p) => {
        pid = p;
        setTimeout(() => stop.abort(), 100);
      },
    },
  );
  expect(result.status).toBe('killed');
  expect(() => process.kill(pid, 0)).toThrow();
}, 30_000);

test('a dead broker ends its runs with a reason, and the next run has a new one', async () => {
  const own = createSandbox({ warm: 0 });
  expect((await own.run({ lang: 'javascript', code: 'result = 1' })).status).toBe('ok');
  const first = (await own.health()).brokerPid!;
  let started: () => void = () => undefined;
  const hasStarted = new Promise<void>((resolve) => (started = resolve));
  const open = own.runWith({ lang: 'javascript', code: 'for (;;);', useCache: false }, { onStarted: () => started() });
  const outcome = expect(open).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  await hasStarted;
  process.kill(first, 'SIGKILL');
  await outcome;
  expect((await own.run({ lang: 'javascript', code: 'result = 2', useCache: false })).status).toBe('ok');
  expect((await own.health()).brokerPid).not.toBe(first);
  await own.close();
}, 60_000);

test('more runs than places wait, and beyond the queue a run is refused as busy', async () => {
  const own = createSandbox({ warm: 0 });
  const one = isLinux
    ? ({ lang: 'python', level: 'kernel', code: '1', useCache: false } as const)
    : ({ lang: 'javascript', code: 'result = 1', useCache: false } as const);
  await own.run(one);
  const many = await Promise.allSettled(Array.from({ length: 150 }, () => own.run(one)));
  const refused = many.filter((each) => each.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  for (const each of refused) expect(each.reason).toMatchObject({ code: 'SANDBOX_BUSY' });
  expect(many.filter((each) => each.status === 'fulfilled' && each.value.status === 'ok').length).toBe(150 - refused.length);
  await own.close();
}, 120_000);

test('a session that spins is slowed down, others are not', async () => {
  const own = createSandbox({ warm: 0, rate: { runs: 2, perMs: 60_000 } });
  const run = (sessionId: string) => own.run({ lang: 'javascript', code: 'result = 1', useCache: false, sessionId });
  expect([(await run('a')).status, (await run('a')).status, (await run('a')).status, (await run('b')).status]).toEqual([
    'ok',
    'ok',
    'rate_limited',
    'ok',
  ]);
  await own.close();
}, 60_000);

test.runIf(isLinux)(
  'closing the sandbox leaves no process behind, also not of waiting interpreters',
  async () => {
    const own = createSandbox({ warm: 2 });
    await own.run({ lang: 'python', level: 'kernel', code: '1', useCache: false });
    await own.run({ lang: 'javascript', code: 'result = 1', useCache: false });
    const broker = (await own.health()).brokerPid!;
    const below = readFileSync(`/proc/${broker}/task/${broker}/children`, 'utf8').split(' ').filter(Boolean);
    await own.close();
    const alive = (pid: string | number): boolean => {
      try {
        return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      } catch {
        return false;
      }
    };
    for (let i = 0; i < 100 && [broker, ...below].some(alive); i++) await new Promise((r) => setTimeout(r, 20));
    expect([broker, ...below].filter(alive)).toEqual([]);
  },
  60_000,
);

test('an error message is short enough for a small model', async () => {
  const errors = await Promise.all(
    [
      'temperature = 1\nprint(temperatur)',
      'import socket',
      '1/0',
      'x = (',
      "open('nothing.csv')",
      'import os\nos.system("id")',
      "{'a': 1}['b']",
    ].map((code) => sandbox.run({ lang: 'python', code, useCache: false })),
  );
  for (const { error } of errors)
    expect(JSON.stringify({ name: error!.name, message: error!.message, line: error!.trace.at(-1)?.line ?? null }).length).toBeLessThan(
      460,
    ); // 120 tokens at about four characters
}, 60_000);
