import { any, anyText, deviceOf, find, is, namesIn, numbersLeft, use, type Reading } from '../context.ts';
import type { Token } from '../lexer.ts';
import {
  type Slots,
  types,
  tableOfCode,
  isTable,
  isRange,
  isNumber,
  skippable,
  numberAfter,
  numberBefore,
  referenceOf,
  resolveAddress,
  bitValue,
} from './registerWords.ts';

export function findUnit(r: Reading, slots: Slots): void {
  const take = (word: number, at: number) => {
    const value = r.tokens[at]!.amount!.value;
    if (slots.unit !== null && slots.unit !== value) slots.badUnits = true;
    slots.unit ??= value;
    use(r, Math.min(word, at), Math.max(word, at) + 1);
    if (r.tokens[at + 1]?.text === '号' && at > word && !isTable(r.tokens[at + 2]) && !is(r.tokens[at + 2], 'address')) use(r, at + 1);
    if (r.tokens[at - 1]?.text === '第' || r.tokens[at - 1]?.text === '#') use(r, at - 1);
  };
  for (const classes of [['unitWord'], ['deviceWord']]) {
    for (let i = 0; i < r.tokens.length; i++) {
      if (r.used[i] || !is(r.tokens[i], ...classes)) continue;
      const before = numberBefore(r, i);
      if (before >= 0) take(i, before);
      else {
        const after = numberAfter(r, i);
        if (after >= 0 && !(is(r.tokens[after + 1], 'measure') && r.tokens[after + 1]!.text === '个')) take(i, after);
      }
    }
    if (slots.unit !== null) return;
  }
}

export function findDevice(r: Reading, slots: Slots): void {
  for (const name of namesIn(r)) {
    const device = deviceOf(name);
    if (!device) continue;
    if (slots.device !== null && slots.device !== device.id) slots.badUnits = true;
    slots.device ??= device.id;
    use(r, name.from, name.to);
  }
}

export function findFunctionCode(r: Reading, slots: Slots): void {
  r.tokens.forEach((t, i) => {
    if (r.used[i] || !is(t, 'fc')) return;
    const before =
      t.han && isNumber(r.tokens[i - 1]) && !r.used[i - 1]
        ? i - 1
        : t.han && r.tokens[i - 1]?.text === '号' && isNumber(r.tokens[i - 2])
          ? i - 2
          : -1;
    const at = before >= 0 ? before : numberAfter(r, i);
    if (at < 0 || tableOfCode[r.tokens[at]!.amount!.value] === undefined) return;
    slots.functionCode = r.tokens[at]!.amount!.value;
    slots.named.push(tableOfCode[slots.functionCode]!);
    use(r, Math.min(at, i), Math.max(at, i) + 1);
  });
}

export function findTables(r: Reading, slots: Slots): void {
  r.tokens.forEach((t, i) => {
    if (r.used[i]) return;
    if (is(t, 'holding')) slots.named.push('holding');
    else if (is(t, 'inputReg')) slots.named.push('input');
    else if (is(t, 'discrete')) slots.named.push('discrete');
    else if (is(t, 'coil')) slots.named.push('coil');
    else if (is(t, 'register') && t.text !== '字') slots.bareRegister = true;
    else if (is(t, 'inputBare') && slots.functionCode === null) {
      const reference = r.tokens.find((x) => isNumber(x) && referenceOf(x) !== null);
      slots.named.push(reference && referenceOf(reference)!.table === 'input' ? 'input' : 'discrete');
    }
  });
}

/** unit=3 table=holding addr=10: the sign gives an argument its value, and writes nothing. */
const namesArgument = (t: Token | undefined): boolean => is(t, 'unitWord', 'deviceWord', 'address', 'count') || t?.text === 'table';

