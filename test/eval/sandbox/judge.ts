/** Judges one run by the rules of the fixtures' README; pure, so that the judge itself is tested. */
import type { RunLevel, RunResult } from '../../../src/shared/contracts/sandbox.ts';
import type { Expectation } from './caseFile.ts';

export type Observed = { envelope: RunResult; ms: number; rssMb: number; orphan: boolean; reached: boolean };

const known = ['ok', 'error', 'rejected', 'timeout', 'memory', 'killed', 'crashed', 'output_limit', 'result_limit', 'no_result', 'exit'];
const canary = 'canary-7f3a';

function everyText(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (Array.isArray(value)) return value.every((item) => everyText(item, test));
  if (typeof value === 'object' && value !== null) return Object.entries(value).every(([key, item]) => test(key) && everyText(item, test));
  return true;
}

function matches(text: string, expression: string): boolean {
  if (expression !== 'valid-json') return new RegExp(expression).test(text);
  try {
    return everyText(JSON.parse(text), (each) => !/\p{Surrogate}/u.test(each));
  } catch {
    return false;
  }
}

/** What is wrong with this run, in words; null when nothing is. */
export function judge(expect: Expectation, level: RunLevel, check: 'on' | 'off', seen: Observed): string | null {
  const { envelope } = seen;
  const text = JSON.stringify(envelope);
  const isWasm = level === 'wasm' || level === 'wasm-renderer';
  const statuses = (isWasm ? expect.wasm : undefined) ?? expect.status ?? [];
  if (!known.includes(envelope.status)) return `status ${envelope.status} is never right`;
  if (envelope.level !== level && envelope.status !== 'rejected') return `ran on ${envelope.level}`;
  if (text.includes(canary)) return 'the canary is in the envelope';
  const says = expect.static ?? 'any';
  if (envelope.status === 'rejected') {
    if (check === 'on') return says === 'allow' ? `rejected: ${envelope.violations.map((v) => v.what).join('; ')}` : null;
    if (!statuses.includes('rejected')) return 'rejected with the check off';
  } else if (check === 'on' && says === 'reject') return `not rejected but ${envelope.status}`;
  const lines = envelope.stdout.text.split('\n');
  const exempt = expect.kind === 'evasion' && check === 'off';
  if (!exempt && lines.some((line) => line.startsWith('ESCAPED'))) return lines.find((line) => line.startsWith('ESCAPED'))!.slice(0, 200);
  return judgeFields(expect, text, seen) ?? judgeKind(expect, statuses, check, envelope, lines);
}

function judgeFields(expect: Expectation, text: string, seen: Observed): string | null {
  for (const each of expect.must ?? []) if (!matches(text, each)) return `the envelope lacks ${each}: ${text.slice(0, 300)}`;
  for (const each of expect.mustnot ?? []) if (matches(text, each)) return `the envelope has ${each}: ${text.slice(0, 300)}`;
  if (expect.max_ms !== undefined && seen.ms > expect.max_ms) return `took ${Math.round(seen.ms)} ms`;
  if (expect.max_rss_mb !== undefined && seen.rssMb > expect.max_rss_mb) return `took ${Math.round(seen.rssMb)} MB`;
  if (expect.max_envelope !== undefined && text.length > expect.max_envelope) return `envelope of ${text.length} characters`;
  if (seen.orphan) return `a process with ${expect.orphan} outlived the run`;
  return null;
}

function judgeKind(expect: Expectation, statuses: string[], check: 'on' | 'off', envelope: RunResult, lines: string[]): string | null {
  const short = `${envelope.status} ${envelope.error?.message ?? ''} ${envelope.stdout.text.slice(0, 200)}`;
  switch (expect.kind) {
    case 'denied':
      return lines.some((line) => line.startsWith('DENIED')) || envelope.status === 'error' || statuses.includes(envelope.status)
        ? null
        : `no denial: ${short}`;
    case 'evasion':
      return check === 'on' && (expect.static ?? 'any') === 'reject' ? `not rejected: ${short}` : null;
    case 'status':
      return statuses.includes(envelope.status) ? null : `wanted ${statuses.join('|')}, got ${short}`;
    case 'sql-denied':
      return envelope.status === 'ok' ? `a statement succeeded: ${short}` : null;
    case 'contained':
    case 'sql-denied-any':
    case 'sql-info':
      return null;
  }
}
