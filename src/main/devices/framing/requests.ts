import { HandrailError } from '../../../shared/errors.ts';
import type { WireRequest } from '../../../shared/contracts/devices.ts';
import { pduMax } from './lengths.ts';

/** The parts of a request that make its PDU; a subset of WireRequest, so either can be given. */
export type RequestFields = Pick<
  WireRequest,
  | 'functionCode'
  | 'address'
  | 'quantity'
  | 'words'
  | 'bits'
  | 'andMask'
  | 'orMask'
  | 'writeAddress'
  | 'data'
  | 'subFunction'
  | 'deviceId'
  | 'records'
>;

/** Most of one request, by function (Modbus application protocol V1.1b3). */
export const limits = {
  readBits: 2000,
  readRegisters: 125,
  writeBits: 1968,
  writeRegisters: 123,
  exchangeRead: 125,
  exchangeWrite: 121,
  fileBytesRead: 245,
  fileBytesWrite: 251,
  records: 10_000,
  loopbackBytes: 250,
} as const;

/**
 * Writes the PDU of a request, or refuses before anything is sent. JavaScript turns NaN, "12abc" and undefined silently
 * into 0 in a byte array, and 0 is a real set-point: every number is checked to be an integer in range first.
 */
export function encodeRequestPdu(request: RequestFields): Uint8Array {
  const fc = request.functionCode;
  switch (fc) {
    case 1:
    case 2:
    case 3:
    case 4: {
      const quantity = whole(request.quantity, 'quantity', 1, fc <= 2 ? limits.readBits : limits.readRegisters);
      return head(fc, span(request.address, quantity), quantity);
    }
    case 5: {
      const bits = listOf(request.bits, 'bits', 1, 1);
      return head(5, span(request.address, 1), flag(bits[0]) ? 0xff00 : 0);
    }
    case 6: {
      const words = listOf(request.words, 'words', 1, 1);
      return head(6, span(request.address, 1), word(words[0], 'words[0]'));
    }
    case 7:
    case 11:
    case 12:
    case 17:
      return Uint8Array.of(fc);
    case 8: {
      const sub = word(request.subFunction, 'subFunction');
      const data = request.data ?? new Uint8Array(2);
      if (data.length < 2 || data.length % 2 !== 0 || data.length > limits.loopbackBytes)
        refuse(`diagnostic data has ${data.length} bytes`);
      const pdu = new Uint8Array(3 + data.length);
      pdu.set([8, sub >>> 8, sub]);
      pdu.set(data, 3);
      return pdu;
    }
    case 15: {
      const bits = listOf(request.bits, 'bits', 1, limits.writeBits);
      const pdu = withBytes(head(15, span(request.address, bits.length), bits.length), Math.ceil(bits.length / 8));
      for (let i = 0; i < bits.length; i++) if (flag(bits[i])) pdu[6 + (i >> 3)]! |= 1 << (i & 7);
      return pdu;
    }
    case 16: {
      const words = listOf(request.words, 'words', 1, limits.writeRegisters);
      return withWords(head(16, span(request.address, words.length), words.length), words);
    }
    case 20:
      return encodeFileRead(request);
    case 21:
      return encodeFileWrite(request);
    case 22: {
      const pdu = new Uint8Array(7);
      pdu.set(head(22, span(request.address, 1), word(request.andMask, 'andMask')));
      put(pdu, 5, word(request.orMask, 'orMask'));
      return pdu;
    }
    case 23: {
      const quantity = whole(request.quantity, 'quantity', 1, limits.exchangeRead);
      const words = listOf(request.words, 'words', 1, limits.exchangeWrite);
      const pdu = new Uint8Array(9);
      pdu.set(head(23, span(request.address, quantity), quantity));
      put(pdu, 5, span(request.writeAddress, words.length, 'writeAddress'));
      put(pdu, 7, words.length);
      return withWords(pdu, words);
    }
    case 24: {
      const address = span(request.address, 1);
      return Uint8Array.of(24, address >>> 8, address);
    }
    case 43: {
      const category = whole(request.deviceId?.category, 'deviceId.category', 1, 4);
      return Uint8Array.of(43, 14, category, whole(request.deviceId?.object, 'deviceId.object', 0, 255));
    }
    default:
      return refuse(`function code ${String(fc)} is not one this program sends`);
  }
}

