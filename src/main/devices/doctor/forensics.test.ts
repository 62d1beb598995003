import { expect, test } from 'vitest';
import { encodeRequestPdu, encodeRtu } from '../framing/index.ts';
import { scanRtu } from '../framing/lineScan.ts';
import type { FrameRecord } from '../../../shared/contracts/devices.ts';
import { causes } from './causes.ts';
import { examineTraffic } from './doctor.ts';
import { examineFrame, isWhole, type Asked } from './forensics.ts';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hex = (frame: Uint8Array | null | undefined): string | null => (frame ? Buffer.from(frame).toString('hex').toUpperCase() : null);
const read = (unitId: number, address: number, quantity: number, functionCode = 3): NonNullable<Asked> => ({
  unitId,
  pdu: encodeRequestPdu({ functionCode, address, quantity }),
});
const best = (frame: string, asked: Asked) => examineFrame(bytes(frame), asked)[0];

test('F01: three valid frames of unit 2 while unit 1 is polled are another client, whose question is read', () => {
  const question = encodeRtu(2, encodeRequestPdu({ functionCode: 3, address: 11219, quantity: 20 }));
  expect(hex(question)).toBe('02032BD30014BDEB');
  expect(best('02 03 2B D3 00 14 BD EB', read(1, 0, 1))).toMatchObject({ condition: 'second-client' });
  const answer = encodeRtu(2, Uint8Array.from([3, 40, ...new Array<number>(40).fill(0xff)]));
  const finding = scanRtu(
    { ...read(1, 0, 1), frame: encodeRtu(1, read(1, 0, 1).pdu), echo: 'unknown' },
    Uint8Array.from([...question, ...answer]),
  );
  expect(finding.others.map((other) => [other.unitId, other.request])).toEqual([
    [2, true],
    [2, false],
  ]);
});

test('F03: a swallowed 11h has one place where it fits, and one frame alone is not proof', () => {
  const whole = encodeRtu(2, Uint8Array.from([3, 38, 0x12, 0x11, 0x51, 0x79, 0x12, 0x25, ...Array.from({ length: 32 }, (_, i) => i * 7)]));
  const torn = Uint8Array.from([...whole.subarray(0, 4), ...whole.subarray(5)]);
  const asked = read(2, 0, 19);
  expect(best(Buffer.from(torn).toString('hex'), asked)).toMatchObject({ condition: 'xon-xoff' });
  expect(hex(best(Buffer.from(torn).toString('hex'), asked)!.repaired)).toBe(hex(whole));
  const tx = record('tx', encodeRtu(2, asked.pdu));
  expect(examineTraffic([tx, record('rx', torn, 'crc')], 'rtu').map((one) => one.condition)).toEqual(['lost-byte']);
  const found = examineTraffic([tx, record('rx', torn, 'crc'), tx, record('rx', torn, 'crc')], 'rtu')[0]!;
  expect(found).toMatchObject({ condition: 'xon-xoff', count: 2, proof: hex(whole)!.toLowerCase() });
});

test('F05: the answer is valid; the request as printed is one bit or a checksum off', () => {
  expect(isWhole(bytes('26 04 04 14 8E 27 10 D3 61'))).toBe(true);
  const suspicions = examineFrame(bytes('26 04 10 00 00 02 73 FC'), null);
  expect(suspicions.some((one) => one.condition === 'flipped-bit' && hex(one.repaired) === '26041000000273DC')).toBe(true);
});

test('F07: 01 03 9C 40 00 1A EB 85 is a valid question for 26 registers at 40000', () => {
  expect(hex(encodeRtu(1, encodeRequestPdu({ functionCode: 3, address: 40000, quantity: 26 })))).toBe('01039C40001AEB85');
  expect(isWhole(bytes('01 03 9C 40 00 1A EB 85'))).toBe(true);
});

test('F09 and F11: the same eight bytes back are an echo and no answer', () => {
  expect(best('01 03 00 5E 00 02 A5 D9', read(1, 0x5e, 2))).toMatchObject({ condition: 'echo-only' });
});

test('F13: a byte on each side is stripped, eight zero words are left', () => {
  const inner = encodeRtu(1, Uint8Array.from([4, 16, ...new Array<number>(16).fill(0)]));
  expect(hex(inner.subarray(-2))).toBe('552C');
  const found = best(`00 ${hex(inner)} 00`, read(1, 0, 8, 4));
  expect(found).toMatchObject({ condition: 'glitch' });
  expect(hex(found!.repaired)).toBe(hex(inner));
});

test('F15: a frame that was reported bad has a right checksum', () => {
  expect(isWhole(bytes('01 05 00 01 FF 00 DD FA'))).toBe(true);
});

test('a chopped head is put back', () => {
  const found = best('23 6E 20 98', read(1, 0, 1));
  expect(found).toMatchObject({ condition: 'missing-head' });
  expect(hex(found!.repaired)).toBe('010302236E2098');
});

test('a flipped bit, a byte too many, ASCII, HTTP and a dead level are told apart', () => {
  const asked = read(9, 560, 2);
  expect(best('09 03 04 9c 40 00 18 9d bd', asked)).toMatchObject({ condition: 'flipped-bit' });
  expect(best('09 03 04 9c 40 55 00 19 9d bd', asked)).toMatchObject({ condition: 'extra-byte' });
  expect(best(Buffer.from(':090304640000C88B\r\n').toString('hex'), asked)?.condition).not.toBe('http');
  expect(best(Buffer.from(':010304006400C8CC\r\n').toString('hex'), asked)).toMatchObject({ condition: 'ascii-wrapped' });
  expect(best(Buffer.from('HTTP/1.1 400 Bad Request').toString('hex'), asked)).toMatchObject({ condition: 'http' });
  expect(best('ff ff ff ff', asked)).toMatchObject({ condition: 'constant-level' });
  expect(best('09 03 02 30 00 02 c4 f4 09 03 04 9c 40 00 19 9d bd', asked)).toMatchObject({ condition: 'echo' });
});

test('a repair is never made for a frame that is whole', () => {
  expect(examineFrame(bytes('09 03 04 9c 40 00 19 9d bd'), read(9, 560, 2))).toEqual([]);
});

test('on a socket HTTP, RTU and late answers are named', () => {
  const rx = (frame: Uint8Array, verdict: FrameRecord['verdict']): FrameRecord => record('rx', frame, verdict);
  expect(examineTraffic([rx(Uint8Array.from(Buffer.from('HTTP/1.1 400 Bad')), 'garbage')], 'tcp')[0]).toMatchObject({ condition: 'http' });
  expect(examineTraffic([rx(bytes('09 03 04 9c 40 00 19 9d bd'), 'garbage')], 'tcp')[0]).toMatchObject({
    condition: 'rtu-over-tcp',
    proof: '0903049c4000199dbd',
  });
  expect(examineTraffic([rx(bytes('0001 0000 0007 09 03 04 9c400019'), 'stray')], 'tcp')[0]).toMatchObject({ condition: 'shifted-id' });
});

test('each condition has words in both languages', () => {
  for (const cause of Object.values(causes))
    for (const text of [cause.title, cause.cause, cause.remedy]) {
      expect(text.en.length).toBeGreaterThan(5);
      expect(text.zh).toMatch(/[一-鿿]/);
    }
});

function record(direction: 'tx' | 'rx', frame: Uint8Array, verdict: FrameRecord['verdict'] = 'ok'): FrameRecord {
  return { at: '2026-12-01T00:00:00.000Z', t: 0, connection: 'line', direction, bytes: frame, verdict, crcValid: null };
}
