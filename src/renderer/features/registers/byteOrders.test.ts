import { expect, test } from 'vitest';
import type { TagConfig } from '../../../shared/contracts/plant.ts';
import { orderTable, shownCell } from './byteOrders.ts';

const tag = (patch: Partial<TagConfig>): TagConfig =>
  ({ type: 'float32', order: 'ABCD', scale: 1, offset: 0, range: { min: 0, max: 1.6 }, ...patch }) as TagConfig;

test('3F8D D2F2 is 1.108 in one order only, and that one is in range', () => {
  const table = orderTable(tag({}), [0x3f8d, 0xd2f2]);
  expect(table.types).toEqual(['float32', 'int32', 'uint32']);
  expect(table.rows.map((row) => [row.order, row.inRange, row.used])).toEqual([
    ['ABCD', 'yes', true],
    ['CDAB', 'no', false],
    ['BADC', 'no', false],
    ['DCBA', 'no', false],
  ]);
  expect(table.rows[0]?.cells).toEqual(['1.108', '1066259186', '1066259186']);
  expect(table.rows[1]?.cells[1]).toBe('-755875955');
  expect(table.words[1]).toEqual({ unsigned: 54002, signed: -11534, bits: '1101 0010 1111 0010', ascii: '··' });
});

test('a tag in another order finds itself', () => {
  expect(orderTable(tag({ order: 'CDAB' }), [0xd2f2, 0x3f8d]).rows.find((row) => row.used)).toMatchObject({
    order: 'CDAB',
    inRange: 'yes',
  });
});

test('one register has two orders, four have 64-bit readings, and these stay exact', () => {
  expect(
    orderTable(tag({ type: 'int16', order: 'CDAB', range: { min: null, max: null } }), [0xfff6]).rows.map((row) => [
      row.order,
      row.used,
      row.cells[0],
      row.inRange,
    ]),
  ).toEqual([
    ['ABCD', true, '-10', 'unknown'],
    ['BADC', false, '-2305', 'unknown'],
  ]);
  expect(orderTable(tag({ type: 'uint64' }), [0xffff, 0xffff, 0xffff, 0xffff]).rows[0]?.cells[2]).toBe('18446744073709551615');
});

test('cells are readable at any size', () => {
  expect(shownCell('-755875955')).toBe('\u2212755\u2009875\u2009955');
  expect(shownCell('-5.915e-31')).toBe('\u22125.915e\u221231');
  expect(shownCell(null)).toBe('\u2014');
});
