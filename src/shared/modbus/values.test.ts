import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bitMasks,
  decodeValue,
  encodeValue,
  integerRange,
  sunspecSentinels,
  wordOrders,
  type ValueShape,
  type ValueType,
} from './index.ts';

const words = (hex: string): number[] => (hex.match(/[0-9a-f]{4}/gi) ?? []).map((word) => Number.parseInt(word, 16));
const valueOf = (hex: string, shape: ValueShape): unknown => decodeValue(words(hex), shape).value;

test('123456.0 arrives in four byte orders and is the same value', () => {
  const arrivals = { ABCD: '47F12000', CDAB: '200047F1', BADC: 'F1470020', DCBA: '0020F147' } as const;
  for (const order of wordOrders) expect(valueOf(arrivals[order], { type: 'float32', order })).toBe(123456);
});

test('a 64-bit integer is exact in all four orders', () => {
  const arrivals = { ABCD: '1122334455667788', CDAB: '7788556633441122', BADC: '2211443366558877', DCBA: '8877665544332211' } as const;
  for (const order of wordOrders) expect(valueOf(arrivals[order], { type: 'uint64', order })).toBe(0x1122334455667788n);
  expect(valueOf('0005000000000020', { type: 'int64', order: 'CDAB' })).toBe(9007199254740997n);
  expect(valueOf('0102030405060708', { type: 'uint64' })).toBe(72623859790382856n);
});

test('C01: words 519F 436A are 234.3188 V low word first', () => {
  expect(valueOf('519F436A', { type: 'float32', order: 'CDAB' })).toBeCloseTo(234.3188, 4);
});

test('C03: bits 0000 4368 are 232 with the words swapped', () => {
  expect(valueOf('00004368', { type: 'float32', order: 'CDAB' })).toBe(232);
});

test('C07: 00 01 is 1, and 256 only when bytes are swapped on purpose', () => {
  expect(valueOf('0001', { type: 'uint16' })).toBe(1);
  expect(valueOf('0001', { type: 'uint16', order: 'BADC' })).toBe(256);
});

test('C11: the SMA night value 80000000h is not available and not 2147483648', () => {
  expect(decodeValue(words('80000000'), { type: 'int32', sentinels: [0x80000000] })).toMatchObject({
    quality: 'bad',
    value: null,
    shown: 'n/a',
  });
  expect(decodeValue(words('80000000'), { type: 'int32', sentinels: [-2147483648] }).quality).toBe('bad');
});

test('C13: a scale factor FFFFh is -1', () => {
  expect(decodeValue([2345], { type: 'uint16' }, 0xffff).value).toBe(234.5);
  expect(decodeValue([2345], { type: 'uint16' }, 0x8000)).toMatchObject({ quality: 'bad', reason: 'the scale factor is not available' });
  expect(decodeValue([2345], { type: 'uint16' }, 11).quality).toBe('bad');
});

test('C17 and C25: 65500 read as int16 is -36', () => {
  expect(decodeValue([65500], { type: 'int16' }).value).toBe(-36);
});

test('C23: FF01 holds two bytes', () => {
  expect(decodeValue([0xff01], { type: 'uint8_low' }).value).toBe(1);
  expect(decodeValue([0xff01], { type: 'uint8_high' }).value).toBe(255);
  expect(decodeValue([0xff01], { type: 'int8_high' }).value).toBe(-1);
});

test('C27: 7FFFFFFFh with a sentinel is never shown as 214748364.7', () => {
  expect(decodeValue(words('7FFFFFFF'), { type: 'int32', scale: 0.1, sentinels: [0x7fffffff] }).value).toBeNull();
});

test('C29: a string with the low byte first reads BC where the words say CB', () => {
  expect(valueOf('4342', { type: 'string', length: 2, stringShape: 'low-first' })).toBe('BC');
  expect(valueOf('4342', { type: 'string', length: 2 })).toBe('CB');
});

test('C31: 5003=4521, 5004=0 is 4521 with scale 1 and 452.1 with 0.1', () => {
  expect(decodeValue([4521, 0], { type: 'uint32', order: 'CDAB' }).value).toBe(4521);
  expect(decodeValue([4521, 0], { type: 'uint32', order: 'CDAB', scale: 0.1 }).value).toBe(452.1);
});

test('C33: three floats of a meter', () => {
  expect(decodeValue([16561, 47598], { type: 'float32' }).value).toBeCloseTo(5.55395, 5);
  expect(decodeValue([17719, 31813], { type: 'float32' }).value).toBeCloseTo(2935.767, 3);
  expect(decodeValue([16864, 57657], { type: 'float32' }).value).toBeCloseTo(28.10997, 5);
});

test('word order never touches strings, and each of the four shapes is read', () => {
  const shape: ValueShape = { type: 'string', order: 'DCBA', length: 4 };
  expect(valueOf('41424344', shape)).toBe('ABCD');
  expect(valueOf('41004200', { ...shape, length: 2, stringShape: 'high-only' })).toBe('AB');
  expect(valueOf('00410042', { ...shape, length: 2, stringShape: 'low-only' })).toBe('AB');
  expect(valueOf('4F4B0000', shape)).toBe('OK');
  expect(valueOf('D6D0CEC4', { ...shape, encoding: 'gbk' })).toBe('中文');
  expect(decodeValue(words('FFFEFFFE'), shape).quality).toBe('bad');
});

test('NaN and infinities are bad, never a number', () => {
  for (const hex of ['7FC00000', '7F800000', 'FF800000', '7F800001'])
    expect(decodeValue(words(hex), { type: 'float32' })).toMatchObject({ quality: 'bad', value: null });
  expect(decodeValue(words('00FFFFC0'), { type: 'float32', order: 'CDAB' })).toMatchObject({ quality: 'bad', shown: 'NaN' });
});

