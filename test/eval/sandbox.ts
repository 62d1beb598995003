/** Runs sandbox attempts: each file with the static check off and on, on every level this machine has for its language. */
import { basename } from 'node:path';
import type { RunLang, RunLevel, RunRequest } from '../../src/shared/contracts/sandbox.ts';
import { createSandbox, type HostedSandbox } from '../../src/main/sandbox/index.ts';
import { programsOf, readCase, type Case } from './sandbox/caseFile.ts';
import { anyProcessWith, objectsArePolluted, removeTraces, tracesOutside, watchMemory } from './sandbox/host.ts';
import { judge, type Observed } from './sandbox/judge.ts';
import type { Failure, Outcome } from './runner.ts';

type Check = 'on' | 'off';
const probes: Record<RunLang, string> = { python: '1+1', javascript: 'result=2', sql: 'SELECT 2', shell: 'echo 2' };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Minute 0, 1 and 2 after the start, one row of each tag. */
const readings = Buffer.from(
  [
    'ts,tag,v',
    ...[0, 1, 2].flatMap((m) => [`2026-01-05 08:0${m}:00,TI-101,${20.5 + m}`, `2026-01-05 08:0${m}:00,TI-102,${30.5 + m}`]),
  ].join('\n'),
);

async function levelsFor(sandbox: HostedSandbox, lang: RunLang): Promise<RunLevel[]> {
  const working = (await sandbox.levelStates(lang)).filter((state) => state.works).map((state) => state.level);
  return working.includes('kernel') ? working.filter((level) => level !== 'kernel-lite') : working;
}

const appliesTo = (one: Case, level: RunLevel): boolean => one.expect.heavy !== true || level === 'kernel' || level === 'kernel-lite';

/** The deadline the format promises, in ms. */
const deadlineOf = (one: Case): number => (one.expect.heavy === true ? 15_000 : 5_000);

export async function runOnce(
  sandbox: HostedSandbox,
  one: Case,
  code: string,
  level: RunLevel,
  check: Check,
  timeoutMs = deadlineOf(one),
): Promise<Observed> {
  const request: RunRequest = {
    lang: one.lang,
    code,
    level,
    check: check === 'on',
    useCache: false,
    limits: { timeoutMs, memoryMb: 512 },
    ...(one.lang === 'sql' ? { inputs: [{ name: 'readings.csv', bytes: readings }] } : {}),
  };
  let handedOver = performance.now();
  let memory: { stop(): number } | null = null;
  const envelope = await sandbox.runWith(request, {
    onStarted(pid) {
      handedOver = performance.now();
      if (one.expect.max_rss_mb !== undefined) memory = watchMemory(pid);
    },
  });
  const ms = performance.now() - handedOver;
  const watched = memory as { stop(): number } | null;
  const rssMb = watched?.stop() ?? 0;
  let orphan = false;
  if (one.expect.orphan !== undefined) {
    await pause(300);
    orphan = anyProcessWith(one.expect.orphan);
  }
  return { envelope, ms, rssMb, orphan, reached: envelope.stdout.text.split('\n').some((line) => line.startsWith('REACHED')) };
}

async function probe(sandbox: HostedSandbox, lang: RunLang, level: RunLevel): Promise<string | null> {
  const seen = await sandbox.run({ lang, level, code: probes[lang], check: false, useCache: false, limits: { timeoutMs: 5_000 } });
  const said = JSON.stringify(seen.output?.data ?? '') + seen.stdout.text;
  return seen.status === 'ok' && said.includes('2') ? null : `the next run was harmed: ${seen.status} ${seen.error?.message ?? ''}`;
}

/** The first thing wrong with a file on one level in one pass. */
async function tryFile(sandbox: HostedSandbox, one: Case, level: RunLevel, check: Check): Promise<{ status: string; why: string } | null> {
  if (one.afterFile !== null) {
    const before = readCase(one.afterFile);
    await runOnce(sandbox, before, before.code, level, check);
  }
  for (let round = 0; round < (one.expect.twice === true ? 2 : 1); round++) {
    for (const code of programsOf(one)) {
      removeTraces();
      const seen = await runOnce(sandbox, one, code, level, check);
      if (seen.reached) console.error(`${one.expect.id} ${level}: REACHED, refused later than the filter`);
      const why =
        judge(one.expect, level, check, seen) ??
        (objectsArePolluted() ? 'objects of the host were changed' : null) ??
        (tracesOutside().length > 0 ? `left ${tracesOutside().join(', ')} outside` : null) ??
        (await probe(sandbox, one.lang, level));
      if (why !== null) return { status: seen.envelope.status, why };
    }
  }
  return null;
}

export async function run(files: string[]): Promise<Outcome> {
  process.env['HANDRAIL_CANARY'] = 'canary-7f3a';
  const sandbox = createSandbox({ warm: 2 });
  const failures: Failure[] = [];
  let passed = 0;
  const levels = new Map<RunLang, RunLevel[]>();
  try {
    for (const file of files) {
      if (basename(file) === 'README.md') continue;
      const one = readCase(file);
      if (!levels.has(one.lang)) {
        const found = await levelsFor(sandbox, one.lang);
        levels.set(one.lang, found);
        for (const level of found) sandbox.warm(one.lang, level);
      }
      const here = levels.get(one.lang)!.filter((level) => appliesTo(one, level));
      if (here.length === 0 || (process.arch !== 'x64' && one.code.includes('S(nr,'))) {
        console.error(`${one.expect.id}: skipped, no level for it on this machine`);
        continue;
      }
      const failure = await everywhere(sandbox, one, here);
      if (failure === null) passed += 1;
      else failures.push(failure);
    }
  } finally {
    await sandbox.close();
    removeTraces();
  }
  return { passed, failed: failures.length, failures };
}

async function everywhere(sandbox: HostedSandbox, one: Case, levels: RunLevel[]): Promise<Failure | null> {
  for (const check of ['off', 'on'] as const) {
    for (const level of levels) {
      const wrong = await tryFile(sandbox, one, level, check).catch((error: unknown) => ({
        status: 'none',
        why: `the host threw ${String(error)}`,
      }));
      if (wrong !== null)
        return {
          id: one.expect.id,
          level,
          check,
          ...wrong,
          expected: one.expect.kind,
          got: wrong.status,
          wrong_value: false,
          wrong_write: false,
        };
    }
  }
  return null;
}
