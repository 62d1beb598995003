import { HandrailError } from '../../shared/errors.ts';
import type { ApprovalCard, ApprovalDecision, Approver } from '../../shared/contracts/approvals.ts';

type Waiting = { card: ApprovalCard; shownAt: number; settle(decision: ApprovalDecision): void };

export type ApprovalDesk = Approver & {
  /** Cards that wait for a person, oldest first. */
  waiting(): ApprovalCard[];
  /**
   * A person's answer. Throws APPROVAL_MISMATCH when card or digest is not what is shown or the press came sooner than a
   * person can read it, APPROVAL_EXPIRED when its time is over. A rejection is taken at any time.
   */
  decide(answer: { cardId: string; digest: string; approved: boolean; how: 'hold' | 'typed' | 'reject' }, by: string): void;
  /** Rejects all that waits: window closed, lock, stop. */
  closeAll(): void;
  onNews(listener: (news: DeskNews) => void): () => void;
};

export type DeskNews =
  | { type: 'waiting'; card: ApprovalCard }
  | { type: 'settled'; cardId: string; approved: boolean; how: ApprovalDecision['how']; by: string };

/** A fresh card cannot be approved before this: a click meant for something else must not become consent (ui.md 5.4). */
export const armDelayMs = 700;

/** Where approval cards wait for the person at the window. Consent binds to one card and its digest, once. */
export function createApprovalDesk(deps: { now(): number }): ApprovalDesk {
  const open = new Map<string, Waiting>();
  const listeners = new Set<(news: DeskNews) => void>();
  const waiting = (): ApprovalCard[] => [...open.values()].map((w) => w.card);
  const tell = (news: DeskNews): void => listeners.forEach((listener) => listener(news));
  const settle = (cardId: string, decision: ApprovalDecision): void => {
    const found = open.get(cardId);
    if (!found) return;
    open.delete(cardId);
    found.settle(decision);
    tell({ type: 'settled', cardId, approved: decision.approved, how: decision.how, by: decision.by });
  };

  return {
    waiting,
    onNews(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ask(card, signal) {
      return new Promise((done) => {
        const lifeMs = Math.max(0, Date.parse(card.expiresAt) - deps.now());
        const refuse = (how: 'expired' | 'closed'): void => settle(card.cardId, { approved: false, by: '', digest: card.digest, how });
        const timer = setTimeout(() => refuse('expired'), lifeMs);
        const onAbort = (): void => refuse('closed');
        open.set(card.cardId, {
          card,
          shownAt: deps.now(),
          settle(decision) {
            clearTimeout(timer);
            signal.removeEventListener('abort', onAbort);
            done(decision);
          },
        });
        signal.addEventListener('abort', onAbort, { once: true });
        tell({ type: 'waiting', card });
        if (signal.aborted) onAbort();
      });
    },
    decide(answer, by) {
      const found = open.get(answer.cardId);
      if (!found) throw new HandrailError('APPROVAL_EXPIRED', { detail: { target: answer.cardId } });
      const target = found.card.items.map((item) => item.tag ?? item.reference).join(', ');
      if (!answer.approved) return settle(answer.cardId, { approved: false, by, digest: found.card.digest, how: 'reject' });
      if (answer.digest !== found.card.digest) throw new HandrailError('APPROVAL_MISMATCH', { detail: { reason: `digest of ${target}` } });
      if (deps.now() > Date.parse(found.card.expiresAt)) throw new HandrailError('APPROVAL_EXPIRED', { detail: { target } });
      if (deps.now() - found.shownAt < armDelayMs) {
        throw new HandrailError('APPROVAL_MISMATCH', { detail: { reason: `pressed within ${armDelayMs} ms after the card came up` } });
      }
      if (found.card.taint.length > 0 && answer.how !== 'typed') {
        throw new HandrailError('APPROVAL_MISMATCH', { detail: { reason: 'untrusted text led to this card, so the value must be typed' } });
      }
      settle(answer.cardId, { approved: true, by, digest: answer.digest, how: answer.how });
    },
    closeAll() {
      for (const { card } of [...open.values()]) settle(card.cardId, { approved: false, by: '', digest: card.digest, how: 'closed' });
    },
  };
}
