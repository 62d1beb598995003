import type { Reading } from '../../shared/contracts/devices.ts';
import type { Sample } from '../../shared/contracts/record.ts';
import type { TagConfig } from '../../shared/contracts/plant.ts';

/** A value that stands still is sampled at least this often, so that a flat line can be told from a gap. */
const heartbeatMs = 30_000;

/** Which readings become samples: a change beyond the deadband, a change of quality, a heartbeat. Text has no trend. */
export function createSampling(clock: { now(): number }, out: (samples: Sample[]) => void) {
  const last = new Map<string, Sample>();
  return {
    take(tag: TagConfig, reading: Reading): void {
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
      out([sample]);
    },
  };
}

export function sampleOf(reading: Reading, now: number): Sample | null {
  if (reading.quality === 'bad') return { tag: reading.tag, at: now, value: null, quality: 'bad' };
  if (reading.quality === 'stale') return null;
  const { value } = reading;
  if (typeof value === 'string') return null;
  return { tag: reading.tag, at: Date.parse(reading.readAt), value: Number(value), quality: reading.quality };
}
