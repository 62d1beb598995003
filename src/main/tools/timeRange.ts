import { invalid } from './target.ts';

export type TimeRange = { from: number; to: number };

/** Local plant time (`YYYY-MM-DDTHH:MM:SS`, without an offset) or a full ISO time; half-open. */
export function timeRange(args: { from?: string; to?: string }, now: number, defaultMs: number): TimeRange {
  const to = args.to === undefined ? now : momentOf('to', args.to);
  const from = args.from === undefined ? to - defaultMs : momentOf('from', args.from);
  if (from >= to) throw invalid('from must lie before to', 'from 必须早于 to');
  if (from > now) throw invalid('the range lies in the future', '时间范围在将来');
  return { from, to };
}

function momentOf(name: string, text: string): number {
  const form = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
  // A date alone would be read as UTC; here it is the local day.
  const moment = form.test(text) ? Date.parse(text.length === 10 ? `${text}T00:00:00` : text) : Number.NaN;
  if (Number.isNaN(moment)) throw invalid(`${name} is not a time like 2026-03-18T10:30:00`, `${name} 不是形如 2026-03-18T10:30:00 的时间`);
  return moment;
}

export const iso = (at: number): string => new Date(at).toISOString();
