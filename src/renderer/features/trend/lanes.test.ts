import { expect, test } from 'vitest';
import type { TrendSeries } from '../../../shared/contracts/api.ts';
import { fakePlant } from '../../../../test/harness/fakePlant.ts';
import { trendCsv, isoWithOffset } from './exportTrend.ts';
import { between, drawnPoints, isolated, laneRange, lanesOf, leftOut, openEnd, scaleFor, ticks, valueAt, withLatest } from './lanes.ts';

const series = (at: number[], min: number[], max = min, gapMs = 3000): TrendSeries => ({
  tag: 'drum_level',
  gapMs,
  at: Float64Array.from(at),
  min: Float64Array.from(min),
  max: Float64Array.from(max),
  avg: Float64Array.from(min, (low, i) => (low + (max[i] ?? low)) / 2),
  bad: new Float64Array(0),
});

test('a pause longer than a tag may be silent becomes a null between, and a gap to hatch', () => {
  const drawn = drawnPoints(series([0, 1000, 9000], [1, 2, 3]));
  expect(drawn.y).toEqual([1, 2, null, 3]);
  expect(drawn.x).toEqual([0, 1, 5, 9]);
  expect(drawn.gaps).toEqual([[1000, 9000]]);
});

test('a spike inside one bucket stays visible', () => {
  expect(drawnPoints(series([0, 1000], [1, 1], [1, 99])).y).toEqual([1, 1, 99]);
});

test('nothing is interpolated across a gap or before the first point', () => {
  const one = series([10_000, 11_000, 30_000], [1, 2, 3]);
  expect(valueAt(one, 10_500)).toBe(1);
  expect(valueAt(one, 20_000)).toBeNull();
  expect(valueAt(one, 9_999)).toBeNull();
  expect(openEnd(one, 31_000)).toBeNull();
  expect(openEnd(one, 40_000)).toBe(30_000);
});

test('a lone sample is drawn as a dot, for no line runs through it', () => {
  expect(isolated(series([0, 9000, 10_000, 30_000], [1, 2, 3, 4]))).toEqual([
    { at: 0, value: 1 },
    { at: 30_000, value: 4 },
  ]);
  expect(isolated(series([5], [7]))).toEqual([{ at: 5, value: 7 }]);
});

test('lanes are by unit, at most four; what does not fit is named, not squeezed in', () => {
  const units = fakePlant.tags.filter((tag) => ['MPa', 'mm', 't/h', '°C', 'kW'].includes(tag.unit));
  const lanes = lanesOf(units);
  expect(lanes.map((lane) => lane.unit)).toEqual(['MPa', 'mm', 't/h', '°C']);
  expect(leftOut(units, lanes).map((tag) => tag.id)).toEqual(['total_power']);
});

test("a lane's scale puts its range exactly into its strip", () => {
  const [min, max] = scaleFor({ top: 0.5, bottom: 1 }, { min: 0, max: 10 });
  expect([min, max]).toEqual([0, 20]);
  expect(laneRange([series([0], [5])], 1)).toEqual({ min: 4.8, max: 5.2 });
});

test('a scale has at least two round marks', () => {
  expect(ticks(0.55, 0.72, 1).length).toBeGreaterThanOrEqual(2);
  expect(ticks(-20, 180, 2)).toEqual([0, 100]);
  for (const value of ticks(0.1, 0.9, 3)) expect(String(value).length).toBeLessThan(5);
});

test('the export carries both times with zone, quality, and no formula', () => {
  const level = { ...fakePlant.tags[1]!, id: '=danger' };
  const csv = trendCsv([level], new Map([['=danger', series([0], [1], [3])]]), ['Boiler house 2 (simulated plant)'], 'en', {
    time: 'Time',
    quality: 'quality',
    good: 'good',
    bad: 'bad quality',
    bucket: '',
  });
  const lines = csv.trim().split('\r\n');
  expect(lines[0]).toContain('# Boiler house 2 (simulated plant)');
  expect(lines[2]).toContain('"=danger min [mm]"');
  expect(lines[3]).toMatch(/^1970-01-01T00:00:00\.000Z,.*[+-]\d\d:\d\d,1,2,3,good$/);
  expect(isoWithOffset(0, 480)).toBe('1970-01-01T08:00:00.000+08:00');
});

test('a steady value reaches up to its newest reading, an older or future one changes nothing', () => {
  const one = series([1000, 2000], [5, 6]);
  const longer = withLatest(one, { at: 4000, value: 6 }, 5000);
  expect([...longer.at]).toEqual([1000, 2000, 4000]);
  expect([longer.min.at(-1), longer.max.at(-1), longer.avg.at(-1)]).toEqual([6, 6, 6]);
  expect(withLatest(one, { at: 2000, value: 9 }, 5000)).toBe(one);
  expect(withLatest(one, { at: 6000, value: 9 }, 5000)).toBe(one);
  expect(withLatest(one, null, 5000)).toBe(one);
});

test('a newest reading after a long silence stays behind its gap', () => {
  expect(drawnPoints(withLatest(series([1000], [5]), { at: 60_000, value: 6 }, 60_000)).gaps).toEqual([[1000, 60_000]]);
});

test('between two cursors: change from the first to the second, lowest, highest and mean of what lies there', () => {
  const one = series([0, 1000, 2000, 3000], [1, 2, 3, 4], [1, 9, 3, 4]);
  expect(between(one, 0, 2500)).toEqual({ delta: 2, min: 1, max: 9, mean: (1 + 5.5 + 3) / 3 });
  expect(between(one, 2500, 0)?.delta).toBe(-2);
  expect(between(one, 0, 60_000)).toBeNull(); // the second stands behind the last reading
});
