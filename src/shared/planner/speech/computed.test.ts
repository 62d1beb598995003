import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PlanInput, PlannerEvent } from '../../contracts/agent.ts';
import { interpret, nextStep } from '../index.ts';
import type { World } from '../types.ts';

const world = JSON.parse(readFileSync(new URL('../../../../test/fixtures/intents/world.json', import.meta.url), 'utf8')) as World;
type Results = PlanInput['results'];
const result = (tool: string, value: unknown): Results[number] =>
  ({ call: { tool }, result: { ok: true, result: value, error: null } }) as unknown as Results[number];
const step = (text: string, results: Results = [], files: string[] = []): PlannerEvent =>
  nextStep(interpret(text, world), { lang: /\p{Script=Han}/u.test(text) ? 'zh' : 'en', world, text, results, files });
const reading = (tag: string, value: number | null, unit = '%', quality = 'good'): object => ({
  tag,
  value,
  unit,
  quality,
  read_at: '2026-03-18T10:30:00',
});

test.each([
  ['difference between tank 1 level and tank 2 level', 'tag_read'],
  ['1号罐液位和2号罐液位差多少', 'tag_read'],
  ['sum of pump 1 frequency and pump 2 frequency', 'tag_read'],
  ['average of holding registers 0 to 9 of unit 1', 'modbus_read'],
  ['1号从站前4个保持寄存器的平均值', 'modbus_read'],
])('"%s" reads first', (text, tool) => {
  expect(step(text)).toMatchObject({ type: 'calls', calls: [{ tool }] });
});

test('the arithmetic is a program over the values that were read, and the answer shows both', () => {
  const read = result('tag_read', { readings: [reading('tank1_level', 63.9), reading('tank2_level', 58.1)] });
  const code = step('difference between tank 1 level and tank 2 level', [read]);
  expect(code).toMatchObject({ type: 'code', lang: 'javascript' });
  expect((code as { code: string }).code).toContain('[63.9,58.1]');
  const answer = step('difference between tank 1 level and tank 2 level', [read, result('execute', { output: { data: 5.8 } })]);
  expect((answer as { text: string }).text).toMatch(/Difference: 5\.8 %.*63\.9 %.*58\.1 %/);
});

test('a bad value or different units are never computed with', () => {
  const bad = result('tag_read', { readings: [reading('tank1_level', 63.9), reading('tank2_level', null, '%', 'bad')] });
  expect((step('difference between tank 1 level and tank 2 level', [bad]) as { text: string }).text).toContain('tank2_level');
  const mixed = result('tag_read', { readings: [reading('tank1_level', 63.9), reading('boiler_temp', 160, '°C')] });
  expect((step('difference between tank 1 level and boiler temp', [mixed]) as { text: string }).text).toContain('different units');
});

test('words of arithmetic never turn a write or a question about the past into a computation', () => {
  expect(step('lower line speed by 3')).toMatchObject({ type: 'calls', calls: [{ tool: 'tag_read' }] });
  expect(step('average of boiler temp yesterday')).toMatchObject({ type: 'calls', calls: [{ tool: 'aggregate' }] });
  expect(step('set pump 1 frequency to the average of 3 and 4').type).not.toBe('code');
});

const columns = [
  {
    name: 'temp',
    unit: '',
    count: 3,
    missing: 1,
    unreadable: 0,
    max: 133.25,
    max_at: '2026-03-18T08:05:00',
    min: 99,
    min_at: '2026-03-18T08:10:00',
    avg: 117.6,
    sum: 352.75,
  },
  {
    name: 'pressure',
    unit: 'MPa',
    count: 3,
    missing: 0,
    unreadable: 0,
    max: 0.9,
    max_at: '2026-03-18T08:05:00',
    min: 0.7,
    min_at: null,
    avg: 0.8,
    sum: 2.4,
  },
];
const summary = result('analyze_log', {
  source: { rows: 3, first_time: '2026-03-18T08:00:00', last_time: '2026-03-18T08:10:00' },
  columns,
});

test('a question about a dropped file is answered from its column, with when and how many', () => {
  expect(step('日志里温度最高是多少', [], ['boiler.csv'])).toMatchObject({
    type: 'calls',
    calls: [{ tool: 'analyze_log', args: { action: 'summarize', file: 'boiler.csv' } }],
  });
  const answer = (step('日志里温度最高是多少', [summary], ['boiler.csv']) as { text: string }).text;
  expect(answer).toContain('133.25');
  expect(answer).toContain('08:05:00');
  expect(answer).toContain('1 个缺失');
  expect((step('average pressure', [summary], ['boiler.csv']) as { text: string }).text).toContain('0.8 MPa');
  expect((step('how many rows', [summary], ['boiler.csv']) as { text: string }).text).toContain('3 rows');
});

test('a column that the words do not name is asked for, and a write with a file stays a write', () => {
  expect(step('highest value', [summary], ['boiler.csv'])).toMatchObject({
    type: 'clarify',
    candidates: [{ value: 'temp' }, { value: 'pressure' }],
  });
  expect(step('set pump 1 frequency to 42 Hz', [], ['boiler.csv'])).toMatchObject({ type: 'calls', calls: [{ tool: 'tag_write' }] });
});

test('a subnet is scanned only after asking, with how many addresses and how long', () => {
  expect(step('scan 127.0.0.0/28')).toMatchObject({
    type: 'clarify',
    question: expect.stringContaining('14 addresses') as string,
    candidates: [{ value: 'scan 127.0.0.0/28 now' }],
  });
  expect(step('扫描网段192.168.1.0/24')).toMatchObject({ type: 'clarify', question: expect.stringContaining('254') as string });
  expect(step('scan 127.0.0.0/28 now')).toMatchObject({
    type: 'calls',
    calls: [{ tool: 'scan_devices', args: { subnet: '127.0.0.0/28' } }],
  });
  expect(step('现在扫描 127.0.0.0/28')).toMatchObject({ type: 'calls' });
});
