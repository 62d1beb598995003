import type { HistoryStore, Sample } from '../../shared/contracts/record.ts';

/** Samples come on change and at least every 30 s; after three missed signs of life the value is not known any more. */
export const holdMs = 90_000;
const page = 20_000;

export type Statistics = {
  min: { value: number; at: number } | null;
  max: { value: number; at: number } | null;
  /** Weighted by time, since samples come on change: a value that stood an hour counts more than one that stood a second. */
  avg: number | null;
  first: number | null;
  last: number | null;
  samples: number;
  badSamples: number;
  gaps: { from: number; to: number }[];
  /** Stretches beyond the threshold: how many began, how long they lasted, when the first began. */
  above: { episodes: number; ms: number; at: number | null };
  below: { episodes: number; ms: number; at: number | null };
};

/** One pass over the samples of a range, page by page, in constant memory. What held before `from` counts from `from` on. */
export function statisticsOf(
  history: Pick<HistoryStore, 'read' | 'last'>,
  tag: string,
  range: { from: number; to: number },
  threshold: number | null,
): Statistics {
  const stats: Statistics = {
    min: null,
    max: null,
    avg: null,
    first: null,
    last: null,
    samples: 0,
    badSamples: 0,
    gaps: [],
    above: { episodes: 0, ms: 0, at: null },
    below: { episodes: 0, ms: 0, at: null },
  };
  let weighted = 0;
  let known = 0;
  let held: { value: number; from: number; seen: number } | null = null;
  let knownUntil = range.from;
  let side: 'above' | 'below' | null = null;

  const hold = (until: number): void => {
    if (held === null) return;
    const end = Math.min(until, held.seen + holdMs, range.to);
    const ms = Math.max(0, end - held.from);
    weighted += held.value * ms;
    known += ms;
    if (side !== null) stats[side].ms += ms;
    knownUntil = Math.max(knownUntil, end);
    if (until > held.seen + holdMs) {
      held = null;
      side = null;
    }
  };
  const take = (value: number, at: number, seen: number): void => {
    if (at > knownUntil) stats.gaps.push({ from: knownUntil, to: at });
    held = { value, from: at, seen };
    knownUntil = Math.max(knownUntil, at);
    const now = threshold === null || value === threshold ? null : value > threshold ? 'above' : 'below';
    if (now !== null && now !== side) {
      stats[now].episodes++;
      stats[now].at ??= at;
    }
    side = now;
    if (stats.min === null || value < stats.min.value) stats.min = { value, at };
    if (stats.max === null || value > stats.max.value) stats.max = { value, at };
    stats.first ??= value;
    stats.last = value;
  };

  const before = history.last(tag, range.from - 1);
  if (before !== undefined && before.value !== null && before.quality !== 'bad' && before.at + holdMs > range.from)
    take(before.value, range.from, before.at);
  for (const sample of samplesOf(history, tag, range)) {
    hold(sample.at);
    if (sample.value === null || sample.quality === 'bad') {
      stats.badSamples++;
      held = null;
      side = null;
      continue;
    }
    stats.samples++;
    take(sample.value, sample.at, sample.at);
  }
  hold(range.to);
  if (knownUntil < range.to) stats.gaps.push({ from: knownUntil, to: range.to });
  // A single sample at the very end has no duration yet, but it is a value.
  stats.avg = known > 0 ? Number((weighted / known).toPrecision(12)) : stats.last;
  return stats;
}

function* samplesOf(history: Pick<HistoryStore, 'read'>, tag: string, range: { from: number; to: number }): Generator<Sample> {
  let from = range.from;
  let seenAtEdge = 0;
  for (;;) {
    const samples = history.read(tag, from, range.to, page + seenAtEdge);
    yield* samples.slice(seenAtEdge);
    if (samples.length < page + seenAtEdge) return;
    // Several samples may bear the last moment: ask again from it and step over those already seen.
    const edge = samples[samples.length - 1]!.at;
    seenAtEdge = samples.filter((s) => s.at === edge).length;
    from = edge;
  }
}
