import { expect, test } from 'vitest';
import { fakePlant } from '../../../../test/harness/fakePlant.ts';
import type { Shown } from '../../client/quality.ts';
import { isNotNormal, matches, matchesText, nextSort, noFilter, sortedTags } from './rows.ts';

const good = (value: number): Shown => ({
  state: 'good',
  ageMs: 100,
  reading: { value, quality: 'good', readAt: 0, raw: [], reason: null, changedAt: 0, stillFor: 0 },
});
const level = fakePlant.tags.find((tag) => tag.id === 'drum_level')!;

test('the third press of a head gives back the order of the plant', () => {
  const once = nextSort({ key: 'plant', down: false }, 'value');
  const twice = nextSort(once, 'value');
  expect([once, twice, nextSort(twice, 'value')]).toEqual([
    { key: 'value', down: false },
    { key: 'value', down: true },
    { key: 'plant', down: false },
  ]);
});

test('sorting by value puts what has none first or last, never in the middle', () => {
  const values = new Map([
    ['drum_level', -58],
    ['steam_flow', 12.6],
  ]);
  const order = sortedTags(fakePlant, { key: 'value', down: true }, 'en', (tag) =>
    values.has(tag.id) ? good(values.get(tag.id)!) : { state: 'none' },
  ).map((tag) => tag.id);
  expect(order.slice(0, 2)).toEqual(['steam_flow', 'drum_level']);
  expect(sortedTags(fakePlant, { key: 'plant', down: false }, 'en', () => ({ state: 'none' }))).toEqual(fakePlant.tags);
});

test('what needs a look: outside normal, stale, bad; not what was never asked', () => {
  expect(isNotNormal(level, good(-58))).toBe(true);
  expect(isNotNormal(level, good(0))).toBe(false);
  expect(isNotNormal(level, { state: 'none' })).toBe(false);
});

test('filters narrow, and a search finds both languages', () => {
  expect(matches(level, good(0), { ...noFilter, writable: true }, 0)).toBe(false);
  expect(matches(level, good(0), { ...noFilter, device: 'boiler' }, 0)).toBe(true);
  expect(matchesText(level, '水位')).toBe(true);
  expect(matchesText(level, 'DRUM')).toBe(true);
  expect(matchesText(level, 'pump')).toBe(false);
});
