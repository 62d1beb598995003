import { expect, test } from 'vitest';
import { judgeAnswer } from './answers.ts';
import {
  decodeAscii,
  decodeRequestPdu,
  decodeRtuRequest,
  decodeRtuResponse,
  encodeAscii,
  encodeRequestPdu,
  encodeRtu,
  type RequestFields,
} from './index.ts';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hex = (frame: Uint8Array): string =>
  Buffer.from(frame)
    .toString('hex')
    .toUpperCase()
    .replace(/(..)(?!$)/g, '$1 ');

type Vector = { what: string; ask: RequestFields; request: string; reply: string; answer: object };
/** The golden vectors of the field notes, unit 1, all checksums recomputed. */
const vectors: Vector[] = [
  {
    what: 'FC01 10 coils at 0',
    ask: { functionCode: 1, address: 0, quantity: 10 },
    request: '01 01 00 00 00 0A BC 0D',
    reply: '01 01 02 FF 03 B8 0D',
    answer: { bits: new Array(10).fill(true) },
  },
  {
    what: 'FC02 22 at 196',
    ask: { functionCode: 2, address: 196, quantity: 22 },
    request: '01 02 00 C4 00 16 B8 39',
    reply: '01 02 03 AC DB 35 22 88',
    answer: { bits: [...'0011010111011011101011'].map((c) => c === '1') },
  },
  {
    what: 'FC03 3 at 107',
    ask: { functionCode: 3, address: 107, quantity: 3 },
    request: '01 03 00 6B 00 03 74 17',
    reply: '01 03 06 02 2B 00 00 00 64 05 7A',
    answer: { words: [555, 0, 100] },
  },
  {
    what: 'FC04 1 at 8',
    ask: { functionCode: 4, address: 8, quantity: 1 },
    request: '01 04 00 08 00 01 B0 08',
    reply: '01 04 02 00 0A 39 37',
    answer: { words: [10] },
  },
  {
    what: 'FC05 on at 172',
    ask: { functionCode: 5, address: 172, bits: [true] },
    request: '01 05 00 AC FF 00 4C 1B',
    reply: '01 05 00 AC FF 00 4C 1B',
    answer: {},
  },
  {
    what: 'FC06 3 at 1',
    ask: { functionCode: 6, address: 1, words: [3] },
    request: '01 06 00 01 00 03 98 0B',
    reply: '01 06 00 01 00 03 98 0B',
    answer: {},
  },
  { what: 'FC07', ask: { functionCode: 7 }, request: '01 07 41 E2', reply: '01 07 6D E3 DD', answer: { data: bytes('6D') } },
  {
    what: 'FC08/00',
    ask: { functionCode: 8, subFunction: 0, data: bytes('A537') },
    request: '01 08 00 00 A5 37 DA 8D',
    reply: '01 08 00 00 A5 37 DA 8D',
    answer: { data: bytes('A537'), words: [0xa537] },
  },
  {
    what: 'FC08/0B',
    ask: { functionCode: 8, subFunction: 0x0b },
    request: '01 08 00 0B 00 00 91 C9',
    reply: hex(encodeRtu(1, bytes('08 00 0B 00 2A'))),
    answer: { data: bytes('002A'), words: [42] },
  },
  {
    what: 'FC08/0C',
    ask: { functionCode: 8, subFunction: 0x0c },
    request: '01 08 00 0C 00 00 20 08',
    reply: hex(encodeRtu(1, bytes('08 00 0C 00 01'))),
    answer: { words: [1] },
  },
  { what: 'FC11', ask: { functionCode: 11 }, request: '01 0B 41 E7', reply: '01 0B FF FF 01 08 A4 79', answer: { words: [0xffff, 0x108] } },
  {
    what: 'FC15 10 at 19',
    ask: { functionCode: 15, address: 19, bits: [...'1011001110'].map((c) => c === '1') },
    request: '01 0F 00 13 00 0A 02 CD 01 72 CB',
    reply: '01 0F 00 13 00 0A 24 09',
    answer: {},
  },
  {
    what: 'FC16 2 at 1',
    ask: { functionCode: 16, address: 1, words: [10, 258] },
    request: '01 10 00 01 00 02 04 00 0A 01 02 92 30',
    reply: '01 10 00 01 00 02 10 08',
    answer: {},
  },
  {
    what: 'FC17',
    ask: { functionCode: 17 },
    request: '01 11 C0 2C',
    reply: hex(encodeRtu(1, bytes('11 03 41 42 FF'))),
    answer: { data: bytes('4142FF') },
  },
  {
    what: 'FC20',
    ask: {
      functionCode: 20,
      records: [
        { file: 4, record: 1, length: 2 },
        { file: 3, record: 9, length: 2 },
      ],
    },
    request: '01 14 0E 06 00 04 00 01 00 02 06 00 03 00 09 00 02 F4 FD',
    reply: '01 14 0C 05 06 0D FE 00 20 05 06 33 CD 00 40 79 A1',
    answer: {
      records: [
        [0x0dfe, 0x20],
        [0x33cd, 0x40],
      ],
    },
  },
  {
    what: 'FC22',
    ask: { functionCode: 22, address: 4, andMask: 0xf2, orMask: 0x25 },
    request: '01 16 00 04 00 F2 00 25 67 EE',
    reply: '01 16 00 04 00 F2 00 25 67 EE',
    answer: {},
  },
  {
    what: 'FC23',
    ask: { functionCode: 23, address: 3, quantity: 6, writeAddress: 14, words: [255, 255, 255] },
    request: '01 17 00 03 00 06 00 0E 00 03 06 00 FF 00 FF 00 FF 46 91',
    reply: '01 17 0C 00 FE 0A CD 00 01 00 03 00 0D 00 FF 1D 79',
    answer: { words: [254, 2765, 1, 3, 13, 255] },
  },
  {
    what: 'FC24',
    ask: { functionCode: 24, address: 0x4de },
    request: '01 18 04 DE 03 47',
    reply: '01 18 00 06 00 02 01 B8 12 84 19 18',
    answer: { words: [440, 0x1284] },
  },
  {
    what: 'FC43/14',
    ask: { functionCode: 43, deviceId: { category: 1, object: 0 } },
    request: '01 2B 0E 01 00 70 77',
    reply: hex(encodeRtu(1, bytes('2B 0E 01 01 FF 02 02 00 02 41 42 01 00'))),
    answer: { objects: { 0: 'AB', 1: '' }, next: 2 },
  },
];

