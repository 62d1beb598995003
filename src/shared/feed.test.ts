import { expect, test } from 'vitest';
import { createFeed } from './feed.ts';

async function take<T>(feed: AsyncIterable<T>, count: number): Promise<T[]> {
  const got: T[] = [];
  for await (const item of feed) if (got.push(item) === count) break;
  return got;
}

test('a slow reader gets the newest items, and what was let go is counted', async () => {
  const dropped: number[] = [];
  const feed = createFeed<number>({ signal: new AbortController().signal, limit: 2, onDropped: (n) => dropped.push(n) });
  for (let i = 1; i <= 5; i++) feed.push(i);
  expect(await take(feed, 2)).toEqual([4, 5]);
  expect(dropped).toEqual([1, 2, 3]);
});

test('a feed that merges loses nothing', async () => {
  const feed = createFeed<number[]>({ signal: new AbortController().signal, limit: 1, merge: (a, b) => [...a, ...b] });
  for (let i = 1; i <= 4; i++) feed.push([i]);
  expect(await take(feed, 1)).toEqual([[1, 2, 3, 4]]);
});

test('the source is taken back once, whether the reader leaves or the signal aborts', async () => {
  let closed = 0;
  const abort = new AbortController();
  const feed = createFeed<number>({ signal: abort.signal, limit: 9, onClose: () => closed++ });
  feed.push(1);
  await take(feed, 1);
  abort.abort();
  feed.push(2);
  expect(closed).toBe(1);
});

test('aborting ends a reader who waits', async () => {
  const abort = new AbortController();
  const reading = take(createFeed<number>({ signal: abort.signal, limit: 9 }), 1);
  abort.abort();
  expect(await reading).toEqual([]);
});
