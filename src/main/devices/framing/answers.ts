import { responseLength } from './lengths.ts';
import { wordsOf } from './serverPdu.ts';

/** What an answer carries, by function. Confirmations of writes carry nothing: they were compared with the request. */
export type Answer = {
  words?: number[];
  bits?: boolean[];
  data?: Uint8Array;
  objects?: Record<number, string>;
  records?: number[][];
  /** FC43/14: the object to ask for next, null when all have come. */
  next?: number | null;
};

export type Mismatch = 'FUNCTION_MISMATCH' | 'BYTE_COUNT_MISMATCH' | 'LENGTH_MISMATCH' | 'ECHO_MISMATCH';
export type Judgement =
  { kind: 'answer'; answer: Answer } | { kind: 'exception'; code: number } | { kind: 'mismatch'; failure: Mismatch; reason: string };

const mismatch = (failure: Mismatch, reason: string): Judgement => ({ kind: 'mismatch', failure, reason });
const at16 = (bytes: Uint8Array, at: number): number => (bytes[at]! << 8) | bytes[at + 1]!;

/** Bytes of data the answer to a read must have; -1 where the request does not fix it. */
export function answerBytes(request: Uint8Array): number {
  switch (request[0]!) {
    case 1:
    case 2:
      return Math.ceil(at16(request, 3) / 8);
    case 3:
    case 4:
    case 23:
      return at16(request, 3) * 2;
    default:
      return -1;
  }
}

/** Length of the PDU at `at`, if it is to answer this request; 0: more bytes are needed, -1: it cannot. */
export function answerLength(request: Uint8Array, bytes: Uint8Array, at: number, end: number): number {
  const fixed = answerBytes(request);
  if (fixed >= 0) return at + 2 > end ? 0 : bytes[at + 1] === fixed ? 2 + fixed : -1;
  return request[0] === 8 ? request.length : responseLength(bytes, at, end);
}

/**
 * Does this PDU answer that request? Everything that can be compared is compared: a read answer names no address, so its
 * size is all there is; a write confirmation must repeat every byte, or it confirms somebody else's write.
 */
export function judgeAnswer(request: Uint8Array, pdu: Uint8Array, at = 0, end = pdu.length): Judgement {
  const asked = request[0]!;
  const got = pdu[at]!;
  const length = end - at;
  if (got === (asked | 0x80))
    return length === 2 ? { kind: 'exception', code: pdu[at + 1]! } : mismatch('LENGTH_MISMATCH', `an exception of ${length} bytes`);
  if (got !== asked) return mismatch('FUNCTION_MISMATCH', `function ${got} answers function ${asked}`);
  const fixed = answerBytes(request);
  if (fixed >= 0) {
    if (length < 2 || pdu[at + 1] !== fixed) return mismatch('BYTE_COUNT_MISMATCH', `byte count ${pdu[at + 1]} instead of ${fixed}`);
    if (length !== 2 + fixed) return mismatch('LENGTH_MISMATCH', `${length - 2} data bytes, the byte count says ${fixed}`);
    return {
      kind: 'answer',
      answer: asked <= 2 ? { bits: bitsOf(pdu, at + 2, at16(request, 3)) } : { words: wordsOf(pdu, at + 2, fixed >> 1) },
    };
  }
  switch (asked) {
    case 5:
    case 6:
    case 15:
    case 16:
    case 21:
    case 22: {
      const repeated = asked === 21 ? request.length : asked === 22 ? 7 : 5;
      if (length !== repeated) return mismatch('LENGTH_MISMATCH', `a confirmation of ${length} bytes instead of ${repeated}`);
      for (let i = 1; i < repeated; i++)
        if (pdu[at + i] !== request[i]) return mismatch('ECHO_MISMATCH', 'the confirmation does not repeat what was asked');
      return { kind: 'answer', answer: {} };
    }
    case 8:
      return judgeDiagnostic(request, pdu, at, length);
    case 7:
      return length === 2 ? { kind: 'answer', answer: { data: pdu.slice(at + 1, end) } } : mismatch('LENGTH_MISMATCH', `${length} bytes`);
    case 11:
      return length === 5 ? { kind: 'answer', answer: { words: wordsOf(pdu, at + 1, 2) } } : mismatch('LENGTH_MISMATCH', `${length} bytes`);
    case 12:
    case 17:
      return length >= 2 && pdu[at + 1] === length - 2
        ? { kind: 'answer', answer: { data: pdu.slice(at + 2, end) } }
        : mismatch('BYTE_COUNT_MISMATCH', `byte count ${pdu[at + 1]}, ${length - 2} bytes`);
    case 20:
      return judgeFileRead(request, pdu, at, end);
    case 24: {
      const count = length >= 5 ? at16(pdu, at + 3) : -1;
      if (count < 0 || count > 31 || at16(pdu, at + 1) !== 2 + 2 * count || length !== 5 + 2 * count)
        return mismatch('BYTE_COUNT_MISMATCH', `a queue of ${count} in ${length} bytes`);
      return { kind: 'answer', answer: { words: wordsOf(pdu, at + 5, count) } };
    }
    case 43:
      return judgeIdentification(request, pdu, at, end);
    default:
      return mismatch('FUNCTION_MISMATCH', `function ${got} has no known answer`);
  }
}

