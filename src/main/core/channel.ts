/** What a listener tells, as an async iterable that ends with its signal. */
export type ChannelOptions<T> = {
  /** Said first, before anything that happens. */
  first?: readonly T[];
  /** Items kept for a slow reader. */
  most?: number;
  /** What becomes of an item when the reader is too slow; default: the oldest is dropped and counted. */
  onDrop?(dropped: T): void;
};

export async function* channel<T>(
  signal: AbortSignal,
  subscribe: (push: (item: T) => void) => () => void,
  options: ChannelOptions<T> = {},
): AsyncGenerator<T, void> {
  const most = options.most ?? 1000;
  const waiting: T[] = [...(options.first ?? [])];
  let wake: (() => void) | undefined;
  const push = (item: T): void => {
    waiting.push(item);
    if (waiting.length > most) options.onDrop?.(waiting.shift()!);
    wake?.();
  };
  const unsubscribe = subscribe(push);
  const onAbort = (): void => wake?.();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (!signal.aborted) {
      while (waiting.length > 0 && !signal.aborted) yield waiting.shift()!;
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (waiting.length > 0 || signal.aborted) resolve();
      });
      wake = undefined;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    unsubscribe();
  }
}
