import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interpret } from '../../src/shared/planner/index.ts';
import type { Failure, Outcome } from './runner.ts';
import type { Interpretation, World } from '../../src/shared/planner/types.ts';

const own = fileURLToPath(new URL('../fixtures/intents/world.json', import.meta.url));

type Line = Interpretation & { id: string; text: string };

/** Equal by the corpus's own rule: params deeply, but `query` and a free-text `filter` by containment. */
export function matches(expected: Interpretation, got: Interpretation): boolean {
  return (
    expected.intent === got.intent &&
    expected.needs_clarification === got.needs_clarification &&
    expected.reason === got.reason &&
    same(expected.params, got.params, '')
  );
}

function same(a: unknown, b: unknown, key: string): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    if (a === b) return true;
    if (key !== 'query' && key !== 'filter') return false;
    const [x, y] = [a.toLowerCase(), b.toLowerCase()];
    return x !== '' && y !== '' && (x.includes(y) || y.includes(x));
  }
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i], ''));
  if (isRecord(a) && isRecord(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((k) => k in b && same(a[k], b[k], k));
  }
  return a === b;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const writes = (x: Pick<Interpretation, 'intent' | 'params'>): string[] => {
  if (x.intent === 'multi') return (x.params.steps as Interpretation[]).flatMap((step) => writes(step));
  return x.intent === 'modbus_write' || x.intent === 'tag_write' || x.intent === 'undo'
    ? [JSON.stringify([x.intent, sorted(x.params)])]
    : [];
};
const sorted = (value: Record<string, unknown>): unknown => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

/** A write proposed that was not asked for, or asked for differently. */
export function isWrongWrite(expected: Interpretation, got: Interpretation): boolean {
  if (got.needs_clarification) return false;
  const proposed = writes(got);
  const wanted = expected.needs_clarification ? [] : writes(expected);
  return proposed.length > 0 && JSON.stringify(proposed) !== JSON.stringify(wanted);
}

export async function run(files: string[]): Promise<Outcome> {
  let passed = 0;
  const failures: Failure[] = [];
  for (const file of files) {
    const beside = join(dirname(file), 'world.json');
    const world = JSON.parse(readFileSync(existsSync(beside) ? beside : own, 'utf8')) as World;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line.trim() === '') continue;
      const { id, text, intent, params, needs_clarification, reason } = JSON.parse(line) as Line;
      const expected = { intent, params, needs_clarification, reason };
      const got = interpret(text, world);
      if (matches(expected, got)) passed++;
      else failures.push({ id, text, expected, got, wrong_value: false, wrong_write: isWrongWrite(expected, got) });
    }
  }
  return { passed, failed: failures.length, failures };
}
