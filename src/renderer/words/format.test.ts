import fc from 'fast-check';
import { expect, test, vi } from 'vitest';

vi.stubGlobal('navigator', { language: 'en' });
vi.stubGlobal('matchMedia', () => ({ matches: false }));
const { formatAge, formatClock, formatDuration, formatNumber, visible } = await import('./format.ts');

test('a minus is a minus sign, and zero never carries one', () => {
  expect(formatNumber(-58, 0)).toBe('\u221258');
  expect(formatNumber(-0.04, 1)).toBe('0.0');
  expect(formatNumber(-0, 2)).toBe('0.00');
});

test('thousands are apart from five digits on, decimals never', () => {
  expect(formatNumber(1284906.5, 1)).toBe('1\u2009284\u2009906.5');
  expect(formatNumber(2450, 0)).toBe('2450');
});

test('what is no number is a dash, never zero', () => {
  for (const value of [NaN, Infinity, -Infinity]) expect(formatNumber(value, 1)).toBe('\u2014');
});

test('a shown number reads back as what was shown', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.integer({ min: 0, max: 4 }), (value, decimals) => {
      expect(Number(formatNumber(value, decimals).replace('\u2212', '-').replaceAll('\u2009', ''))).toBeCloseTo(
        Number(value.toFixed(decimals)),
        6,
      );
    }),
  );
});

test('age goes in whole steps, in both languages', () => {
  expect(formatAge(149, 'en')).toBe('0.1 s');
  expect(formatAge(14_900, 'zh')).toBe('14 秒');
  expect(formatAge(190_000, 'en')).toBe('3 min');
  expect(formatAge(-50, 'en')).toBe('0.0 s');
});

test('clocks and durations', () => {
  expect(formatClock(192_000)).toBe('3:12');
  expect(formatClock(3_792_000)).toBe('1:03:12');
  expect(formatDuration(94, 'en')).toBe('94 ms');
  expect(formatDuration(2400, 'zh')).toBe('2.40 秒');
});

test('characters that turn a text around are shown as what they are', () => {
  expect(visible('a\u202eb\u0007c\u200d')).toBe('a\\u202eb\\u0007c\\u200d');
  expect(visible('line\nnext\ttab 锅炉')).toBe('line\nnext\ttab 锅炉');
});
