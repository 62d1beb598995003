import type { ModbusTable } from '../contracts/approvals.ts';

/** How a written address is meant. An address is zero-based as sent; a reference (40001) is how a manual prints it. */
export type AddressNotation = 'zero-based' | 'one-based' | 'five-digit' | 'six-digit';

export type ResolvedAddress = {
  /** Null where the text names none and none was given. */
  table: ModbusTable | null;
  address: number;
  notation: AddressNotation | 'hex' | 'iec' | 'prefix';
  /** From forms like `1!400108`. */
  unitId?: number;
  /** From forms like `.4` and `:4:1`. */
  bit?: number;
  width?: number;
};

/** Ambiguity is a result, not a guess: a bare 40108 has three readings, and they differ by a whole control word. */
export type AddressResult =
  { kind: 'one'; at: ResolvedAddress } | { kind: 'ambiguous'; readings: ResolvedAddress[] } | { kind: 'invalid'; reason: string };

export const tablePrefix: Readonly<Record<ModbusTable, number>> = { coil: 0, discrete: 1, input: 3, holding: 4 };
const prefixTable: Readonly<Record<string, ModbusTable>> = { 0: 'coil', 1: 'discrete', 3: 'input', 4: 'holding' };
export const readFunction: Readonly<Record<ModbusTable, 1 | 2 | 3 | 4>> = { coil: 1, discrete: 2, holding: 3, input: 4 };

/** As a manual prints it: five digits while they suffice (40001), six beyond (410000). */
export function toReference(table: ModbusTable, address: number): string {
  const number = address + 1;
  return `${tablePrefix[table]}${String(number).padStart(number > 9999 ? 5 : 4, '0')}`;
}

export const toSixDigitReference = (table: ModbusTable, address: number): string =>
  `${tablePrefix[table]}${String(address + 1).padStart(5, '0')}`;

/** Both forms, always: `FC03 · wire 107 · 40108 · 0x006B`. */
export function showAddress(table: ModbusTable, address: number): string {
  const hex = address.toString(16).toUpperCase().padStart(4, '0');
  return `FC0${readFunction[table]} · wire ${address} · ${toReference(table, address)} · 0x${hex}`;
}

const iec: readonly [RegExp, ModbusTable][] = [
  [/^%(?:MW|QW)(\d+)$/, 'holding'],
  [/^%IW(\d+)$/, 'input'],
  [/^%(?:M|QX?|MX)(\d+)$/, 'coil'],
  [/^%IX?(\d+)$/, 'discrete'],
];

/**
 * Reads an address as written. `notation` says how plain numbers are meant (a map's own convention); without it a number
 * that can be more than one address comes back as all of them.
 */
export function parseAddress(text: string, options: { table?: ModbusTable; notation?: AddressNotation } = {}): AddressResult {
  let rest = text.normalize('NFKC').trim().toUpperCase().replace(/\s+/g, '');
  const extra: Pick<ResolvedAddress, 'unitId' | 'bit' | 'width'> = {};
  const unit = /^(\d{1,3})!/.exec(rest);
  if (unit) {
    extra.unitId = Number(unit[1]);
    if (extra.unitId > 255) return invalid(`unit ${unit[1]} does not exist`);
    rest = rest.slice(unit[0].length);
  }
  const bits = /(?:\.(\d{1,2})|:(\d{1,2})(?::(\d{1,2}))?)$/.exec(rest);
  if (bits) {
    extra.bit = Number(bits[1] ?? bits[2]);
    if (bits[3] !== undefined) extra.width = Number(bits[3]);
    if (extra.bit + (extra.width ?? 1) > 16) return invalid(`bit ${extra.bit} does not lie in a register`);
    rest = rest.slice(0, bits.index);
  }
  const one = (table: ModbusTable | null, address: number, notation: ResolvedAddress['notation']): AddressResult => {
    if (address < 0 || address > 0xffff) return invalid(`address ${address} lies outside 0 to 65535`);
    if (table && options.table && table !== options.table)
      return invalid(`${text.trim()} names the ${table} table, asked is ${options.table}`);
    return { kind: 'one', at: { table: table ?? options.table ?? null, address, notation, ...extra } };
  };
  const hex = /^0X([0-9A-F]{1,5})$/.exec(rest) ?? /^([0-9][0-9A-F]{0,4})H$/.exec(rest);
  if (hex) return one(null, Number.parseInt(hex[1]!, 16), 'hex');
  for (const [form, table] of iec) {
    const match = form.exec(rest);
    if (match) return one(table, Number(match[1]), 'iec');
  }
  const prefixed = /^([0134])X(\d{1,5})$/.exec(rest);
  if (prefixed) return one(prefixTable[prefixed[1]!]!, Number(prefixed[2]) - 1, 'prefix');
  if (!/^\d{1,6}$/.test(rest)) return invalid(`${JSON.stringify(text.trim())} is not an address`);
  if (unit) return rest.length < 5 ? invalid('behind a unit a five- or six-digit reference is needed') : reference(rest, one);
  return plainNumber(rest, options, one);
}

