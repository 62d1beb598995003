import { incomplete, type Decoded } from './decoded.ts';
import { pduMax } from './lengths.ts';

/**
 * Modbus/TCP: transaction id (2), protocol id 0 (2), length of what follows (2), unit (1), PDU. There is no checksum, so
 * the header is taken strictly: a length of FFFFh must not make us wait for 65,535 bytes.
 */
export const mbapLength = 7;
export const tcpLengthMax = pduMax + 1;

export function encodeTcp(transactionId: number, unitId: number, pdu: Uint8Array): Uint8Array {
  return writeTcp(new Uint8Array(mbapLength + pdu.length), transactionId, unitId, pdu);
}

/** The same into a given buffer of the right size. */
export function writeTcp<T extends Uint8Array>(frame: T, transactionId: number, unitId: number, pdu: Uint8Array): T {
  frame[2] = frame[3] = 0;
  frame[0] = transactionId >>> 8;
  frame[1] = transactionId;
  frame[4] = (pdu.length + 1) >>> 8;
  frame[5] = pdu.length + 1;
  frame[6] = unitId;
  for (let i = 0; i < pdu.length; i++) frame[mbapLength + i] = pdu[i]!;
  return frame;
}

/** `lengthMin` is 3 for answers (unit, function, one byte at least) and 2 for requests (FC7 is a bare function). */
export function decodeTcp(bytes: Uint8Array, lengthMin: 2 | 3 = 3, at = 0, end = bytes.length): Decoded {
  const have = end - at;
  if (have >= 3 && bytes[at + 2] !== 0) return { kind: 'garbage', reason: 'protocol-id', skip: have };
  if (have >= 4 && bytes[at + 3] !== 0) return { kind: 'garbage', reason: 'protocol-id', skip: have };
  if (have < 6) return incomplete;
  const length = (bytes[at + 4]! << 8) | bytes[at + 5]!;
  if (length < lengthMin || length > tcpLengthMax) return { kind: 'garbage', reason: 'mbap-length', skip: have };
  if (have < 6 + length) return incomplete;
  return {
    kind: 'frame',
    unitId: bytes[at + 6]!,
    pdu: bytes.subarray(at + mbapLength, at + 6 + length),
    start: at,
    end: at + 6 + length,
    transactionId: (bytes[at]! << 8) | bytes[at + 1]!,
  };
}
