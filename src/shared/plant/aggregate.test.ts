import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sample } from '../contracts/record.ts';
import { aggregateSamples, holdMs } from './aggregate.ts';

const samples = (...pairs: [number, number | null][]): Sample[] =>
  pairs.map(([at, value]) => ({ tag: 't', at, value, quality: value === null ? 'bad' : 'good' }));
const range = { from: 0, to: 10_000 };

test('an extreme carries the time it was first reached', () => {
  const some = samples([1000, 5], [2000, 9], [3000, 9], [4000, 1]);
  expect(aggregateSamples(some, 'max', range)).toMatchObject({ value: 9, at: 2000, samples: 4 });
  expect(aggregateSamples(some, 'min', range)).toMatchObject({ value: 1, at: 4000 });
});

test('an average weighs a value with the time it held', () => {
  expect(aggregateSamples(samples([0, 10], [1000, 20]), 'avg', range).value).toBe(19); // 1 s of 10, 9 s of 20
});

test('the range is half-open', () => {
  expect(aggregateSamples(samples([-1, 99], [0, 1], [9999, 2], [10_000, 99]), 'max', range)).toMatchObject({ value: 2, samples: 2 });
});

describe('crossings', () => {
  test('are counted, not samples beyond the threshold', () => {
    expect(aggregateSamples(samples([0, 1], [1, 5], [2, 6], [3, 1], [4, 7]), 'count_above', range, 4)).toMatchObject({ value: 2, at: 4 });
    expect(aggregateSamples(samples([0, 9], [1, 2], [2, 1], [3, 9]), 'count_below', range, 4)).toMatchObject({ value: 1, at: 1 });
  });

  test('the threshold itself is not beyond', () => {
    expect(aggregateSamples(samples([0, 1], [1, 4]), 'count_above', range, 4).value).toBe(0);
  });

  test('beyond before and after a gap counts twice: nobody saw it stay there', () => {
    expect(aggregateSamples(samples([0, 5], [1, null], [2, 5]), 'count_above', range, 4).value).toBe(2);
    const long = { from: 0, to: 4 * holdMs };
    expect(aggregateSamples(samples([0, 5], [2 * holdMs, 5]), 'count_above', long, 4).value).toBe(2);
  });

  test('without a threshold there is no count', () => {
    expect(aggregateSamples(samples([0, 5]), 'count_above', range).value).toBeNull();
  });
});

test('a gap is no value: coverage says how much is known', () => {
  expect(aggregateSamples([], 'max', range)).toEqual({ fn: 'max', value: null, at: null, samples: 0, coverage: 0 });
  expect(aggregateSamples(samples([0, 1], [2000, null], [7000, 3]), 'avg', range).coverage).toBeCloseTo(0.5);
});

test('minimum, average and maximum are in order, whatever the samples', () => {
  const any = fc.array(fc.tuple(fc.integer({ min: 0, max: 9999 }), fc.double({ min: -1e6, max: 1e6, noNaN: true })), { minLength: 1 });
  fc.assert(
    fc.property(any, (pairs) => {
      const some = samples(...pairs.toSorted((a, b) => a[0] - b[0]));
      const [min, avg, max] = (['min', 'avg', 'max'] as const).map((fn) => aggregateSamples(some, fn, range).value!);
      const slack = 1e-6 + Math.abs(max!) * 1e-9 + Math.abs(min!) * 1e-9;
      expect(min!).toBeLessThanOrEqual(avg! + slack);
      expect(avg!).toBeLessThanOrEqual(max! + slack);
    }),
  );
});
