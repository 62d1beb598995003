import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HistoryStore, Sample, SeriesPoint } from '../../shared/contracts/record.ts';
import { createBench, type Bench } from './testKit.ts';

let bench: Bench;
let history: HistoryStore;
beforeEach(() => {
  bench = createBench();
  ({ history } = bench.open());
});
afterEach(() => bench.end());

const minute = 60_000;

/** The same figures from the samples themselves. */
function plainly(samples: readonly Sample[], from: number, to: number, at: (sample: Sample) => number): SeriesPoint[] {
  const byTime = new Map<number, Sample>();
  for (const sample of samples) byTime.set(sample.at, sample);
  const inside = [...byTime.values()].filter((sample) => sample.at >= from && sample.at < to).sort((a, b) => a.at - b.at);
  const groups = new Map<number, Sample[]>();
  for (const one of inside) groups.set(at(one), [...(groups.get(at(one)) ?? []), one]);
  return [...groups].flatMap(([start, group]) => {
    const values = group.flatMap((sample) => (sample.quality === 'bad' || sample.value === null ? [] : [sample.value]));
    if (values.length === 0) return [];
    const sum = values.reduce((total, value) => total + value, 0);
    return [
      {
        at: start,
        min: Math.min(...values),
        max: Math.max(...values),
        avg: sum / values.length,
        count: values.length,
        bad: group.length - values.length,
        first: values[0]!,
        last: values.at(-1)!,
      },
    ];
  });
}

const sample = fc.record({
  tag: fc.constant('T'),
  at: fc.integer({ min: 0, max: 400 * minute }),
  value: fc.integer({ min: -1000, max: 1000 }),
  quality: fc.constantFrom('good' as const, 'good' as const, 'uncertain' as const, 'bad' as const),
});

test('a series of minutes says what the samples say, in whatever order they came and after retention', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(sample, { maxLength: 40 }), { maxLength: 8 }),
      fc.integer({ min: 0, max: 200 * minute }),
      fc.integer({ min: 30, max: 300 }),
      fc.integer({ min: 1, max: 400 }),
      fc.option(fc.integer({ min: 0, max: 300 * minute }), { nil: null }),
      (batches, from, length, buckets, cut) => {
        const own = createBench();
        try {
          const store = own.open().history;
          for (const batch of batches) store.add(batch);
          if (cut !== null) store.retain(cut);
          const kept = batches.flat();
          const byTime = [...new Map(kept.map((one) => [one.at, one])).values()].filter((one) => cut === null || one.at >= cut);
          const to = from + length * minute;
          const width = (to - from) / buckets;
          const start = width < minute ? from : Math.floor(from / minute) * minute;
          const wide = width < minute ? width : Math.ceil(width / minute) * minute;
          const wanted = plainly(byTime, from, to, (one) => start + Math.floor((one.at - start) / wide) * wide);
          const got = store.series('T', from, to, buckets);
          expect(got).toEqual(
            wanted.map((point) => ({ ...point, at: Math.max(point.at, from), avg: expect.closeTo(point.avg, 6) as number })),
          );
        } finally {
          own.end();
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('a file of version 1, which has no minutes, gives the same series before and after they are made', () => {
  bench.end();
  bench = createBench();
  copyFileSync(join(import.meta.dirname, '../../../test/fixtures/store/history-v1.db'), join(bench.folder, 'history.db'));
  const store = bench.open().history;
  const from = Date.parse('2026-11-30T08:00:00Z');
  const before = store.series('TI-101', from, from + 60 * minute, 6);
  expect(before).toMatchObject([{ count: 99, bad: 1, first: 48 }]);
  store.add([{ tag: 'TI-101', at: from + 50 * minute, value: 50, quality: 'good' }]);
  expect(store.series('TI-101', from, from + 40 * minute, 4)).toEqual([{ ...before[0], avg: expect.closeTo(before[0]!.avg, 9) as number }]);
});

test('minutes survive a restart, and a gap stays a gap', () => {
  const add = (to: HistoryStore, i: number): void => to.add([{ tag: 'T', at: i * minute + 5, value: i, quality: 'good' }]);
  bench.end();
  bench = createBench();
  const first = bench.open();
  for (let i = 0; i < 60; i++) add(first.history, i);
  first.close();
  const second = bench.open();
  for (let i = 180; i < 240; i++) add(second.history, i);
  expect(second.history.series('T', 0, 240 * minute, 8).map((point) => [point.at / minute, point.count])).toEqual([
    [0, 30],
    [30, 30],
    [180, 30],
    [210, 30],
  ]);
});

test('a sample that cannot be stored leaves nothing of its batch', () => {
  expect(() =>
    history.add([
      { tag: 'T', at: 1, value: 1, quality: 'good' },
      { tag: null as unknown as string, at: 2, value: 2, quality: 'good' },
    ]),
  ).toThrow();
  expect(history.read('T', 0, 10, 10)).toEqual([]);
  history.add([{ tag: 'T', at: 3, value: 3, quality: 'good' }]);
  expect(history.read('T', 0, 10, 10)).toHaveLength(1);
});
