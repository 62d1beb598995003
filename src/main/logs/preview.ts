import { basename } from 'node:path';
import { parse as createParser } from 'csv-parse';
import { chunksOf } from './analyze.ts';
import { writeWithRoom } from './backpressure.ts';
import { sniffCsv, type CsvDialect } from './csvDialect.ts';
import { createDecoder, detectEncoding } from './encoding.ts';

export type Preview = {
  name: string;
  dialect: string;
  encoding: string;
  confidence: number | null;
  columns: string[];
  rows: string[][];
  offset: number;
  totalRows: number;
  /** Rows of another width than the head's: shown as they are, and counted. */
  unread: { count: number; first: { line: number; reason: string } | null };
};

/** A window of a file as a table of text: cells as they stand, nothing converted. A log without columns is one column of lines. */
export async function previewFile(path: string, offset: number, limit: number): Promise<Preview> {
  let decoder: ReturnType<typeof createDecoder> | undefined;
  let encoding = 'utf8';
  let rows: ReturnType<typeof tableRows> | undefined;
  let dialect: CsvDialect | null = null;
  const start = (sample: string): ReturnType<typeof tableRows> => {
    dialect = sniffCsv(sample.slice(0, 64 * 1024));
    return tableRows(dialect, offset, limit);
  };
  for await (const bytes of chunksOf({ path })) {
    if (!decoder) {
      const found = detectEncoding(bytes);
      encoding = found.name + (found.bom ? ' (BOM)' : '');
      decoder = createDecoder(found);
    }
    const text = decoder.write(bytes);
    rows ??= start(text);
    await rows.write(text);
  }
  rows ??= start('');
  await rows.write(decoder?.end() ?? '');
  const found = await rows.end();
  const table = dialect as CsvDialect | null;
  return {
    name: basename(path),
    dialect: table === null ? 'lines' : `csv "${table.delimiter}", decimal ${table.decimal}`,
    encoding,
    confidence: null,
    columns: table?.columns ?? ['line'],
    offset,
    ...found,
  };
}

function tableRows(dialect: CsvDialect | null, offset: number, limit: number) {
  const head = dialect === null ? 0 : dialect.skipLines + (dialect.hasHeader ? 1 : 0);
  const rows: string[][] = [];
  const unread: Preview['unread'] = { count: 0, first: null };
  let index = -1;
  let total = 0;
  const parser = createParser({
    // A log has no delimiter: NUL never stands in a text line, so each line is one cell.
    delimiter: dialect?.delimiter ?? '\u0000',
    quote: dialect?.quotes ? '"' : null,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: false,
    bom: true,
    max_record_size: 256 * 1024,
  });
  parser.on('readable', () => {
    for (let row = parser.read() as string[] | null; row !== null; row = parser.read() as string[] | null) {
      index++;
      if (index < head || row.every((cell) => cell.trim() === '')) continue;
      if (dialect !== null && row.length !== dialect.columns.length) {
        unread.count++;
        unread.first ??= { line: index + 1, reason: `${row.length} / ${dialect.columns.length}` };
      }
      if (total >= offset && rows.length < limit) rows.push(row.map((cell) => cell.slice(0, 500)));
      total++;
    }
  });
  // What stands behind a broken quote is not shown, and that it is not is said.
  parser.on('error', (cause: Error) => {
    unread.count++;
    unread.first ??= { line: index + 2, reason: cause.message };
  });
  const ended = new Promise<void>((done) => parser.once('end', done).once('error', () => done()));
  return {
    async write(text: string) {
      await writeWithRoom(parser, text);
    },
    async end() {
      parser.end();
      await ended;
      return { rows, totalRows: total, unread };
    },
  };
}
