import { HandrailError } from '../../shared/errors.ts';
import { rowTime, timeColumns, type CsvDialect } from './csvDialect.ts';
import { isMissing, parseNumber } from './numbers.ts';
import { showTime } from './times.ts';
import type { ColumnFn, ColumnStats, LogAnswer, LogQuestion } from './types.ts';

type Running = {
  stats: ColumnStats;
  mean: number;
  minLine: number;
  maxLine: number;
  above: number;
  below: number;
  previous: number | null;
};

/** Statistics of every number column, one row at a time, in constant memory. */
export function createTableStats(dialect: CsvDialect, question: LogQuestion) {
  const skipped = new Set(timeColumns(dialect.time));
  const running: Running[] = dialect.columns.map((name) => ({
    stats: {
      ...splitUnit(name),
      count: 0,
      missing: 0,
      unreadable: 0,
      min: null,
      min_at: null,
      max: null,
      max_at: null,
      avg: null,
      sum: null,
      first: null,
      last: null,
    },
    mean: 0,
    minLine: 0,
    maxLine: 0,
    above: 0,
    below: 0,
    previous: null,
  }));
  const threshold = question.threshold ?? null;

  return {
    add(row: readonly string[], at: number | null, line: number): void {
      running.forEach((column, i) => {
        if (skipped.has(i)) return;
        const { stats } = column;
        const cell = row[i] ?? '';
        const value = isMissing(cell) ? null : parseNumber(cell, dialect.decimal);
        if (value === null) {
          if (isMissing(cell)) stats.missing++;
          else stats.unreadable++;
          column.previous = null; // a crossing is not counted over a gap
          return;
        }
        stats.count++;
        stats.first ??= value;
        stats.last = value;
        column.mean += (value - column.mean) / stats.count;
        stats.sum = (stats.sum ?? 0) + value;
        const when = at === null ? null : showTime(at);
        if (stats.max === null || value > stats.max) [stats.max, stats.max_at, column.maxLine] = [value, when, line];
        if (stats.min === null || value < stats.min) [stats.min, stats.min_at, column.minLine] = [value, when, line];
        if (threshold !== null) {
          if (value > threshold && !(column.previous !== null && column.previous > threshold)) column.above++;
          if (value < threshold && !(column.previous !== null && column.previous < threshold)) column.below++;
        }
        column.previous = value;
      });
    },
    /** Columns that hold numbers; a text column has no statistics. */
    columns(): ColumnStats[] {
      return running
        .filter((c, i) => !skipped.has(i) && c.stats.count > 0 && c.stats.count >= c.stats.unreadable)
        .map((c) => ({ ...c.stats, avg: tidy(c.mean), sum: tidy(c.stats.sum ?? 0) }));
    },
    answer(): LogAnswer['column'] {
      if (question.action !== 'column' || !question.fn) return null;
      const column = findColumn(
        running.filter((c, i) => !skipped.has(i) && c.stats.count > 0),
        question.column ?? [],
        dialect,
      );
      const { stats } = column;
      const result: Record<ColumnFn, { value: number | null; at: string | null; line: number | null }> = {
        max: { value: stats.max, at: stats.max_at, line: column.maxLine },
        min: { value: stats.min, at: stats.min_at, line: column.minLine },
        avg: { value: tidy(column.mean), at: null, line: null },
        sum: { value: tidy(stats.sum ?? 0), at: null, line: null },
        count: { value: stats.count, at: null, line: null },
        count_above: { value: threshold === null ? null : column.above, at: null, line: null },
        count_below: { value: threshold === null ? null : column.below, at: null, line: null },
      };
      return { name: stats.name, unit: stats.unit, fn: question.fn, ...result[question.fn], threshold, count: stats.count };
    },
  };
}

const tidy = (value: number): number => Number(value.toPrecision(12));

/** "炉温(℃)", "Temp [°C]", "Flow / m3/h" to name and unit. */
function splitUnit(header: string): { name: string; unit: string } {
  const m = /^(.*\S)\s*[([（【]\s*([^)\]）】]{1,12})\s*[)\]）】]\s*$/.exec(header) ?? /^(.*\S)\s*\/\s*([^/\s]\S{0,11})$/.exec(header);
  return m ? { name: m[1]!, unit: m[2]!.trim() } : { name: header, unit: '' };
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[\s_\-.#的()[\]/（）°]/g, '');

/** The column that is meant: equal words first, then words inside, then the only number column there is. Never a guess between two. */
function findColumn<T extends { stats: ColumnStats }>(columns: readonly T[], words: readonly string[], dialect: CsvDialect): T {
  const wanted = words.map(plain).filter((w) => w !== '');
  const known = columns.map((c) => c.stats.name).join(', ');
  const fail = (en: string, zh: string): HandrailError =>
    new HandrailError('ARGS_INVALID', {
      detail: { reason: en, columns: known },
      message: { en: `${en}. Columns: ${known || dialect.columns.join(', ')}.`, zh: `${zh}。列：${known || dialect.columns.join('、')}。` },
    });
  for (const fits of [
    (name: string, w: string) => name === w,
    (name: string, w: string) => name.includes(w) || (name.length > 1 && w.includes(name)),
  ]) {
    const found = columns.filter((c) => wanted.some((w) => fits(plain(c.stats.name), w)));
    if (found.length === 1) return found[0]!;
    if (found.length > 1) throw fail(`"${words[0]}" fits several columns`, `“${words[0]}”对应多列`);
  }
  if (wanted.length === 0 && columns.length === 1) return columns[0]!;
  throw fail(
    wanted.length === 0 ? 'The question names no column' : `There is no number column "${words[0]}"`,
    wanted.length === 0 ? '问题未指明列' : `没有名为“${words[0]}”的数值列`,
  );
}

export { rowTime };
