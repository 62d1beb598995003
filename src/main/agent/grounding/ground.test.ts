import { describe, expect, test } from 'vitest';
import { okResult } from '../testDoubles.ts';
import type { Answered } from '../turn.ts';
import { ground } from './ground.ts';
import { statedNumbers } from './numbers.ts';

const read = (result: unknown, args: Record<string, unknown> = {}, tool = 'tag_read'): Answered => ({
  planned: { callId: 'c', tool, args },
  call: {
    call_id: 'c',
    parent_call_id: null,
    session_id: 's',
    turn_id: 't',
    tool,
    args,
    depends_on: [],
    expected_output_schema: null,
    timeout_ms: 1,
    meta: { timestamp: '', caller: '' },
  },
  result: okResult('c', result),
});
const boiler = read({ values: [{ tag: 'boiler_temp', value: 182.43, unit: '°C', quality: 'good' }] });
const at = '2026-03-18T10:30:00';
const kinds = (text: string, answered: Answered[], earlier: Answered[] = []): string[] =>
  ground(text, answered, earlier, at).marks.map((m) => `${m.text} ${m.kind}`);

describe('what counts as a stated number', () => {
  test.each([
    ['The boiler is at 182.4 °C.', [[182.4, '°C']]],
    ['锅炉温度为１８２．４℃', [[182.4, '°C']]],
    [
      'total 1,234.5 kWh and 12,345,678',
      [
        [1234.5, 'kWh'],
        [12345678, null],
      ],
    ],
    ['pump2 and COM3, 1号泵, T-101, 2#罐, 9600 8N1', [[9600, null]]],
    [
      'registers 0-9 hold 5',
      [
        [0, null],
        [9, null],
        [5, null],
      ],
    ],
    [
      'outside it is -5 °C, a change of −3.5',
      [
        [-5, '°C'],
        [-3.5, null],
      ],
    ],
    ['1. first\n2. second 7', [[7, null]]],
    ['1.5e3 W', [[1500, 'W']]],
    ['address 0x1F', [[31, null]]],
  ])('%s', (text, wanted) => {
    expect(statedNumbers(text).map((n) => [n.value, n.unit])).toEqual(wanted);
  });
  test('times and dates are taken whole', () => {
    expect(statedNumbers('at 14:07 on 2026-03-17, 3月17日 8点05分, March 17').map((n) => n.stamp)).toEqual([
      '14:07',
      '2026-03-17',
      '03-17',
      '08:05',
      '03-17',
    ]);
  });
  test('positions are those of the text as given', () => {
    const text = '温度是１８２．４℃。';
    for (const n of statedNumbers(text)) expect(text.slice(n.start, n.end)).toBe('１８２．４');
  });
});

describe('grounding', () => {
  test('a value rounded as shown is sourced, a truncated or different one is not', () => {
    expect(kinds('182.43 °C, 182.4 °C, 182 °C', [boiler])).toEqual(['182.43 sourced', '182.4 sourced', '182 sourced']);
    expect(kinds('183 °C and 182.5 °C', [boiler])).toEqual(['183 unsourced', '182.5 unsourced']);
    expect(ground('It is 190 °C.', [boiler], [], at)).toMatchObject({ grounded: false, refuted: ['190 °C'] });
  });
  test('the same number with another unit is another value', () => {
    expect(kinds('182.4 bar', [boiler])).toEqual(['182.4 unsourced']);
    expect(kinds('182.4 度', [boiler])).toEqual(['182.4 sourced']);
  });
  test('what a program computed is marked as computed', () => {
    expect(kinds('mean 55.5', [read({ status: 'ok', output: { type: 'json', data: { mean: 55.5 } } }, {}, 'execute')])).toEqual([
      '55.5 computed',
    ]);
  });
  test('a value of an earlier turn is old, and the answer is not grounded by it', () => {
    const result = ground('It was 182.4 °C.', [], [boiler], at);
    expect(result.marks[0]).toMatchObject({ kind: 'old' });
    expect(result).toMatchObject({ grounded: false, refuted: [] });
  });
  test('a number without any result is marked but does not refute a plain explanation', () => {
    expect(ground('Modbus TCP uses port 502; 20 mA is full scale.', [], [], at)).toMatchObject({ grounded: false, refuted: [] });
  });
  test('a time is found in the result in UTC or on the clock of the plant', () => {
    expect(kinds('at 14:07', [read({ rows: [{ value: 196.3, at: '2026-03-17T14:07:00' }] })])).toEqual(['14:07 sourced']);
    expect(kinds('at 14:08', [read({ rows: [{ value: 196.3, at: '2026-03-17T14:07:00' }] })])).toEqual(['14:08 unsourced']);
  });
  test('the range that was asked for may be named', () => {
    expect(kinds('registers 0 到 9', [read({ values: [5] }, { address: 0, count: 10 }, 'modbus_read')])).toEqual([
      '0 sourced',
      '9 sourced',
    ]);
  });
  test('what was asked for cannot vouch for a reading, and naming it is no contradiction', () => {
    const declined: Answered = {
      ...read(null, { tag: 'pump2_freq', value: 35.5 }, 'tag_write'),
      result: {
        ...okResult('c', null),
        ok: false,
        error: { code: 'APPROVAL_DECLINED', message: 'rejected', advice: '', retry: 'no', detail: {} },
      },
    };
    const result = ground('Pump 2 runs at 35.5 Hz.', [boiler, declined], [], at);
    expect(result).toMatchObject({ grounded: false, refuted: [] });
    expect(result.marks.at(-1)).toMatchObject({ text: '35.5', kind: 'unsourced' });
  });
  test('a plain conversion of a reading is computed', () => {
    const pressure = read({ values: [{ tag: 'boiler_pressure', value: 0.82, unit: 'MPa', quality: 'good' }] });
    expect(kinds('8.2 bar', [pressure])).toEqual(['8.2 computed']);
    expect(kinds('82 bar', [pressure])).toEqual(['82 unsourced']);
  });
  test('a stale reading is old', () => {
    expect(kinds('61 %', [read({ values: [{ tag: 'tank1_level', value: 61, unit: '%', quality: 'stale' }] })])).toEqual(['61 old']);
  });
});

test('a clock time is one number also where a colon follows it', () => {
  expect(statedNumbers('read at 01:46:31:').map((n) => n.kind)).toEqual(['time']);
  expect(statedNumbers('时间：08:05：').map((n) => n.kind)).toEqual(['time']);
});
