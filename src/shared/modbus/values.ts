import { bytesInOrder } from './order.ts';
import { decodeText } from './text.ts';
import { registerCount, type DecodedValue, type ValueShape, type ValueType } from './valueTypes.ts';

const bad = (reason: string, shown: string | null = null): DecodedValue => ({ quality: 'bad', value: null, reason, shown });
const good = (value: number | bigint | boolean | string): DecodedValue => ({ quality: 'good', value });

/**
 * One value from its registers. What cannot be a value (NaN, a nibble above 9 in BCD, "not available") is bad and has no
 * number to misuse. `scaleFactor` is the register word of a dynamic scale factor read in the same block: a signed power
 * of ten that the device may change between two reads.
 */
export function decodeValue(words: readonly number[], shape: ValueShape, scaleFactor?: number): DecodedValue {
  const need = registerCount(shape);
  if (words.length < need) return bad(`${words.length} of ${need} registers are there`);
  if (words.some((word) => !Number.isInteger(word) || word < 0 || word > 0xffff)) return bad('not register words');
  const own = words.slice(0, need);
  if (shape.type === 'string') return decodeText(own, shape);
  const bytes = bytesInOrder(own, shape.order ?? 'ABCD');
  const view = new DataView(bytes.buffer);
  const pattern = patternOf(bytes);
  if (isSentinel(pattern, bytes.length * 8, view, shape)) return bad('not available (the device says so)', 'n/a');
  switch (shape.type) {
    case 'bool':
      return pattern === 0n
        ? good(false)
        : pattern === 1n || pattern === 0xffffn || pattern === 0xff00n
          ? good(true)
          : bad(`${pattern} is neither 0 nor 1`, String(pattern));
    case 'bit':
      return decodeBits(Number(pattern), shape);
    case 'bcd16':
    case 'bcd32':
    case 'bcd64': {
      const digits = pattern.toString(16).padStart(bytes.length * 2, '0');
      return /[a-f]/.test(digits) ? bad('a BCD digit is above 9', `0x${digits.toUpperCase()}`) : scaled(BigInt(digits), shape, scaleFactor);
    }
    case 'float16':
      return float(float16(view.getUint16(0)), shape, scaleFactor);
    case 'float32':
      return float(view.getFloat32(0), shape, scaleFactor, shortestFloat32);
    case 'float64':
      return float(view.getFloat64(0), shape, scaleFactor);
    case 'int16':
    case 'uint16':
    case 'int32':
    case 'uint32':
    case 'int64':
    case 'uint64':
    case 'uint8_high':
    case 'uint8_low':
    case 'int8_high':
    case 'int8_low':
      return scaled(integerOf(view, shape.type), shape, scaleFactor);
    default:
      return shape.type satisfies never;
  }
}

function patternOf(bytes: Uint8Array): bigint {
  let pattern = 0n;
  for (const byte of bytes) pattern = (pattern << 8n) | BigInt(byte);
  return pattern;
}

function integerOf(
  view: DataView,
  type: Exclude<ValueType, 'string' | 'bool' | 'bit' | 'bcd16' | 'bcd32' | 'bcd64' | 'float16' | 'float32' | 'float64'>,
): bigint {
  switch (type) {
    case 'int16':
      return BigInt(view.getInt16(0));
    case 'uint16':
      return BigInt(view.getUint16(0));
    case 'int32':
      return BigInt(view.getInt32(0));
    case 'uint32':
      return BigInt(view.getUint32(0));
    case 'int64':
      return view.getBigInt64(0);
    case 'uint64':
      return view.getBigUint64(0);
    case 'uint8_high':
      return BigInt(view.getUint8(0));
    case 'uint8_low':
      return BigInt(view.getUint8(1));
    case 'int8_high':
      return BigInt(view.getInt8(0));
    case 'int8_low':
      return BigInt(view.getInt8(1));
    default:
      return type satisfies never;
  }
}

function decodeBits(word: number, shape: ValueShape): DecodedValue {
  const bit = shape.bit ?? 0;
  const width = shape.length ?? 1;
  if (!Number.isInteger(bit) || bit < 0 || width < 1 || bit + width > 16)
    return bad(`bit ${bit}, width ${width} does not lie in a register`);
  const field = (word >>> bit) & ((1 << width) - 1);
  return width === 1 ? good(field === 1) : good(field);
}

/** Compared on the raw pattern, before any scaling: scaled first, 8000h would show as a plausible temperature. */
function isSentinel(pattern: bigint, bits: number, view: DataView, shape: ValueShape): boolean {
  return (shape.sentinels ?? []).some((sentinel) => {
    if (typeof sentinel === 'number' && !Number.isInteger(sentinel)) return isFloatEqual(sentinel, view, shape.type);
    try {
      if (BigInt.asUintN(bits, BigInt(sentinel)) === pattern) return true;
    } catch {
      return false;
    }
    return typeof sentinel === 'number' && isFloatEqual(sentinel, view, shape.type);
  });
}

function isFloatEqual(sentinel: number, view: DataView, type: ValueType): boolean {
  if (type === 'float32') return Object.is(view.getFloat32(0), Math.fround(sentinel));
  return type === 'float64' && Object.is(view.getFloat64(0), sentinel);
}

function float(value: number, shape: ValueShape, scaleFactor: number | undefined, shorten = (x: number): number => x): DecodedValue {
  if (!Number.isFinite(value))
    return bad(Number.isNaN(value) ? 'not a number (NaN)' : 'infinite', Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity');
  const factor = factorOf(shape, scaleFactor);
  if (typeof factor === 'string') return bad(factor);
  const exact = factor === 1 && (shape.offset ?? 0) === 0;
  return finite(exact ? shorten(value) : tidy(shorten(value) * factor + (shape.offset ?? 0)));
}

/** The shortest decimal that is this float32: 21.7 instead of 21.700000762939453, and it encodes to the same bits. */
export function shortestFloat32(value: number): number {
  for (let digits = 6; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function scaled(raw: bigint, shape: ValueShape, scaleFactor: number | undefined): DecodedValue {
  const factor = factorOf(shape, scaleFactor);
  if (typeof factor === 'string') return bad(factor);
  const offset = shape.offset ?? 0;
  if (factor === 1 && offset === 0) return good(raw >= -9007199254740991n && raw <= 9007199254740991n ? Number(raw) : raw);
  return finite(tidy(Number(raw) * factor + offset));
}

const finite = (value: number): DecodedValue => (Number.isFinite(value) ? good(value) : bad('too large after scaling'));

function factorOf(shape: ValueShape, scaleFactor: number | undefined): number | string {
  const scale = shape.scale ?? 1;
  if (!Number.isFinite(scale) || scale === 0) return `scale ${scale} is not usable`;
  if (scaleFactor === undefined) return scale;
  const exponent = scaleFactor > 0x7fff ? scaleFactor - 0x10000 : scaleFactor; // signed: FFFFh is -1, not 65535
  if (exponent === -0x8000) return 'the scale factor is not available';
  if (exponent < -10 || exponent > 10) return `scale factor ${exponent} is outside -10 to 10`;
  return Number(`${scale}e${exponent}`) || scale * 10 ** exponent;
}

/** Takes away what binary arithmetic adds: 3 * 0.1 is 0.3 for the engineer who reads it. */
export const tidy = (value: number): number => Number(value.toPrecision(15));

function float16(word: number): number {
  const sign = word & 0x8000 ? -1 : 1;
  const exponent = (word >>> 10) & 31;
  const fraction = word & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}
