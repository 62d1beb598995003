import type { Lang } from '../../shared/errors.ts';
import { say } from './words.ts';

/** Thousands by a thin space, minus as a minus: a value never breaks and never looks like a range. */
export const thinSpace = '\u2009';
export const minus = '\u2212';
export const unknownValue = '\u2014';

export function formatNumber(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return unknownValue;
  const fixed = Math.abs(value).toFixed(decimals);
  const [whole, rest] = fixed.split('.') as [string, string?];
  // -0.04 at one decimal is "0.0": a minus before zero would be read as a sign of something.
  const negative = value < 0 && /[1-9]/.test(fixed);
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, thinSpace) : whole;
  return `${negative ? minus : ''}${grouped}${rest ? `.${rest}` : ''}`;
}

export const formatInteger = (text: string): string => text.replace(/^-/, minus).replace(/\B(?=(\d{3})+$)/g, thinSpace);

/** Age in whole steps (0.1 s, 1 s, 1 min) so that it does not shimmer. */
export function formatAge(ms: number, lang: Lang): string {
  const s = Math.max(0, ms) / 1000;
  if (s < 1) return say(lang, 'age.seconds', { n: (Math.floor(s * 10) / 10).toFixed(1) });
  if (s < 60) return say(lang, 'age.seconds', { n: Math.floor(s) });
  if (s < 3600) return say(lang, 'age.minutes', { n: Math.floor(s / 60) });
  if (s < 86_400) return say(lang, 'age.hours', { n: Math.floor(s / 3600) });
  return say(lang, 'age.days', { n: Math.floor(s / 86_400) });
}

/** 3:12, or 1:03:12 from an hour on. */
export function formatClock(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(s / 3600);
  return hours > 0 ? `${hours}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
}

export function formatDuration(ms: number, lang: Lang): string {
  if (ms < 1000) return say(lang, 'duration.ms', { n: Math.round(ms) });
  return say(lang, 'duration.s', { n: (ms / 1000).toFixed(ms < 10_000 ? 2 : 1) });
}

export const formatHex = (word: number): string => word.toString(16).toUpperCase().padStart(4, '0');
export const formatBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');

const two = (n: number): string => String(n).padStart(2, '0');
export function clockTime(at: number | Date, withMs = false): string {
  const d = typeof at === 'number' ? new Date(at) : at;
  const time = `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
  return withMs ? `${time}.${String(d.getMilliseconds()).padStart(3, '0')}` : time;
}
export function dayAndTime(at: number | Date): string {
  const d = typeof at === 'number' ? new Date(at) : at;
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${clockTime(d)}`;
}

/** Controls but tab and line feed, soft hyphen, zero-width and direction marks. Written by number: as signs they would not be seen here either. */
const unseen: readonly [number, number][] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0xfeff, 0xfeff],
];
const isUnseen = (code: number): boolean => unseen.some(([from, to]) => code >= from && code <= to);

/** Characters that change how a text reads without being seen are shown as what they are. */
export function visible(text: string): string {
  let out = '';
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    out += isUnseen(code) ? `\\u${code.toString(16).padStart(4, '0')}` : text[i]!;
  }
  return out;
}
