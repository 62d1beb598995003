import type { Health } from '../../shared/contracts/api.ts';
import { countProgramCall, countRun, countTurn, emptyLedger, runStatus, viewOf, type Ledger } from '../../shared/ledger.ts';
import type { CoreParts } from './parts.ts';

/** Sessions shown one by one; the count of all goes on without end. */
const mostSessions = 20;

/** Counts tokens and program runs while they happen, by session and in all, since the start. */
export function watchLedger(parts: Pick<CoreParts, 'agent' | 'gateway'>, changed: () => void): { now(): Health['ledger']; close(): void } {
  let overall = emptyLedger;
  const sessions = new Map<string, Ledger>();
  /** Calls of `execute` that are open: what is called with one of them as its parent, a program called. */
  const running = new Set<string>();
  let lastTurn: Health['ledger']['lastTurn'] = null;

  function count(session: string, fold: (ledger: Ledger) => Ledger): void {
    overall = fold(overall);
    const ledger = fold(sessions.get(session) ?? emptyLedger);
    sessions.delete(session); // the latest stands last
    sessions.set(session, ledger);
    if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!);
    changed();
  }

  const stops = [
    parts.agent.onEvent((event) => {
      if (event.type !== 'turn-ended') return;
      const { session_id: session, turn_id: turn, tokens, calls } = event.report;
      lastTurn = { session, turn, ...tokens };
      count(session, (ledger) =>
        countTurn(
          ledger,
          tokens,
          calls.some(({ call }) => call.tool === 'execute'),
        ),
      );
    }),
    parts.gateway.onNews(({ call, phase, result }) => {
      if (call.tool === 'execute') {
        if (phase !== 'ended') running.add(call.call_id);
        else {
          running.delete(call.call_id);
          if (result !== null) count(call.session_id, (ledger) => countRun(ledger, runStatus(result)));
        }
      } else if (phase === 'ended' && call.parent_call_id !== null && running.has(call.parent_call_id))
        count(call.session_id, (ledger) => countProgramCall(ledger));
    }),
  ];
  return {
    now: () => ({
      overall: viewOf(overall),
      sessions: [...sessions].reverse().map(([session, ledger]) => ({ session, ...viewOf(ledger) })),
      lastTurn,
    }),
    close: () => stops.forEach((stop) => stop()),
  };
}
