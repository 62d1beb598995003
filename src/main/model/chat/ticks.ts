import type { Clock } from '../../../shared/contracts/tools.ts';

export const tick = Symbol('tick');

/** The source's events, with a tick every `everyMs` until the first of them has come. */
export async function* withTicks<T>(source: AsyncIterable<T>, clock: Clock, everyMs: number): AsyncGenerator<T | typeof tick> {
  const iterator = source[Symbol.asyncIterator]();
  let waiting = true;
  try {
    for (;;) {
      const next = iterator.next();
      let result: IteratorResult<T> | typeof tick = tick;
      while (waiting && result === tick) {
        let cancel: () => void = () => undefined;
        const timer: Promise<typeof tick> = new Promise((done) => (cancel = clock.after(everyMs, () => done(tick))));
        next.catch(() => undefined);
        result = await Promise.race([next, timer]).finally(() => cancel());
        if (result === tick) yield tick;
      }
      waiting = false;
      const settled = await next;
      if (settled.done === true) return;
      yield settled.value;
    }
  } finally {
    void iterator.return?.(undefined)?.catch(() => undefined);
  }
}

export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      stop();
      reject(signal.reason as Error);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
