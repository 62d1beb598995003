import { expect, test } from 'vitest';
import type { ApprovalItem } from '../../shared/contracts/approvals.ts';
import { askConsent, makeCard } from './approvals.ts';

test('a consent covers each value of its card once, and nothing else', async () => {
  let elapsed = 0;
  const clock = { now: () => elapsed, elapsed: () => elapsed, after: () => () => undefined };
  const item = { tag: 'boiler_sp', label: { en: 'x', zh: 'x' }, now: 80, after: 90 } as unknown as ApprovalItem;
  const card = makeCard({ callId: 'c', sessionId: 's', items: [item], words: '', taint: [] }, { clock, cardId: 'k' });
  const consent = await askConsent(card, {
    approver: { ask: async () => ({ approved: true, by: 'person:li', digest: card.digest, how: 'hold' }) },
    clock,
    signal: new AbortController().signal,
    decided: () => undefined,
  });
  expect(() => consent.useItem({ ...item, after: 91 })).toThrow(/used already, or shows something else/);
  consent.useItem(item);
  expect(() => consent.useItem(item)).toThrow(/used already/);
  elapsed = 60_000;
  expect(() => consent.useItem(item)).toThrow(/expired/);
});
