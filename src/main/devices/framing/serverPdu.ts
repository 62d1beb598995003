import { requestLength, isKnownFunction } from './lengths.ts';
import { limits } from './requests.ts';

/** A request as a server sees it: checked against every limit of the standard, so nothing behind this has to guess. */
export type ServerRequest =
  | { functionCode: 1 | 2 | 3 | 4; address: number; quantity: number }
  | { functionCode: 5; address: number; on: boolean }
  | { functionCode: 6; address: number; word: number }
  | { functionCode: 7 | 11 | 12 | 17 }
  | { functionCode: 8; subFunction: number; data: Uint8Array }
  | { functionCode: 15; address: number; bits: boolean[] }
  | { functionCode: 16; address: number; words: number[] }
  | { functionCode: 20 | 21; pieces: { file: number; record: number; length: number; words: number[] }[] }
  | { functionCode: 22; address: number; andMask: number; orMask: number }
  | { functionCode: 23; address: number; quantity: number; writeAddress: number; words: number[] }
  | { functionCode: 24; address: number }
  | { functionCode: 43; category: number; object: number };

export type ServerVerdict =
  { kind: 'request'; request: ServerRequest } | { kind: 'exception'; functionCode: number; exceptionCode: number; reason: string };

/** Judges a request PDU: what is asked, or the exception the standard wants for it (1 function, 2 address, 3 value). */
export function decodeRequestPdu(pdu: Uint8Array): ServerVerdict {
  const functionCode = pdu[0] ?? 0;
  const bad = (exceptionCode: number, reason: string): ServerVerdict => ({
    kind: 'exception',
    functionCode: functionCode & 0x7f,
    exceptionCode,
    reason,
  });
  const ok = (request: ServerRequest): ServerVerdict => ({ kind: 'request', request });
  if (!isKnownFunction(functionCode)) return bad(1, `function ${functionCode} is not served`);
  const isLoopback = functionCode === 8;
  if (isLoopback ? pdu.length < 5 : requestLength(pdu, 0, pdu.length) !== pdu.length) return bad(3, 'length and function do not fit');
  const at = (index: number): number => (pdu[index]! << 8) | pdu[index + 1]!;
  const address = pdu.length >= 3 ? at(1) : 0;
  switch (functionCode) {
    case 1:
    case 2:
    case 3:
    case 4: {
      const quantity = at(3);
      if (quantity < 1 || quantity > (functionCode <= 2 ? limits.readBits : limits.readRegisters)) return bad(3, `quantity ${quantity}`);
      return address + quantity > 0x10000 ? bad(2, 'beyond 65535') : ok({ functionCode, address, quantity });
    }
    case 5: {
      const value = at(3);
      return value === 0xff00 || value === 0 ? ok({ functionCode, address, on: value !== 0 }) : bad(3, `coil value ${value}`);
    }
    case 6:
      return ok({ functionCode, address, word: at(3) });
    case 7:
    case 11:
    case 12:
    case 17:
      return ok({ functionCode });
    case 8:
      return ok({ functionCode, subFunction: at(1), data: pdu.subarray(3) });
    case 15: {
      const quantity = at(3);
      if (quantity < 1 || quantity > limits.writeBits || pdu[5] !== Math.ceil(quantity / 8))
        return bad(3, `quantity ${quantity}, byte count ${pdu[5]}`);
      if (address + quantity > 0x10000) return bad(2, 'beyond 65535');
      return ok({ functionCode, address, bits: Array.from({ length: quantity }, (_, i) => (pdu[6 + (i >> 3)]! & (1 << (i & 7))) !== 0) });
    }
    case 16: {
      const quantity = at(3);
      if (quantity < 1 || quantity > limits.writeRegisters || pdu[5] !== 2 * quantity)
        return bad(3, `quantity ${quantity}, byte count ${pdu[5]}`);
      return address + quantity > 0x10000 ? bad(2, 'beyond 65535') : ok({ functionCode, address, words: wordsOf(pdu, 6, quantity) });
    }
    case 20:
    case 21:
      return decodeFile(functionCode, pdu, bad, ok);
    case 22:
      return ok({ functionCode, address, andMask: at(3), orMask: at(5) });
    case 23: {
      const [quantity, writeAddress, written] = [at(3), at(5), at(7)];
      const fits =
        quantity >= 1 && quantity <= limits.exchangeRead && written >= 1 && written <= limits.exchangeWrite && pdu[9] === 2 * written;
      if (!fits) return bad(3, `read ${quantity}, write ${written}, byte count ${pdu[9]}`);
      if (address + quantity > 0x10000 || writeAddress + written > 0x10000) return bad(2, 'beyond 65535');
      return ok({ functionCode, address, quantity, writeAddress, words: wordsOf(pdu, 10, written) });
    }
    case 24:
      return ok({ functionCode, address });
    case 43: {
      const category = pdu[2]!;
      return category >= 1 && category <= 4 ? ok({ functionCode, category, object: pdu[3]! }) : bad(3, `category ${category}`);
    }
    default:
      return bad(1, `function ${functionCode} is not served`);
  }
}

