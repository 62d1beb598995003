import type { Lang } from '../../errors.ts';

// How values, times and tables are put into words. Tool results come in as unknown: what is missing is said, never filled in.

export type Row = Readonly<Record<string, unknown>>;
export const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);
export const rowsOf = (value: unknown, key: string): Row[] =>
  isRow(value) && Array.isArray(value[key]) ? (value[key] as unknown[]).filter(isRow) : [];
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '');
export const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
export const both = (value: unknown, lang: Lang): string => (isRow(value) ? textOf(value[lang]) || textOf(value.en) : textOf(value));

/** At most what is meaningful on a gauge: three decimals, no binary dust, no trailing zeros. */
export function showNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && size < 0.001) return String(Number(value.toPrecision(3)));
  return String(Number(value.toFixed(size >= 1000 ? 1 : size >= 100 ? 2 : 3)));
}

export function showValue(value: unknown, unit: unknown, lang: Lang): string {
  if (value === null || value === undefined) return lang === 'zh' ? '无值' : 'no value';
  if (typeof value === 'boolean') return lang === 'zh' ? (value ? '开' : '关') : value ? 'on' : 'off';
  const shown = typeof value === 'number' ? showNumber(value) : textOf(value);
  const own = textOf(unit);
  return own === '' ? shown : `${shown} ${own}`;
}

export const qualityWords: Readonly<Record<string, Record<Lang, string>>> = {
  good: { zh: '良好', en: 'good' },
  uncertain: { zh: '存疑', en: 'uncertain' },
  stale: { zh: '陈旧', en: 'stale' },
  bad: { zh: '坏值', en: 'bad' },
};
export const showQuality = (value: unknown, lang: Lang): string => qualityWords[textOf(value)]?.[lang] ?? textOf(value);

/** Local wall time of an ISO moment, to the second; a local time without offset is shown as it is. */
export function showTime(value: unknown, withDate = false): string {
  const text = textOf(value);
  if (text === '') return '';
  let local = text;
  if (/Z$|[+-]\d\d:\d\d$/.test(text)) {
    const at = new Date(text);
    if (Number.isNaN(at.getTime())) return text;
    const two = (n: number) => String(n).padStart(2, '0');
    local = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  }
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)/.exec(local);
  if (!found) return text;
  return withDate ? `${found[1]} ${found[2]}` : found[2]!;
}

export const showRange = (from: unknown, to: unknown, lang: Lang): string =>
  lang === 'zh' ? `${showTime(from, true)} 至 ${showTime(to, true)}` : `${showTime(from, true)} to ${showTime(to, true)}`;

export function showAge(ms: number, lang: Lang): string {
  const s = ms / 1000;
  if (s < 90) return lang === 'zh' ? `${showNumber(Math.round(s * 10) / 10)} 秒前` : `${showNumber(Math.round(s * 10) / 10)} s ago`;
  if (s < 5400) return lang === 'zh' ? `${Math.round(s / 60)} 分钟前` : `${Math.round(s / 60)} min ago`;
  return lang === 'zh' ? `${showNumber(Math.round(s / 360) / 10)} 小时前` : `${showNumber(Math.round(s / 360) / 10)} h ago`;
}

export function showDuration(ms: number, lang: Lang): string {
  const s = ms / 1000;
  if (s < 90) return lang === 'zh' ? `${showNumber(s)} 秒` : `${showNumber(s)} s`;
  if (s < 5400) return lang === 'zh' ? `${showNumber(Math.round(s / 6) / 10)} 分钟` : `${showNumber(Math.round(s / 6) / 10)} min`;
  return lang === 'zh' ? `${showNumber(Math.round(s / 360) / 10)} 小时` : `${showNumber(Math.round(s / 360) / 10)} h`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function table(head: readonly string[], rows: readonly (readonly string[])[], most: number, lang: Lang): string {
  const shown = rows.slice(0, most);
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  const rest = rows.length - shown.length;
  const more = rest > 0 ? `\n\n${lang === 'zh' ? `另有 ${rest} 行未列出。` : `${rest} more rows are not shown.`}` : '';
  return `${line(head)}\n| ${head.map(() => '---').join(' | ')} |\n${shown.map(line).join('\n')}${more}`;
}

export const join = (parts: readonly string[], lang: Lang): string =>
  lang === 'zh' ? parts.join('、') : parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`;
