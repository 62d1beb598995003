import type { StatedNumber } from './numbers.ts';
import { sign } from './signWords.ts';
import { unitAt } from './units.ts';

const digits: Record<string, number> = { 零: 0, 〇: 0, 一: 1, 二: 2, 两: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9 };
const small: Record<string, number> = { 十: 10, 百: 100, 千: 1_000 };
const large: Record<string, number> = { 万: 1e4, 亿: 1e8 };
const numeral = '(?<!\\d)[零〇一二两三四五六七八九十百][零〇一二两三四五六七八九十百千万亿]*(?:点[零〇一二三四五六七八九]+)?';

/**
 * Measured values in Chinese numerals (一百八十二点四度, 百分之六十一). Only with a unit: without one the same signs are words
 * (一定, 两台, 十分), and 一度 is "once".
 */
export function spelledNumbers(text: string): StatedNumber[] {
  const found: StatedNumber[] = [];
  for (const m of text.matchAll(new RegExp(`百分之(${numeral})`, 'g'))) add(m, m[1]!, '%');
  for (const m of text.matchAll(new RegExp(numeral, 'g'))) {
    const spelled = splitUnit(m[0], text.slice(m.index + m[0].length));
    const unit = unitAt(text.slice(m.index + spelled.length));
    if (unit !== null && spelled !== '' && !(spelled === '一' && unit === '°C')) add(m, spelled, unit);
  }
  return found;

  function add(m: RegExpMatchArray, spelled: string, unit: string): void {
    const value = valueOf(spelled);
    if (value === null || found.some((f) => m.index! < f.end && m.index! + m[0].length > f.start)) return;
    const start = m.index!;
    const end = start + (unit === '%' ? m[0].length : spelled.length);
    const decimals = spelled.split('点')[1]?.length ?? 0;
    const signed = sign(text.slice(0, start), text.slice(end)) * value;
    found.push({ start, end, text: text.slice(start, end), kind: 'value', value: signed, decimals, unit, stamp: null });
  }
}

/** 五千瓦 is five kilowatts: the last sign of the numeral may belong to the unit. */
function splitUnit(spelled: string, after: string): string {
  const last = spelled.at(-1)!;
  return (last === '千' || last === '百') && unitAt(last + after) !== null ? spelled.slice(0, -1) : spelled;
}

/** Null where the signs are no number. */
function valueOf(spelled: string): number | null {
  const [whole = '', fraction] = spelled.split('点');
  const units = /[十百千万亿]/.test(whole) ? grouped(whole) : Number([...whole].map((c) => digits[c]).join(''));
  if (units === null || !Number.isFinite(units)) return null;
  return fraction === undefined ? units : Number(`${units}.${[...fraction].map((c) => digits[c]).join('')}`);
}

function grouped(whole: string): number | null {
  let total = 0;
  let section = 0;
  let digit: number | null = null;
  for (const c of whole) {
    if (c in digits) digit = digits[c]!;
    else if (c in small) {
      section += (digit ?? 1) * small[c]!;
      digit = null;
    } else {
      total = (total + section + (digit ?? 0)) * large[c]!;
      section = 0;
      digit = null;
    }
  }
  // 一百八: the last digit counts tens after a hundred.
  const before = whole.at(-2) ?? '';
  const last = digit === null ? 0 : before === '百' ? digit * 10 : before === '千' ? digit * 100 : before === '万' ? digit * 1_000 : digit;
  return total + section + last;
}
