import { parse } from 'csv-parse/sync';
import { isMissing, parseNumber, type Decimal } from './numbers.ts';
import { dateOrderOf, parseClock, parseTime, type DateOrder } from './times.ts';

export type TimeColumn =
  | { kind: 'datetime'; column: number }
  | { kind: 'date+clock'; date: number; clock: number }
  | { kind: 'epoch'; column: number; unitMs: 1 | 1000 };
export type CsvDialect = {
  delimiter: ',' | ';' | '\t' | '|';
  decimal: Decimal;
  /** False where a quote is opened and never closed: then it is a character like any other. */
  quotes: boolean;
  /** Lines before the table: titles, comments, Excel's "sep=". */
  skipLines: number;
  hasHeader: boolean;
  columns: string[];
  time: TimeColumn | null;
  dateOrder: DateOrder;
  notes: string[];
};

const delimiters = [',', ';', '\t', '|'] as const;

/** The dialect of a table by its first lines, or null when no delimiter gives rows of one width. */
export function sniffCsv(sample: string): CsvDialect | null {
  const told = /^sep=(.)\r?\n/i.exec(sample);
  let best: (Found & { delimiter: CsvDialect['delimiter'] }) | null = null;
  for (const delimiter of delimiters) {
    if (told && told[1] !== delimiter) continue;
    const found = rowsOf(sample, delimiter, told ? 1 : 0);
    if (found && (!best || found.score > best.score)) best = { delimiter, ...found };
  }
  if (!best) return null;
  const { rows, delimiter, quotes } = best;
  const notes: string[] = quotes ? [] : ['broken-quote'];
  const decimal = decimalOf(rows, delimiter, notes);
  const hasHeader = looksLikeHeader(rows, decimal);
  const body = hasHeader ? rows.slice(1) : rows;
  const order = dateOrderOf(body.flatMap((r) => r.slice(0, 3)));
  if (order === null) notes.push('date-order-ambiguous');
  const dateOrder = order ?? 'dmy';
  const width = rows[0]!.length;
  const columns = Array.from({ length: width }, (_, i) => (hasHeader ? rows[0]![i]!.trim() : '') || `column ${i + 1}`);
  return {
    delimiter,
    decimal,
    quotes,
    skipLines: best.skip,
    hasHeader,
    columns,
    time: timeColumnOf(body, columns, dateOrder, decimal),
    dateOrder,
    notes,
  };
}

type Found = { rows: string[][]; skip: number; quotes: boolean; score: number };

function cellsOf(lines: readonly string[], delimiter: string, quotes: boolean): string[][] | null {
  try {
    return parse(lines.join('\n'), {
      delimiter,
      quote: quotes ? '"' : null,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: false,
      bom: true,
    });
  } catch {
    return null;
  }
}

function rowsOf(sample: string, delimiter: string, skipAtLeast: number): Found | null {
  const lines = sample.split(/\r\n|\n|\r/);
  if (lines.length > 3) lines.pop(); // the sample may end in the middle of a line
  const quoted = cellsOf(lines, delimiter, true);
  const all = quoted ?? cellsOf(lines, delimiter, false);
  if (all === null) return null;
  const widths = new Map<number, number>();
  for (const row of all) if (row.length > 1) widths.set(row.length, (widths.get(row.length) ?? 0) + 1);
  const [width, count] = [...widths].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
  if (width < 2 || count < 1) return null;
  const skip = Math.max(
    skipAtLeast,
    all.findIndex((row) => row.length === width),
  );
  const rows = all.slice(skip).filter((row) => row.length === width);
  if (rows.length < 2) return null;
  // Lines that are passed over count against a delimiter: "21,5" must not make a comma table of a semicolon table without its head.
  const regular = rows.length / Math.max(1, all.filter((r) => r.some((c) => c.trim() !== '')).length);
  return { rows, skip, quotes: quoted !== null, score: regular * 100 + Math.min(width, 20) };
}

