/** A queue between something that pushes and one reader who may be slow. What is lost on the way is counted, never hidden. */
export interface Feed<T> extends AsyncIterable<T> {
  push(item: T): void;
  end(): void;
}

export type FeedOptions<T> = {
  signal: AbortSignal;
  /** Items that may wait for the reader. */
  limit: number;
  /** Makes one item of the newest waiting one and the one that finds no room; without it the oldest is let go. */
  merge?: (waiting: T, next: T) => T;
  /** Called with the number of items let go so far. */
  onDropped?: (count: number) => void;
  /** Takes back what feeds it (unsubscribes); called once, when the reader leaves or the feed ends. */
  onClose?: () => void;
};

export function createFeed<T>(options: FeedOptions<T>): Feed<T> {
  const waiting: T[] = [];
  let ended = false;
  let dropped = 0;
  let wake: (() => void) | null = null;
  const end = (): void => {
    if (ended) return;
    ended = true;
    options.onClose?.();
    wake?.();
  };
  if (options.signal.aborted) end();
  else options.signal.addEventListener('abort', end, { once: true });

  return {
    end,
    push(item) {
      if (ended) return;
      if (waiting.length < options.limit) waiting.push(item);
      else if (options.merge) waiting.push(options.merge(waiting.pop()!, item));
      else {
        waiting.shift();
        waiting.push(item);
        options.onDropped?.(++dropped);
      }
      wake?.();
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          while (waiting.length > 0) yield waiting.shift()!;
          if (ended) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          wake = null;
        }
      } finally {
        options.signal.removeEventListener('abort', end);
        end();
      }
    },
  };
}
