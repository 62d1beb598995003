import { expect, test } from 'vitest';
import { channel } from './channel.ts';

test('a channel says what was known first, then what happens, and ends with its signal', async () => {
  const stop = new AbortController();
  let push: (n: number) => void = () => undefined;
  let subscribed = 0;
  const seen: number[] = [];
  const reading = (async () => {
    for await (const n of channel<number>(
      stop.signal,
      (p) => {
        push = p;
        subscribed++;
        return () => void subscribed--;
      },
      { first: [1] },
    ))
      seen.push(n);
  })();
  await Promise.resolve();
  push(2);
  await new Promise((done) => setImmediate(done));
  push(3);
  await new Promise((done) => setImmediate(done));
  expect(subscribed).toBe(1);
  stop.abort();
  await reading;
  expect(seen).toEqual([1, 2, 3]);
  expect(subscribed).toBe(0);
});

test('a slow reader loses the oldest, and each loss is told', async () => {
  const stop = new AbortController();
  const dropped: number[] = [];
  const items = channel<number>(
    stop.signal,
    (push) => {
      for (let n = 0; n < 5; n++) push(n);
      return () => undefined;
    },
    { most: 3, onDrop: (n) => dropped.push(n) },
  );
  const first = await items.next();
  expect(dropped).toEqual([0, 1]);
  expect(first.value).toBe(2);
  stop.abort();
  await items.return();
});