function decimalOf(rows: readonly string[][], delimiter: string, notes: string[]): Decimal {
  if (delimiter === ',') return '.';
  let comma = 0;
  let point = 0;
  let either = 0;
  for (const cell of rows.flat()) {
    const t = cell.trim();
    if (/^[-+]?\d+,\d+$/.test(t)) {
      if (/^[-+]?\d{1,3},\d{3}$/.test(t)) either++;
      else comma++;
    } else if (/^[-+]?\d{1,3}(\.\d{3})+,\d+$/.test(t)) comma++;
    else if (/^[-+]?\d+\.\d+$/.test(t)) point++;
  }
  if (comma > 0 && point === 0) return ',';
  if (comma === 0 && point === 0 && either > 0) notes.push('decimal-comma-assumed');
  if (comma > 0 && point > 0) notes.push('mixed-decimals');
  return comma > point || (point === 0 && either > 0) ? ',' : '.';
}

function looksLikeHeader(rows: readonly string[][], decimal: Decimal): boolean {
  const first = rows[0]!;
  const isValue = (cell: string) => parseNumber(cell, decimal) !== null || parseTime(cell) !== null || parseClock(cell) !== null;
  if (first.some(isValue)) return false;
  if (rows.slice(1).some((row) => row.some(isValue))) return true;
  return first.every((cell) => cell.trim() !== '') && new Set(first).size === first.length;
}

function timeColumnOf(body: readonly string[][], columns: readonly string[], order: DateOrder, decimal: Decimal): TimeColumn | null {
  const share = (column: number, test: (cell: string) => boolean): number => {
    const cells = body.map((row) => row[column] ?? '').filter((cell) => !isMissing(cell));
    return cells.length === 0 ? 0 : cells.filter(test).length / cells.length;
  };
  const indices = columns.map((_, i) => i);
  const full = indices.find((i) => share(i, (cell) => parseTime(cell, order)?.hasTime === true) > 0.8);
  if (full !== undefined) return { kind: 'datetime', column: full };
  const date = indices.find((i) => share(i, (cell) => parseTime(cell, order) !== null) > 0.8);
  const clock = indices.find((i) => share(i, (cell) => parseClock(cell) !== null) > 0.8);
  if (date !== undefined && clock !== undefined) return { kind: 'date+clock', date, clock };
  if (date !== undefined) return { kind: 'datetime', column: date };
  const epoch = indices.find(
    (i) => /time|时间|stamp|epoch|^ts$|^t$/i.test(columns[i]!) && share(i, (cell) => (parseNumber(cell, decimal) ?? 0) > 9e8) > 0.8,
  );
  if (epoch === undefined) return null;
  const first = parseNumber(body.find((row) => !isMissing(row[epoch] ?? ''))?.[epoch] ?? '', decimal) ?? 0;
  return { kind: 'epoch', column: epoch, unitMs: first > 9e10 ? 1 : 1000 };
}

/** When a row was, by its dialect; null where the cell is no time. */
export function rowTime(row: readonly string[], dialect: CsvDialect): number | null {
  const { time, dateOrder, decimal } = dialect;
  if (time === null) return null;
  if (time.kind === 'datetime') return parseTime(row[time.column] ?? '', dateOrder)?.at ?? null;
  if (time.kind === 'date+clock') {
    const day = parseTime(row[time.date] ?? '', dateOrder);
    const clock = parseClock(row[time.clock] ?? '');
    return day === null || clock === null ? null : day.at + clock;
  }
  const number = parseNumber(row[time.column] ?? '', decimal);
  if (number === null) return null;
  const instant = number * time.unitMs;
  return instant - new Date(instant).getTimezoneOffset() * 60_000;
}

export const timeColumns = (time: TimeColumn | null): number[] =>
  time === null ? [] : time.kind === 'date+clock' ? [time.date, time.clock] : [time.column];
