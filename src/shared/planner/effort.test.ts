import { expect, test } from 'vitest';
import { chooseMode } from '../ledger.ts';
import { effortOf } from './effort.ts';
import type { World } from './types.ts';

const tag = (name: string, ...aliases: string[]) => ({ name, unit: '°C', write: false, aliases });
const world: World = {
  now: '2026-03-18T10:30:00',
  serial_ports: [],
  devices: [],
  tags: [
    tag('boiler_temp', 'boiler temperature', '锅炉温度'),
    tag('boiler_setpoint', 'boiler setpoint', '锅炉设定值'),
    tag('tank1_level', 'tank 1 level', '1号罐液位'),
    tag('tank2_level', 'tank 2 level', '2号罐液位'),
    tag('pump1_current', 'pump 1 current', '1号泵电流'),
  ],
};
const way = (text: string, about = {}) =>
  chooseMode({ ...effortOf(text, world, about), classicPromptTokens: 1_100, programPromptTokens: 1_220 }).mode;

// None of these is a task of the benchmark: the choice must hold for words it was not fitted to.
test.each([
  ['what is the boiler temperature?', 'direct'],
  ['锅炉温度是多少？', 'direct'],
  ['read 10 holding registers from unit 1 starting at 0', 'direct'],
  ['maximum of tank 1 level today', 'direct'],
  ['今天1号罐液位的最大值', 'direct'],
  ['how often was the boiler temperature above 90 yesterday?', 'direct'],
  ['昨天锅炉温度超过 90 的次数', 'direct'],
  ['how many timeouts were there today?', 'direct'],
  ['show me tank 1 level and tank 2 level', 'direct'],
  ['list the tags', 'direct'],
  ['set boiler setpoint to 80', 'direct'],
  ['which is the average boiler temperature per hour since midnight?', 'program'],
  ['每小时的锅炉温度平均值', 'program'],
  ['compare tank 1 level with tank 2 level over the last day', 'program'],
  ['对比1号罐液位和2号罐液位最近一天的变化', 'program'],
  ['is pump 1 current correlated with tank 1 level?', 'program'],
  ['1号泵电流与1号罐液位是否相关？', 'program'],
  ['what is the standard deviation of the boiler temperature in the last 6 hours?', 'program'],
  ['最近6小时锅炉温度的标准差', 'program'],
  ['how many times did the boiler temperature stay above 90 for 10 s or longer today?', 'program'],
  ['今天锅炉温度高于 90 持续 10 秒以上有几次', 'program'],
  ['current of each shift of pump 1', 'program'],
  ['which of the sensors T01 to T60 is the hottest?', 'program'],
] as const)('%s: %s', (text, expected) => {
  expect(way(text)).toBe(expected);
});

test('few rows that pass a filter are cheaper to hand over than a program is to write', () => {
  const text = 'how many times did the boiler temperature stay above 90 for 10 s or longer today?';
  expect(way(text, { rowsKept: 60 })).toBe('direct');
  expect(way(text, { rowsKept: 6_000 })).toBe('program');
});

test('counting a log by shift is one call of the log tool, an order of events in it is not', () => {
  expect(way('how many faults of each station and shift are in the log?', { files: ['station.log'] })).toBe('direct');
  expect(way('in station.log, which alarm came first before the trip, and in which order the others?', { files: ['station.log'] })).toBe(
    'program',
  );
});

test('the time of day in a range is no run of tags', () => {
  expect(effortOf('boiler temperature from 8 to 10', world).rows).toBe(1);
  expect(effortOf('锅炉温度 8点到10点 的最大值', world).rows).toBe(1);
  expect(effortOf('读取 S01 到 S40', world)).toMatchObject({ rows: 40 });
});
