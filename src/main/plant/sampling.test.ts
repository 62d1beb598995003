import { expect, test } from 'vitest';
import { HandrailError } from '../../shared/errors.ts';
import type { Reading } from '../../shared/contracts/devices.ts';
import type { Sample } from '../../shared/contracts/record.ts';
import { simulatedPlantFile } from './simulated.ts';
import { createSampling } from './sampling.ts';

const tag = { ...simulatedPlantFile({ port: 1 }).tags[0]!, deadband: 0.5 };
const start = Date.parse('2026-03-18T10:30:00Z');
const good = (value: number, at: number): Reading => ({
  tag: tag.id,
  quality: 'good',
  value,
  unit: '°C',
  readAt: new Date(start + at).toISOString(),
  raw: [0],
});
const bad: Reading = {
  tag: tag.id,
  quality: 'bad',
  value: null,
  unit: '°C',
  readAt: null,
  lastTriedAt: '',
  raw: null,
  reason: 'x',
  error: null,
};

test('a sample is a move beyond the deadband, a change of quality or a sign of life', () => {
  const kept: Sample[] = [];
  const sampling = createSampling({ now: () => start + 2500 }, (some) => kept.push(...some));
  for (const reading of [
    good(10, 0),
    good(10.5, 1000),
    good(10.6, 2000),
    bad,
    bad,
    good(10.6, 3000),
    good(10.6, 32_999),
    good(10.6, 33_000),
  ])
    sampling.take(tag, reading);
  sampling.flush();
  expect(kept.map((s) => [s.at - start, s.value])).toEqual([
    [0, 10],
    [2000, 10.6],
    [2500, null],
    [3000, 10.6],
    [33_000, 10.6],
  ]);
});

test('a history that cannot write loses nothing until it can again, and says so meanwhile', () => {
  const kept: Sample[] = [];
  let isFull = true;
  const sampling = createSampling({ now: () => start }, (some) => {
    if (isFull) throw new HandrailError('STORE_WRITE', { detail: { reason: 'disk full' } });
    kept.push(...some);
  });
  sampling.take(tag, good(1, 0));
  sampling.flush();
  expect(sampling.trouble()).toMatchObject({ error: { code: 'STORE_WRITE' }, dropped: 0 });
  sampling.take(tag, good(2, 1000));
  isFull = false;
  sampling.flush();
  expect(kept.map((s) => s.value)).toEqual([1, 2]);
  expect(sampling.trouble()).toBeNull();
});
