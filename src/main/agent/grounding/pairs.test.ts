import { expect, test } from 'vitest';
import { okResult } from '../testDoubles.ts';
import type { Answered } from '../turn.ts';
import { ground } from './ground.ts';

// Answers and results written by hand in pairs, with the verdict a person would give on each number.

const answered = (tool: string, result: unknown, args: Record<string, unknown> = {}): Answered => ({
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
const tag = (name: string, value: number, unit: string | null, more: Record<string, unknown> = {}) => ({
  tag: name,
  value,
  unit,
  quality: 'good',
  ...more,
});
const read = (...values: unknown[]) => [answered('tag_read', { values })];
const boiler = read(tag('boiler_temp', 182.43, '°C'));
const pressure = read(tag('boiler_pressure', 0.82, 'MPa'));
const cold = read(tag('outdoor_temp', -5, '°C'));
const warm = read(tag('outdoor_temp', 5, '°C'));
const tanks = read(tag('tank1_level', 61, '%'), tag('tank2_level', 38, '%'));
const power = read(tag('total_power', 12_345.6, 'kW'));
const setpoint = read(tag('boiler_temp', 182.4, '°C'), tag('boiler_temp_sp', 180, '°C'));
const registers = [
  answered(
    'modbus_read',
    { unit: 1, table: 'holding', address: 100, count: 10, values: [1824, 61, 38] },
    { unit: 1, address: 100, count: 10 },
  ),
];
const ports = [answered('list_ports', { ports: [{ port: 'COM3' }, { port: 'COM4' }, { port: 'COM7' }] })];
const peak = [answered('aggregate', { results: [{ tag: 'boiler_temp', fn: 'max', value: 196.3, unit: '°C', at: '2026-03-17T14:07:00' }] })];
const morning = [answered('aggregate', { results: [{ tag: 'boiler_temp', value: 196.3, unit: '°C', at: '2026-03-17T09:14:07+08:00' }] })];
const ratio = [answered('execute', { status: 'ok', output: { type: 'json', data: { share: 0.614, hot: 3 } } })];
const tiny = read(tag('leak', 0.4, 'm3/h'));
const names = [
  { name: 'boiler_temp', aliases: ['锅炉温度', 'boiler temperature'] },
  { name: 'boiler_temp_sp', aliases: ['锅炉温度设定', 'boiler temperature setpoint', 'boiler setpoint'] },
  { name: 'tank1_level', aliases: ['1号罐液位', 'tank 1 level', 'level of tank 1'] },
  { name: 'tank2_level', aliases: ['2号罐液位', 'tank 2 level', 'level of tank 2'] },
];

const s = 'sourced';
const c = 'computed';
const u = 'unsourced';
const cases: [answer: string, results: Answered[], kinds: string[], question?: string][] = [
  // rounding
  ['182.43 °C', boiler, [s]],
  ['182.4 ℃', boiler, [s]],
  ['182 degrees', boiler, [s]],
  ['183 °C', boiler, [u]],
  ['182.5 °C', boiler, [u]],
  ['182.430 °C', boiler, [s]],
  ['182.44 °C', boiler, [u]],
  ['0.8 MPa', pressure, [s]],
  ['1 MPa', pressure, [u]],
  ['0 m3/h', tiny, [u]],
  ['0.4 m³/h', tiny, [s]],
  // forms of a number
  ['锅炉温度为１８２．４℃', boiler, [s]],
  ['锅炉温度为１８３．４℃', boiler, [u]],
  ['12,345.6 kW', power, [s]],
  ['12，345.6 kW', power, [s]],
  ['12,354.6 kW', power, [u]],
  ['1.23万千瓦', power, [s]],
  ['1.32万千瓦', power, [u]],
  ['12.3 thousand kW', power, [s]],
  ['1.23456e4 kW', power, [s]],
  ['12.3456 MW', power, [c]],
  ['12.4 MW', power, [u]],
  ['12,345,600 W', power, [c]],
  ['一百八十二度', boiler, [s]],
  ['一百八十二点四摄氏度', boiler, [s]],
  ['一百九十度', boiler, [u]],
  ['零点八二兆帕', pressure, [s]],
  ['零点二八兆帕', pressure, [u]],
  ['1号罐百分之六十一', tanks, [s]],
  ['1号罐百分之六十二', tanks, [u]],
  ['一度达到 182.4 ℃', boiler, [s]],
  ['请注意安全，共3安全阀', boiler, [u]],
  ['190.', boiler, [u]],
  ['Temp...190 °C', boiler, [u]],
  ['1. The boiler is fine.\n2. It is 190 °C.', boiler, [u]],
  // signs
  ['-5 °C', cold, [s]],
  ['−5 ℃', cold, [s]],
  ['5 °C', cold, [u]],
  ['零下5度', cold, [s]],
  ['零下五度', cold, [s]],
  ['零下5度', warm, [u]],
  ['minus 5 °C', cold, [s]],
  ['minus 5 °C', warm, [u]],
  ['负5℃', warm, [u]],
  ['5 degrees below zero', cold, [s]],
  ['5 degrees below zero', warm, [u]],
  // units
  ['182.4 °F', boiler, [u]],
  ['182.4 K', boiler, [u]],
  ['455.6 K', boiler, [c]],
  ['360.4 °F', boiler, [c]],
  ['360.4 degrees Fahrenheit', boiler, [c]],
  ['360.4 degrees', boiler, [u]],
  ['0.82 bar', pressure, [u]],
  ['8.2 bar', pressure, [c]],
  ['820 kPa', pressure, [c]],
  ['118.9 psi', pressure, [c]],
  ['0.82 kPa', pressure, [u]],
  ['0.82 psi', pressure, [u]],
  ['820 千帕', pressure, [c]],
  ['61.4 %', ratio, [c]],
  ['64.1 %', ratio, [u]],
  // what cannot vouch for a reading
  ['The boiler is at 10 °C.', registers, [u]],
  ['The boiler is at 1 °C.', boiler, [u]],
  ['锅炉温度 100℃', registers, [u]],
  ['温度 182.4℃', registers, [u]],
  ['It is 3 °C.', ports, [u]],
  ['There are 3 ports.', ports, [c]],
  ['There are 4 ports.', ports, [u]],
  ['寄存器 100 到 109 共 10 个', registers, [s, s, s]],
  ['寄存器 100 的值是 1824', registers, [s, s]],
  ['寄存器 100 的值是 1842', registers, [s, u]],
  // ranges, dates and times
  ['180-190 °C', boiler, [u, u]],
  ['196.3 °C at 14:07 on 2026-03-17', peak, [s, s, s]],
  ['196.3 °C at 2:07 PM on March 17', peak, [s, s, s]],
  ['196.3 °C at 2:07 AM', peak, [s, u]],
  ['3月17日下午2点07分，196.3℃', peak, [s, s, s]],
  ['3月16日', peak, [u]],
  ['at 14:07', morning, [u]],
  ['at 09:14', morning, [s]],
  ['at 08:00', morning, [u]],
  // whose value it is
  ['Tank 1 is at 61 % and tank 2 at 38 %.', tanks, [s, s]],
  ['Tank 1 is at 38 % and tank 2 at 61 %.', tanks, [u, u]],
  ['1号罐 61%，2号罐 38%。', tanks, [s, s]],
  ['1号罐 38%，2号罐 61%。', tanks, [u, u]],
  ['1号罐、2号罐分别为61%、38%。', tanks, [s, s]],
  ['Tank 1 and tank 2 are at 61 % and 38 %.', tanks, [s, s]],
  ['61 % in tank 1 and 38 % in tank 2', tanks, [s, s]],
  ['38 % in tank 1 and 61 % in tank 2', tanks, [u, u]],
  ['tank1_level: 61 %\ntank2_level: 38 %', tanks, [s, s]],
  ['| tank1_level | 38 % |\n| tank2_level | 61 % |', tanks, [u, u]],
  ['The boiler temperature is 182.4 °C, its setpoint 180 °C.', setpoint, [s, s]],
  ['锅炉温度设定 182.4℃', setpoint, [u]],
  ['锅炉温度 180℃', setpoint, [u]],
  ['锅炉温度设定 180℃', setpoint, [s]],
  // arithmetic of the model's own
  ['Tank 1 is 23 % higher than tank 2.', tanks, [c]],
  ['Tank 1 is at 23 %.', tanks, [u]],
  ['1号罐比2号罐高23%', tanks, [c]],
  ['the difference is 24 %', tanks, [u]],
  // what the person named
  ['Yes, it is above 180 °C: 182.4 °C.', boiler, [s, s], 'Is the boiler above 180 °C?'],
  ['It is 180 °C.', boiler, [u], 'Is the boiler above 180 °C?'],
  ['是，超过180度，现在182.4度', boiler, [s, s], '锅炉超过180度了吗？'],
  // names are no statements
  ['Pump 2, PLC 1, 1号泵, COM3 and T-101 are fine.', boiler, []],
];

test.each(cases)('%s', (answer, results, kinds, question) => {
  const { marks, grounded } = ground(answer, results, [], '2026-03-18T10:30:00', question ?? '', names);
  expect(marks.map((m) => `${m.text} ${m.kind}`)).toEqual(marks.map((m, i) => `${m.text} ${kinds[i] ?? 'not expected'}`));
  expect(marks).toHaveLength(kinds.length);
  expect(grounded).toBe(!kinds.includes(u));
});

test.each<[answer: string, results: Answered[], refuted: boolean]>([
  ['190 °C', boiler, true],
  ['Tank 1 is at 38 %.', tanks, true],
  ['温度 182.4℃', registers, false], // a scale nobody here knows: marked, but nothing says otherwise
  ['5 Hz', boiler, false],
  ['the boiler has 4 valves', boiler, false],
  ['1.2 MPa', pressure, true],
  ['12 bar', pressure, true],
])('%s refuted: %s', (answer, results, refuted) => {
  expect(ground(answer, results, [], '2026-03-18T10:30:00', '', names).refuted.length > 0).toBe(refuted);
});
