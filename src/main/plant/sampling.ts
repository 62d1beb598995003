import { asHandrailError, type HandrailError } from '../../shared/errors.ts';
import type { Reading } from '../../shared/contracts/devices.ts';
import type { Sample } from '../../shared/contracts/record.ts';
import type { TagConfig } from '../../shared/contracts/plant.ts';

/** A value that stands still is sampled at least this often, so that a flat line can be told from a gap. */
const heartbeatMs = 30_000;
/** Samples are handed on together: one transaction of the disk for all of a round, none in the path of a reading. */
const togetherMs = 250;
/** What is kept for a history that cannot write just now (a full disk); beyond it the oldest go, and are counted. */
const mostWaiting = 20_000;

export type SamplingTrouble = { error: HandrailError; dropped: number };

/** Which readings become samples: a change beyond the deadband, a change of quality, a heartbeat. Text has no trend. */
export function createSampling(clock: { now(): number }, out: ((samples: Sample[]) => void) | null) {
  const last = new Map<string, Sample>();
  let waiting: Sample[] = [];
  let timer: NodeJS.Timeout | undefined;
  let trouble: SamplingTrouble | null = null;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (out === null || waiting.length === 0) return;
    const samples = waiting;
    waiting = [];
    try {
      out(samples);
      if (trouble?.dropped === 0) trouble = null;
    } catch (thrown) {
      // A reading is right even when it cannot be kept: people go on seeing values, and are told that the trend has a hole.
      const over = Math.max(0, samples.length - mostWaiting);
      waiting = samples.slice(over);
      trouble = { error: asHandrailError(thrown), dropped: (trouble?.dropped ?? 0) + over };
    }
  };

  return {
    take(tag: TagConfig, reading: Reading): void {
      if (out === null) return;
      const sample = sampleOf(reading, clock.now());
      if (sample === null) return;
      const before = last.get(tag.id);
      const isNews =
        !before ||
        before.quality !== sample.quality ||
        sample.at - before.at >= heartbeatMs ||
        (sample.value !== null && before.value !== null && Math.abs(sample.value - before.value) > tag.deadband);
      if (!isNews || (before && sample.at < before.at)) return;
      last.set(tag.id, sample);
      waiting.push(sample);
      timer ??= setTimeout(flush, togetherMs);
    },
    flush,
    /** Why samples are not being kept, or how many were lost since the start; null: all were kept. */
    trouble: (): SamplingTrouble | null => trouble,
  };
}

export function sampleOf(reading: Reading, now: number): Sample | null {
  if (reading.quality === 'bad') return { tag: reading.tag, at: now, value: null, quality: 'bad' };
  if (reading.quality === 'stale') return null;
  const { value } = reading;
  if (typeof value === 'string') return null;
  return { tag: reading.tag, at: Date.parse(reading.readAt), value: Number(value), quality: reading.quality };
}
