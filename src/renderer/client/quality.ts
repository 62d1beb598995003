import type { TagConfig } from '../../shared/contracts/plant.ts';
import type { HeldReading } from './readings.ts';

export type Shown =
  | { state: 'none' }
  | { state: 'good' | 'uncertain' | 'stale'; reading: HeldReading; ageMs: number }
  | { state: 'bad'; reading: HeldReading; ageMs: number | null };

/** Older than three polls, and at least two seconds, is stale: from then on the number must not look new. */
export const staleAfterMs = (pollMs: number): number => Math.max(3 * pollMs, 2000);

/**
 * How a reading is shown now. The page checks the age itself: when the connection to the core hangs, nobody else tells
 * it that what it holds has become old.
 */
export function shownReading(tag: Pick<TagConfig, 'pollMs'>, reading: HeldReading | undefined, now: number, connected: boolean): Shown {
  if (!reading) return { state: 'none' };
  const ageMs = reading.readAt === null ? null : Math.max(0, now - reading.readAt);
  if (reading.quality === 'bad' || reading.value === null) return { state: 'bad', reading, ageMs };
  if (ageMs === null) return { state: 'bad', reading, ageMs };
  const old = ageMs > staleAfterMs(tag.pollMs) || !connected;
  return {
    state: reading.quality === 'good' || reading.quality === 'uncertain' ? (old ? 'stale' : reading.quality) : 'stale',
    reading,
    ageMs,
  };
}

/** Is a good value outside its normal range? Numbers only; a tag without a normal range has no opinion. */
export function outsideNormal(tag: TagConfig, value: unknown): 'low' | 'high' | null {
  if (typeof value !== 'number') return null;
  const { low, high } = tag.normal ?? { low: null, high: null };
  if (low !== null && value < low) return 'low';
  if (high !== null && value > high) return 'high';
  return null;
}
