import type { Clock } from '../../shared/contracts/tools.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits, or throws the signal's reason at once when it ends. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    if (signal?.aborted) return failed(signal.reason as Error);
    const onAbort = (): void => {
      forget();
      failed(signal!.reason as Error);
    };
    const forget = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      done();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
