import { expect, test } from 'vitest';
import { fakePlant } from '../../../../test/harness/fakePlant.ts';
import { treeRows } from './treeRows.ts';

const view = { closed: new Set<string>(), search: '', lang: 'en' as const };
const tags = (search: string): string[] =>
  treeRows(fakePlant, { ...view, search }).flatMap((row) => (row.kind === 'tag' ? [row.tag.id] : []));

test('every tag has its row below its device and connection', () => {
  expect(treeRows(fakePlant, view).filter((row) => row.kind === 'tag')).toHaveLength(fakePlant.tags.length);
});

test('a closed device hides its tags, a search opens it', () => {
  const closed = new Set(['d:boiler']);
  expect(treeRows(fakePlant, { ...view, closed }).some((row) => row.kind === 'tag' && row.tag.device === 'boiler')).toBe(false);
  expect(treeRows(fakePlant, { ...view, closed, search: 'drum level' }).map((row) => row.kind)).toEqual(['connection', 'device', 'tag']);
});

test('a reference, an alias in either language and a device name find their tags', () => {
  expect(tags('30013')).toContain('drum_level');
  expect(tags('汽包')).toEqual(['drum_pressure', 'drum_level']);
  expect(tags('40002')).toContain('p202_speed_sp');
  expect(tags('PM-01')).toEqual(['total_power', 'energy']);
  expect(tags('nothing like it')).toEqual([]);
});
