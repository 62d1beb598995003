import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Parser } from 'csv-parse';
import { parse as createParser } from 'csv-parse';
import { HandrailError } from '../../shared/errors.ts';
import { writeWithRoom } from './backpressure.ts';
import { rowTime, sniffCsv, type CsvDialect } from './csvDialect.ts';
import { createDecoder, detectEncoding } from './encoding.ts';
import { createEventCounts } from './eventCounts.ts';
import { readLog, type Reading } from './readLog.ts';
import { createTableStats } from './tableStats.ts';
import { parseTime } from './times.ts';
import { deviceIn, topicsOf, unitIn } from './topics.ts';
import type { LogAnswer, LogQuestion } from './types.ts';

export type LogInput = { path: string } | { bytes: Uint8Array };
const headBytes = 256 * 1024;

/** Reads a table or log of any common dialect once, from the first byte to the last, in constant memory, and answers. */
export async function analyze(
  input: LogInput,
  question: LogQuestion,
  options: { signal?: AbortSignal; onProgress?: (bytes: number) => void } = {},
): Promise<LogAnswer> {
  const range = timeRange(question);
  let size = 0;
  let decoder: ReturnType<typeof createDecoder> | null = null;
  let encoding = 'utf8';
  let reading: Reading | null = null;
  let held = '';
  for await (const bytes of chunksOf(input)) {
    options.signal?.throwIfAborted();
    if (!decoder) {
      const found = detectEncoding(bytes);
      encoding = found.name + (found.bom ? ' (BOM)' : '');
      decoder = createDecoder(found);
    }
    size += bytes.length;
    held += decoder.write(bytes);
    reading ??= startReading(held, question, range);
    await reading.write(held);
    held = '';
    options.onProgress?.(size);
  }
  held += decoder?.end() ?? '';
  reading ??= startReading(held, question, range);
  await reading.write(held);
  const answer = await reading.end();
  return { ...answer, source: { ...answer.source, encoding, bytes: size } };
}

type Range = { from: number; to: number; isAsked: boolean };

function startReading(sample: string, question: LogQuestion, range: Range): Reading {
  const dialect = sniffCsv(sample.slice(0, 64 * 1024));
  return dialect ? readTable(dialect, question, range) : readLog(sample, question, range);
}

function readTable(dialect: CsvDialect, question: LogQuestion, range: Range): Reading {
  const stats = createTableStats(dialect, question);
  const counts = createEventCounts(question, range);
  const notes = new Set(dialect.notes);
  if (dialect.time === null) notes.add('no-time-column');
  const width = dialect.columns.length;
  let rows = 0;
  let index = -1;
  const deviceColumn = dialect.columns.findIndex((c) => /device|设备|tag|点位|名称/i.test(c));
  const unitColumn = dialect.columns.findIndex((c) => /^(unit|slave|station)(_?id)?$|站号|从站/i.test(c.trim()));
  const parser: Parser = createParser({
    delimiter: dialect.delimiter,
    quote: dialect.quotes ? '"' : null,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: false,
    bom: true,
    info: true,
    // A quote that is never closed would gather the rest of the file in one cell.
    max_record_size: 256 * 1024,
  });
  const take = (row: string[], line: number): void => {
    index++;
    if (index < dialect.skipLines || (dialect.hasHeader && index === dialect.skipLines)) return;
    if (row.every((cell) => cell.trim() === '')) return;
    if (row.length !== width) notes.add('rows-of-other-width');
    rows++;
    const at = rowTime(row, dialect);
    const text = row.join(' ');
    const device = deviceColumn >= 0 ? row[deviceColumn]!.trim() || null : deviceIn(text);
    const unit = unitColumn >= 0 && /^\d{1,3}$/.test(row[unitColumn]?.trim() ?? '') ? Number(row[unitColumn]) : unitIn(text);
    if (
      !counts.add({
        line,
        at,
        topics: topicsOf(text),
        device,
        unit,
        text: row.join(dialect.delimiter === '\t' ? ' | ' : dialect.delimiter),
      })
    )
      return;
    stats.add(row, at, line);
  };
  parser.on('readable', () => {
    for (
      let item = parser.read() as { record: string[]; info: { lines: number } } | null;
      item !== null;
      item = parser.read() as typeof item
    )
      take(item.record, item.info.lines);
  });
  let failure: Error | null = null;
  parser.on('error', (cause: Error) => {
    failure = cause;
  });
  const ended = new Promise<void>((resolve) => parser.once('end', resolve).once('error', () => resolve()));
  return {
    async write(text) {
      await writeWithRoom(parser, text);
    },
    async end() {
      parser.end();
      await ended;
      if (failure !== null)
        throw new HandrailError('ARGS_INVALID', {
          detail: { reason: `the table cannot be read: ${failure.message}` },
          cause: failure,
        });
      const name = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' }[dialect.delimiter];
      return {
        source: {
          kind: 'table',
          dialect: `csv ${name}, decimal ${dialect.decimal}`,
          lines: index + 1,
          rows,
          ...counts.span(),
        },
        ...counts.result(),
        columns: stats.columns(),
        column: stats.answer(),
        traffic: null,
        notes: [...notes],
      };
    },
  };
}

/** The time a question asks about, half-open, local wall time as if it were UTC. Throws ARGS_INVALID for what is no time. */
export function timeRange(question: LogQuestion): Range {
  const bound = (text: string | undefined, otherwise: number): number => {
    if (text === undefined) return otherwise;
    const time = parseTime(text, 'ymd');
    if (!time) throw new HandrailError('ARGS_INVALID', { detail: { reason: `"${text}" is not a time` } });
    return time.at;
  };
  return {
    from: bound(question.from, -Infinity),
    to: bound(question.to, Infinity),
    isAsked: question.from !== undefined || question.to !== undefined,
  };
}

export async function* chunksOf(input: LogInput): AsyncGenerator<Uint8Array> {
  if ('bytes' in input) {
    for (let at = 0; at < input.bytes.length; at += headBytes) yield input.bytes.subarray(at, at + headBytes);
    return;
  }
  const { path } = input;
  try {
    const info = await stat(path);
    if (!info.isFile()) throw new Error('it is not a file');
    yield* createReadStream(path, { highWaterMark: headBytes }) as AsyncIterable<Buffer>;
  } catch (cause) {
    if (cause instanceof HandrailError) throw cause;
    throw new HandrailError('ARGS_UNREADABLE_FILE', {
      detail: { file: path, reason: cause instanceof Error ? cause.message : String(cause) },
      cause,
    });
  }
}