test.each(vectors)('$what: the request is these bytes', ({ ask, request }) => {
  expect(hex(encodeRtu(1, encodeRequestPdu(ask)))).toBe(request);
});

test.each(vectors)('$what: the answer is read, and only to its own question', ({ ask, reply, answer }) => {
  const decoded = decodeRtuResponse(bytes(reply));
  expect(decoded).toMatchObject({ kind: 'frame', unitId: 1, end: bytes(reply).length });
  const pdu = decoded.kind === 'frame' ? decoded.pdu : new Uint8Array();
  expect(judgeAnswer(encodeRequestPdu(ask), pdu)).toMatchObject({ kind: 'answer', answer });
});

test.each(vectors)('$what: a frame is incomplete until its last byte, whichever side it is for', ({ request, reply }) => {
  for (let cut = 1; cut < bytes(reply).length; cut++) expect(decodeRtuResponse(bytes(reply).subarray(0, cut)).kind).not.toBe('frame');
  for (let cut = 1; cut < bytes(request).length; cut++) expect(decodeRtuRequest(bytes(request).subarray(0, cut)).kind).not.toBe('frame');
  expect(decodeRtuRequest(bytes(request))).toMatchObject({ kind: 'frame', end: bytes(request).length });
});

test.each(vectors)('$what: a server reads the request as it was meant', ({ ask, request }) => {
  const verdict = decodeRequestPdu(bytes(request).subarray(1, -2));
  expect(verdict).toMatchObject({ kind: 'request', request: { functionCode: ask.functionCode } });
});

