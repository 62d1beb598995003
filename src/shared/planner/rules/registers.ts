import { any, anyText, ask, compact, done, is, isDoubtful, isMinus, numbersLeft, type Reading } from '../context.ts';
import type { Interpretation } from '../types.ts';
import { findAddress } from './registerAddress.ts';
import {
  findUnit,
  findDevice,
  findFunctionCode,
  findTables,
  isWrite,
  findTypes,
  findOrdinals,
  findRange,
  findCount,
} from './registerSlots.ts';
import { type Table, type Slots, isNumber, isTable, referenceOf, isList, bitValue, isNamed } from './registerWords.ts';

/** Does the request speak of raw registers at all? */
export function speaksOfRegisters(r: Reading): boolean {
  const near = (i: number): boolean => isNumber(r.tokens[i + 1]) || isNumber(r.tokens[i - 1]) || isNumber(r.tokens[i + 2]);
  return r.tokens.some((t, i) => {
    if (r.used[i]) return false;
    if (t.text === '点' || t.text === '位' || t.text === '字') return false;
    if (is(t, 'holding', 'inputReg', 'coil', 'discrete') || (is(t, 'register') && t.text !== 'word' && t.text !== 'words')) return true;
    if (is(t, 'fc') && near(i) && t.text !== 'function' && t.text !== '功能') return true;
    if (is(t, 'unitWord') && t.text !== '站' && t.text !== '单元' && t.text !== 'node' && t.text !== 'unit') return true;
    if (is(t, 'unitWord', 'inputBare', 'zeroBased') && near(i)) return true;
    if (is(t, 'address') && t.text !== '位置' && t.text !== 'location' && t.text !== 'index' && near(i)) return true;
    return isNumber(t) && referenceOf(t) !== null && /^[0134]\d{4,5}$/.test(t.amount!.digits);
  });
}

export function readRegisters(r: Reading, asking: boolean): Interpretation | null {
  const slots: Slots = {
    unit: null,
    device: null,
    named: [],
    bareRegister: false,
    functionCode: null,
    address: null,
    reference: null,
    count: null,
    type: null,
    plainAddress: false,
    badUnits: false,
  };
  findUnit(r, slots);
  findDevice(r, slots);
  findFunctionCode(r, slots);
  findTables(r, slots);
  const writing = !asking && isWrite(r, slots);
  findTypes(r, slots);
  findOrdinals(r, slots);
  findRange(r, slots, writing);
  findCount(r, slots, writing);
  findAddress(r, slots, writing);
  return writing ? finishWrite(r, slots) : finishRead(r, slots);
}

function tableOf(slots: Slots): { table: Table; conflict: boolean } {
  const named = [...new Set(slots.named)];
  const table = named[0] ?? slots.reference ?? 'holding';
  let conflict = named.length > 1 || (slots.reference !== null && named.length > 0 && named[0] !== slots.reference);
  if (named.length === 0 && slots.bareRegister && (slots.reference === 'coil' || slots.reference === 'discrete')) conflict = true;
  return { table, conflict };
}

function who(slots: Slots): Record<string, unknown> {
  return slots.device !== null && slots.unit === null ? { device: slots.device } : slots.unit !== null ? { unit: slots.unit } : {};
}

function finishRead(r: Reading, slots: Slots): Interpretation | null {
  const { table, conflict } = tableOf(slots);
  const left = numbersLeft(r);
  const startOnly =
    slots.count === null &&
    (any(r, 'start', 'startAfter') || r.tokens.some((t) => t.text === '从')) &&
    !r.tokens.some((t) => t.text === 'value at');
  let count = slots.count;
  if (count === null && slots.address !== null && !openEnded(r, startOnly)) count = 1;
  const base = who(slots);
  const type = slots.type ?? undefined;
  if (conflict) return ask('modbus_read', compact({ ...base, count, type }), 'conflicting_table');
  const params = compact({ ...base, table, address: slots.address, count, type });
  if (slots.badUnits) return ask('modbus_read', params, 'missing_unit');
  if (slots.unit === null && slots.device === null) return ask('modbus_read', params, 'missing_unit');
  if (outOfRange(slots, count, 1)) return ask('modbus_read', params, 'out_of_range');
  if (slots.address === null) return ask('modbus_read', params, 'missing_address');
  if (count === null || count < 1 || !Number.isInteger(count))
    return ask('modbus_read', compact({ ...params, count: undefined }), 'missing_count');
  if (left.length > 0) return ask('modbus_read', compact({ ...base, table }), 'missing_address');
  return done('modbus_read', params);
}

/** "from 100" says where to begin, and not where to end. */
function openEnded(r: Reading, startOnly: boolean): boolean {
  if (!startOnly) return false;
  return r.tokens.some((t, i) => {
    if (is(t, 'startAfter') && (isNumber(r.tokens[i - 1]) || isNumber(r.tokens[i - 2]))) return true;
    if (!is(t, 'start')) return false;
    if (t.text !== 'from' && t.text !== '从' && t.text !== '自') return true;
    for (let k = i + 1; k < i + 5; k++) {
      if (is(r.tokens[k], 'unitWord', 'deviceWord') || isNamed(r.tokens[k])) return false;
      if (isNumber(r.tokens[k]))
        return !(r.tokens[k + 1]?.text === '号' && is(r.tokens[k + 2], 'unitWord')) && !is(r.tokens[k + 1], 'unitWord');
    }
    return false;
  });
}

