import type { TrendSeries } from '../../../shared/contracts/api.ts';
import type { TagConfig } from '../../../shared/contracts/plant.ts';

const quoted = (text: string): string => (/[",\n\r]/.test(text) || /^[=+\-@]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Local time with its offset from UTC: a time without its zone is a guess a year later. */
export function isoWithOffset(at: number, offsetMinutes = -new Date(at).getTimezoneOffset()): string {
  const shifted = new Date(at + offsetMinutes * 60_000).toISOString().slice(0, -1);
  const sign = offsetMinutes < 0 ? '-' : '+';
  const abs = Math.abs(offsetMinutes);
  return `${shifted}${sign}${String(Math.floor(abs / 60)).padStart(2, '0')}:${String(abs % 60).padStart(2, '0')}`;
}

export type ExportWords = { time: string; quality: string; good: string; bad: string; bucket: string };

/** One line a time; minimum, mean and maximum of each tag's bucket; empty where nothing is known. */
export function trendCsv(
  tags: readonly TagConfig[],
  series: ReadonlyMap<string, TrendSeries>,
  head: string[],
  lang: 'zh' | 'en',
  words: ExportWords,
): string {
  const columns = tags.map((tag) => ({ tag, series: series.get(tag.id) }));
  const rows = new Map<number, string[]>();
  const rowAt = (at: number): string[] => {
    const known = rows.get(at);
    if (known) return known;
    const row = columns.flatMap(() => ['', '', '', '']);
    rows.set(at, row);
    return row;
  };
  columns.forEach(({ series: one }, c) => {
    if (!one) return;
    one.at.forEach((at, i) => {
      const row = rowAt(at);
      [one.min[i], one.avg[i], one.max[i]].forEach((value, n) => {
        row[c * 4 + n] = String(value);
      });
      row[c * 4 + 3] = words.good;
    });
    for (const at of one.bad) rowAt(at)[c * 4 + 3] ||= words.bad;
  });
  const names = columns.flatMap(({ tag }) =>
    ['min', 'avg', 'max'].map((kind) => `${tag.id} ${kind}${tag.unit === '' ? '' : ` [${tag.unit}]`}`).concat(`${tag.id} ${words.quality}`),
  );
  const lines = [
    ...head.map((text) => `# ${text}`),
    `# ${tags.map((tag) => `${tag.id}: ${tag.name[lang]}`).join('; ')}`,
    [`${words.time} (UTC)`, words.time, ...names].map(quoted).join(','),
  ];
  for (const [at, row] of [...rows].sort((a, b) => a[0] - b[0]))
    lines.push([new Date(at).toISOString(), isoWithOffset(at), ...row].join(','));
  return `\ufeff${lines.join('\r\n')}\r\n`;
}
