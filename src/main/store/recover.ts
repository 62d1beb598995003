import type { Recovered } from '../../shared/contracts/record.ts';
import type { Journal } from './journal.ts';
import type { Queries } from './queries.ts';

/**
 * Says in the record what the last end left open: calls without a result are interrupted, approvals are closed (a restart
 * is a no), writes are told item by item as far as their steps go. Nothing is run again. Answers null after a clean end.
 */
export function recover(journal: Journal, queries: Queries): Recovered | null {
  const open = queries.openCalls();
  const cards = queries.openApprovals();
  if (open.length === 0 && cards.length === 0) return null;
  for (const card of cards) {
    journal.append(
      {
        kind: 'approval-decided',
        session: card.sessionId,
        call: card.callId,
        payload: { card_id: card.cardId, call_id: card.callId, approved: false, by: 'restart', digest: card.digest, how: 'closed' },
      },
      false,
    );
  }
  for (const { call } of open) {
    journal.append(
      {
        kind: 'call-stopped',
        session: call.session_id,
        turn: call.turn_id,
        call: call.call_id,
        payload: { call_id: call.call_id, step: 'interrupted', error: null },
      },
      false,
    );
  }
  const found: Recovered = {
    interrupted: open.map((row) => row.call.call_id),
    writes: open.filter((row) => row.writes.length > 0).map((row) => ({ call_id: row.call.call_id, items: row.writes })),
    approvals_closed: cards.map((card) => card.cardId),
  };
  journal.append({ kind: 'recovery', payload: found }, false);
  return found;
}
