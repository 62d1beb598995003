import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { HandrailError } from '../../shared/errors.ts';
import { analyze } from './analyze.ts';
import { analyzeFile } from './analyzeFile.ts';
import type { LogQuestion } from './types.ts';

const text = (s: string, encoding = 'utf8') => ({ bytes: new Uint8Array(iconv.encode(s, encoding)) });
const max: LogQuestion = { action: 'column', fn: 'max', column: ['温度', 'temperature', 'temp'] };

describe('a table of any common dialect answers count, maximum and when', () => {
  test.each<[string, { bytes: Uint8Array }]>([
    ['comma and point', text('time,temp,flow\n2026-03-18 10:00:00,20.5,1\n2026-03-18 10:01:00,21.25,2\n2026-03-18 10:02:00,19,3\n')],
    [
      'semicolon and decimal comma',
      text('Zeit;Temp;Flow\r\n18.03.2026 10:00:00;20,5;1\r\n18.03.2026 10:01:00;21,25;2\r\n18.03.2026 10:02:00;19;3\r\n'),
    ],
    ['tab, UTF-16 with byte order mark', text('\ufefftime\ttemp\n2026-03-18T10:00:00\t20.5\n2026-03-18T10:01:00\t21.25\n', 'utf16le')],
    ['UTF-16 big-endian without a mark', text('time,temp\n2026-03-18T10:00:00,20.5\n2026-03-18T10:01:00,21.25\n', 'utf16be')],
    ['GBK with Chinese headers', text('时间,温度(℃),流量\n2026/3/18 10:00,20.5,1\n2026/3/18 10:01,21.25,2\n', 'gbk')],
    [
      'UTF-8 with byte order mark and quotes',
      text('\ufeff"time","temp","note"\n"2026-03-18 10:00:00","20.5","a, b"\n"2026-03-18 10:01:00","21.25",""\n'),
    ],
    ['titles before the table', text('Export of plant 7\n\ntime,temp,flow\n2026-03-18 10:00:00,20.5,1\n2026-03-18 10:01:00,21.25,2\n')],
    ["Excel's sep line", text('sep=;\ntime;temp\n2026-03-18 10:00:00;20,5\n2026-03-18 10:01:00;21,25\n')],
    ['date and clock apart', text('date,clock,temp\n2026-03-18,10:00:00,20.5\n2026-03-18,10:01:00,21.25\n')],
  ])('%s', async (_, input) => {
    const { column, source } = await analyze(input, max);
    expect(column).toMatchObject({ value: 21.25, at: '2026-03-18T10:01:00' });
    expect(source.kind).toBe('table');
  });

  test('missing and damaged cells are counted and never read as zero', async () => {
    const { columns } = await analyze(
      text(
        'time,temp\n2026-03-18 10:00:00,20\n2026-03-18 10:01:00,\n2026-03-18 10:02:00,N/A\n2026-03-18 10:03:00,2x1\n2026-03-18 10:04:00,22\n',
      ),
      { action: 'summarize' },
    );
    expect(columns).toEqual([expect.objectContaining({ name: 'temp', count: 2, missing: 2, unreadable: 1, min: 20, max: 22, avg: 21 })]);
  });

  test('the time asked for is half-open', async () => {
    const table = text('time,temp\n2026-03-18 09:59:59,99\n2026-03-18 10:00:00,1\n2026-03-18 10:59:59,2\n2026-03-18 11:00:00,98\n');
    const { column } = await analyze(table, { ...max, from: '2026-03-18T10:00:00', to: '2026-03-18T11:00:00' });
    expect(column).toMatchObject({ value: 2, count: 2 });
  });

  test('words that fit two columns are an error that names the columns', async () => {
    await expect(analyze(text('time,temp in,temp out\n2026-03-18 10:00:00,1,2\n'), max)).rejects.toMatchObject({
      code: 'ARGS_INVALID',
      detail: { columns: 'temp in, temp out' },
    });
  });

  test('times above a threshold are crossings, not rows', async () => {
    const table = text(`time,temp\n${[1, 5, 6, 1, 7, 1, 4].map((v, i) => `2026-03-18 10:0${i}:00,${v}`).join('\n')}\n`);
    expect((await analyze(table, { ...max, fn: 'count_above', threshold: 4 })).column).toMatchObject({ value: 2 });
  });
});

