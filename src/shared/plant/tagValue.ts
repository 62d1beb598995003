import { HandrailError, type Bilingual } from '../errors.ts';
import type { TagConfig } from '../contracts/plant.ts';
import { bitMasks, decodeValue, encodeValue, registerCount, type ValueShape } from '../modbus/index.ts';
import { isBitTable, type Span } from './planRequests.ts';

export type TagValue = number | boolean | string | bigint;
/** Why a reading carries no value, or a doubtful one. Words for people: `reasonTexts`. */
export type ValueReason = 'not-available' | 'not-a-number' | 'invalid-value' | 'out-of-range' | 'unverified';
export type Decoded =
  | { quality: 'good'; value: TagValue }
  | { quality: 'uncertain'; value: TagValue; reason: ValueReason }
  | { quality: 'bad'; reason: ValueReason };

export const reasonTexts: Record<ValueReason | 'stale', Bilingual> = {
  'not-available': { en: 'the device says that it has no value', zh: '设备表示无有效值' },
  'not-a-number': { en: 'the registers hold no number', zh: '寄存器内容不是数字' },
  'invalid-value': { en: 'the registers hold no valid value of this type', zh: '寄存器内容不是该类型的有效值' },
  'out-of-range': { en: 'outside the range in the plant file', zh: '超出工厂文件中的量程' },
  unverified: {
    en: 'may be the late answer to an earlier question; read it again',
    zh: '可能是先前请求的迟到应答，请重新读取',
  },
  stale: { en: 'not read for a while', zh: '已有一段时间未更新' },
};

/** A tag as the codec wants it. Register order never applies to text; only which byte of a register comes first does. */
export function shapeOf(tag: TagConfig): ValueShape {
  const { type, order, length, bit, scale, offset, sentinels } = tag;
  if (type === 'string') return { type, length, stringShape: isByteSwapped(tag) ? 'low-first' : 'high-first' };
  return { type, order, bit, scale, offset, sentinels };
}

const isByteSwapped = (tag: TagConfig): boolean => tag.order === 'BADC' || tag.order === 'DCBA';

export const widthOf = (tag: TagConfig): number => (isBitTable(tag.table) ? 1 : registerCount(shapeOf(tag)));

export function spanOf(tag: TagConfig, unitId: number): Span {
  return { tag: tag.id, unitId, table: tag.table, address: tag.address, length: widthOf(tag) };
}

export function decodeTag(tag: TagConfig, raw: readonly number[] | readonly boolean[]): Decoded {
  if (isBitTable(tag.table))
    return typeof raw[0] === 'boolean' ? { quality: 'good', value: raw[0] } : { quality: 'bad', reason: 'invalid-value' };
  const decoded = decodeValue(raw as readonly number[], shapeOf(tag));
  if (decoded.quality === 'bad')
    return {
      quality: 'bad',
      reason:
        decoded.shown === 'n/a'
          ? 'not-available'
          : decoded.shown === 'NaN' || decoded.shown?.endsWith('Infinity')
            ? 'not-a-number'
            : 'invalid-value',
    };
  const { value } = decoded;
  const { min, max } = tag.range;
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const isOutside = isNumber && ((min !== null && value < min) || (max !== null && value > max));
  return isOutside ? { quality: 'uncertain', value, reason: 'out-of-range' } : { quality: 'good', value };
}

export type EncodedWrite =
  | { functionCode: 5 | 15; address: number; quantity: number; bits: boolean[] }
  | { functionCode: 6 | 16; address: number; quantity: number; words: number[] }
  /** One bit of a register: an atomic mask write; a device without FC22 needs read-modify-write, with its race named. */
  | { functionCode: 22; address: number; quantity: 1; andMask: number; orMask: number };

/**
 * A value for a tag as the request that writes exactly it, or an error: what the registers cannot hold is refused, never
 * rounded (21.7 for an integer, NaN, "12abc", true for a number). Range and access are policy's to judge.
 */
export function encodeForTag(tag: TagConfig, value: unknown, quirks: readonly string[] = []): EncodedWrite {
  const { address } = tag;
  if (tag.table === 'input' || tag.table === 'discrete') {
    throw new HandrailError('POLICY_READ_ONLY', { detail: { target: tag.id } });
  }
  if (tag.table === 'coil' || tag.type === 'bit') {
    // Only true and false: the text "false" switched a coil on in a library we know.
    if (typeof value !== 'boolean')
      throw new HandrailError('ARGS_INVALID', { detail: { reason: `${tag.id} takes true or false`, tag: tag.id } });
    if (tag.table === 'coil') return { functionCode: quirks.includes('fc15-only') ? 15 : 5, address, quantity: 1, bits: [value] };
    return { functionCode: 22, address, quantity: 1, ...bitMasks(isByteSwapped(tag) ? (tag.bit ?? 0) ^ 8 : (tag.bit ?? 0), value) };
  }
  const words = encodeValue(value, shapeOf(tag));
  return { functionCode: words.length === 1 && !quirks.includes('fc16-only') ? 6 : 16, address, quantity: words.length, words };
}

/** What a register word becomes by a mask write (FC22), for read-back and for devices that lack it. */
export const masked = (word: number, andMask: number, orMask: number): number => (word & andMask) | (orMask & ~andMask & 0xffff);

/** A tag is stale when three polls have passed without a fresh value; a quick tag gets a moment more. */
export const staleAfterMs = (tag: Pick<TagConfig, 'pollMs'>): number => Math.max(3 * tag.pollMs, 3000);
