import { expect, test } from 'vitest';
import { createUlids, isUlid, ulidTime } from './ulid.ts';

const zeros = () => new Uint8Array(16);

test('a ULID has the text the specification gives for its time', () => {
  // github.com/ulid/spec: 01ARZ3NDEK is the time part of 1469922850259.
  const id = createUlids({ now: () => 1_469_922_850_259, random: zeros })();
  expect(id).toBe('01ARZ3NDEK0000000000000000');
  expect(ulidTime(id)).toBe(1_469_922_850_259);
  expect(isUlid(id)).toBe(true);
});

test('ids of one millisecond rise, and go on rising when the clock steps back', () => {
  let now = 1_000_000;
  const next = createUlids({ now: () => now, random: () => new Uint8Array(16).fill(255) });
  const made = [next(), next()]; // the random part is full, so the second one borrows a millisecond
  now -= 5_000;
  made.push(next(), next());
  now += 60_000;
  made.push(next());
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});

test('what is not a ULID is told from one', () => {
  for (const text of [
    '',
    '01ARZ3NDEK000000000000000',
    '81ARZ3NDEK0000000000000000',
    '01ARZ3NDEKI000000000000000',
    '01arz3ndek0000000000000000',
  ]) {
    expect(isUlid(text)).toBe(false);
  }
});
