import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakEvenGap, noLimits, planRequests, splitRequest, type Hole, type Span } from './planRequests.ts';
import type { ModbusTable } from '../contracts/approvals.ts';

const widths: Record<string, number> = { bool: 1, int16: 1, uint16: 1, int32: 2, uint32: 2, float32: 2, int64: 4, uint64: 4, float64: 4 };
const thousand: Span[] = readFileSync(new URL('../../../test/fixtures/plant/registers-1000.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [tag, unitId, table, address, type] = line.split(',');
    return { tag: tag!, unitId: Number(unitId), table: table as ModbusTable, address: Number(address), length: widths[type!]! };
  });
const bits = (table: ModbusTable) => table === 'coil' || table === 'discrete';

describe('the 1,000-tag table', () => {
  test.each([
    [0, 411, 386, 1474],
    [8, 199, 188, 2398],
    [32, 89, 82, 4645],
    [124, 84, 77, 5429],
  ])('is read in as few requests as the optimum with gaps up to %i', (maxGap, requests, forRegisters, registersRead) => {
    const plan = planRequests(thousand, () => ({ ...noLimits, maxGap }));
    const registers = plan.filter((r) => !bits(r.table));
    expect([plan.length, registers.length, registers.reduce((sum, r) => sum + r.quantity, 0)]).toEqual([
      requests,
      forRegisters,
      registersRead,
    ]);
    expect(plan.every((r) => r.quantity <= (bits(r.table) ? 2000 : 125) && r.address + r.quantity <= 65536)).toBe(true);
  });

  test('is split per unit and table as measured', () => {
    const plan = planRequests(thousand, () => noLimits);
    const count = (unitId: number, table: ModbusTable) => plan.filter((r) => r.unitId === unitId && r.table === table).length;
    expect([
      count(1, 'holding'),
      count(1, 'input'),
      count(2, 'holding'),
      count(2, 'input'),
      count(3, 'holding'),
      count(3, 'input'),
      count(7, 'holding'),
      count(1, 'coil'),
      count(3, 'discrete'),
    ]).toEqual([90, 64, 78, 40, 69, 28, 17, 14, 11]);
  });
});

const span = (tag: string, address: number, length = 1, table: ModbusTable = 'holding'): Span => ({
  tag,
  unitId: 1,
  table,
  address,
  length,
});

test('unsorted tags are sorted before they are joined', () => {
  const plan = planRequests([span('b', 186, 4), span('a', 107)], () => noLimits);
  expect(plan.map((r) => [r.address, r.quantity])).toEqual([
    [107, 1],
    [186, 4],
  ]);
});

test('two tags with nine addresses between are two reads or one block that holds both', () => {
  const tags = [span('a', 200), span('b', 210)];
  expect(planRequests(tags, () => noLimits).map((r) => [r.address, r.quantity])).toEqual([
    [200, 1],
    [210, 1],
  ]);
  expect(planRequests(tags, () => ({ ...noLimits, maxGap: 9 })).map((r) => [r.address, r.quantity])).toEqual([[200, 11]]);
});

test('a known hole is never read along', () => {
  const tags = [span('a', 800), span('b', 806)];
  const holes: Hole[] = [{ table: 'holding', from: 801, to: 801 }];
  expect(planRequests(tags, () => ({ ...noLimits, maxGap: 124, holes })).length).toBe(2);
  expect(planRequests(tags, () => ({ ...noLimits, maxGap: 124, holes: [{ table: 'input', from: 801, to: 801 }] })).length).toBe(1);
});

test('a tag the device refuses is read alone, its neighbours stay together', () => {
  const plan = planRequests([span('a', 0), span('bad', 1), span('c', 2)], () => ({ ...noLimits, maxGap: 8, alone: new Set(['bad']) }));
  expect(plan.map((r) => r.spans.map((s) => s.tag)).sort()).toEqual([['a', 'c'], ['bad']]);
});

test('a device for even quantities is asked for even quantities', () => {
  expect(planRequests([span('a', 4)], () => ({ ...noLimits, evenQuantity: true }))[0]).toMatchObject({ address: 4, quantity: 2 });
});

test('every tag lies whole in exactly one request within the limits, whatever the tags', () => {
  const anySpan = fc.record({
    unitId: fc.integer({ min: 1, max: 3 }),
    table: fc.constantFrom<ModbusTable>('holding', 'input', 'coil', 'discrete'),
    address: fc.integer({ min: 0, max: 400 }),
    length: fc.constantFrom(1, 2, 4),
  });
  fc.assert(
    fc.property(
      fc.array(anySpan, { maxLength: 60 }),
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 4, max: 125 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 5 }))),
      (raw, maxGap, maxRegisters, rawHoles) => {
        const spans = raw.map((s, i) => ({ ...s, tag: `t${i}`, length: bits(s.table) ? 1 : s.length }));
        const holes = rawHoles.map(([from, more]): Hole => ({ table: 'holding', from, to: from + more }));
        const plan = planRequests(spans, () => ({ ...noLimits, maxGap, maxRegisters, holes }));
        const used = (table: ModbusTable, unitId: number, address: number) =>
          spans.some((s) => s.table === table && s.unitId === unitId && s.address <= address && address < s.address + s.length);
        expect(plan.flatMap((r) => r.spans.map((s) => s.tag)).sort()).toEqual(spans.map((s) => s.tag).sort());
        for (const request of plan) {
          expect(request.quantity).toBeLessThanOrEqual(bits(request.table) ? 2000 : maxRegisters);
          for (const s of request.spans)
            expect(s.address >= request.address && s.address + s.length <= request.address + request.quantity).toBe(true);
          for (const hole of holes)
            for (let a = hole.from; a <= hole.to; a++) {
              const readAlong =
                request.table === 'holding' &&
                a >= request.address &&
                a < request.address + request.quantity &&
                !used('holding', request.unitId, a);
              expect(readAlong).toBe(false);
            }
        }
      },
    ),
  );
});

test('a refused block is split at its widest gap, which is then the suspect', () => {
  const [block] = planRequests([span('a', 0), span('b', 2), span('c', 20)], () => ({ ...noLimits, maxGap: 124 }));
  const split = splitRequest(block!)!;
  expect(split.left).toMatchObject({ address: 0, quantity: 3 });
  expect(split.right).toMatchObject({ address: 20, quantity: 1 });
  expect(split.gap).toEqual({ from: 3, to: 19 });
  expect(splitRequest(split.right)).toBeNull();
});

test('overlapping tags stay whole when a block is split', () => {
  const [block] = planRequests([span('wide', 0, 4), span('inside', 1), span('next', 4)], () => noLimits);
  const split = splitRequest(block!)!;
  expect(split.right).toMatchObject({ address: 4, quantity: 1 });
  expect(split.gap).toBeNull();
});

test('the gap worth reading along follows from baud rate and device time', () => {
  expect([9600, 19200, 115200].map((baud) => breakEvenGap({ baud, deviceTimeMs: 5 }))).toEqual([12, 14, 51]);
  expect([9600, 19200, 115200].map((baud) => breakEvenGap({ baud, deviceTimeMs: 0 }))).toEqual([10, 10, 24]);
  expect(breakEvenGap({ baud: null, deviceTimeMs: 5 })).toBe(124);
});
