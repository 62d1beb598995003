import { describe, expect, test } from 'vitest';
import { analyze } from '../analyze.ts';
import type { LogQuestion } from '../types.ts';
import { frameInLine } from './frameInLine.ts';

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');
const ask = (lines: readonly string[], question: LogQuestion) => analyze({ bytes: new TextEncoder().encode(lines.join('\r\n')) }, question);

describe('the frame of a line is found in every dialect', () => {
  test.each<[string, string, 'tx' | 'rx', string]>([
    ['Modbus Poll', 'Tx:000123-01 03 00 00 00 0A C5 CD', 'tx', '01030000000ac5cd'],
    ['Modbus Poll', 'Rx:000124-01 83 02 C0 F1', 'rx', '018302c0f1'],
    ['QModMaster', '[RTU]>Tx > 13:59:29:162 - 01  03  00  00  00  0A  C5  CD ', 'tx', '01030000000ac5cd'],
    ['ModbusTools', "05.03.2026 10:11:12.345 'Drive 2' Rx: 02 03 02 0B B8 FB 06", 'rx', '0203020bb8fb06'],
    ['pymodbus', '2026-03-18 10:00:00,123 DEBUG transaction send: 0x1 0x3 0x0 0x0 0x0 0xa 0xc5 0xcd', 'tx', '01030000000ac5cd'],
    ['pymodbus', 'DEBUG:RECV: 0x1 0x83 0x2 0xc0 0xf1', 'rx', '018302c0f1'],
    ['modbus-serial', "{ action: 'receive', data: <Buffer 01 83 02 c0 f1> }", 'rx', '018302c0f1'],
    ['jsmodbus', 'flushing new request <Buffer 00 01 00 00 00 06 01 03 00 00 00 0a>', 'tx', '00010000000601030000000a'],
    ['ESPHome', '[D][modbus:154]: Modbus write: 01.06.00.20.00.2C.89.DD (8)', 'tx', '01060020002c89dd'],
    ['libmodbus', '[01][03][00][00][00][0A][C5][CD]', 'tx', '01030000000ac5cd'],
    ['libmodbus', '<01><83><02><C0><F1>', 'rx', '018302c0f1'],
    ['pysunspec', '127.0.0.1:502:1[addr:40000] ->00010000000601039c400002', 'tx', '00010000000601039c400002'],
    ['Chinese', '2026-03-18 10:00:00 发送: 01 03 00 00 00 0A C5 CD', 'tx', '01030000000ac5cd'],
  ])('%s', (_, line, direction, bytes) => {
    const frame = frameInLine(line);
    expect([frame?.direction, hex(frame?.bytes)]).toEqual([direction, bytes]);
  });

  test.each(['unit 1 timeout', 'value 12 34', '2026-03-18 10:00:00 connected to 10 20 30', 'sent: hello'])('"%s" holds none', (line) => {
    expect(frameInLine(line)).toBeNull();
  });
});

// The shape of a bus monitor: five requests, three answered, two time-outs that the program itself reports.
const monitor = [
  '[RTU]>Tx > 13:59:29:162 - 01  03  00  00  00  0A  C5  CD ',
  '[RTU]>Rx > 13:59:29:225 - 01  83  02  C0  F1 ',
  '[RTU]>Tx > 13:59:30:162 - 01  03  00  00  00  0A  C5  CD ',
  '[RTU]>Rx > 13:59:30:246 - 01  83  02  C0  F1 ',
  '[RTU]>Tx > 13:59:31:162 - 01  03  00  00  00  0A  C5  CD ',
  'Sys > 13:59:31:663 - Error : Timeout',
  '[RTU]>Tx > 13:59:32:162 - 01  03  00  00  00  0A  C5  CD ',
  '[RTU]>Rx > 13:59:32:245 - 01  83  02  C0  F1 ',
  '[RTU]>Tx > 13:59:33:162 - 01  03  00  00  00  0A  C5  CD ',
  'Sys > 13:59:33:663 - Error : Timeout',
];

test('requests, answers, latencies and time-outs of a bus monitor are told apart', async () => {
  const { traffic, count, by_unit, notes, events } = await ask(monitor, { action: 'list', topic: 'timeout' });
  expect(traffic).toEqual({
    requests: 5,
    answered: 3,
    unanswered: 2,
    exceptions: 3,
    bad_checksums: 0,
    latency_ms: { min: 63, avg: 76.7, max: 84 },
  });
  expect(count).toBe(2);
  expect(by_unit).toEqual([{ key: '1', count: 2 }]);
  expect(events[0]).toMatchObject({ line: 6, at: '13:59:31.663', unit: 1 });
  expect(notes).toContain('no-dates');
});

test('a request nobody answered is a time-out even where no line says so', async () => {
  const silent = monitor.filter((line) => !line.startsWith('Sys'));
  const { count, events } = await ask([...silent, '[RTU]>Tx > 13:59:34:162 - 01  03  00  00  00  0A  C5  CD '], {
    action: 'list',
    topic: 'timeout',
  });
  expect(count).toBe(2);
  expect(events.map((e) => e.line)).toEqual([5, 8]);
});

test('a log that shows requests only says nothing about answers', async () => {
  const { count } = await ask(
    monitor.filter((line) => line.includes('Tx')),
    { action: 'count', topic: 'timeout' },
  );
  expect(count).toBe(0);
});

test('writes are known by their function code, not by the word "write" of the program', async () => {
  const log = [
    '2026-03-18 10:00:00 Modbus write: 01.03.00.00.00.0A.C5.CD (8)',
    '2026-03-18 10:00:01 Modbus write: 01.06.00.01.00.03.98.0B (8)',
  ];
  const { count, events } = await ask(log, { action: 'list', topic: 'write' });
  expect([count, events[0]?.line]).toEqual([1, 2]);
});

test('a wrong checksum is found by computing it', async () => {
  const { count, by_unit } = await ask(
    ["05.03.2026 10:11:12.345 'Drive' Tx: 02 03 00 00 00 01 84 39", "05.03.2026 10:11:12.400 'Drive' Rx: 02 03 02 0B B8 FB 07"],
    { action: 'count', topic: 'crc_error' },
  );
  expect([count, by_unit]).toEqual([1, [{ key: '2', count: 1 }]]);
});
