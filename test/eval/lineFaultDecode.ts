import { decodeValue, parseWordOrder, registerCount, type ValueShape, type ValueType } from '../../src/shared/modbus/index.ts';
import type { Fault, Verdict } from './lineFaultFormat.ts';

/** Names of types in other people's files. */
const typeNames: Readonly<Record<string, ValueType>> = {
  float: 'float32',
  real: 'float32',
  double: 'float64',
  lreal: 'float64',
  short: 'int16',
  ushort: 'uint16',
  word: 'uint16',
  int: 'int16',
  dint: 'int32',
  dword: 'uint32',
  bcd: 'bcd16',
  ascii: 'string',
};

export function judgeDecode(fault: Fault): Verdict {
  const words = (fault.registers_hex ?? '').match(/[0-9a-f]{4}/gi)?.map((word) => Number.parseInt(word, 16)) ?? [];
  const name = (fault.type ?? '').toLowerCase();
  const type = typeNames[name] ?? (name as ValueType);
  const order = fault.word_order === undefined ? 'ABCD' : parseWordOrder(fault.word_order);
  const shape: ValueShape = { type: type === 'bcd16' && words.length === 2 ? 'bcd32' : type };
  if (order) shape.order = order;
  for (const key of ['scale', 'offset', 'bit', 'sentinels'] as const)
    if (fault[key] !== undefined) Object.assign(shape, { [key]: fault[key] });
  if (type === 'string') shape.length = fault.length ?? words.length * 2;
  const known = type === 'string' || Number.isInteger(registerCount(shape));
  const decoded =
    known && order ? decodeValue(words, shape) : { quality: 'bad' as const, value: null, reason: 'unknown type or order', shown: null };
  const { expected } = fault;
  const shown = decoded.quality === 'good' ? String(decoded.value) : decoded.shown;
  const json = decoded.quality === 'good' ? decoded.value : null;
  const got = { ok: true, value: shown, quality: decoded.quality, json: typeof json === 'bigint' ? json.toString() : json };
  const problems = [
    expected.value !== undefined && !sameValue(expected.value, shown, type),
    expected.quality !== undefined && expected.quality !== decoded.quality,
    'json' in expected && expected.json === null && json !== null,
    expected.ok === false && decoded.quality === 'good',
  ];
  if (!problems.includes(true)) return { passed: true };
  return { passed: false, expected, got, wrong_value: decoded.quality === 'good', wrong_write: false, timeOnly: false };
}

/** Equal as the type holds it: a float32 has many decimal spellings, an integer has one. */
function sameValue(expected: string, shown: string | null, type: ValueType): boolean {
  if (shown === expected) return true;
  if (shown === null) return false;
  const [a, b] = [asNumber(expected), asNumber(shown)];
  if (type === 'float32') return Object.is(Math.fround(a), Math.fround(b)) || (a === 0 && b === 0);
  if (type === 'float64') return Object.is(a, b) || (a === 0 && b === 0);
  return false;
}

function asNumber(text: string): number {
  if (/^[+]?inf(inity)?$/i.test(text)) return Infinity;
  if (/^-inf(inity)?$/i.test(text)) return -Infinity;
  return Number(text);
}
