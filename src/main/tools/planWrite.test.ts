import { expect, test } from 'vitest';
import type { WireReply } from '../../shared/contracts/devices.ts';
import { HandrailError } from '../../shared/errors.ts';
import { observe } from './planWrite.ts';

const at = { connection: 'line', unitId: 9, table: 'holding', address: 560, length: 1 } as const;

/** A wire that gives these answers, one a question. */
function wireOf(answers: readonly { word: number; unverified?: true }[]) {
  let asked = 0;
  return {
    asked: () => asked,
    async request(): Promise<WireReply> {
      const { word, ...more } = answers[asked++]!;
      return {
        words: [word],
        ...more,
        readAt: '2026-01-01T00:00:00.000Z',
        durationMs: 1,
        attempts: 1,
        crcValid: true,
        tx: new Uint8Array(8),
        rx: new Uint8Array(7),
      };
    },
  };
}
const look = (wire: ReturnType<typeof wireOf>) => observe(wire, at, (raw) => raw[0] as number, new AbortController().signal);

test('one sure look is enough for a write', async () => {
  const wire = wireOf([{ word: 5 }]);
  expect((await look(wire)).value).toBe(5);
  expect(wire.asked()).toBe(1);
});

test('a doubtful first look is not acted on: the late answer of another question is seen through', async () => {
  const wire = wireOf([
    { word: 99, unverified: true },
    { word: 5, unverified: true },
    { word: 5, unverified: true },
  ]);
  expect((await look(wire)).value).toBe(5);
  expect(wire.asked()).toBe(3);
});

test('doubtful looks that never agree plan no write', async () => {
  const wire = wireOf([1, 2, 3, 4].map((word) => ({ word, unverified: true })));
  const failure = await look(wire).catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(HandrailError);
  expect((failure as HandrailError).code).toBe('FRAME_MISMATCH');
});
