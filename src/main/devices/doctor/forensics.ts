import { answerBytes } from '../framing/answers.ts';
import { crc16, crcFits } from '../framing/checksum.ts';
import { decodeAscii } from '../framing/ascii.ts';
import { requestLength, responseLength } from '../framing/lengths.ts';
import { encodeRtu } from '../framing/rtu.ts';
import { decodeTcp } from '../framing/tcp.ts';
import type { Condition } from './causes.ts';

/** What a bad frame was. `repaired` is the proof: bytes with a right checksum, one explainable step away from what came. */
export type Suspicion = { condition: Condition; repaired: Uint8Array | null; note: string; /** 0..1 */ weight: number };

/** The request that was open, if known: it names the unit, the function and the size to look for. */
export type Asked = { unitId: number; pdu: Uint8Array } | null;

/**
 * Examines bytes of a serial line that are no answer, in the order of how often each happens in the field. Chance repairs
 * are kept out: a repair must have the unit, function and size of an answer (or of any frame, where nothing was asked), and
 * 11h/13h insertions hit by chance once in 650 frames, so one frame alone is weak evidence for those.
 */
export function examineFrame(bytes: Uint8Array, asked: Asked): Suspicion[] {
  const found: Suspicion[] = [];
  const add = (condition: Condition, note: string, weight: number, repaired: Uint8Array | null = null): void =>
    void found.push({ condition, repaired, note, weight });
  if (bytes.length === 0) return found;
  const request = asked ? encodeRtu(asked.unitId, asked.pdu) : null;
  if (bytes.every((byte) => byte === 0) || bytes.every((byte) => byte === 0xff)) {
    add('constant-level', `${bytes.length} times ${hex(bytes[0]!)}`, bytes.length > 2 ? 0.8 : 0.3);
    return found;
  }
  if (request && same(bytes, request)) {
    add('echo-only', 'a byte-exact copy of the request', 0.95);
    return found;
  }
  if (isWhole(bytes)) {
    const isOurs = asked === null || bytes[0] === asked.unitId;
    if (!isOurs) add(isRequestForm(bytes) ? 'second-client' : 'foreign-unit', `a valid frame of unit ${bytes[0]}`, 0.9, bytes);
    return found;
  }
  const text = String.fromCharCode(...bytes.subarray(0, 5));
  if (text === 'HTTP/' || text.startsWith('<htm') || text.startsWith('<!DOC'))
    add('http', JSON.stringify(String.fromCharCode(...bytes.subarray(0, 24))), 1);
  const ascii = decodeAscii(bytes);
  if (ascii.kind === 'frame') add('ascii-wrapped', 'hexadecimal text with a right LRC', 1, encodeRtu(ascii.unitId, ascii.pdu));
  const tcp = decodeTcp(bytes);
  if (tcp.kind === 'frame' && tcp.end === bytes.length) add('tcp-over-line', 'a whole Modbus TCP frame', 0.9);
  stripped(bytes, request, add);
  glued(bytes, asked, add);
  if (asked) cutShort(bytes, asked, add);
  if (found.some((one) => one.weight >= 0.8)) return found;
  if (asked) missingHead(bytes, asked, add);
  inserted(bytes, asked, add);
  removed(bytes, asked, add);
  flipped(bytes, asked, add);
  sevenBits(bytes, asked, add);
  return found.sort((a, b) => b.weight - a.weight);
}

type Add = (condition: Condition, note: string, weight: number, repaired?: Uint8Array | null) => void;

/** A frame that is well-formed from its first to its last byte. */
export function isWhole(bytes: Uint8Array): boolean {
  if (!crcFits(bytes) || bytes.length < 4) return false;
  const size = bytes.length - 3;
  return responseLength(bytes, 1, bytes.length - 2) === size || requestLength(bytes, 1, bytes.length - 2) === size;
}

const isRequestForm = (bytes: Uint8Array): boolean =>
  requestLength(bytes, 1, bytes.length - 2) === bytes.length - 3 && responseLength(bytes, 1, bytes.length - 2) !== bytes.length - 3;
const isAnswerTo = (bytes: Uint8Array, asked: Asked): boolean =>
  isWhole(bytes) && (asked === null || (bytes[0] === asked.unitId && (bytes[1]! & 0x7f) === asked.pdu[0]));

function stripped(bytes: Uint8Array, request: Uint8Array | null, add: Add): void {
  if (
    request &&
    bytes.length > request.length &&
    same(bytes.subarray(0, request.length), request) &&
    isWhole(bytes.subarray(request.length))
  ) {
    return add('echo', 'our request, then a whole answer', 1, bytes.slice(request.length));
  }
  const edge = (byte: number): boolean => byte === 0 || byte === 0xff;
  for (let head = 0; head <= 3 && head < bytes.length && (head === 0 || edge(bytes[head - 1]!)); head++) {
    for (let tail = 0; tail <= 3 && head + tail < bytes.length - 3 && (tail === 0 || edge(bytes[bytes.length - tail]!)); tail++) {
      const inner = bytes.slice(head, bytes.length - tail);
      if ((head > 0 || tail > 0) && isWhole(inner))
        return add('glitch', `${head} byte(s) before and ${tail} behind a whole frame`, 0.95, inner);
    }
  }
}

