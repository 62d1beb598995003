import { hash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canonicalJson } from '../../shared/canonicalJson.ts';
import type { WriteVerdict } from '../../shared/contracts/approvals.ts';
import { writeSteps, type RecordStore, type WriteStep } from '../../shared/contracts/record.ts';
import { checksumFits } from './judges.ts';
import { call, createBench, intent, plantItem, recordCall, startSession, type Bench } from './testKit.ts';

let bench: Bench;
let record: RecordStore;
beforeEach(() => {
  bench = createBench();
  ({ record } = bench.open());
  startSession(record);
});
afterEach(() => bench.end());

test('a session replays as a timeline with the same verdicts, and writes nothing', () => {
  recordCall(record, 'c1');
  const before = record.health().events;
  const replay = record.replaySession('s1');
  expect(replay).toMatchObject({ same: true, firstDifference: null, session: { id: 's1' } });
  expect(replay.steps.map((step) => [step.event.kind, step.offsetMs])).toEqual([
    ['session-started', 0],
    ['turn-started', 1],
    ['call', 2],
    ['result', 3],
  ]);
  expect(replay.steps.every((step) => step.checks.some((check) => check.name === 'hash' && check.same))).toBe(true);
  expect(record.health().events).toBe(before);
  expect(() => record.replaySession('none')).toThrow(expect.objectContaining({ code: 'STORE_NOT_FOUND' }) as Error);
});

const frame = (hex: string, crc_valid: boolean) => ({
  at: '',
  t: 0,
  connection: 'c1',
  direction: 'rx' as const,
  hex,
  verdict: 'ok',
  crc_valid,
  note: null,
});

test('checksums are computed again from the recorded bytes', () => {
  // Unit 17, holding registers 450 and 123; the same with a flipped bit; ASCII of unit 17.
  record.append({
    kind: 'frames',
    session: 's1',
    call: 'c1',
    payload: { call_id: 'c1', frames: [frame('11030401c2007b0bd1', true), frame('11030401c3007b0bd1', false)] },
  });
  expect(record.replaySession('s1')).toMatchObject({ same: true });
  expect(record.replaySession('s1').steps.at(-1)!.checks).toContainEqual({
    name: 'checksum',
    recorded: 'valid wrong',
    again: 'valid wrong',
    same: true,
  });
  record.append({ kind: 'frames', session: 's1', call: 'c1', payload: { call_id: 'c1', frames: [frame('11030401c3007b0bd1', true)] } });
  expect(record.replaySession('s1')).toMatchObject({
    same: false,
    firstDifference: { seq: 4, name: 'checksum', recorded: 'valid', again: 'wrong' },
  });
});

test('both kinds of checksum are known', () => {
  expect(checksumFits(Buffer.from(':1103006B00037E\r\n'))).toBe(true);
  expect(checksumFits(Buffer.from(':1103006B00037F\r\n'))).toBe(false);
  expect(checksumFits(Buffer.from('3a', 'hex'))).toBe(false);
});

function card(expiresAt = '2026-12-01T00:00:00.000Z') {
  const { kind: _kind, can_undo: _can, ...item } = plantItem();
  return {
    cardId: 'k1',
    callId: 'w1',
    sessionId: 's1',
    title: { en: 'Write', zh: '写入' },
    items: [item],
    digest: hash('sha256', canonicalJson({ items: [item], files: [] }), 'hex'),
    createdAt: '',
    expiresAt,
    words: '',
    taint: [],
  };
}
const decided = (digest: string) =>
  ({
    kind: 'approval-decided',
    session: 's1',
    call: 'w1',
    payload: { card_id: 'k1', call_id: 'w1', approved: true, by: 'wang', digest, how: 'hold' },
  }) as const;

test('a consent counts for what was shown, in time, once', () => {
  const asked = card();
  const consent = { card_id: 'k1', digest: asked.digest, by: 'wang', how: 'hold' };
  record.append({ kind: 'approval-asked', session: 's1', call: 'w1', payload: asked });
  record.append(decided(asked.digest));
  record.append({ kind: 'intent', session: 's1', call: 'w1', payload: { ...intent('w1'), consent } });
  expect(record.replaySession('s1')).toMatchObject({ same: true });
  record.append({ kind: 'intent', session: 's1', call: 'w2', payload: { ...intent('w2'), consent } });
  expect(record.replaySession('s1').firstDifference).toMatchObject({ name: 'consent', again: 'without consent' });
});

test.each([
  ['another digest', 'f'.repeat(64), undefined],
  ['too late', null, '2026-11-30T07:00:00.000Z'],
])('a consent is void: %s', (_name, digest, expiresAt) => {
  const asked = card(expiresAt);
  record.append({ kind: 'approval-asked', session: 's1', call: 'w1', payload: asked });
  record.append(decided(digest ?? asked.digest));
  expect(record.replaySession('s1').firstDifference).toMatchObject({ name: 'consent', recorded: 'approved', again: 'void' });
});

const seen = (raw: number, delay = 0): WriteStep => writeSteps.readBack('w1', 0, { delay_ms: delay, value: raw / 10, raw: [raw] });
const ok = writeSteps.answered('w1', 0, { acknowledged: true, exception: null });

test.each<[WriteVerdict, WriteStep[]]>([
  ['confirmed', [ok, seen(450)]],
  ['not-taken', [ok, seen(400), seen(400)]],
  ['clamped', [ok, seen(430), seen(430)]],
  ['overwritten', [ok, seen(450), seen(400)]],
  ['different', [ok, seen(999)]],
  ['unknown', [ok]],
  ['unknown', [writeSteps.unanswered('w1', 0, 'TIMEOUT'), seen(450)]],
  ['not-taken', [writeSteps.answered('w1', 0, { acknowledged: false, exception: 2 }), seen(400)]],
])('a write is judged %s again from what was read back', (verdict, steps) => {
  record.append({ kind: 'call', session: 's1', turn: 't1', call: 'w1', payload: call('w1', { tool: 'tag_write' }) });
  record.append({ kind: 'intent', session: 's1', call: 'w1', payload: intent('w1') });
  for (const payload of [writeSteps.aboutToSend('w1', 0), ...steps, writeSteps.verdict('w1', 0, verdict, null)]) {
    record.append({ kind: 'write-step', session: 's1', call: 'w1', payload });
  }
  const replay = record.replaySession('s1');
  expect(replay.firstDifference).toBeNull();
  expect(replay.steps.at(-1)!.checks).toContainEqual({ name: 'write verdict', recorded: verdict, again: verdict, same: true });
});

test('a verdict that the read-back does not bear out is named', () => {
  record.append({ kind: 'intent', session: 's1', call: 'w1', payload: intent('w1') });
  for (const payload of [writeSteps.aboutToSend('w1', 0), ok, seen(400), writeSteps.verdict('w1', 0, 'confirmed', 45)]) {
    record.append({ kind: 'write-step', session: 's1', call: 'w1', payload });
  }
  expect(record.replaySession('s1').firstDifference).toMatchObject({ name: 'write verdict', recorded: 'confirmed', again: 'not-taken' });
});