test('BCD is decimal digits, and a nibble above nine makes it invalid', () => {
  expect(valueOf('1234', { type: 'bcd16' })).toBe(1234);
  expect(valueOf('12345678', { type: 'bcd32' })).toBe(12345678);
  expect(valueOf('56781234', { type: 'bcd32', order: 'CDAB' })).toBe(12345678);
  expect(decodeValue(words('12A4'), { type: 'bcd16' }).quality).toBe('bad');
});

test('bits are numbered from the least significant; a width makes a small number', () => {
  expect(valueOf('0010', { type: 'bit', bit: 4 })).toBe(true);
  expect(valueOf('0010', { type: 'bit', bit: 3 })).toBe(false);
  expect(valueOf('0050', { type: 'bit', bit: 4, length: 3 })).toBe(5);
  expect(decodeValue([1], { type: 'bit', bit: 16 }).quality).toBe('bad');
  expect(bitMasks(2, true)).toEqual({ andMask: 0xfffb, orMask: 4 });
});

test('sentinels of SunSpec are found in their own type', () => {
  for (const [type, patterns] of Object.entries(sunspecSentinels) as [ValueType, readonly bigint[]][]) {
    const size = type.endsWith('64') ? 16 : type.endsWith('32') ? 8 : 4;
    for (const pattern of patterns)
      expect(decodeValue(words(pattern.toString(16).padStart(size, '0')), { type, sentinels: patterns }).quality).toBe('bad');
  }
});

test('too few registers are bad, not padded', () => {
  expect(decodeValue([1], { type: 'uint32' })).toMatchObject({ quality: 'bad', reason: '1 of 2 registers are there' });
});

test.each([
  [NaN, 'uint16'],
  [undefined, 'uint16'],
  [null, 'uint16'],
  ['12abc', 'uint16'],
  ['12', 'uint16'],
  [true, 'uint16'],
  [21.7, 'uint16'],
  [-1, 'uint16'],
  [65536, 'uint16'],
  [32768, 'int16'],
  [Infinity, 'float32'],
  [NaN, 'float32'],
  [1e39, 'float32'],
  [16777217, 'float32'],
  ['1.5', 'float64'],
  [2 ** 53 + 2, 'int64'],
  ['1e3', 'int64'],
  [10000, 'bcd16'],
  [-1, 'bcd16'],
  [1, 'bool'],
  ['false', 'bool'],
] as const)('%s is refused for %s', (value, type) => {
  expect(() => encodeValue(value, { type })).toThrowError(expect.objectContaining({ code: 'ARGS_INVALID' }));
});

test('a scaled value must be a step of the device', () => {
  expect(encodeValue(21.7, { type: 'int16', scale: 0.1 })).toEqual([217]);
  expect(encodeValue(-36.6, { type: 'int16', scale: 0.1 })).toEqual([0x10000 - 366]);
  expect(() => encodeValue(21.75, { type: 'int16', scale: 0.1 })).toThrow(/steps of 0.1; nearest is 21.8/);
});

test('W09: a torn write shows in the bits: 3DA96D9E was sent, the device holds 3DB26D9E', () => {
  const sent = decodeValue(words('3DA96D9E'), { type: 'float32' }).value as number;
  expect(sent).toBeCloseTo(0.082728, 5);
  expect(encodeValue(sent, { type: 'float32' })).toEqual([0x3da9, 0x6d9e]);
  expect(valueOf('3DB26D9E', { type: 'float32' })).not.toBe(sent);
});

test('C35: a 64-bit value comes back bit for bit', () => {
  const shape: ValueShape = { type: 'int64' };
  expect(encodeValue('72623859790382856', shape)).toEqual([0x0102, 0x0304, 0x0506, 0x0708]);
  expect(decodeValue(encodeValue(72623859790382856n, shape), shape).value).toBe(72623859790382856n);
});

const anyOrder = fc.constantFrom(...wordOrders);

test('every integer of every type survives encoding and decoding in every order', () => {
  const types = ['int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'bcd16', 'bcd32', 'bcd64'] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...types).chain((type) => fc.tuple(fc.constant(type), fc.bigInt(...(integerRange[type]! as [bigint, bigint])))),
      anyOrder,
      ([type, value], order) => {
        expect(BigInt(decodeValue(encodeValue(value, { type, order }), { type, order }).value as bigint)).toBe(value);
      },
    ),
    { numRuns: 3000 },
  );
});

test('every finite float survives encoding and decoding in every order', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), anyOrder, (value, order) => {
      const back = decodeValue(encodeValue(value, { type: 'float32', order }), { type: 'float32', order }).value as number;
      expect(Math.fround(back)).toBe(value === 0 ? 0 : value); // -0 is shown as 0
    }),
    { numRuns: 3000 },
  );
});

test('no registers make the decoder throw', () => {
  const types: ValueType[] = ['bool', 'bit', 'int16', 'uint64', 'float16', 'float32', 'float64', 'string', 'bcd16', 'bcd64', 'uint8_high'];
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 65535 }), { maxLength: 6 }),
      fc.constantFrom(...types),
      anyOrder,
      fc.option(fc.integer({ min: 0, max: 65535 }), { nil: undefined }),
      (some, type, order, factor) => {
        const decoded = decodeValue(some, { type, order, length: 4 }, factor);
        if (decoded.quality === 'good' && typeof decoded.value === 'number') expect(Number.isFinite(decoded.value)).toBe(true);
      },
    ),
    { numRuns: 5000 },
  );
});