/** Splits glued frames by their checksums. */
function glued(bytes: Uint8Array, asked: Asked, add: Add): void {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = [responseLength(bytes, at + 1, bytes.length), requestLength(bytes, at + 1, bytes.length)].find(
      (size) => size > 0 && at + size + 3 <= bytes.length && crcFits(bytes, at, at + size + 3),
    );
    if (length === undefined) return;
    pieces.push(bytes.slice(at, at + length + 3));
    at += length + 3;
  }
  if (pieces.length < 2) return;
  const foreign = asked ? pieces.find((piece) => piece[0] !== asked.unitId) : undefined;
  if (foreign)
    add(
      pieces.some(isRequestForm) ? 'second-client' : 'foreign-unit',
      `${pieces.length} frames, units ${[...new Set(pieces.map((piece) => piece[0]))].join(', ')}`,
      0.9,
      foreign,
    );
  else add('glued-frames', `${pieces.length} whole frames in one piece`, 0.9, pieces[0]);
}

/** `23 6E 20 98` is `01 03 02 23 6E 20 98` without its head: the direction was switched too late. */
function missingHead(bytes: Uint8Array, asked: NonNullable<Asked>, add: Add): void {
  const count =
    asked.pdu[0]! <= 4 || asked.pdu[0] === 23
      ? asked.pdu[0]! <= 2
        ? Math.ceil(((asked.pdu[3]! << 8) | asked.pdu[4]!) / 8)
        : 2 * ((asked.pdu[3]! << 8) | asked.pdu[4]!)
      : -1;
  const head = count >= 0 ? [asked.unitId, asked.pdu[0]!, count] : [asked.unitId, ...asked.pdu.subarray(0, 3)];
  for (let cut = 1; cut <= head.length; cut++) {
    const whole = Uint8Array.from([...head.slice(0, cut), ...bytes]);
    if (isAnswerTo(whole, asked)) return add('missing-head', `the first ${cut} byte(s) put back`, 0.9, whole);
  }
}

/** All but the last byte: what came of the checksum fits, so the rest of it is known. */
function cutShort(bytes: Uint8Array, asked: NonNullable<Asked>, add: Add): void {
  const crc = crc16(bytes, 0, bytes.length - 1);
  if (bytes[bytes.length - 1] !== (crc & 0xff)) return;
  const whole = Uint8Array.from([...bytes, crc >>> 8]);
  const data = answerBytes(asked.pdu);
  if (isAnswerTo(whole, asked) && (data < 0 || whole.length === data + 5)) add('cut-short', 'the last byte never came', 0.85, whole);
}

function inserted(bytes: Uint8Array, asked: Asked, add: Add): void {
  for (const value of [0x11, 0x13]) {
    const repairs: [number, Uint8Array][] = [];
    for (let at = 1; at <= bytes.length; at++) {
      if (bytes[at - 1] === value && at > 1) continue; // the same repair as one position earlier
      const whole = withByte(bytes, at, value);
      if (isAnswerTo(whole, asked)) repairs.push([at, whole]);
    }
    if (repairs.length === 1)
      return add(
        'xon-xoff',
        `${hex(value)} put back at position ${repairs[0]![0]}; the only place where it makes the checksum right`,
        0.6,
        repairs[0]![1],
      );
  }
  // Any other byte: its value follows from the checksum only by trying; a hit needs the known size to mean something.
  if (!asked) return;
  for (let at = 1; at < bytes.length; at++) {
    for (let value = 0; value < 256; value++) {
      const whole = withByte(bytes, at, value);
      if (whole[0] === asked.unitId && (whole[1]! & 0x7f) === asked.pdu[0] && isWhole(whole))
        return add('lost-byte', `one byte is missing near position ${at}`, 0.25, whole);
    }
  }
}

function removed(bytes: Uint8Array, asked: Asked, add: Add): void {
  for (let at = 0; at < bytes.length; at++) {
    const whole = Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + 1)]);
    if (isAnswerTo(whole, asked)) return add('extra-byte', `${hex(bytes[at]!)} at position ${at} is one too many`, 0.5, whole);
  }
}

function flipped(bytes: Uint8Array, asked: Asked, add: Add): void {
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const whole = bytes.slice();
      whole[at]! ^= 1 << bit;
      if (isAnswerTo(whole, asked))
        return add('flipped-bit', `bit ${bit} of byte ${at} (${hex(bytes[at]!)}, should be ${hex(whole[at]!)})`, 0.5, whole);
    }
  }
  const size = bytes.length - 3;
  if (size > 0 && (responseLength(bytes, 1, bytes.length) === size || requestLength(bytes, 1, bytes.length) === size)) {
    const crc = crc16(bytes, 0, bytes.length - 2);
    add(
      'typed-checksum',
      `the checksum should be ${hex(crc & 0xff)} ${hex(crc >>> 8)}`,
      0.2,
      Uint8Array.from([...bytes.subarray(0, -2), crc & 0xff, crc >>> 8]),
    );
  }
}

function sevenBits(bytes: Uint8Array, asked: Asked, add: Add): void {
  const cut = bytes.map((byte) => byte & 0x7f);
  const ascii = decodeAscii(cut);
  if (!same(cut, bytes) && ascii.kind === 'frame')
    add('parity-bits', 'with the top bit cut off it is Modbus ASCII', 0.9, encodeRtu(ascii.unitId, ascii.pdu));
  else if (!same(cut, bytes) && isAnswerTo(cut, asked)) add('parity-bits', 'with the top bit cut off the checksum fits', 0.6, cut);
}

const withByte = (bytes: Uint8Array, at: number, value: number): Uint8Array => {
  const whole = new Uint8Array(bytes.length + 1);
  whole.set(bytes.subarray(0, at));
  whole[at] = value;
  whole.set(bytes.subarray(at), at + 1);
  return whole;
};
const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);
const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');
