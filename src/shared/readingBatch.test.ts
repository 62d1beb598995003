import { expect, test } from 'vitest';
import type { Reading } from './contracts/devices.ts';
import { HandrailError } from './errors.ts';
import { packReadings, unpackReading } from './readingBatch.ts';

const readAt = '2026-11-30T08:00:00.000Z';
const readings: Reading[] = [
  { tag: 'a', quality: 'good', value: -0.5, unit: 'mm', readAt, raw: [0xffff, 0xfff6] },
  {
    tag: 'b',
    quality: 'bad',
    value: null,
    unit: '°C',
    readAt: null,
    lastTriedAt: readAt,
    raw: null,
    reason: 'x',
    error: new HandrailError('DEVICE_NO_ANSWER', { detail: { unit: 5, timeout_ms: 800 } }),
  },
  { tag: 'c', quality: 'good', value: true, unit: '', readAt, raw: [true] },
  { tag: 'd', quality: 'good', value: 18446744073709551615n, unit: 'Wh', readAt, raw: [65535, 65535, 65535, 65535] },
  { tag: 'e', quality: 'stale', value: 0, unit: 'bar', readAt, raw: [0], reason: 'old' },
  { tag: 'f', quality: 'good', value: 'true', unit: '', readAt, raw: [0x7472, 0x7565] },
  { tag: 'g', quality: 'good', value: Number.NaN, unit: '', readAt, raw: [0x7fc0, 0] },
];
const indexOf = new Map([
  ['a', 4],
  ['b', 0],
  ['c', 2],
  ['d', 1],
  ['e', 3],
  ['f', 5],
  ['g', 6],
]);

test('readings survive the trip as columns, each at its place in the subscription', () => {
  const batch = packReadings([...readings, { ...readings[0]!, tag: 'not subscribed' }], indexOf, 1);
  expect([...batch.index]).toEqual([4, 0, 2, 1, 3, 5, 6]);
  expect(unpackReading(batch, 0)).toMatchObject({
    value: -0.5,
    quality: 'good',
    readAt: Date.parse(readAt),
    raw: [0xffff, 0xfff6],
    reason: null,
  });
  expect(unpackReading(batch, 2)).toMatchObject({ value: true, raw: [1] });
  expect(unpackReading(batch, 3)).toMatchObject({ value: '18446744073709551615' });
  expect(unpackReading(batch, 4)).toMatchObject({ value: 0, quality: 'stale', reason: { text: { en: 'old' } } });
});

test('a text that says true stays a text', () => {
  expect(unpackReading(packReadings(readings, indexOf, 1), 5).value).toBe('true');
});

test('a bad reading has no value, and a good one that is no number is shown as bad, never as zero', () => {
  const batch = packReadings(readings, indexOf, 1);
  expect(unpackReading(batch, 1)).toMatchObject({ value: null, quality: 'bad', reason: { code: 'DEVICE_NO_ANSWER' } });
  expect(unpackReading(batch, 6)).toMatchObject({ value: null, quality: 'bad' });
});
