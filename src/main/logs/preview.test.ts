import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { previewFile } from './preview.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'preview-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const put = (name: string, bytes: Uint8Array | string): string => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};

test('a window of a table shows cells as they stand, and how many rows there are', async () => {
  const path = put('a.csv', iconv.encode(`时间;温度\n${[1, 2, 3, 4, 5].map((i) => `2026-03-18 10:0${i};2${i},5`).join('\n')}\n`, 'gbk'));
  expect(await previewFile(path, 1, 2)).toMatchObject({
    columns: ['时间', '温度'],
    encoding: 'gb18030',
    rows: [
      ['2026-03-18 10:02', '22,5'],
      ['2026-03-18 10:03', '23,5'],
    ],
    totalRows: 5,
    unread: { count: 0, first: null },
  });
});

test('a log is one column of lines', async () => {
  expect(await previewFile(put('b.log', 'first line\nsecond line\n'), 0, 10)).toMatchObject({
    columns: ['line'],
    rows: [['first line'], ['second line']],
  });
});

test('rows of another width are shown and counted', async () => {
  expect(await previewFile(put('c.csv', 'a,b\n1,2\n3\n4,5\n6,7\n'), 0, 10)).toMatchObject({
    totalRows: 4,
    unread: { count: 1, first: { line: 3 } },
  });
});

test('a quote that is never closed near the beginning is a character like any other', async () => {
  const rows = Array.from({ length: 200 }, (_, i) => `${i},${i === 3 ? '"broken' : 'fine'}`).join('\n');
  expect(await previewFile(put('d.csv', `n,state\n${rows}\n`), 3, 1)).toMatchObject({ totalRows: 200, rows: [['3', '"broken']] });
});

test('a quote that is never closed far down is said, not swallowed', async () => {
  const rows = Array.from({ length: 40_000 }, (_, i) => `${i},${i === 20_000 ? '"broken' : 'fine'}`).join('\n');
  const { unread } = await previewFile(put('e.csv', `n,state\n${rows}\n`), 0, 10);
  expect(unread.count).toBeGreaterThan(0);
});