function outOfRange(slots: Slots, count: number | null, lowestUnit: number): boolean {
  if (slots.unit !== null && (slots.unit < lowestUnit || slots.unit > 247 || !Number.isInteger(slots.unit))) return true;
  if (slots.address !== null && (slots.address < 0 || slots.address > 65535 || !Number.isInteger(slots.address))) return true;
  const wide = slots.type !== null && slots.type.endsWith('32') ? 2 : 1;
  return slots.address !== null && count !== null && slots.address + count * wide > 65536;
}

type Values = { values: (number | boolean)[] | null; comma: boolean; odd: boolean };

function valuesOf(r: Reading, table: Table, conflict: boolean): Values {
  const bits = table === 'coil' || table === 'discrete';
  const left = numbersLeft(r);
  if (left.length > 0) {
    if (!isList(r, left)) return { values: null, comma: false, odd: true };
    const amounts = left.map((i) => ({ ...r.tokens[i]!.amount!, value: (isMinus(r, i) ? -1 : 1) * r.tokens[i]!.amount!.value }));
    const measured = left.some(
      (i) =>
        r.tokens[i + 1] !== undefined && r.tokens[i + 1]!.unit !== null && r.tokens[i + 1]!.unit !== '°c' && !is(r.tokens[i + 1], 'start'),
    );
    if (left.some((i) => isDoubtful(r, i) || isTable(r.tokens[i - 1]))) return { values: null, comma: false, odd: true };
    const values = amounts.map((a) => (bits && (a.value === 0 || a.value === 1) ? a.value === 1 : a.value));
    return { values, comma: amounts.some((a) => a.comma) || measured, odd: false };
  }
  if (anyText(r, '清零', '归零', 'zero out')) return { values: [bits ? false : 0], comma: false, odd: false };
  const bit = bits || conflict || table === 'input' ? bitValue(r) : null;
  return { values: bit === null ? null : [bit], comma: false, odd: false };
}

function finishWrite(r: Reading, slots: Slots): Interpretation {
  const { table, conflict } = tableOf(slots);
  const { values: typed, comma } = valuesOf(r, table, conflict);
  const base = who(slots);
  let values = typed;
  let mismatch = false;
  if (values !== null && slots.count !== null && slots.count !== values.length) {
    if (values.length === 1 && slots.count >= 1 && slots.count <= 65536)
      values = slots.count <= 2000 ? Array.from({ length: slots.count }, () => values![0]!) : values;
    else mismatch = true;
  }
  const type = typeOfWrite(slots.type, table, values);
  if (conflict) return ask('modbus_write', compact({ ...base, values, type }), 'conflicting_table');
  const params = compact({ ...base, table, address: slots.address, values, type });
  if (slots.badUnits || (slots.unit === null && slots.device === null)) return ask('modbus_write', params, 'missing_unit');
  if (slots.unit === 0) return { intent: 'refuse', params: {}, needs_clarification: false, reason: 'broadcast_write' };
  if (outOfRange(slots, values?.length ?? slots.count ?? 1, 1)) return ask('modbus_write', params, 'out_of_range');
  if (slots.address === null) return ask('modbus_write', params, 'missing_address');
  if (table === 'input' || table === 'discrete') return ask('modbus_write', params, 'read_only_table');
  if (any(r, 'up', 'down', 'by')) return ask('modbus_write', compact({ ...params, values: undefined, type: undefined }), 'missing_value');
  if (values === null || values.length === 0) return ask('modbus_write', params, 'missing_value');
  if (comma || mismatch || !valuesFit(values, table, slots.type)) return ask('modbus_write', params, 'invalid_value');
  return done('modbus_write', params);
}

function typeOfWrite(type: string | null, table: Table, values: (number | boolean)[] | null): string | undefined {
  if (type !== null) return type;
  if (table !== 'holding' || values === null) return undefined;
  const numbers = values.filter((v) => typeof v === 'number');
  return numbers.some((v) => v < 0) && numbers.every((v) => Number.isInteger(v) && v >= -32768 && v <= 32767) ? 'int16' : undefined;
}

const limits: Readonly<Record<string, [number, number]>> = {
  int16: [-32768, 32767],
  uint16: [0, 65535],
  int32: [-2147483648, 2147483647],
  uint32: [0, 4294967295],
};

function valuesFit(values: readonly (number | boolean)[], table: Table, type: string | null): boolean {
  if (table === 'coil') return values.every((v) => typeof v === 'boolean');
  if (type === 'float32') return values.every((v) => typeof v === 'number' && Math.abs(v) <= 3.4028234663852886e38);
  const negative = values.some((v) => typeof v === 'number' && v < 0);
  const [low, high] = limits[type ?? (negative ? 'int16' : 'uint16')]!;
  return values.every((v) => typeof v === 'number' && Number.isInteger(v) && v >= low && v <= high);
}
