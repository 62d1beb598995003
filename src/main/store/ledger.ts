import type { Database } from 'better-sqlite3';
import { countProgramCall, countRun, countTurn, emptyLedger, viewOf, type Ledger, type LedgerReport } from '../../shared/ledger.ts';
import type { SessionRow } from '../../shared/contracts/record.ts';

type TurnLine = { session: string; turn: string; at: string; sent: number; received: number; classic: number | null; programs: number };
type RunLine = { session: string; turn: string | null; status: string; times: number };

/**
 * Tokens and program runs of everything on record, from its events alone. A turn that was cut off has no report and counts for
 * nothing; a run without an end counts as interrupted. Reads the whole record: not for the main loop.
 */
export function ledgerOf(db: Database, sessionId: string | null): LedgerReport {
  const turns = db
    .prepare(
      `SELECT e.session, e.turn, e.at, coalesce(e.payload ->> '$.tokens.sent', 0) AS sent, coalesce(e.payload ->> '$.tokens.received', 0) AS received,
        e.payload ->> '$.tokens.classic' AS classic,
        (SELECT count(*) FROM call c WHERE c.session = e.session AND c.turn = e.turn AND c.tool = 'execute') AS programs
       FROM event e WHERE e.kind = 'turn-ended' AND e.session IS NOT NULL ORDER BY e.seq`,
    )
    .all() as TurnLine[];
  const runs = db
    .prepare(
      `SELECT c.session, c.turn, coalesce(r.payload ->> '$.result.status', r.payload ->> '$.error.code', 'interrupted') AS status, count(*) AS times
       FROM call c LEFT JOIN event r ON r.seq = c.result_seq WHERE c.tool = 'execute' GROUP BY 1, 2, 3`,
    )
    .all() as RunLine[];
  const inner = db
    .prepare(`SELECT c.session, count(*) AS times FROM call c JOIN call p ON p.id = c.parent WHERE p.tool = 'execute' GROUP BY c.session`)
    .all() as { session: string; times: number }[];

  const bySession = new Map<string, Ledger>();
  let overall = emptyLedger;
  const count = (session: string, fold: (ledger: Ledger) => Ledger): void => {
    overall = fold(overall);
    bySession.set(session, fold(bySession.get(session) ?? emptyLedger));
  };
  for (const turn of turns) count(turn.session, (ledger) => countTurn(ledger, turn, turn.programs > 0));
  for (const run of runs) count(run.session, (ledger) => countRun(ledger, run.status, run.times));
  for (const calls of inner) count(calls.session, (ledger) => countProgramCall(ledger, calls.times));

  const sessions = db.prepare('SELECT id, started_at AS startedAt, title FROM session ORDER BY last_seq DESC').all() as Pick<
    SessionRow,
    'id' | 'startedAt' | 'title'
  >[];
  const planner = db.prepare('SELECT planner FROM turn WHERE id = ?').pluck();
  const runsOf = (turn: string): Record<string, number> =>
    Object.fromEntries(runs.filter((run) => run.turn === turn).map((run) => [run.status, run.times]));
  return {
    overall: viewOf(overall),
    sessions: sessions
      .filter(({ id }) => bySession.has(id) && (sessionId === null || id === sessionId))
      .map(({ id, startedAt, title }) => ({ session: id, startedAt, title, ...viewOf(bySession.get(id)!) })),
    turns: turns
      .filter((turn) => turn.session === sessionId)
      .map(({ programs: _, ...turn }) => ({
        ...turn,
        planner: (planner.get(turn.turn) as string | undefined) ?? '',
        runs: runsOf(turn.turn),
      })),
  };
}
