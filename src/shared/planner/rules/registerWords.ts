import { is, type Reading } from '../context.ts';
import type { Token } from '../lexer.ts';

export type Table = 'holding' | 'input' | 'coil' | 'discrete';

export type Slots = {
  unit: number | null;
  device: string | null;
  /** Tables that words or a function code name, and whether a bare "register" was said. */
  named: Table[];
  bareRegister: boolean;
  functionCode: number | null;
  address: number | null;
  reference: Table | null;
  count: number | null;
  type: string | null;
  plainAddress: boolean;
  badUnits: boolean;
};

export const types = ['uint32', 'int32', 'uint16', 'int16', 'float32'] as const;

export const tableOfCode: Readonly<Record<number, Table>> = {
  1: 'coil',
  2: 'discrete',
  3: 'holding',
  4: 'input',
  5: 'coil',
  6: 'holding',
  15: 'coil',
  16: 'holding',
};

export const isTable = (t: Token | undefined): boolean => is(t, 'register', 'holding', 'inputReg', 'coil', 'discrete', 'inputBare');

/** "at" and "as" may stand before a value as "to" does, but "5 registers at 0x20" is no range. */
const rangeWords: ReadonlySet<string> = new Set(['to', 'up to', '到', '至', 'through', 'thru', 'till', 'until']);

export const isRange = (t: Token | undefined): boolean => t !== undefined && (t.classes.has('dash') || rangeWords.has(t.text));

export const isNumber = (t: Token | undefined): boolean => t?.kind === 'number';

export const skippable = (t: Token | undefined): boolean =>
  t !== undefined &&
  !isNumber(t) &&
  (is(t, 'colon', 'equals', 'hash') ||
    [
      '号',
      'no',
      'number',
      'id',
      '是',
      '为',
      'is',
      '=',
      '的',
      'address',
      '地址',
      '编号',
      '.',
      'addr',
      'nr',
      'of',
      '等于',
      '第',
      '码',
      'code',
      '开头',
      'numbered',
    ].includes(t.text));

export function numberAfter(r: Reading, i: number, reach = 3): number {
  for (let k = i + 1; k <= i + reach && k < r.tokens.length; k++) {
    if (isNumber(r.tokens[k]) && !r.used[k]) return k;
    if (!skippable(r.tokens[k])) return -1;
  }
  return -1;
}

export function numberBefore(r: Reading, i: number): number {
  const t = r.tokens;
  let k = i - 1;
  if (t[k]?.text === '的') k--;
  const marked = t[k]?.text === '号' || t[k]?.text === '#';
  if (marked) k--;
  if (!isNumber(t[k]) || r.used[k]) return -1;
  const hashed = t[k - 1]?.text === '#' || t[k - 1]?.text === '第' || t[k]!.classes.has('ordinalNumber');
  return marked || hashed || (r.tokens[i]!.han && t[k]!.end === t[i]!.start) ? k : -1;
}

type Resolved = { address: number; table: Table | null };

/** The rule of five- and six-digit decimal references; 40001 is holding address 0. */
export function referenceOf(t: Token): Resolved | null {
  const { digits, hex, chinese, fraction } = t.amount!;
  if (hex || fraction || t.amount!.value < 0) return null;
  const text = chinese && digits.length < 5 ? '' : digits;
  if (!/^[0134]\d{4,5}$/.test(text)) return null;
  const rest = Number(text.slice(1));
  if (rest < 1 || rest > (text.length === 5 ? 9999 : 65536)) return null;
  const tables: Readonly<Record<string, Table>> = { 0: 'coil', 1: 'discrete', 3: 'input', 4: 'holding' };
  return { address: rest - 1, table: tables[text[0]!]! };
}

export function resolveAddress(r: Reading, t: Token): Resolved {
  const zeroBased = r.tokens.some((x) => is(x, 'zeroBased'));
  const reference = zeroBased ? null : referenceOf(t);
  return reference ?? { address: t.amount!.value, table: null };
}

export function isList(r: Reading, indices: readonly number[]): boolean {
  return indices.every((at, k) => {
    if (k === 0) return true;
    const between = r.tokens.slice(indices[k - 1]! + 1, at);
    return between.length <= 2 && between.every((x) => is(x, 'comma', 'ampersand', 'semicolon') || x.text === 'and' || x.text === '和');
  });
}

/** on, off, 置位, 断开 … as a coil's value; null when none or both are said. "on slave 3" is a place. */
export function bitValue(r: Reading): boolean | null {
  let on = false;
  let off = false;
  let weakOn = false;
  let weakOff = false;
  r.tokens.forEach((t, i) => {
    if (r.used[i]) return;
    const next = r.tokens[i + 1];
    if (
      t.text === 'on' &&
      next !== undefined &&
      (is(next, 'unitWord', 'deviceWord', 'address') ||
        next.atom !== null ||
        next.thing !== null ||
        next.text === 'the' ||
        isTable(next) ||
        next.kind === 'number' ||
        r.used[i + 1])
    )
      return;
    if (is(t, 'bitOn') || (is(t, 'on') && t.text !== 'run')) on = true;
    else if (is(t, 'bitOff') || is(t, 'off')) off = true;
    else if (is(t, 'resetBit')) weakOff = true;
    else if (is(t, 'setBit')) weakOn = true;
  });
  if (on !== off) return on;
  if (on && off) return null;
  if (weakOff && weakOn) return null;
  return weakOff ? false : weakOn ? true : null;
}

export const isNamed = (t: Token | undefined): boolean => t !== undefined && (t.atom !== null || t.thing !== null);
