import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { classify, type OfferedTool, type RawAnswer, type Verdict } from '../../src/main/model/classify/index.ts';
import type { Failure, Outcome } from './runner.ts';

type Case = {
  id: string;
  raw:
    | string
    | {
        content?: string;
        thinking?: string;
        tool_calls?: { id?: string; function: { name: unknown; arguments: unknown } }[];
        done_reason?: string;
      };
  tools: OfferedTool[];
  expect: { calls: { name: string; arguments: unknown }[]; text: string; reject: { code: string; tell_model?: string } | null };
};

/** Runs the classifier over cases of `tool-call-repair.md`, judging exactly what that page says is compared. */
export async function run(files: string[]): Promise<Outcome> {
  const failures: Failure[] = [];
  let passed = 0;
  for (const file of files) {
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
    for (const line of lines) {
      const failure = judgeCase(JSON.parse(line) as Case);
      if (failure === null) passed++;
      else failures.push(failure);
    }
  }
  return { passed, failed: failures.length, failures };
}

export function judgeCase(item: Case): Failure | null {
  const verdict = classify(rawAnswer(item.raw), item.tools);
  const calls = verdict.calls.map((c) => ({ name: c.name, arguments: c.arguments }));
  const wrong = faultsOf(item, verdict, calls);
  if (wrong.length === 0) return null;
  const writes = new Set(item.tools.filter((t) => t.effect === 'write').map((t) => t.name));
  const unexpected = calls.filter((c) => !item.expect.calls.some((e) => isDeepStrictEqual(plain(e), plain(c))));
  return {
    id: item.id,
    expected: item.expect,
    got: { calls, text: verdict.text, reject: verdict.reject },
    wrong_value: unexpected.some((c) => !writes.has(c.name)),
    wrong_write: unexpected.some((c) => writes.has(c.name)),
    why: wrong.join('; '),
  };
}

function rawAnswer(raw: Case['raw']): RawAnswer {
  if (typeof raw === 'string') return { content: raw };
  return {
    content: raw.content ?? '',
    thinking: raw.thinking,
    doneReason: raw.done_reason,
    toolCalls: (raw.tool_calls ?? []).map((c) => ({
      ...(c.id === undefined ? {} : { id: c.id }),
      name: c.function.name,
      arguments: c.function.arguments,
    })),
  };
}

function faultsOf(item: Case, verdict: Verdict, calls: { name: string; arguments: unknown }[]): string[] {
  const { expect } = item;
  const faults: string[] = [];
  if (!isDeepStrictEqual(plain(calls), plain(expect.calls))) faults.push('calls differ');
  if (verdict.text.trim() !== expect.text.trim()) faults.push('text differs');
  const code = verdict.reject?.code ?? null;
  const want = expect.reject?.code ?? null;
  if (code !== want && !(isWriteInText(item) && isEither(code) && isEither(want))) faults.push(`code ${code} instead of ${want}`);
  const told = verdict.reject?.tellModel ?? '';
  const hint = expect.reject?.tell_model;
  if (hint !== undefined && code === want) faults.push(...namesMissing(item, hint, told));
  return faults;
}

/** For a write that stands only in text both codes pass. */
const isEither = (code: string | null): boolean => code === 'not_a_call' || code === 'invalid_arguments';
function isWriteInText(item: Case): boolean {
  const structured = typeof item.raw === 'object' && (item.raw.tool_calls?.length ?? 0) > 0;
  return !structured && item.expect.calls.length === 0;
}

function namesMissing(item: Case, hint: string, told: string): string[] {
  const missing: string[] = [];
  if (item.expect.reject?.code === 'unknown_tool') missing.push(...item.tools.map((t) => t.name).filter((name) => !told.includes(name)));
  else if (item.expect.reject?.code === 'invalid_arguments') {
    const fields = new Set(
      item.tools.flatMap((t) => Object.keys((t.parameters['properties'] as Record<string, unknown> | undefined) ?? {})),
    );
    const named = [...fields].filter((field) => new RegExp(`(^|[^\\w])${field}([^\\w]|$)`).test(hint));
    const unknown = /unknown argument (\w+)/.exec(hint)?.[1];
    missing.push(...[...named, ...(unknown === undefined ? [] : [unknown])].filter((field) => !told.includes(field)));
  } else missing.push(...item.tools.map((t) => t.name).filter((name) => hint.includes(name) && !told.includes(name)));
  return missing.map((name) => `tell_model does not name ${name}`);
}

/** Without key order, and 10.0 as 10: what JSON makes equal. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
