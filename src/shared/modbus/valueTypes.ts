import type { WireType, WordOrder } from '../contracts/plant.ts';

/** All types the codec knows: those a plant file may name and the rarer ones of device maps. */
export type ValueType = WireType | 'float16' | 'bcd64' | 'uint8_high' | 'uint8_low' | 'int8_high' | 'int8_low';

/** Where the characters of a string sit in the registers. Word order is never applied to strings. */
export type StringShape = 'high-first' | 'low-first' | 'high-only' | 'low-only';
export type StringEncoding = 'ascii' | 'latin1' | 'utf-8' | 'gbk';

export type ValueShape = {
  type: ValueType;
  order?: WordOrder;
  /** Characters of a string; width of a bit field. */
  length?: number;
  /** Bit 0 is the least significant of the register, after the order is applied. */
  bit?: number;
  scale?: number;
  offset?: number;
  /** Raw values that mean "not available", as numbers or as bit patterns (0x8000 is found in an int16 too). */
  sentinels?: readonly (number | bigint | string)[];
  stringShape?: StringShape;
  encoding?: StringEncoding;
};

export type DecodedValue =
  { quality: 'good'; value: number | bigint | boolean | string } | { quality: 'bad'; value: null; reason: string; shown: string | null };

const registers: Readonly<Record<Exclude<ValueType, 'string'>, number>> = {
  bool: 1,
  bit: 1,
  int16: 1,
  uint16: 1,
  uint8_high: 1,
  uint8_low: 1,
  int8_high: 1,
  int8_low: 1,
  float16: 1,
  bcd16: 1,
  int32: 2,
  uint32: 2,
  float32: 2,
  bcd32: 2,
  int64: 4,
  uint64: 4,
  float64: 4,
  bcd64: 4,
};

/** How many registers a value takes. `length` is in characters for strings. */
export function registerCount(shape: Pick<ValueShape, 'type' | 'length' | 'stringShape'>): number {
  if (shape.type !== 'string') return registers[shape.type];
  const characters = shape.length ?? 0;
  return shape.stringShape === 'high-only' || shape.stringShape === 'low-only' ? characters : Math.ceil(characters / 2);
}

export const integerRange: Readonly<Partial<Record<ValueType, readonly [bigint, bigint]>>> = {
  int16: [-0x8000n, 0x7fffn],
  uint16: [0n, 0xffffn],
  int32: [-0x80000000n, 0x7fffffffn],
  uint32: [0n, 0xffffffffn],
  int64: [-0x8000000000000000n, 0x7fffffffffffffffn],
  uint64: [0n, 0xffffffffffffffffn],
  uint8_high: [0n, 255n],
  uint8_low: [0n, 255n],
  int8_high: [-128n, 127n],
  int8_low: [-128n, 127n],
  bcd16: [0n, 9999n],
  bcd32: [0n, 99999999n],
  bcd64: [0n, 9999999999999999n],
};

/** "Not implemented" of SunSpec, by type, as bit patterns. SolarEdge adds FF7FFFFFh for float32. */
export const sunspecSentinels: Readonly<Partial<Record<ValueType, readonly bigint[]>>> = {
  int16: [0x8000n],
  uint16: [0xffffn],
  int32: [0x80000000n],
  uint32: [0xffffffffn],
  int64: [0x8000000000000000n],
  uint64: [0xffffffffffffffffn],
  float32: [0x7fc00000n, 0xff7fffffn],
  float64: [0x7ff8000000000000n],
};
