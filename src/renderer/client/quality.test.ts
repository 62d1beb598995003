import { expect, test } from 'vitest';
import type { TagConfig } from '../../shared/contracts/plant.ts';
import { outsideNormal, shownReading } from './quality.ts';
import type { HeldReading } from './readings.ts';

const tag = { pollMs: 500 };
const reading = (patch: Partial<HeldReading> = {}): HeldReading => ({
  value: 1,
  quality: 'good',
  readAt: 10_000,
  raw: [],
  reason: null,
  changedAt: 0,
  stillFor: 0,
  ...patch,
});

test('nothing known is shown as nothing, not as zero', () => {
  expect(shownReading(tag, undefined, 0, true)).toEqual({ state: 'none' });
});

test('a good value turns stale after three polls, at least two seconds, whatever the core last said', () => {
  expect(shownReading(tag, reading(), 12_000, true).state).toBe('good');
  expect(shownReading(tag, reading(), 12_001, true).state).toBe('stale');
  expect(shownReading({ pollMs: 5000 }, reading(), 24_900, true).state).toBe('good');
});

test('with the connection lost every value is old at once', () => {
  expect(shownReading(tag, reading(), 10_001, false).state).toBe('stale');
});

test('a bad reading or one without a value is bad and stays so however fresh', () => {
  expect(shownReading(tag, reading({ quality: 'bad', value: null }), 10_000, true).state).toBe('bad');
  expect(shownReading(tag, reading({ value: null }), 10_000, true).state).toBe('bad');
  expect(shownReading(tag, reading({ readAt: null }), 10_000, true).state).toBe('bad');
});

test('outside its normal range is said of numbers only', () => {
  const ranged = { normal: { low: 50, high: null } } as TagConfig;
  expect(outsideNormal(ranged, 49)).toBe('low');
  expect(outsideNormal(ranged, 5000)).toBeNull();
  expect(outsideNormal(ranged, 'text')).toBeNull();
  expect(outsideNormal({} as TagConfig, 1)).toBeNull();
});