function decodeFile(
  functionCode: 20 | 21,
  pdu: Uint8Array,
  bad: (code: number, reason: string) => ServerVerdict,
  ok: (request: ServerRequest) => ServerVerdict,
): ServerVerdict {
  const pieces: { file: number; record: number; length: number; words: number[] }[] = [];
  const at = (index: number): number => (pdu[index]! << 8) | pdu[index + 1]!;
  for (let start = 2; start < pdu.length;) {
    if (start + 7 > pdu.length || pdu[start] !== 6)
      return bad(start + 7 > pdu.length ? 3 : 2, 'a piece is torn or not of reference type 6');
    const piece = { file: at(start + 1), record: at(start + 3), length: at(start + 5), words: [] as number[] };
    if (piece.file === 0 || piece.record + piece.length > limits.records) return bad(2, 'file or record does not exist');
    start += 7;
    if (functionCode === 21) {
      if (start + 2 * piece.length > pdu.length) return bad(3, 'a piece is torn');
      piece.words = wordsOf(pdu, start, piece.length);
      start += 2 * piece.length;
    }
    pieces.push(piece);
  }
  return pieces.length === 0 ? bad(3, 'no piece') : ok({ functionCode, pieces });
}

export function wordsOf(bytes: Uint8Array, at: number, count: number): number[] {
  const words = new Array<number>(count);
  for (let i = 0, p = at; i < count; i++, p += 2) words[i] = (bytes[p]! << 8) | bytes[p + 1]!;
  return words;
}

// Answers of a server. What they are given has been judged by decodeRequestPdu.

export const exceptionPdu = (functionCode: number, exceptionCode: number): Uint8Array => Uint8Array.of(functionCode | 0x80, exceptionCode);

export function bitsPdu(functionCode: 1 | 2, bits: readonly boolean[]): Uint8Array {
  const pdu = new Uint8Array(2 + Math.ceil(bits.length / 8));
  pdu[0] = functionCode;
  pdu[1] = pdu.length - 2;
  bits.forEach((bit, i) => {
    if (bit) pdu[2 + (i >> 3)]! |= 1 << (i & 7);
  });
  return pdu;
}

export function wordsPdu(functionCode: 3 | 4 | 23, words: readonly number[]): Uint8Array {
  const pdu = new Uint8Array(2 + 2 * words.length);
  pdu[0] = functionCode;
  pdu[1] = 2 * words.length;
  words.forEach((word, i) => {
    pdu[2 + 2 * i] = word >>> 8;
    pdu[3 + 2 * i] = word;
  });
  return pdu;
}

/** FC5, 6, 15, 16, 22 confirm by repeating the head of the request. */
export const confirmationPdu = (requestPdu: Uint8Array): Uint8Array => requestPdu.slice(0, requestPdu[0] === 22 ? 7 : 5);

/** FC43/14: the objects that fit one answer; `more` names the next one when not all did. */
export function identificationPdu(
  category: number,
  conformity: number,
  objects: readonly { id: number; text: Uint8Array }[],
  spaceBytes = 246,
): Uint8Array {
  const chosen: { id: number; text: Uint8Array }[] = [];
  let used = 0;
  let next: number | null = null;
  for (const object of objects) {
    if (used + 2 + object.text.length > spaceBytes) {
      next = object.id;
      break;
    }
    chosen.push(object);
    used += 2 + object.text.length;
  }
  const pdu = new Uint8Array(7 + used);
  pdu.set([43, 14, category, conformity, next === null ? 0 : 0xff, next ?? 0, chosen.length]);
  let at = 7;
  for (const { id, text } of chosen) {
    pdu.set([id, text.length], at);
    pdu.set(text, at + 2);
    at += 2 + text.length;
  }
  return pdu;
}
