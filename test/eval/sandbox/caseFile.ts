import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RunLang } from '../../../src/shared/contracts/sandbox.ts';

export type Expectation = {
  id: string;
  kind: 'denied' | 'contained' | 'evasion' | 'status' | 'sql-denied' | 'sql-denied-any' | 'sql-info';
  status?: string[];
  wasm?: string[];
  static?: 'reject' | 'allow' | 'any';
  heavy?: boolean;
  must?: string[];
  mustnot?: string[];
  max_ms?: number;
  max_rss_mb?: number;
  max_envelope?: number;
  orphan?: string;
  after?: string;
  twice?: boolean;
};
export type Case = { file: string; lang: RunLang; expect: Expectation; code: string; afterFile: string | null };

const languages: Record<string, RunLang> = { py: 'python', js: 'javascript', sql: 'sql', sh: 'shell' };

/** A file of the format in the fixtures' README: the first line says what is expected, the whole file is the program. */
export function readCase(file: string): Case {
  const code = readFileSync(file, 'utf8');
  const first = code.slice(0, code.indexOf('\n') < 0 ? code.length : code.indexOf('\n'));
  const behind = first.indexOf('EXPECT ');
  const json = first.slice(behind + 'EXPECT '.length).split(' -- ')[0]!;
  const lang = languages[basename(file).split('-')[0]!];
  if (behind < 0 || lang === undefined) throw new Error(`${file}: no EXPECT in the first line, or no known language in the name`);
  const expect = JSON.parse(json) as Expectation;
  return { file, lang, expect, code, afterFile: expect.after === undefined ? null : join(dirname(file), expect.after) };
}

/** The programs of a file: one, or each line behind the first for the kinds that begin with sql-. */
export function programsOf(one: Case): string[] {
  if (!one.expect.kind.startsWith('sql-')) return [one.code];
  return one.code
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '');
}
