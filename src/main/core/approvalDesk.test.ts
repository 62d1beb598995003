import { expect, test } from 'vitest';
import type { ApprovalCard } from '../../shared/contracts/approvals.ts';
import { HandrailError } from '../../shared/errors.ts';
import { armDelayMs, createApprovalDesk } from './approvalDesk.ts';

const start = Date.parse('2026-11-30T08:00:00.000Z');
const card = (over: Partial<ApprovalCard> = {}): ApprovalCard => ({
  cardId: 'c1',
  callId: 'k1',
  sessionId: 's',
  title: { en: 'Write 1 value?', zh: '写入 1 个值？' },
  items: [],
  digest: 'd1',
  createdAt: new Date(start).toISOString(),
  expiresAt: new Date(start + 60_000).toISOString(),
  words: '',
  taint: [],
  ...over,
});
const code = (run: () => void): string => {
  try {
    run();
  } catch (error) {
    return error instanceof HandrailError ? error.code : 'other';
  }
  return 'taken';
};

function desk() {
  let now = start;
  return { desk: createApprovalDesk({ now: () => now }), pass: (ms: number) => (now += ms) };
}

test('an approval is taken once, with the digest that was shown, after the arm delay', async () => {
  const { desk: d, pass } = desk();
  const answer = d.ask(card(), new AbortController().signal);
  expect(code(() => d.decide({ cardId: 'c1', digest: 'd1', approved: true, how: 'hold' }, 'li'))).toBe('APPROVAL_MISMATCH');
  pass(armDelayMs);
  expect(code(() => d.decide({ cardId: 'c1', digest: 'other', approved: true, how: 'hold' }, 'li'))).toBe('APPROVAL_MISMATCH');
  expect(code(() => d.decide({ cardId: 'c1', digest: 'd1', approved: true, how: 'hold' }, 'li'))).toBe('taken');
  expect(await answer).toEqual({ approved: true, by: 'li', digest: 'd1', how: 'hold' });
  expect(code(() => d.decide({ cardId: 'c1', digest: 'd1', approved: true, how: 'hold' }, 'li'))).toBe('APPROVAL_EXPIRED');
});

test('a rejection needs no delay, an expired card takes no consent, a stop closes what waits', async () => {
  const { desk: d, pass } = desk();
  const rejected = d.ask(card(), new AbortController().signal);
  d.decide({ cardId: 'c1', digest: '', approved: false, how: 'reject' }, 'li');
  expect((await rejected).how).toBe('reject');
  const late = d.ask(card({ cardId: 'c2' }), new AbortController().signal);
  pass(60_001);
  expect(code(() => d.decide({ cardId: 'c2', digest: 'd1', approved: true, how: 'hold' }, 'li'))).toBe('APPROVAL_EXPIRED');
  const stop = new AbortController();
  const stopped = d.ask(card({ cardId: 'c3', expiresAt: new Date(start + 200_000).toISOString() }), stop.signal);
  expect(d.waiting().map((c) => c.cardId)).toContain('c3');
  stop.abort();
  expect((await stopped).how).toBe('closed');
  d.closeAll();
  expect((await late).approved).toBe(false);
});

test('a card that untrusted text led to wants the value typed', () => {
  const { desk: d, pass } = desk();
  void d.ask(card({ taint: ['log line'] }), new AbortController().signal);
  pass(armDelayMs);
  expect(code(() => d.decide({ cardId: 'c1', digest: 'd1', approved: true, how: 'hold' }, 'li'))).toBe('APPROVAL_MISMATCH');
  expect(code(() => d.decide({ cardId: 'c1', digest: 'd1', approved: true, how: 'typed' }, 'li'))).toBe('taken');
});

test('two cards that wait are both told of and both shown, and each takes only its own answer', async () => {
  const { desk: d, pass } = desk();
  const told: string[] = [];
  d.onNews((news) => told.push(`${news.type} ${news.type === 'waiting' ? news.card.cardId : news.cardId}`));
  const first = d.ask(card(), new AbortController().signal);
  const second = d.ask(card({ cardId: 'c2', digest: 'd2' }), new AbortController().signal);
  expect(d.waiting().map((c) => c.cardId)).toEqual(['c1', 'c2']);
  pass(armDelayMs);
  expect(code(() => d.decide({ cardId: 'c2', digest: 'd1', approved: true, how: 'hold' }, 'li'))).toBe('APPROVAL_MISMATCH');
  d.decide({ cardId: 'c2', digest: 'd2', approved: true, how: 'hold' }, 'li');
  expect((await second).approved).toBe(true);
  expect(d.waiting().map((c) => c.cardId)).toEqual(['c1']);
  d.decide({ cardId: 'c1', digest: 'd1', approved: false, how: 'reject' }, 'li');
  expect((await first).approved).toBe(false);
  expect(told).toEqual(['waiting c1', 'waiting c2', 'settled c2', 'settled c1']);
});
