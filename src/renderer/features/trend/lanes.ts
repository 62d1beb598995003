import type { TrendSeries } from '../../../shared/contracts/api.ts';
import type { TagConfig } from '../../../shared/contracts/plant.ts';

/** Lanes share the time axis, one for each unit; what finds no lane of its own shares the last one. */
export const mostLanes = 4;
export type Lane = { unit: string; tags: TagConfig[]; /** Fractions of the plot's height, from the top. */ top: number; bottom: number };

export function lanesOf(tags: readonly TagConfig[]): Lane[] {
  const units: string[] = [];
  for (const tag of tags) if (!units.includes(tag.unit)) units.push(tag.unit);
  const groups = units.slice(0, mostLanes).map((unit) => ({ unit, tags: tags.filter((tag) => tag.unit === unit) }));
  // A fifth unit does not get squeezed in: two units on one scale would be read wrong, so it is left out and named.
  const gap = 0.03;
  const height = (1 - gap * (groups.length - 1)) / Math.max(1, groups.length);
  return groups.map((group, i) => ({ ...group, top: i * (height + gap), bottom: i * (height + gap) + height }));
}

export const leftOut = (tags: readonly TagConfig[], lanes: readonly Lane[]): TagConfig[] =>
  tags.filter((tag) => !lanes.some((lane) => lane.tags.includes(tag)));

/** Lowest and highest of a lane with air around, never of zero height: a steady value is a line in the middle. */
export function laneRange(series: readonly TrendSeries[], decimals: number): { min: number; max: number } {
  let min = Infinity;
  let max = -Infinity;
  for (const one of series)
    for (let i = 0; i < one.at.length; i += 1) {
      if (one.min[i]! < min) min = one.min[i]!;
      if (one.max[i]! > max) max = one.max[i]!;
    }
  if (min > max) return { min: 0, max: 1 };
  const least = 10 ** -decimals * 4;
  const air = Math.max((max - min) * 0.12, least / 2);
  return { min: min - air, max: max + air };
}

/** The scale of the whole plot that puts a lane's range into its strip. */
export function scaleFor(lane: Pick<Lane, 'top' | 'bottom'>, range: { min: number; max: number }): [number, number] {
  const whole = (range.max - range.min) / (lane.bottom - lane.top);
  const max = range.max + lane.top * whole;
  return [max - whole, max];
}

/** Round numbers inside a range: about as many as fit, and at least two, so that a scale can be read at all. */
export function ticks(min: number, max: number, most: number): number[] {
  const power = 10 ** Math.ceil(Math.log10(max - min));
  const steps = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01].map((n) => n * power);
  const inside = (step: number): number => Math.floor(max / step + 1e-9) - Math.ceil(min / step - 1e-9) + 1;
  const step = steps.find((candidate) => inside(candidate) >= Math.max(2, most)) ?? steps.at(-1)!;
  const chosen = inside(step) > most + 1 ? (steps.find((candidate) => inside(candidate) >= 2) ?? step) : step;
  const out: number[] = [];
  for (let n = Math.ceil(min / chosen - 1e-9); n <= Math.floor(max / chosen + 1e-9); n += 1) out.push(Number((n * chosen).toPrecision(12)));
  return out;
}

/**
 * Points to draw: lowest and highest of each bucket, so that no spike is lost, and an explicit null wherever the pause is
 * longer than the tag may be silent, so that nothing is joined across.
 */
export function drawnPoints(series: TrendSeries): { x: number[]; y: (number | null)[]; gaps: [number, number][] } {
  const x: number[] = [];
  const y: (number | null)[] = [];
  const gaps: [number, number][] = [];
  for (let i = 0; i < series.at.length; i += 1) {
    const at = series.at[i]!;
    const before = series.at[i - 1];
    if (before !== undefined && at - before > series.gapMs) {
      gaps.push([before, at]);
      x.push((before + at) / 2000);
      y.push(null);
    }
    const low = series.min[i]!;
    const high = series.max[i]!;
    x.push(at / 1000);
    // The side nearer to the bucket before comes first, so that the line does not zigzag more than the data did.
    const last = y.at(-1) ?? low;
    const first = Math.abs(last - low) <= Math.abs(last - high) ? low : high;
    y.push(first);
    if (low !== high) {
      x.push(at / 1000 + 0.0005);
      y.push(first === low ? high : low);
    }
  }
  return { x, y, gaps };
}

/** Points with a gap on both sides: no line runs through them, so each is drawn as a dot or it would not be seen at all. */
export function isolated(series: TrendSeries): { at: number; value: number }[] {
  const apart = (i: number): boolean => {
    const [before, after] = [series.at[i], series.at[i + 1]];
    return before === undefined || after === undefined || after - before > series.gapMs;
  };
  return Array.from(series.at, (at, i) => ({ at, value: series.avg[i]! })).filter((_point, i) => apart(i - 1) && apart(i));
}

/**
 * A series with the newest reading at its end. History keeps a sample only when a value moved by its deadband, so a steady
 * value would seem to end some time ago although it has just been read.
 */
export function withLatest(series: TrendSeries, latest: { at: number; value: number } | null, to: number): TrendSeries {
  const last = series.at.at(-1) ?? -Infinity;
  if (latest === null || latest.at <= last || latest.at > to) return series;
  const add = (values: Float64Array, value: number): Float64Array => Float64Array.of(...values, value);
  return {
    ...series,
    at: add(series.at, latest.at),
    min: add(series.min, latest.value),
    max: add(series.max, latest.value),
    avg: add(series.avg, latest.value),
  };
}

/** Where a series is open at its newer end: nothing came for longer than it may be silent. */
export function openEnd(series: TrendSeries, to: number): number | null {
  const last = series.at.at(-1);
  return last !== undefined && to - last > series.gapMs ? last : null;
}

/** What a series did between two cursors; null where one of them stands in a gap or nothing lies between. `delta` counts from first to second. */
export function between(
  series: TrendSeries,
  first: number,
  second: number,
): { delta: number; min: number; max: number; mean: number } | null {
  const [a, b] = [valueAt(series, first), valueAt(series, second)];
  if (a === null || b === null) return null;
  const [from, to] = [Math.min(first, second), Math.max(first, second)];
  let [min, max, sum, count] = [Math.min(a, b), Math.max(a, b), 0, 0];
  for (let i = 0; i < series.at.length; i += 1) {
    if (series.at[i]! < from || series.at[i]! > to) continue;
    min = Math.min(min, series.min[i]!);
    max = Math.max(max, series.max[i]!);
    sum += series.avg[i]!;
    count += 1;
  }
  return { delta: b - a, min, max, mean: count === 0 ? (a + b) / 2 : sum / count };
}

/** The bucket that holds a time, or null in a gap: between two points that are apart nothing is interpolated. */
export function valueAt(series: TrendSeries, at: number): number | null {
  let low = 0;
  let high = series.at.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (series.at[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  const found = series.at[low];
  if (found === undefined || found > at || at - found > series.gapMs) return null;
  return series.avg[low] ?? null;
}