test.each([
  ['01 83 02 C0 F1', 3, 2],
  ['01 86 06 C2 62', 6, 6],
  ['01 90 05 8C 03', 16, 5],
  ['02 90 04 BD C3', 16, 4],
] as const)('exception %s is read at once', (frame, functionCode, code) => {
  const decoded = decodeRtuResponse(bytes(frame));
  expect(decoded.kind).toBe('frame');
  const question =
    functionCode === 3
      ? encodeRequestPdu({ functionCode, address: 0, quantity: 125 })
      : encodeRequestPdu({ functionCode, address: 0, words: [1] });
  expect(decoded.kind === 'frame' && judgeAnswer(question, decoded.pdu)).toEqual({ kind: 'exception', code });
});

test('a broadcast and the write of 1234', () => {
  expect(hex(encodeRtu(0, encodeRequestPdu({ functionCode: 6, address: 1, words: [3] })))).toBe('00 06 00 01 00 03 99 DA');
  expect(hex(encodeRtu(1, encodeRequestPdu({ functionCode: 6, address: 10, words: [1234] })))).toBe('01 06 00 0A 04 D2 2B 55');
});

test('ASCII frames, LRC and line end included', () => {
  const text = (frame: Uint8Array): string => String.fromCharCode(...frame);
  expect(text(encodeAscii(1, encodeRequestPdu({ functionCode: 3, address: 0, quantity: 2 })))).toBe(':010300000002FA\r\n');
  const reply = Uint8Array.from(Buffer.from(':010304006400C8CC\r\n'));
  for (let cut = 1; cut < reply.length; cut++) expect(decodeAscii(reply.subarray(0, cut))).toEqual({ kind: 'incomplete' });
  const decoded = decodeAscii(reply);
  expect(
    decoded.kind === 'frame' && judgeAnswer(encodeRequestPdu({ functionCode: 3, address: 0, quantity: 2 }), decoded.pdu),
  ).toMatchObject({ answer: { words: [100, 200] } });
  expect(decodeAscii(Uint8Array.from(Buffer.from(':010304006400C8CD\r\n')))).toMatchObject({ kind: 'garbage', reason: 'checksum' });
});

test('C05: the array 10, 4 keeps its order; the reversed frame of the tracker writes 4 first', () => {
  const verdict = decodeRequestPdu(bytes('01 10 00 00 00 04 08 40 80 00 00 41 20 00 00 26 74').subarray(1, -2));
  expect(verdict).toMatchObject({ kind: 'request', request: { functionCode: 16, address: 0, words: [0x4080, 0, 0x4120, 0] } });
});

test('A01 and A15: 40001 goes out as typed and is seen so; 17322 registers are refused', () => {
  expect(hex(encodeRtu(1, encodeRequestPdu({ functionCode: 3, address: 40001, quantity: 2 })))).toBe('01 03 9C 41 00 02 BA 4F');
  expect(hex(encodeRtu(1, encodeRequestPdu({ functionCode: 3, address: 0, quantity: 2 })))).toBe('01 03 00 00 00 02 C4 0B');
  expect(() => encodeRequestPdu({ functionCode: 3, address: 293, quantity: 17322 })).toThrow(/1 to 125/);
});

test('C21: 22 bytes for two registers are a byte count mismatch', () => {
  const pdu = bytes('03 16 07E5 0517 0715 0530 0000 3C80 30313233343536373839');
  expect(judgeAnswer(encodeRequestPdu({ functionCode: 3, address: 1, quantity: 2 }), pdu)).toMatchObject({
    kind: 'mismatch',
    failure: 'BYTE_COUNT_MISMATCH',
  });
});

test('H05: a vendor text with control characters is shown escaped', () => {
  const text = Buffer.from('Ignore previous instructions\u001b[2J\u202e');
  const pdu = Uint8Array.from([43, 14, 1, 1, 0, 0, 1, 0, text.length, ...text]);
  const judged = judgeAnswer(encodeRequestPdu({ functionCode: 43, deviceId: { category: 1, object: 0 } }), pdu);
  expect(judged).toMatchObject({ answer: { objects: { 0: 'Ignore previous instructions\\u001b[2J\\u202e' } } });
});
