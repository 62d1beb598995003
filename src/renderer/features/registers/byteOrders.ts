import type { TagConfig, WordOrder } from '../../../shared/contracts/plant.ts';
import { decodeValue } from '../../../shared/modbus/values.ts';
import type { ValueType } from '../../../shared/modbus/valueTypes.ts';

export type OrderRow = { order: WordOrder; used: boolean; cells: (string | null)[]; inRange: 'yes' | 'no' | 'unknown' };
export type OrderTable = {
  types: ValueType[];
  rows: OrderRow[];
  words: { unsigned: number; signed: number; bits: string; ascii: string }[];
};

const orders: WordOrder[] = ['ABCD', 'CDAB', 'BADC', 'DCBA'];
const typesFor = (words: number): ValueType[] =>
  words >= 4 ? ['float64', 'int64', 'uint64'] : words >= 2 ? ['float32', 'int32', 'uint32'] : ['int16', 'uint16', 'bcd16'];

/**
 * One register block read in every byte order at once: the one whose number is plausible is usually the right one. The
 * numbers are raw (before scale); whether one is in range is judged after scale and offset of the tag.
 */
export function orderTable(tag: TagConfig, raw: readonly number[]): OrderTable {
  const types = typesFor(raw.length);
  const own = types.includes(tag.type) ? tag.type : types[0]!;
  const shownOrders = raw.length === 1 ? orders.filter((order) => order === 'ABCD' || order === 'BADC') : orders;
  const rows = shownOrders.map((order): OrderRow => {
    const cells = types.map((type) => {
      const decoded = decodeValue(raw, { type, order });
      return decoded.quality === 'good' ? String(decoded.value) : decoded.shown;
    });
    return {
      order,
      used: isUsed(tag.order, order, raw.length),
      cells,
      inRange: rangeOf(tag, decodeValue(raw, { type: own, order, scale: tag.scale, offset: tag.offset }).value),
    };
  });
  return { types, rows, words: raw.map(wordForms) };
}

/** With one register the order of words says nothing: CDAB reads like ABCD, DCBA like BADC. */
function isUsed(tagOrder: WordOrder, order: WordOrder, words: number): boolean {
  if (words > 1) return tagOrder === order;
  return (tagOrder === 'ABCD' || tagOrder === 'CDAB' ? 'ABCD' : 'BADC') === order;
}

function rangeOf(tag: TagConfig, value: unknown): OrderRow['inRange'] {
  const { min, max } = tag.range;
  if (typeof value !== 'number' && typeof value !== 'bigint') return 'no';
  if (min === null && max === null) return 'unknown';
  const n = Number(value);
  // A float of 1e-38 lies "inside" most ranges and is never meant.
  if (n !== 0 && Math.abs(n) < 1e-6) return 'no';
  return (min === null || n >= min) && (max === null || n <= max) ? 'yes' : 'no';
}

function wordForms(word: number): OrderTable['words'][number] {
  const char = (byte: number): string => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·');
  return {
    unsigned: word,
    signed: word > 0x7fff ? word - 0x10000 : word,
    bits: word
      .toString(2)
      .padStart(16, '0')
      .replace(/(.{4})(?=.)/g, '$1 '),
    ascii: char(word >> 8) + char(word & 0xff),
  };
}

/** Exponents only where digits would not fit; minus as a minus; thousands apart. */
export function shownCell(text: string | null): string {
  if (text === null) return '\u2014';
  const n = Number(text);
  const plain = /^-?\d+$/.test(text)
    ? text.replace(/\B(?=(\d{3})+$)/g, '\u2009')
    : Number.isFinite(n) && n !== 0 && (Math.abs(n) >= 1e6 || Math.abs(n) < 1e-4)
      ? n.toExponential(3)
      : Number.isFinite(n)
        ? String(Number(n.toPrecision(7)))
        : text;
  return plain.replaceAll('-', '\u2212');
}