describe('a log of lines', () => {
  const log = text(
    [
      '2026-03-18 08:10:00.120 [plc1] unit 1: request timed out after 500 ms',
      '2026-03-18 08:15:00.000 unit 2: CRC error',
      '2026-03-18 09:00:00.000 unit 1 timeout=500 configured',
      '2026-03-18 09:30:00.000 2号从站 超时',
      '    at line 7',
      '2026-03-18 09:31:00.000 connection lost COM3',
    ].join('\r\n'),
  );

  test('time-outs are counted with their split by unit and hour; a setting is none', async () => {
    const answer = await analyze(log, { action: 'count', topic: 'timeout' });
    expect(answer.count).toBe(2);
    expect(answer.by_unit).toEqual([
      { key: '1', count: 1 },
      { key: '2', count: 1 },
    ]);
    expect(answer.by_hour).toEqual([
      { key: '2026-03-18T08:00:00', count: 1 },
      { key: '2026-03-18T09:00:00', count: 1 },
    ]);
    expect(answer.by_device).toEqual([{ key: 'plc1', count: 1 }]);
  });

  test('a list names line and time', async () => {
    const answer = await analyze(log, { action: 'list', topic: 'disconnect' });
    expect(answer.events).toEqual([
      {
        line: 6,
        at: '2026-03-18T09:31:00',
        topics: ['disconnect'],
        device: 'COM3',
        unit: null,
        text: '2026-03-18 09:31:00.000 connection lost COM3',
      },
    ]);
  });

  test('a file that is not there is an error that says so', async () => {
    await expect(analyze({ path: 'no-such-file.csv' }, { action: 'count' })).rejects.toMatchObject({ code: 'ARGS_UNREADABLE_FILE' });
  });
});

describe('hostile and damaged files', () => {
  test('no bytes make it throw anything but an error of ours', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
        try {
          await analyze({ bytes }, { action: 'summarize' });
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(HandrailError);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('an empty file has nothing', async () => {
    expect(await analyze({ bytes: new Uint8Array() }, { action: 'count' })).toMatchObject({ count: 0, columns: [] });
  });

  test('a quote that is never closed does not swallow the rest of the table', async () => {
    const table = (size: number, broken: number) =>
      text(
        `time,state,temp\n${Array.from({ length: size }, (_, i) => `2026-03-18 10:00:00,${i === broken ? '"broken' : 'fine'},${i}`).join('\n')}\n`,
      );
    const { column, notes } = await analyze(table(2000, 3), max);
    expect([column?.value, notes.includes('broken-quote')]).toEqual([1999, true]);
    await expect(analyze(table(20_000, 10_000), max)).rejects.toMatchObject({ code: 'ARGS_INVALID' });
  });

  test('a decimal comma does not make a comma table of a semicolon table', async () => {
    const { column, source } = await analyze(text('时间;温度\n2026-03-18 10:01;21,5\n2026-03-18 10:02;22,5\n'), max);
    expect([column?.value, source.dialect]).toEqual([22.5, 'csv semicolon, decimal ,']);
  });

  test('a table of 200,000 rows is read in a thread of its own in little memory, and Stop stops it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'logs-'));
    try {
      const path = join(folder, 'big.csv');
      const block = Array.from({ length: 20_000 }, (_, i) => `2026-03-18 10:00:${String(i % 60).padStart(2, '0')},${i % 977}.5`).join('\n');
      writeFileSync(path, 'time,temp\n');
      for (let i = 0; i < 10; i++) appendFileSync(path, `${block}\n`);
      const { column, source } = await analyzeFile(path, max);
      expect([column?.value, source.rows]).toEqual([976.5, 200_000]);
      await expect(analyzeFile(path, max, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ code: 'CANCELLED' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
