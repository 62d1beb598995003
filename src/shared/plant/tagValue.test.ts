import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TagConfig, WordOrder } from '../contracts/plant.ts';
import { decodeTag, encodeForTag, masked, spanOf } from './tagValue.ts';

const tag = (parts: Partial<TagConfig>): TagConfig => ({
  id: 't',
  name: { en: 't', zh: 't' },
  aliases: { en: [], zh: [] },
  device: 'd',
  table: 'holding',
  address: 7,
  type: 'int16',
  order: 'ABCD',
  scale: 1,
  offset: 0,
  decimals: 0,
  unit: '',
  range: { min: null, max: null },
  write: { allowed: true, min: null, max: null, maxStep: null },
  pollMs: 1000,
  deadband: 0,
  ...parts,
});

test('a value beyond its range is shown as doubtful, not hidden and not good', () => {
  expect(decodeTag(tag({ scale: 0.1, range: { min: 0, max: 100 } }), [1005])).toEqual({
    quality: 'uncertain',
    value: 100.5,
    reason: 'out-of-range',
  });
});

test('a sentinel is compared before scaling and has no value', () => {
  expect(decodeTag(tag({ scale: 0.1, sentinels: [-32768] }), [0x8000])).toEqual({ quality: 'bad', reason: 'not-available' });
  expect(decodeTag(tag({ scale: 0.1, sentinels: [32768] }), [0x8000])).toEqual({ quality: 'bad', reason: 'not-available' });
  expect(decodeTag(tag({ type: 'float32' }), [0x7fc0, 1])).toEqual({ quality: 'bad', reason: 'not-a-number' });
  expect(decodeTag(tag({ type: 'bcd16' }), [0x12fa])).toEqual({ quality: 'bad', reason: 'invalid-value' });
});

describe('a value becomes the request that writes exactly it', () => {
  test.each<[string, TagConfig, unknown, object]>([
    ['a scaled integer', tag({ scale: 0.1 }), 120, { functionCode: 6, words: [1200] }],
    ['a negative number', tag({}), -5, { functionCode: 6, words: [0xfffb] }],
    [
      'a float, low word first',
      tag({ type: 'float32', order: 'CDAB' }),
      123456,
      { functionCode: 16, quantity: 2, words: [0x2000, 0x47f1] },
    ],
    ['a coil', tag({ table: 'coil', type: 'bool' }), true, { functionCode: 5, bits: [true] }],
    ['a bit of a register', tag({ type: 'bit', bit: 3 }), true, { functionCode: 22, andMask: 0xfff7, orMask: 8 }],
    [
      'a bit of a byte-swapped register',
      tag({ type: 'bit', bit: 3, order: 'BADC' }),
      false,
      { functionCode: 22, andMask: 0xf7ff, orMask: 0 },
    ],
    ['64 bits as digits', tag({ type: 'uint64' }), '72623859790382856', { functionCode: 16, words: [0x0102, 0x0304, 0x0506, 0x0708] }],
    ['text, low byte first', tag({ type: 'string', length: 4, order: 'BADC' }), 'CB', { functionCode: 16, words: [0x4243, 0] }],
  ])('%s', (_, config, value, request) => {
    expect(encodeForTag(config, value)).toMatchObject({ address: 7, ...request });
  });

  test('a device for one way only gets that way', () => {
    expect(encodeForTag(tag({}), 5, ['fc16-only'])).toMatchObject({ functionCode: 16, words: [5] });
    expect(encodeForTag(tag({ table: 'coil', type: 'bool' }), false, ['fc15-only'])).toMatchObject({ functionCode: 15, bits: [false] });
  });
});

describe('what the registers cannot hold is refused, never rounded', () => {
  test.each<[TagConfig, unknown]>([
    [tag({}), 21.7],
    [tag({}), NaN],
    [tag({}), '12abc'],
    [tag({}), '12'],
    [tag({}), true],
    [tag({}), null],
    [tag({}), undefined],
    [tag({}), 40000],
    [tag({ scale: 0.1 }), 120.05],
    [tag({ type: 'uint16' }), -1],
    [tag({ type: 'float32' }), Infinity],
    [tag({ type: 'float32' }), 16777217],
    [tag({ table: 'coil', type: 'bool' }), 'false'],
    [tag({ table: 'coil', type: 'bool' }), 1],
    [tag({ type: 'bit', bit: 1 }), 1],
    [tag({ type: 'string', length: 2 }), 'ABC'],
    [tag({ table: 'input' }), 1],
  ])('%#: %j', (config, value) => {
    expect(() => encodeForTag(config, value)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(ARGS_INVALID|POLICY_READ_ONLY)$/) as string }),
    );
  });
});

test('what was written reads back as the same value, in every type, order and decimal scale', () => {
  const types = fc.constantFrom<TagConfig['type']>('int16', 'uint16', 'int32', 'uint32', 'bcd16', 'bcd32');
  const orders = fc.constantFrom<WordOrder>('ABCD', 'CDAB', 'BADC', 'DCBA');
  fc.assert(
    fc.property(types, orders, fc.constantFrom(1, 0.1, 0.01, 0.001, 10), fc.integer({ min: 0, max: 9999 }), (type, order, scale, raw) => {
      const config = tag({ type, order, scale });
      const value = Number((raw * scale).toPrecision(12));
      const request = encodeForTag(config, value);
      if (!('words' in request)) throw new Error('registers are written with words');
      expect(decodeTag(config, request.words)).toEqual({ quality: 'good', value });
    }),
  );
});

test('a mask touches its bit and no other', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 65535 }), fc.integer({ min: 0, max: 15 }), fc.boolean(), (word, bit, on) => {
      const config = tag({ type: 'bit', bit });
      const request = encodeForTag(config, on);
      if (request.functionCode !== 22) throw new Error('a bit is written with a mask');
      const after = masked(word, request.andMask, request.orMask);
      expect(decodeTag(config, [after])).toEqual({ quality: 'good', value: on });
      expect((after ^ word) & ~(1 << bit)).toBe(0);
    }),
  );
});

test('a text takes half as many registers as it has characters', () => {
  expect(spanOf(tag({ type: 'string', length: 5 }), 1)).toMatchObject({ address: 7, length: 3 });
});
