import { lrc } from './checksum.ts';
import { incomplete, type Decoded } from './decoded.ts';
import { pduMax } from './lengths.ts';

/** Modbus ASCII: ':' , two hex digits for each byte of unit, PDU and LRC, CR LF. Lower case is tolerated when reading. */
const colon = 0x3a;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
export const asciiMax = 1 + 2 * (pduMax + 2) + 2;

export function encodeAscii(unitId: number, pdu: Uint8Array): Uint8Array {
  const body = new Uint8Array(pdu.length + 2);
  body[0] = unitId;
  body.set(pdu, 1);
  body[pdu.length + 1] = lrc(body, 0, pdu.length + 1);
  let text = ':';
  for (const byte of body) text += (byte < 16 ? '0' : '') + byte.toString(16).toUpperCase();
  const frame = new Uint8Array(text.length + 2);
  for (let i = 0; i < text.length; i++) frame[i] = text.charCodeAt(i);
  frame[text.length] = carriageReturn;
  frame[text.length + 1] = lineFeed;
  return frame;
}

export function decodeAscii(bytes: Uint8Array): Decoded {
  const start = bytes.indexOf(colon);
  if (start < 0) return bytes.length === 0 ? incomplete : { kind: 'garbage', reason: 'no-frame', skip: bytes.length };
  const stop = bytes.indexOf(lineFeed, start);
  const restart = bytes.indexOf(colon, start + 1); // a new start mark ends a torn frame
  if (restart >= 0 && (stop < 0 || restart < stop)) return { kind: 'garbage', reason: 'no-frame', skip: restart };
  if (stop < 0) return bytes.length - start > asciiMax ? { kind: 'garbage', reason: 'too-long', skip: bytes.length } : incomplete;
  const end = stop + 1;
  const textEnd = bytes[stop - 1] === carriageReturn ? stop - 1 : stop;
  const digits = textEnd - start - 1;
  if (digits < 6 || digits % 2 !== 0 || digits > 2 * (pduMax + 2)) return { kind: 'garbage', reason: 'not-hex', skip: end };
  const body = new Uint8Array(digits / 2);
  for (let i = 0; i < body.length; i++) {
    const high = hexDigit(bytes[start + 1 + 2 * i]!);
    const low = hexDigit(bytes[start + 2 + 2 * i]!);
    if (high < 0 || low < 0) return { kind: 'garbage', reason: 'not-hex', skip: end };
    body[i] = (high << 4) | low;
  }
  if (lrc(body, 0, body.length - 1) !== body[body.length - 1]) return { kind: 'garbage', reason: 'checksum', skip: end };
  return { kind: 'frame', unitId: body[0]!, pdu: body.subarray(1, body.length - 1), start, end, transactionId: null };
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}
