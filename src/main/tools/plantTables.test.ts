import { expect, test } from 'vitest';
import { plantTables } from './plantTables.ts';

const at = new Date(2026, 2, 18, 10, 30, 0).getTime();
const deps = {
  plant: { file: { tags: [{ id: 'a' }, { id: 'b' }] } },
  history: {
    read: (tag: string) =>
      tag === 'a'
        ? [
            { tag, at, value: 1.5, quality: 'good' },
            { tag, at: at + 500, value: null, quality: 'bad' },
          ]
        : [],
  },
  clock: { now: () => at + 1000 },
  record: {
    sessions: () => [{ id: 's' }],
    calls: () => [
      {
        call: { tool: 'tag_read', meta: { timestamp: new Date(at).toISOString(), caller: 'person:Li, Wei' } },
        result: { ok: false, error: { code: 'TIMEOUT' }, meta: { duration_ms: 3 } },
      },
    ],
  },
} as unknown as Parameters<typeof plantTables>[0];
const text = (sql: string): Record<string, string> =>
  Object.fromEntries(plantTables(deps, sql).map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]));

test('readings are handed over as they were sampled, a bad one without a value', () => {
  expect(text('SELECT avg(v) FROM readings')).toEqual({
    'readings.csv': 'ts,tag,v,quality\n2026-03-18 10:30:00.000,a,1.5,good\n2026-03-18 10:30:00.500,a,,bad\n',
  });
});

test('only tables that the query names are made, and a comma in a name stays in its cell', () => {
  expect(text('SELECT 1')).toEqual({});
  expect(text('select * from Calls')['calls.csv']).toContain('tag_read,"person:Li, Wei",false,TIMEOUT,3');
});
