/**
 * How long a PDU is, told from its first bytes. RTU has no length field, so this grammar and the checksum are all there
 * is to find the end of a frame.
 * Result: the length in bytes; 0 when more bytes are needed to tell; -1 when no such PDU exists.
 */
export const pduMax = 253;

const dataLength = (bytes: Uint8Array, at: number, end: number, head: number): number =>
  at + head > end ? 0 : checked(head + bytes[at + head - 1]!);
const checked = (length: number): number => (length > pduMax ? -1 : length);

export function responseLength(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return 0;
  const functionCode = bytes[at]!;
  if (functionCode & 0x80) return isKnownFunction(functionCode & 0x7f) ? 2 : -1;
  switch (functionCode) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 12:
    case 17:
    case 20:
    case 21:
    case 23:
      return dataLength(bytes, at, end, 2);
    case 5:
    case 6:
    case 8:
    case 11:
    case 15:
    case 16:
      return 5;
    case 7:
      return 2;
    case 22:
      return 7;
    case 24:
      return at + 3 > end ? 0 : checked(3 + ((bytes[at + 1]! << 8) | bytes[at + 2]!));
    case 43:
      return identificationLength(bytes, at, end);
    default:
      return -1;
  }
}

/** FC43/14 over a line: function, 0Eh, code, conformity, more, next, count, then count times id, length, text. */
function identificationLength(bytes: Uint8Array, at: number, end: number): number {
  if (at + 2 > end) return 0;
  if (bytes[at + 1] !== 14) return -1;
  if (at + 7 > end) return 0;
  let length = 7;
  for (let left = bytes[at + 6]!; left > 0; left--) {
    if (at + length + 2 > end) return length + 2 > pduMax ? -1 : 0;
    length += 2 + bytes[at + length + 1]!;
    if (length > pduMax) return -1;
  }
  return length;
}

export function requestLength(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return 0;
  switch (bytes[at]!) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 8:
      return 5;
    case 7:
    case 11:
    case 12:
    case 17:
      return 1;
    case 15:
    case 16:
      return dataLength(bytes, at, end, 6);
    case 20:
    case 21:
      return dataLength(bytes, at, end, 2);
    case 22:
      return 7;
    case 23:
      return dataLength(bytes, at, end, 10);
    case 24:
      return 3;
    case 43:
      return at + 2 > end ? 0 : bytes[at + 1] === 14 ? 4 : -1;
    default:
      return -1;
  }
}

const known = new Set([1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 16, 17, 20, 21, 22, 23, 24, 43]);
export const isKnownFunction = (functionCode: number): boolean => known.has(functionCode);
