import { expect, test, vi } from 'vitest';

vi.stubGlobal('navigator', { language: 'en' });
vi.stubGlobal('matchMedia', () => ({ matches: false }));
const { say } = await import('../../words/words.ts');
const { frameMeaning, holdsBytes } = await import('./decodeFrame.ts');
const bytes = (hex: string): Uint8Array => Uint8Array.from(hex.split(' '), (pair) => parseInt(pair, 16));
const en: Parameters<typeof frameMeaning>[3] = (key, values) => say('en', key, values);

test.each([
  ['16 03 00 00 00 04 47 2E', 'tx', 'rtu', 22, 'FC03 read 40001 +4'],
  ['16 03 04 0E D8 00 9E 34 38', 'rx', 'rtu', 22, 'FC03 reply, 4 bytes 3800 158'],
  ['03 83 02 61 31', 'rx', 'rtu', 3, 'FC03 exception 2'],
  ['00 01 00 00 00 06 01 06 00 01 10 68', 'tx', 'tcp', 1, 'FC06 write 40002 = 4200'],
  ['00 01 00 00 00 06 01 05 00 02 FF 00', 'rx', 'tcp', 1, 'FC05 wrote 00003 = 1'],
] as const)('%s says what it is', (hex, direction, kind, unit, words) => {
  expect(frameMeaning(bytes(hex), direction, kind, en)).toMatchObject({ unit, words });
});

test('a torn frame is not read as one', () => {
  expect(frameMeaning(bytes('16 03'), 'rx', 'rtu', en)).toEqual({ unit: null, functionCode: null, words: '2 bytes, not a whole frame' });
});

test('bytes are found on byte borders only', () => {
  expect(holdsBytes(bytes('16 03 00 AB'), '16 03')).toBe(true);
  expect(holdsBytes(bytes('16 03 00 AB'), '60 30')).toBe(false);
  expect(holdsBytes(bytes('16 03'), 'xyz')).toBe(false);
});
