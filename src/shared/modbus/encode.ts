import { HandrailError } from '../errors.ts';
import { wordsInOrder } from './order.ts';
import { encodeText } from './text.ts';
import { integerRange, registerCount, type ValueShape } from './valueTypes.ts';
import { tidy } from './values.ts';

/**
 * The register words of a value, or a refusal. Nothing is rounded into an integer, cut, wrapped or guessed: the libraries
 * of the field write 0 for NaN and undefined, 21 for 21.7 and 12 for "12abc", and each of those reaches a machine.
 */
export function encodeValue(value: unknown, shape: ValueShape): number[] {
  if (shape.type === 'string') {
    if (typeof value !== 'string') refuse(value, 'text is needed');
    return encodeText(value, shape) ?? refuse(value, `it does not fit into ${shape.length ?? 0} characters (${shape.encoding ?? 'utf-8'})`);
  }
  if (shape.type === 'bool') {
    if (typeof value !== 'boolean') refuse(value, 'true or false is needed');
    return wordsInOrder(Uint8Array.of(0, value ? 1 : 0), shape.order ?? 'ABCD');
  }
  if (shape.type === 'bit') refuse(value, 'a bit is written with a mask (bitMasks), so that its neighbours stay');
  const bytes = new Uint8Array(2 * registerCount(shape));
  const view = new DataView(bytes.buffer);
  if (shape.type === 'float16') refuse(value, 'float16 is read only');
  if (shape.type === 'float32' || shape.type === 'float64') writeFloat(view, value, shape, shape.type);
  else {
    const raw = rawInteger(value, shape);
    const [min, max] = integerRange[shape.type]!;
    if (raw < min || raw > max) refuse(value, `${shape.type} holds ${min} to ${max}, this would be ${raw}`);
    const isByte = shape.type.startsWith('uint8') || shape.type.startsWith('int8');
    if (isByte) refuse(value, 'a byte shares its register with another; write the whole register');
    const pattern = shape.type.startsWith('bcd') ? BigInt(`0x${raw.toString()}`) : BigInt.asUintN(bytes.length * 8, raw);
    for (let i = bytes.length - 1, rest = pattern; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
  }
  return wordsInOrder(bytes, shape.order ?? 'ABCD');
}

/** FC22 masks that set or clear one bit and keep the rest: result = (now AND and) OR (or AND NOT and). */
export function bitMasks(bit: number, on: boolean): { andMask: number; orMask: number } {
  if (!Number.isInteger(bit) || bit < 0 || bit > 15) refuse(bit, 'bits of a register are 0 to 15');
  return { andMask: 0xffff & ~(1 << bit), orMask: on ? 1 << bit : 0 };
}

function rawInteger(value: unknown, shape: ValueShape): bigint {
  const scale = shape.scale ?? 1;
  const offset = shape.offset ?? 0;
  const isWide = shape.type === 'int64' || shape.type === 'uint64' || shape.type === 'bcd64';
  const plain = scale === 1 && offset === 0;
  if (typeof value === 'bigint') return plain ? value : refuse(value, 'a scaled value is given as a plain number');
  // JSON has no 64-bit integers, so they may come as their decimal digits.
  if (typeof value === 'string' && isWide && plain && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return refuse(value, 'a number is needed');
  const raw = plain ? value : Math.round((value - offset) / scale);
  if (!Number.isInteger(raw)) return refuse(value, 'a whole number is needed');
  if (!Number.isSafeInteger(raw)) return refuse(value, 'beyond 2^53 a plain number is not exact; give the digits as text');
  if (!plain && tidy(raw * scale + offset) !== tidy(value))
    return refuse(value, `the device takes steps of ${scale}; nearest is ${tidy(raw * scale + offset)}`);
  return BigInt(raw);
}

function writeFloat(view: DataView, value: unknown, shape: ValueShape, type: 'float32' | 'float64'): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) refuse(value, 'a finite number is needed');
  const plain = (shape.scale ?? 1) === 1 && (shape.offset ?? 0) === 0;
  const raw = plain ? value : (value - (shape.offset ?? 0)) / (shape.scale ?? 1);
  const stored = type === 'float32' ? Math.fround(raw) : raw;
  if (!Number.isFinite(stored)) refuse(value, `too large for ${type}`);
  if (stored === 0 && raw !== 0) refuse(value, `too small for ${type}`);
  if (plain && Number.isInteger(value) && stored !== value) refuse(value, `${type} cannot hold it exactly; nearest is ${stored}`);
  if (type === 'float32') view.setFloat32(0, raw);
  else view.setFloat64(0, raw);
}

function refuse(value: unknown, why: string): never {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw new HandrailError('ARGS_INVALID', { detail: { reason: `${shown} cannot be written: ${why}`, failure: 'INVALID_REQUEST' } });
}
