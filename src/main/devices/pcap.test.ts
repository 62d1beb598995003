import { expect, test } from 'vitest';
import type { FrameRecord } from '../../shared/contracts/devices.ts';
import { encodeRtu, encodeTcp } from './framing/index.ts';
import { framesToPcap } from './index.ts';

const frame = (connection: string, direction: 'tx' | 'rx', t: number, bytes: Uint8Array): FrameRecord => ({
  at: '2026-12-01T00:00:00.000Z',
  t,
  connection,
  direction,
  bytes,
  verdict: 'ok',
  crcValid: null,
});

test('a file has its header even without a frame', () => {
  expect([...framesToPcap([]).subarray(0, 4)]).toEqual([0xd4, 0xc3, 0xb2, 0xa1]);
  expect(framesToPcap([])).toHaveLength(24);
});

test('each frame is one packet, on the port of what its connection speaks', () => {
  const pdu = Uint8Array.of(3, 0, 107, 0, 3);
  const file = framesToPcap([frame('net', 'tx', 100, encodeTcp(1, 1, pdu)), frame('line', 'tx', 101.5, encodeRtu(1, pdu))]);
  const view = new DataView(file.buffer);
  expect(view.getUint32(24 + 8, true)).toBe(40 + 12);
  expect(view.getUint16(24 + 16 + 22)).toBe(502);
  const second = 24 + 16 + 52;
  expect(view.getUint32(second + 8, true)).toBe(40 + 8);
  expect(view.getUint32(second + 4, true)).toBe(1500); // 1.5 ms after the first
  expect(view.getUint16(second + 16 + 22)).toBe(5020);
});
