import type { SeriesPoint } from '../../shared/contracts/record.ts';

/** Figures over some samples that follow each other; a single sample is one of these, too. */
export type Span = { at: number; min: number; max: number; sum: number; count: number; bad: number; first: number; last: number };

export type SampleRow = [at: number, value: number | null, quality: number];

/** A sample without a value (bad quality) counts as bad and brings no figure. */
export function spanOf([at, value]: SampleRow): Span {
  return value === null
    ? { at, min: Infinity, max: -Infinity, sum: 0, count: 0, bad: 1, first: 0, last: 0 }
    : { at, min: value, max: value, sum: value, count: 1, bad: 0, first: value, last: value };
}

export function addSpan(into: Span, next: Span): void {
  into.bad += next.bad;
  if (next.count === 0) return;
  if (into.count === 0) into.first = next.first;
  into.last = next.last;
  into.min = Math.min(into.min, next.min);
  into.max = Math.max(into.max, next.max);
  into.sum += next.sum;
  into.count += next.count;
}

/** Sums up spans in time order by buckets of `width` from `from` on; a bucket that saw nothing does not come out. */
export function* byBucket(spans: Iterable<Span>, from: number, width: number): Generator<Span> {
  let current: Span | null = null;
  let index = 0;
  for (const span of spans) {
    const place = Math.floor((span.at - from) / width);
    if (current === null || place !== index) {
      if (current !== null) yield current;
      index = place;
      current = { ...span, at: from + place * width };
    } else {
      addSpan(current, span);
    }
  }
  if (current !== null) yield current;
}

/** A bucket without a single good sample is a gap, not a point. */
export function toPoints(buckets: Iterable<Span>): SeriesPoint[] {
  const points: SeriesPoint[] = [];
  for (const { at, min, max, sum, count, bad, first, last } of buckets) {
    if (count > 0) points.push({ at, min, max, avg: sum / count, count, bad, first, last });
  }
  return points;
}
