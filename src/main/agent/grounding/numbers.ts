import { sign } from './signWords.ts';
import { spelledNumbers } from './spelled.ts';
import { unitAt, type Unit } from './units.ts';

/** A number that an answer states, with where it stands and how exactly it is given. */
export type StatedNumber = {
  start: number;
  end: number;
  text: string;
  kind: 'value' | 'time' | 'date';
  value: number;
  /** Digits behind the point as shown: how far it may have been rounded. */
  decimals: number;
  unit: Unit | null;
  /** For times `HH:MM` or `HH:MM:SS`, for dates `MM-DD` or `YYYY-MM-DD`. */
  stamp: string | null;
};

const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

/**
 * The numbers an answer states, in digits or in Chinese words. Full-width digits count, thousands separators, 万 and "million"
 * are seen through, a sign may be a word (零下, minus), and what only names a thing (pump2, 1号泵, COM3, a list's "1.") is no
 * statement. Positions are those of the text as given.
 */
export function statedNumbers(text: string): StatedNumber[] {
  const plain = asciiDigits(text);
  const taken: { start: number; end: number }[] = [];
  const found: StatedNumber[] = [];
  const add = (match: RegExpMatchArray, kind: 'time' | 'date', stamp: string): void => {
    const start = match.index!;
    const end = start + match[0].length;
    if (taken.some((t) => start < t.end && end > t.start)) return;
    taken.push({ start, end });
    found.push({ start, end, text: text.slice(start, end), kind, value: NaN, decimals: 0, unit: null, stamp });
  };
  for (const m of plain.matchAll(/(?<![\d.])(\d{4})[-/年](\d{1,2})[-/月](\d{1,2})日?(?![\d])/g))
    add(m, 'date', `${m[1]}-${two(m[2]!)}-${two(m[3]!)}`);
  for (const m of plain.matchAll(/(?<!\d)(\d{1,2})月(\d{1,2})[日号]/g)) add(m, 'date', `${two(m[1]!)}-${two(m[2]!)}`);
  for (const m of plain.matchAll(/\b([A-Z][a-z]{2,8})\.? (\d{1,2})(?:st|nd|rd|th)?\b(?![.:]\d)/g)) {
    const month = monthOf(m[1]!);
    if (month > 0) add(m, 'date', `${two(String(month))}-${two(m[2]!)}`);
  }
  for (const m of plain.matchAll(/\b(\d{1,2})(?:st|nd|rd|th)? ([A-Z][a-z]{2,8})\b/g)) {
    const month = monthOf(m[2]!);
    if (month > 0) add(m, 'date', `${two(String(month))}-${two(m[1]!)}`);
  }
  for (const m of plain.matchAll(/(?<!\d|\d:)([01]?\d|2[0-3])[:：]([0-5]\d)(?:[:：]([0-5]\d)(?:\.\d+)?)?(?!\d|[:：]\d)/g))
    add(m, 'time', `${hour(m[1]!, plain, m)}:${m[2]}${m[3] === undefined ? '' : `:${m[3]}`}`);
  for (const m of plain.matchAll(/(?<!\d)([01]?\d|2[0-3])[点时]([0-5]?\d)分?/g)) add(m, 'time', `${hour(m[1]!, plain, m)}:${two(m[2]!)}`);
  for (const m of plain.matchAll(
    /0[xX][0-9a-fA-F]+|[-−+]?\d{1,3}(?:[,，]\d{3})+(?:\.\d+)?(?![\d,，]*\d)|[-−+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g,
  )) {
    const number = valueAt(plain, text, m);
    if (number !== null && !taken.some((t) => number.start < t.end && number.end > t.start)) found.push(number);
  }
  for (const n of spelledNumbers(text)) if (!found.some((f) => n.start < f.end && n.end > f.start)) found.push(n);
  return found.sort((a, b) => a.start - b.start);
}

/** The hour on a clock of 24, whatever half of the day is named beside it. */
function hour(digits: string, text: string, m: RegExpMatchArray): string {
  const given = Number(digits);
  const before = text.slice(Math.max(0, m.index! - 4), m.index);
  const after = text.slice(m.index! + m[0].length, m.index! + m[0].length + 6);
  const late = /^\s?p\.?m\b/i.test(after) || /(下午|傍晚|晚上)\s?$/.test(before);
  const early = /^\s?a\.?m\b/i.test(after) || /(凌晨|早上|上午)\s?$/.test(before);
  if (late && given < 12) return String(given + 12);
  return early && given === 12 ? '00' : two(digits);
}

function valueAt(plain: string, text: string, m: RegExpMatchArray): StatedNumber | null {
  let start = m.index!;
  let token = m[0];
  const end = start + token.length;
  const before = plain[start - 1] ?? '';
  const after = plain.slice(end);
  // A sign after a digit, a letter or a closing bracket is a dash ("0-9", "T-101"), not a sign.
  if (/^[-−+]/.test(token) && /[\p{L}\p{N})\]%]/u.test(before)) {
    token = token.slice(1);
    start += 1;
    if (/[A-Za-z_]/.test(before)) return null;
  } else if (/[A-Za-z_#]/.test(before) || (before === '-' && /[A-Za-z]/.test(plain[start - 2] ?? ''))) return null;
  if (before === '.' && /[\p{L}\p{N}]/u.test(plain[start - 2] ?? '')) return null; // a part of a version or an address
  if (/^(号|#|＃|st\b|nd\b|rd\b|th\b)/.test(after) || /第$/.test(plain.slice(0, start))) return null;
  if (isName(plain.slice(0, start), token, after)) return null;
  if (/^[A-Za-z_]*\d/.test(after) && /^[A-Za-z_]/.test(after)) return null; // 8N1, 3E2 of a name
  if (isListMarker(plain, start, end, token)) return null;
  const digits = token.replace(/[,，]/g, '').replace('−', '-').replace(/^\+/, '');
  const bare = Number(digits);
  if (!Number.isFinite(bare)) return null;
  const times = /^\s?(万亿|亿|万|million\b|billion\b|thousand\b)/.exec(after);
  const power = times === null ? 0 : powers[times[1]!]!;
  const behind = times === null ? after : after.slice(times[0].length);
  const [, fraction = '', exponent = '0'] = /^[^.eE]*(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(digits) ?? [];
  const decimals = fraction.length - Number(exponent) - power;
  const value = sign(plain.slice(0, start), behind) * bare * 10 ** power;
  return { start, end, text: text.slice(start, end), kind: 'value', value, decimals, unit: unitAt(behind), stamp: null };
}

const powers: Record<string, number> = { 万: 4, 亿: 8, 万亿: 12, thousand: 3, million: 6, billion: 9 };

/** "pump 2", "PLC 1", "泵2": a thing with its number, not a number that is stated of it. */
function isName(before: string, token: string, after: string): boolean {
  if (!/^\d{1,3}$/.test(token) || unitAt(after) !== null) return false;
  return /(\b(pump|tank|boiler|plc|drive|vfd|motor|valve|slave|station|compressor|fan|heater)s? ?#?|泵|罐|从站|变频器|电机|风机)$/i.test(
    before,
  );
}

/** A number that opens its line counts as a list's marker when it is the first of them or the one before it is there. */
function isListMarker(text: string, start: number, end: number, token: string): boolean {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (line.trim() !== '' || !/^\d{1,2}$/.test(token) || !/^[.、)）][^\S\n]*[^\s\d]/.test(text.slice(end))) return false;
  const before = Number(token) - 1;
  return before <= 0 || new RegExp(`(^|\\n)\\s*${before}[.、)）]`).test(text.slice(0, start));
}

/** One to one, so that positions stay. */
function asciiDigits(text: string): string {
  return text
    .replace(/[０-９]/g, (d) => String.fromCharCode(d.charCodeAt(0) - 0xfee0))
    .replace(/．(?=\d)/g, '.')
    .replace(/－(?=\d)/g, '-');
}

const two = (digits: string): string => digits.padStart(2, '0');
const monthOf = (word: string): number => (word.length < 3 ? 0 : months.findIndex((m) => m.startsWith(word.toLowerCase())) + 1);