export function isWrite(r: Reading, slots: Slots): boolean {
  if (slots.functionCode !== null) return slots.functionCode >= 5;
  if (any(r, 'write', 'set') && r.tokens.some((t) => is(t, 'write', 'set') && !['往', 'load', 'download'].includes(t.text))) return true;
  const asked = is(r.tokens[r.tokens.length - 1], 'question'); // register 5 = 7?
  const given = r.tokens.some((t, i) => is(t, 'up', 'down') || (is(t, 'equals') && !asked && !namesArgument(r.tokens[i - 1])));
  if (given && !any(r, 'read')) return true;
  const stated = r.tokens.some((t, i) => is(t, 'isAre') && is(r.tokens[i + 1], 'bitOn', 'bitOff', 'on', 'off')); // coil 3 is on
  const bits = (slots.named.includes('coil') || slots.named.includes('discrete')) && !stated;
  if (bits && !any(r, 'read') && (bitValue(r) !== null || any(r, 'open', 'close', 'toggle'))) return true;
  return anyText(r, '清零', '归零', 'zero out', '置位', '复位') || (any(r, 'resetBit') && !any(r, 'read'));
}

export function findTypes(r: Reading, slots: Slots): void {
  for (const type of types) {
    const at = find(r, type);
    if (at < 0 || slots.type !== null) continue;
    slots.type = type;
    r.used[at] = true;
  }
}

export function findOrdinals(r: Reading, slots: Slots): void {
  const t = r.tokens;
  for (let i = 0; i < t.length; i++) {
    if (r.used[i]) continue;
    // first N, 前N个
    if (is(t[i], 'first') && (isNumber(t[i + 1]) || (t[i + 1]?.text === '的' && isNumber(t[i + 2])))) {
      const at = isNumber(t[i + 1]) ? i + 1 : i + 2;
      if (r.used[at] || slots.count !== null) continue;
      slots.address = 0;
      slots.plainAddress = true;
      slots.count = t[at]!.amount!.value;
      use(r, i, at + 1);
      continue;
    }
    if ((t[i]!.text === 'first' || t[i]!.text === 'the first') && isTable(t[i + 1])) {
      setOrdinal(slots, 1, 1);
      use(r, i);
      continue;
    }
    // 第3个寄存器, 第3到5个, the 3rd register
    const han = t[i]!.text === '第' && isNumber(t[i + 1]);
    const at = han ? i + 1 : i;
    if (r.used[at] || !(han || (isNumber(t[i]) && t[i]!.classes.has('ordinalNumber')))) continue;
    const near =
      [1, 2, 3, 4, 5, 6, 7].some((k) => isTable(t[at + k])) ||
      isTable(t[i - 1]) ||
      (isTable(t[i - 2]) && t[i - 1]!.text === '的') ||
      is(t[at + 1], 'measure');
    if (!near) continue;
    let k = at + 1;
    while (t[k]?.text === '个' || t[k]?.text === '号' || (is(t[k], 'read') && isRange(t[k + 1]))) k++; // 从第1个读到第10个
    let last = at;
    if (isRange(t[k])) {
      const to = t[k + 1]?.text === '第' ? k + 2 : k + 1;
      if (isNumber(t[to])) last = to;
    }
    setOrdinal(slots, t[at]!.amount!.value, t[last]!.amount!.value);
    use(r, i, last + 1);
    if (t[last + 1]?.text === '个') use(r, last + 1);
    i = last;
  }
}

function setOrdinal(slots: Slots, first: number, last: number): void {
  if (slots.address !== null) return;
  slots.address = first - 1;
  slots.plainAddress = true;
  slots.count = last - first + 1;
}

/** 0 to 9, 100-109, 40011~40020: addresses when it can be nothing else. "set register 10 to 14" is a value. */
export function findRange(r: Reading, slots: Slots, writing: boolean): void {
  const t = r.tokens;
  for (let i = 0; i + 2 < t.length; i++) {
    if (r.used[i] || !isNumber(t[i]) || slots.address !== null) continue;
    let k = i + 1;
    while (t[k]?.text === '号' || ((isTable(t[k]) || is(t[k], 'read')) && isRange(t[k + 1]))) k++;
    const and = t[k]?.text === 'and' && t[i - 1]?.text === 'between';
    if (!isRange(t[k]) && !and) continue;
    let to = k + 1;
    while (isTable(t[to]) || t[to]?.text === '第' || is(t[to], 'address') || t[to]?.text === '#') to++;
    if (!isNumber(t[to]) || r.used[to]) continue;
    if (writing && and) continue;
    if (writing && ['and', '和', '、', ',', '，', '与', '&'].includes(t[to + 1]?.text ?? '') && isNumber(t[to + 2])) continue;
    if (writing && t[k]!.classes.has('to') && !isRangeInWrite(r, i, to)) continue;
    if (writing && t[k]!.classes.has('dash') && !addressLike(r, i, to)) continue;
    const first = resolveAddress(r, t[i]!);
    const last = resolveAddress(r, t[to]!);
    if (first.table !== last.table || last.address < first.address) continue;
    slots.address = first.address;
    slots.reference = first.table;
    slots.count = last.address - first.address + 1;
    use(r, i, to + 1);
  }
}

