import type { Reading } from '../../shared/contracts/devices.ts';
import { packReadings, type ReadingBatch } from '../../shared/readingBatch.ts';
import type { CoreParts } from './parts.ts';

/**
 * The readings that one view asked for, at most `hz` batches a second: first what was last known, then the newest of
 * each tag. A tag whose reading grew stale meanwhile is told so, although nothing was read.
 */
export async function* readingBatches(
  parts: Pick<CoreParts, 'plant'>,
  request: { tags: readonly string[]; hz: number },
  signal: AbortSignal,
): AsyncGenerator<ReadingBatch, void> {
  const indexOf = new Map(request.tags.map((tag, i) => [tag, i]));
  const told = new Map<string, Reading['quality']>();
  let fresh = new Map<string, Reading>();
  let wake: (() => void) | undefined;
  const stop = parts.plant.onReadings((batch) => {
    for (const reading of batch) if (indexOf.has(reading.tag)) fresh.set(reading.tag, reading);
    wake?.();
  });
  const agedSince = (): Reading[] =>
    request.tags.flatMap((tag) => {
      // The plant file may have changed under a page that still asks for a tag of the old one.
      const known = parts.plant.tag(tag) === undefined ? undefined : parts.plant.lastKnown(tag);
      return known !== undefined && !fresh.has(tag) && told.get(tag) !== known.quality ? [known] : [];
    });
  const onAbort = (): void => wake?.();
  signal.addEventListener('abort', onAbort, { once: true });
  const pauseMs = 1000 / request.hz;
  try {
    for (const reading of agedSince()) fresh.set(reading.tag, reading);
    while (!signal.aborted) {
      const news = [...fresh.values(), ...agedSince()];
      fresh = new Map();
      for (const reading of news) told.set(reading.tag, reading.quality);
      if (news.length > 0) yield packReadings(news, indexOf, Date.now());
      await new Promise<void>((done) => setTimeout(done, pauseMs));
      if (fresh.size > 0 || signal.aborted) continue;
      await new Promise<void>((done) => {
        const timer = setTimeout(done, 500); // to notice what grows old
        wake = () => {
          clearTimeout(timer);
          done();
        };
      });
      wake = undefined;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop();
  }
}
