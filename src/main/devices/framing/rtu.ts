import { crc16, crcFits } from './checksum.ts';
import { incomplete, type Decoded } from './decoded.ts';
import { requestLength, responseLength } from './lengths.ts';

/**
 * RTU: unit (1), PDU, CRC low byte first (2); at most 256 bytes. A frame has no start mark and no length: every position
 * is tried, the grammar says how long a frame there would be, and only a right CRC makes it one. A look-alike that is
 * still incomplete never hides a whole frame behind it.
 */
export const rtuMax = 256;

export function encodeRtu(unitId: number, pdu: Uint8Array): Uint8Array {
  const frame = new Uint8Array(pdu.length + 3);
  frame[0] = unitId;
  frame.set(pdu, 1);
  const crc = crc16(frame, 0, pdu.length + 1);
  frame[pdu.length + 1] = crc;
  frame[pdu.length + 2] = crc >>> 8;
  return frame;
}

export const decodeRtuRequest = (bytes: Uint8Array): Decoded => decodeRtu(bytes, requestLength);
export const decodeRtuResponse = (bytes: Uint8Array): Decoded => decodeRtu(bytes, responseLength);

function decodeRtu(bytes: Uint8Array, lengthOf: typeof responseLength): Decoded {
  const end = bytes.length;
  if (end === 0) return incomplete;
  let waiting = -1;
  for (let at = 0; at < end; at++) {
    if (at + 2 > end) {
      if (waiting < 0) waiting = at;
      break;
    }
    const length = lengthOf(bytes, at + 1, end);
    if (length < 0) continue;
    const stop = at + length + 3;
    if (length === 0 || stop > end) {
      if (waiting < 0) waiting = at;
      continue;
    }
    if (crcFits(bytes, at, stop))
      return { kind: 'frame', unitId: bytes[at]!, pdu: bytes.subarray(at + 1, stop - 2), start: at, end: stop, transactionId: null };
  }
  // What lies before the first position that may still become a frame can never be one.
  if (waiting < 0) return { kind: 'garbage', reason: 'checksum', skip: end };
  if (end - waiting >= rtuMax) return { kind: 'garbage', reason: 'too-long', skip: waiting + 1 };
  return waiting > 0 && end > rtuMax ? { kind: 'garbage', reason: 'no-frame', skip: waiting } : incomplete;
}