const addressLike = (r: Reading, from: number, to: number): boolean => {
  const t = r.tokens;
  let k = from - 1;
  while (k >= 0 && (skippable(t[k]) || is(t[k], 'start'))) k--;
  return (
    isTable(t[k]) ||
    is(t[k], 'address', 'start', 'zeroBased') ||
    is(t[from - 1], 'start') ||
    isTable(t[to + 1]) ||
    (t[to + 1]?.text === '号' && (isTable(t[to + 2]) || is(t[to + 2], 'address'))) ||
    is(t[to + 1], 'address') ||
    referenceOf(t[from]!) !== null ||
    r.used[k] === true ||
    t[k]?.text === '的'
  );
};

function isRangeInWrite(r: Reading, from: number, to: number): boolean {
  const others = numbersLeft(r).filter((i) => i !== from && i !== to);
  const hasValue = others.length > 0 || bitValue(r) !== null || anyText(r, '清零', '归零', 'zero out');
  const t = r.tokens;
  if (!hasValue) return t[from + 1]?.text === '到' || t[from + 1]?.text === '至' ? is(t[to + 1], 'set', 'write') || true : false;
  return addressLike(r, from, to) && (t[from]!.han || t[from + 1]!.han || !singular(r, from));
}

/** "register 5 to 10" names one register: the 10 is a value, or nothing clear. */
function singular(r: Reading, at: number): boolean {
  const noun = r.tokens[at - 1];
  return isTable(noun) && !/s$/.test(noun!.text);
}

export function findCount(r: Reading, slots: Slots, writing: boolean): void {
  const t = r.tokens;
  for (let i = 0; i < t.length && slots.count === null; i++) {
    if (r.used[i]) continue;
    if (is(t[i], 'count')) {
      const at = numberAfter(r, i);
      if (at < 0) continue;
      slots.count = t[at]!.amount!.value;
      use(r, i, at + 1);
      continue;
    }
    if (!isNumber(t[i]) || t[i]!.amount!.fraction) continue;
    if (t[i + 1]?.text === '号' || t[i + 1]?.text === '#') continue;
    let k = i + 1;
    while (
      k < i + 4 &&
      t[k] !== undefined &&
      (r.used[k] ||
        [
          'consecutive',
          'continuous',
          'contiguous',
          'sequential',
          'more',
          'of',
          'the',
          'float',
          '16-bit',
          'bit',
          'raw',
          '连续',
          '连续的',
        ].includes(t[k]!.text)) &&
      !is(t[k], 'unitWord')
    )
      k++;
    const noun = t[k];
    if (noun === undefined) continue;
    const han = noun.han;
    const counted = han ? is(noun, 'measure') : isTable(noun) || is(noun, 'measure');
    const typed = k > i + 1 && r.used[k - 1] === true && !is(t[k - 1], 'unitWord') && types.some((type) => is(t[k - 1], type));
    if (!counted && !typed) continue;
    if (!han && counted && !typed) {
      const plural = noun.text.endsWith('s') || noun.text.endsWith('regs') || t[i]!.amount!.value === 1;
      if (!plural) continue;
      if (writing && isNumber(t[k + 1]) && t[i]!.amount!.value === 1) continue;
      if (is(noun, 'valueWord') && !is(noun, 'measure')) continue;
    }
    if (
      han &&
      noun.text !== '个' &&
      noun.text !== '点' &&
      noun.text !== '位' &&
      !noun.text.startsWith('个') &&
      noun.text !== '字' &&
      noun.text !== '只' &&
      noun.text !== '路'
    )
      continue;
    slots.count = t[i]!.amount!.value;
    use(r, i, han ? k + 1 : k);
  }
}
