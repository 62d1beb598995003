import type { Sample } from '../contracts/record.ts';

export type AggregateFn = 'max' | 'min' | 'avg' | 'count_above' | 'count_below';
export type Aggregate = {
  fn: AggregateFn;
  /** null: nothing usable lies in the range. For the counts: how often the value went beyond the threshold. */
  value: number | null;
  /** When the extreme was first reached; for the counts the last crossing; null for an average. */
  at: number | null;
  /** Usable samples that were looked at. */
  samples: number;
  /** Share of the range (0..1) for which a value is known; below 1 the answer has gaps and should say so. */
  coverage: number;
};

/** A value holds until the next sample, but not longer than this: then the plant was not being watched. */
export const holdMs = 90_000;

/**
 * One figure over samples of one tag in [from, to), sorted by time. Samples are written on change, so an average weighs each
 * value with the time it held. A crossing is the step from inside to beyond the threshold; a value that is beyond at the start
 * or right after a gap counts once, since it went there unseen. Bad samples end what is known.
 */
export function aggregateSamples(
  samples: readonly Sample[],
  fn: AggregateFn,
  range: { from: number; to: number },
  threshold?: number,
): Aggregate {
  const isBeyond = (value: number): boolean => threshold !== undefined && (fn === 'count_above' ? value > threshold : value < threshold);
  let used = 0;
  let known = 0;
  let weighted = 0;
  let plainMean = 0;
  let best: { value: number; at: number } | null = null;
  let crossings = 0;
  let crossedAt: number | null = null;
  let wasBeyond = false;
  let knownUntil = -Infinity;
  for (let i = 0; i < samples.length; i++) {
    const { at, value, quality } = samples[i]!;
    if (at < range.from || at >= range.to) continue;
    if (value === null || quality === 'bad' || !Number.isFinite(value)) {
      wasBeyond = false;
      continue;
    }
    used++;
    plainMean += (value - plainMean) / used;
    if (at > knownUntil) wasBeyond = false;
    const until = Math.min(samples[i + 1]?.at ?? range.to, at + holdMs, range.to);
    knownUntil = at + holdMs;
    weighted += value * Math.max(0, until - at);
    known += Math.max(0, until - at);
    if (best === null || (fn === 'min' ? value < best.value : value > best.value)) best = { value, at };
    if (isBeyond(value) && !wasBeyond) {
      crossings++;
      crossedAt = at;
    }
    wasBeyond = isBeyond(value);
  }
  const length = range.to - range.from;
  const common = { fn, samples: used, coverage: length > 0 ? Math.min(1, known / length) : 0 };
  if (used === 0) return { ...common, value: null, at: null };
  switch (fn) {
    case 'max':
    case 'min':
      return { ...common, value: best!.value, at: best!.at };
    case 'avg':
      return { ...common, value: tidy(known > 0 ? weighted / known : plainMean), at: null };
    case 'count_above':
    case 'count_below':
      return { ...common, value: threshold === undefined ? null : crossings, at: crossedAt };
    default:
      return fn satisfies never;
  }
}

const tidy = (value: number): number => Number(value.toPrecision(12));