type One = (table: ModbusTable | null, address: number, notation: ResolvedAddress['notation']) => AddressResult;

/** 40001 or 400001. With a unit in front (`1!40001`) five digits are the six-digit form of the coil table, as Neuron reads them. */
function reference(digits: string, one: One): AddressResult {
  const six = digits.padStart(6, '0');
  const table = prefixTable[six[0]!];
  return table ? one(table, Number(six.slice(1)) - 1, 'six-digit') : invalid(`no table begins with ${six[0]}`);
}

function plainNumber(digits: string, options: { table?: ModbusTable; notation?: AddressNotation }, one: One): AddressResult {
  const value = Number(digits);
  switch (options.notation) {
    case 'zero-based':
      return one(null, value, 'zero-based');
    case 'one-based':
      return one(null, value - 1, 'one-based');
    case 'five-digit': {
      const five = digits.padStart(5, '0');
      const table = five.length === 5 ? prefixTable[five[0]!] : undefined;
      return table && Number(five.slice(1)) > 0
        ? one(table, Number(five.slice(1)) - 1, 'five-digit')
        : invalid(`${digits} is not a five-digit reference`);
    }
    case 'six-digit':
      return reference(digits, one);
    case undefined:
      break;
    default:
      return options.notation satisfies never;
  }
  const readings = [...referenceReadings(digits, one), one(null, value, 'zero-based'), one(null, value - 1, 'one-based')].flatMap(
    (result) => (result.kind === 'one' ? [result.at] : []),
  );
  const first = readings[0];
  if (!first) return invalid(`address ${digits} lies outside 0 to 65535`);
  return readings.length === 1 ? { kind: 'one', at: first } : { kind: 'ambiguous', readings };
}

function referenceReadings(digits: string, one: One): AddressResult[] {
  if (digits.length !== 5 && digits.length !== 6) return [];
  const table = prefixTable[digits[0]!];
  const number = Number(digits.slice(1));
  if (!table || number < 1) return [];
  return [one(table, number - 1, digits.length === 5 ? 'five-digit' : 'six-digit')];
}

function invalid(reason: string): AddressResult {
  return { kind: 'invalid', reason };
}

/**
 * A number in a person's request, by the rules of the intent corpus: five or six digits that fit are a reference, all
 * else is a zero-based address. `isProtocol` stands for "zero-based", "offset", 协议地址 and hexadecimal forms.
 */
export function addressInRequest(digits: string, isProtocol = false): { table: ModbusTable | null; address: number; isReference: boolean } {
  if (!isProtocol) {
    const table = prefixTable[digits[0] ?? ''];
    const number = Number(digits.slice(1));
    const fits = (digits.length === 5 && number >= 1) || (digits.length === 6 && number >= 1 && number <= 65536);
    if (/^\d+$/.test(digits) && table && fits) return { table, address: number - 1, isReference: true };
  }
  return { table: null, address: Number(digits), isReference: false };
}