function bitsOf(bytes: Uint8Array, at: number, count: number): boolean[] {
  const bits = new Array<boolean>(count); // the padding bits of the last byte are no coils
  for (let i = 0; i < count; i++) bits[i] = (bytes[at + (i >> 3)]! & (1 << (i & 7))) !== 0;
  return bits;
}

/** FC8/00 returns the data; the counters return a number under the same sub-function. */
function judgeDiagnostic(request: Uint8Array, pdu: Uint8Array, at: number, length: number): Judgement {
  if (length !== request.length) return mismatch('LENGTH_MISMATCH', `${length} bytes instead of ${request.length}`);
  const returnsData = at16(request, 1) === 0;
  for (let i = 1; i < (returnsData ? length : 3); i++)
    if (pdu[at + i] !== request[i]) return mismatch('ECHO_MISMATCH', 'the loopback does not repeat what was sent');
  return { kind: 'answer', answer: { data: pdu.slice(at + 3, at + length), words: [at16(pdu, at + 3)] } };
}

/** FC20: for each piece its length, reference type 6, data. The lengths must be those asked for. */
function judgeFileRead(request: Uint8Array, pdu: Uint8Array, at: number, end: number): Judgement {
  if (pdu[at + 1] !== end - at - 2) return mismatch('BYTE_COUNT_MISMATCH', `byte count ${pdu[at + 1]}, ${end - at - 2} bytes`);
  const records: number[][] = [];
  let start = at + 2;
  for (let piece = 2; piece < request.length; piece += 7) {
    const length = at16(request, piece + 5);
    if (start + 2 + 2 * length > end || pdu[start] !== 1 + 2 * length || pdu[start + 1] !== 6)
      return mismatch('BYTE_COUNT_MISMATCH', 'a piece has another length than asked for');
    records.push(wordsOf(pdu, start + 2, length));
    start += 2 + 2 * length;
  }
  return start === end
    ? { kind: 'answer', answer: { records, words: records.flat() } }
    : mismatch('LENGTH_MISMATCH', 'more pieces than asked for');
}

function judgeIdentification(request: Uint8Array, pdu: Uint8Array, at: number, end: number): Judgement {
  if (end - at < 7 || pdu[at + 1] !== 14) return mismatch('LENGTH_MISMATCH', `an identification of ${end - at} bytes`);
  if (pdu[at + 2] !== request[2]) return mismatch('ECHO_MISMATCH', `category ${pdu[at + 2]} instead of ${request[2]}`);
  const objects: Record<number, string> = {};
  let start = at + 7;
  for (let left = pdu[at + 6]!; left > 0; left--) {
    if (start + 2 > end || start + 2 + pdu[start + 1]! > end) return mismatch('LENGTH_MISMATCH', 'an object is torn');
    const text = pdu.subarray(start + 2, start + 2 + pdu[start + 1]!);
    objects[pdu[start]!] = textOf(text);
    start += 2 + text.length;
  }
  if (start !== end) return mismatch('LENGTH_MISMATCH', 'bytes behind the last object');
  return { kind: 'answer', answer: { objects, next: pdu[at + 4] === 0xff ? pdu[at + 5]! : null } };
}

/** Names from devices are data: control characters are shown as escapes, so that no text can dress up as anything else. */
export function textOf(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    text = String.fromCharCode(...bytes);
  }
  return Array.from(text, (character) =>
    isHidden(character.codePointAt(0)!) ? `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}` : character,
  ).join('');
}

/** Control characters, zero-width and direction marks. */
function isHidden(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0xfeff) return true;
  return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}
