import { expect, test } from 'vitest';
import { answerBlocks } from './answerBlocks.ts';

const text = 'plc1, read at 10:30:00:\n\n| Address | Value |\n| --- | --- |\n| 0 | 1650 |\n| 1 |  |\n\nDone.';

test('a table is found with its cells at their place in the text', () => {
  const blocks = answerBlocks(text);
  expect(blocks.map((b) => b.kind)).toEqual(['text', 'table', 'text']);
  const table = blocks[1];
  if (table?.kind !== 'table') throw new Error('no table');
  expect(table.head.map((c) => text.slice(c.start, c.end))).toEqual(['Address', 'Value']);
  expect(table.rows.map((row) => row.map((c) => text.slice(c.start, c.end)))).toEqual([
    ['0', '1650'],
    ['1', ''],
  ]);
});

test('what only looks like a table, or is still being written, stays text', () => {
  expect(answerBlocks('| a | b |').map((b) => b.kind)).toEqual(['text']);
  expect(answerBlocks('| a | b |\n| -').map((b) => b.kind)).toEqual(['text']);
  expect(answerBlocks('')).toEqual([]);
});