/** FC20: byte count, then for each piece reference type 6, file, record, length. */
function encodeFileRead(request: RequestFields): Uint8Array {
  const records = listOf(request.records, 'records', 1, 35);
  const pdu = new Uint8Array(2 + 7 * records.length);
  pdu.set([20, 7 * records.length]);
  let answer = 2;
  records.forEach((piece, i) => {
    const length = whole(piece.length, 'records.length', 1, 122);
    fileHead(pdu, 2 + 7 * i, piece, length);
    answer += 2 + 2 * length;
  });
  if (7 * records.length > limits.fileBytesRead) refuse('more pieces than one request can name');
  if (answer > pduMax) refuse('the pieces together are longer than one answer can be');
  return pdu;
}

function encodeFileWrite(request: RequestFields): Uint8Array {
  const records = listOf(request.records, 'records', 1, 27);
  const bytes = records.reduce((sum, piece) => sum + 7 + 2 * listOf(piece.words, 'records.words', 1, 122).length, 0);
  if (bytes > limits.fileBytesWrite) refuse('the pieces together are longer than one request can be');
  const pdu = new Uint8Array(2 + bytes);
  pdu.set([21, bytes]);
  let at = 2;
  for (const piece of records) {
    const words = piece.words!;
    fileHead(pdu, at, piece, words.length);
    words.forEach((value, i) => put(pdu, at + 7 + 2 * i, word(value, 'records.words')));
    at += 7 + 2 * words.length;
  }
  return pdu;
}

function fileHead(pdu: Uint8Array, at: number, piece: { file: number; record: number }, length: number): void {
  const record = whole(piece.record, 'records.record', 0, limits.records - 1);
  if (record + length > limits.records) refuse('a record beyond 9999 is asked for');
  pdu[at] = 6;
  put(pdu, at + 1, whole(piece.file, 'records.file', 1, 0xffff));
  put(pdu, at + 3, record);
  put(pdu, at + 5, length);
}

function head(functionCode: number, address: number, value: number): Uint8Array {
  const pdu = new Uint8Array(5); // element by element: Uint8Array.of costs more than all the rest of a request
  pdu[0] = functionCode;
  put(pdu, 1, address);
  put(pdu, 3, value);
  return pdu;
}

function withBytes(start: Uint8Array, count: number): Uint8Array {
  const pdu = new Uint8Array(start.length + 1 + count);
  pdu.set(start);
  pdu[start.length] = count;
  return pdu;
}

function withWords(start: Uint8Array, words: readonly number[]): Uint8Array {
  const pdu = withBytes(start, 2 * words.length);
  for (let i = 0; i < words.length; i++) put(pdu, start.length + 1 + 2 * i, word(words[i], `words[${i}]`));
  return pdu;
}

function put(pdu: Uint8Array, at: number, value: number): void {
  pdu[at] = value >>> 8;
  pdu[at + 1] = value;
}

function span(address: unknown, quantity: number, name = 'address'): number {
  const start = whole(address, name, 0, 0xffff);
  if (start + quantity > 0x10000) refuse(`${name} ${start} with quantity ${quantity} goes beyond 65535`);
  return start;
}

const word = (value: unknown, name: string): number => whole(value, name, 0, 0xffff);

function whole(value: unknown, name: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) return refuse(`${name} is ${shown(value)}, a whole number is needed`);
  if (value < min || value > max) return refuse(`${name} is ${value}, allowed are ${min} to ${max}`);
  return value;
}

function flag(value: unknown): boolean {
  return typeof value === 'boolean' ? value : refuse(`a coil state is ${shown(value)}, true or false is needed`);
}

function listOf<T>(list: readonly T[] | undefined, name: string, min: number, max: number): readonly T[] {
  if (!Array.isArray(list)) return refuse(`${name} is missing`);
  if (list.length < min || list.length > max) return refuse(`${name} has ${list.length} entries, allowed are ${min} to ${max}`);
  return list as readonly T[];
}

const shown = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));

function refuse(reason: string): never {
  throw new HandrailError('FRAME_LIMIT', { detail: { reason, failure: 'INVALID_REQUEST' } });
}
