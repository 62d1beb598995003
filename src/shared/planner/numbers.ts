/**
 * A number as typed. `digits` keeps leading zeros: 00017 is a reference, 17 is not. `comma` marks a decimal comma, which a
 * write does not accept.
 */
export type Amount = {
  value: number;
  digits: string;
  hex: boolean;
  fraction: boolean;
  comma: boolean;
  hexOrHours: boolean;
  chinese: boolean;
};

export type Scanned = { end: number; amount: Amount };

const plain = (value: number, digits: string, extra: Partial<Amount> = {}): Amount => ({
  value,
  digits,
  hex: false,
  fraction: !Number.isInteger(value),
  comma: false,
  hexOrHours: false,
  chinese: false,
  ...extra,
});

const digitOf: Readonly<Record<string, number>> = { 零: 0, 〇: 0, 一: 1, 二: 2, 两: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9 };
const scaleOf: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000, 万: 10000 };

/** Reads a run of Chinese numerals: positional (四〇〇〇一) or with scales (一百二十, 一万二). Null when it is not well formed. */
export function chineseNumber(run: string): number | null {
  if (run === '') return null;
  if (![...run].some((c) => c in scaleOf)) return [...run].reduce((sum, c) => sum * 10 + digitOf[c]!, 0);
  let total = 0;
  let section = 0;
  let digit: number | null = null;
  let lastScale = 0;
  let afterZero = false;
  for (const c of run) {
    const scale = scaleOf[c];
    if (scale === undefined) {
      if (digit !== null && digit !== 0) return null;
      digit = digitOf[c]!;
      if (digit === 0) afterZero = true;
      continue;
    }
    if (scale === 10000) {
      if (total !== 0) return null;
      total = (section + (digit ?? 0)) * 10000;
      if (total === 0) return null;
      section = 0;
    } else {
      if (lastScale !== 0 && lastScale !== 10000 && scale >= lastScale) return null;
      if (digit === null && scale !== 10) return null;
      section += (digit ?? 1) * scale;
    }
    digit = null;
    afterZero = false;
    lastScale = scale;
  }
  // 一百二 is 120 in speech; 一百零二 is 102.
  const rest = digit === null ? 0 : afterZero || lastScale <= 10 ? digit : digit * (lastScale / 10);
  return total + section + rest;
}

/** A Chinese number at `i`, with 点 as decimal point when digits follow (三点五) and no clock is meant (the caller knows). */
export function scanChinese(text: string, i: number, allowPoint: boolean): Scanned | null {
  let end = i;
  while (end < text.length && (text[end]! in digitOf || text[end]! in scaleOf)) end++;
  const value = chineseNumber(text.slice(i, end));
  if (value === null) return null;
  if (allowPoint && text[end] === '点') {
    let stop = end + 1;
    while (stop < text.length && text[stop]! in digitOf) stop++;
    const decimals = [...text.slice(end + 1, stop)].map((c) => digitOf[c]!).join('');
    // 八点三十分 and 三点到五点 are clocks
    if (decimals !== '' && !/[十分百刻点]/.test(text[stop] ?? ''))
      return { end: stop, amount: plain(Number(`${value}.${decimals}`), `${value}.${decimals}`, { chinese: true }) };
  }
  return { end, amount: plain(value, String(value), { chinese: true }) };
}

/** A number in digits at `i`: hexadecimal, thousands, decimals. A sign is the caller's business. */
export function scanDigits(text: string, i: number): Scanned | null {
  const rest = text.slice(i, i + 40);
  const listed = i > 1 && text[i - 1] === ',' && /\d/.test(text[i - 2]!); // the 2 of 1,2,3
  const hex = /^0x([0-9a-f]+)(?![0-9a-z])/.exec(rest) ?? /^([0-9][0-9a-f]*)h(?![0-9a-z])/.exec(rest);
  if (hex) {
    const decimal = /^\d+h/.test(hex[0]);
    return { end: i + hex[0].length, amount: plain(Number.parseInt(hex[1]!, 16), hex[1]!, { hex: true, hexOrHours: decimal }) };
  }
  const thousands = /^\d{1,3}(?:,\d{3})+(?!\d)(?!,\d)(?:\.\d+)?/.exec(rest);
  if (thousands && !listed) {
    const digits = thousands[0].replaceAll(',', '');
    return { end: i + thousands[0].length, amount: plain(Number(digits), digits) };
  }
  const comma = /^(\d+),(\d+)(?![\d])(?!,\d)/.exec(rest);
  if (comma && !listed) {
    const digits = `${comma[1]}.${comma[2]}`;
    return { end: i + comma[0].length, amount: plain(Number(digits), digits, { comma: true, fraction: true }) };
  }
  // 1,2,3 is no decimal number: its commas separate, but as marks between digits they still make a write ask back
  const many = listed || /^\d+(?:,\d+){2,}/.test(rest);
  const number = /^\d+(?:\.\d+)?/.exec(many ? rest.split(',')[0]! : rest);
  if (!number) return null;
  let end = i + number[0].length;
  let value = Number(number[0]);
  const scale =
    text[end] === '万' ? 10000 : text[end] === '千' && !/[瓦帕克赫米伏安]/.test(text[end + 1] ?? '') ? 1000 : text[end] === '百' ? 100 : 0;
  if (scale > 0) {
    value = roundSmall(value * scale);
    end++;
  }
  return {
    end,
    amount: plain(value, scale > 0 ? String(value) : number[0], {
      fraction: !Number.isInteger(value),
      comma: many,
    }),
  };
}

/** Binary dust away: 6 bar is 0.6 MPa, not 0.6000000000000001. */
export const roundSmall = (value: number): number => Number(value.toPrecision(12));
