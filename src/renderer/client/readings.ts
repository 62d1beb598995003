import { create } from 'zustand';
import type { ReadingBatch, ShownReading } from '../../shared/readingBatch.ts';
import { unpackReading } from '../../shared/readingBatch.ts';

/** A reading and since when its value has been what it is, for the change wash. */
export type HeldReading = ShownReading & { changedAt: number; stillFor: number };

/**
 * Readings live outside React: a batch of 1,000 writes a Map, and one `tick` at most `textHz` times a second re-renders
 * the few rows that are on screen.
 */
const held = new Map<string, HeldReading>();
/** Host clock minus ours; the smallest seen delay is the best guess. */
let clockOffset = 0;
let clockKnown = false;

export const useReadingTick = create<{ tick: number; lastBatchAt: number; rate: number }>()(() => ({ tick: 0, lastBatchAt: 0, rate: 0 }));
export const readingOf = (tag: string): HeldReading | undefined => held.get(tag);
export const hostNow = (): number => Date.now() + clockOffset;
export const forgetReadings = (): void => held.clear();

const batchTimes: number[] = [];

export function takeBatch(tags: readonly string[], batch: ReadingBatch): void {
  const now = Date.now();
  const offset = batch.at - now;
  if (!clockKnown || Math.abs(offset) < Math.abs(clockOffset)) clockOffset = offset;
  clockKnown = true;
  for (let i = 0; i < batch.index.length; i += 1) {
    const tag = tags[batch.index[i]!];
    if (tag === undefined) continue;
    const reading = unpackReading(batch, i);
    const before = held.get(tag);
    const changed = before === undefined || before.value !== reading.value;
    held.set(tag, {
      ...reading,
      changedAt: changed ? now : before.changedAt,
      stillFor: changed ? (before ? now - before.changedAt : 0) : before.stillFor,
    });
  }
  batchTimes.push(now);
  while (batchTimes.length > 0 && batchTimes[0]! < now - 2000) batchTimes.shift();
}

/** Called by the one timer of the shell. */
export function redraw(): void {
  useReadingTick.setState((old) => ({
    tick: old.tick + 1,
    lastBatchAt: batchTimes.at(-1) ?? old.lastBatchAt,
    rate: batchTimes.length / 2,
  }));
}

/** Who shows which tags; the union is what gets subscribed. */
type Interest = { wanted: Readonly<Record<string, readonly string[]>>; setWanted: (who: string, tags: readonly string[]) => void };
export const useInterest = create<Interest>()((set) => ({
  wanted: {},
  setWanted: (who, tags) =>
    set((old) => {
      const before = old.wanted[who];
      if (before && before.length === tags.length && before.every((tag, i) => tag === tags[i])) return old;
      return { wanted: { ...old.wanted, [who]: tags } };
    }),
}));
