import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeAnswer } from './answers.ts';
import { scanAscii, scanRtu } from './lineScan.ts';
import {
  decodeAscii,
  decodeRequestPdu,
  decodeRtuRequest,
  decodeRtuResponse,
  decodeTcp,
  encodeAscii,
  encodeRequestPdu,
  encodeRtu,
  encodeTcp,
  wordsPdu,
  type Decoded,
} from './index.ts';

/** Random and mutated frames a decoder must survive; HANDRAIL_FUZZ raises it. */
const total = Number(process.env['HANDRAIL_FUZZ'] ?? 1_000_000);

/** Small and fast, seeded, so that a failure can be run again. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const questions = [
  encodeRequestPdu({ functionCode: 3, address: 560, quantity: 2 }),
  encodeRequestPdu({ functionCode: 1, address: 0, quantity: 10 }),
  encodeRequestPdu({ functionCode: 6, address: 1, words: [3] }),
  encodeRequestPdu({ functionCode: 16, address: 1, words: [1, 2] }),
  encodeRequestPdu({ functionCode: 43, deviceId: { category: 1, object: 0 } }),
  encodeRequestPdu({ functionCode: 24, address: 1 }),
  encodeRequestPdu({ functionCode: 20, records: [{ file: 4, record: 1, length: 2 }] }),
  encodeRequestPdu({ functionCode: 8, subFunction: 0 }),
  encodeRequestPdu({ functionCode: 23, address: 1, quantity: 2, writeAddress: 3, words: [1] }),
];
const seeds = [
  encodeRtu(9, wordsPdu(3, [40000, 25])),
  encodeRtu(9, Uint8Array.of(0x83, 2)),
  encodeTcp(1, 9, wordsPdu(3, [40000, 25])),
  encodeAscii(9, wordsPdu(3, [40000, 25])),
  encodeRtu(9, Uint8Array.from([43, 14, 1, 1, 0, 0, 1, 0, 2, 65, 66])),
  encodeRtu(9, Uint8Array.of(24, 0, 6, 0, 2, 1, 184, 18, 132)),
  ...questions.map((pdu) => encodeRtu(9, pdu)),
];

function makeBytes(next: () => number): Uint8Array {
  const pick = (below: number): number => Math.floor(next() * below);
  if (next() < 0.3) return Uint8Array.from({ length: pick(40) }, () => pick(256));
  const frame = [...seeds[pick(seeds.length)]!];
  if (next() < 0.3) frame.unshift(...Array.from({ length: pick(6) }, () => pick(256)));
  for (let i = pick(3); i > 0; i--) frame[pick(frame.length)]! ^= 1 << pick(8);
  if (next() < 0.2) frame.splice(pick(frame.length), 1);
  if (next() < 0.2) frame.splice(pick(frame.length), 0, pick(256));
  if (next() < 0.1) frame.push(...seeds[pick(seeds.length)]!);
  return Uint8Array.from(next() < 0.2 ? frame.slice(0, pick(frame.length + 1)) : frame);
}

/** What every decoder promises: progress, and positions inside what it was given. */
function check(decoded: Decoded, length: number): boolean {
  if (decoded.kind === 'incomplete') return true;
  if (decoded.kind === 'garbage') return decoded.skip > 0 && decoded.skip <= length;
  return decoded.start >= 0 && decoded.end > decoded.start && decoded.end <= length && decoded.pdu.length > 0 && decoded.pdu.length <= 253;
}

test(`no decoder throws, stalls or leaves its bytes on ${total} random and mutated frames`, () => {
  const next = random(20261201);
  const decoders = [
    decodeRtuResponse,
    decodeRtuRequest,
    decodeAscii,
    (bytes: Uint8Array) => decodeTcp(bytes),
    (bytes: Uint8Array) => decodeTcp(bytes, 2),
  ];
  for (let i = 0; i < total; i++) {
    const bytes = makeBytes(next);
    const pdu = questions[i % questions.length]!;
    if (!check(decoders[i % decoders.length]!(bytes), bytes.length))
      throw new Error(`decoder ${i % decoders.length} on ${Buffer.from(bytes).toString('hex')}`);
    const judged = judgeAnswer(pdu, bytes);
    if (judged.kind === 'answer' && bytes[0] !== pdu[0])
      throw new Error(`answer of another function: ${Buffer.from(bytes).toString('hex')}`);
    const frame = i & 1 ? encodeRtu(9, pdu) : encodeAscii(9, pdu);
    const finding = (i & 1 ? scanRtu : scanAscii)(
      { unitId: 9, pdu, frame, echo: i % 3 === 0 ? 'yes' : i % 3 === 1 ? 'no' : 'unknown' },
      bytes,
    );
    if (finding.loose > bytes.length || (finding.answer && finding.answer.end > bytes.length))
      throw new Error(`scan on ${Buffer.from(bytes).toString('hex')}`);
    if (i % 4 === 0) decodeRequestPdu(bytes);
  }
}, 120_000);

test('a decoder fed again and again with garbage comes to its end', () => {
  const next = random(7);
  for (let round = 0; round < 2000; round++) {
    let bytes = Uint8Array.from({ length: 600 }, () => Math.floor(next() * 256));
    for (let step = 0; bytes.length > 0; step++) {
      const decoded = decodeRtuResponse(bytes);
      if (decoded.kind === 'incomplete') break;
      bytes = bytes.slice(decoded.kind === 'frame' ? decoded.end : decoded.skip);
      expect(step).toBeLessThan(601);
    }
    expect(bytes.length).toBeLessThan(600);
  }
});

test('the right answer is found behind any noise, and inside none of it', () => {
  const pdu = encodeRequestPdu({ functionCode: 3, address: 560, quantity: 2 });
  const frame = encodeRtu(9, pdu);
  const answer = encodeRtu(9, wordsPdu(3, [40000, 25]));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 10 }), (before, behind) => {
      const finding = scanRtu({ unitId: 9, pdu, frame, echo: 'unknown' }, Uint8Array.from([...before, ...answer, ...behind]));
      expect(finding.answer).toMatchObject({ start: before.length, end: before.length + answer.length });
    }),
    { numRuns: 5000 },
  );
});

test('MBAP length FFFF is refused at once and never waited for', () => {
  expect(decodeTcp(Uint8Array.from([0, 1, 0, 0, 0xff, 0xff]))).toMatchObject({ kind: 'garbage', reason: 'mbap-length' });
  expect(decodeTcp(Uint8Array.from([0, 1, 0x48, 0x54, 0, 6, 1]))).toMatchObject({ kind: 'garbage', reason: 'protocol-id' }); // H03
});
