import type { Database } from 'better-sqlite3';
import type { ApprovalCard } from '../../shared/contracts/approvals.ts';
import type { CallEnvelope, ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { CallRow, CallStopped, EventKind, RecordEvent, SearchHit, SessionRow, TurnRow } from '../../shared/contracts/record.ts';
import { linkBefore } from './exportSession.ts';
import { callTexts, spokenText } from './indexing.ts';
import { writesOf } from './projections.ts';
import { readPayload } from './recordable.ts';
import { searchExpression } from './searchTerms.ts';

const eventColumns = 'seq, at, session, turn, call, kind, payload, prev_hash, hash';
const sessionColumns = 'id, started_at AS startedAt, ended_at AS endedAt, title, turns, calls, writes, door, operator';

type CallLine = {
  id: string;
  state: CallRow['state'];
  undoes: string | null;
  undone_by: string | null;
  call_seq: number;
  result_seq: number | null;
  stopped_seq: number | null;
  intent_seq: number | null;
};
type TurnLine = Omit<TurnRow, 'grounded'> & { grounded: number | null };

/** Hits of a common word may be a million: newest first, and no further than this. */
const maxHits = 20_000;

export type Queries = ReturnType<typeof createQueries>;

/** Everything that reads the record. Rows of projections point at events; what is shown comes from the events. */
export function createQueries(db: Database) {
  const payloadAt = db.prepare('SELECT payload FROM event WHERE seq = ?').pluck();
  const callColumns = 'id, state, undoes, undone_by, call_seq, result_seq, stopped_seq, intent_seq';

  function payloadOf<T>(seq: number | null): T | null {
    const text = seq === null ? undefined : (payloadAt.get(seq) as string | undefined);
    return text === undefined ? null : (readPayload(text) as T);
  }

  function toCall(line: CallLine): CallRow {
    return {
      call: payloadOf<CallEnvelope>(line.call_seq)!,
      result: payloadOf<ResultEnvelope>(line.result_seq),
      state: line.state,
      undoes: line.undoes,
      undoneBy: line.undone_by,
      stopped: payloadOf<CallStopped>(line.stopped_seq),
      writes: line.intent_seq === null ? [] : writesOf(db, line.id).writes,
    };
  }

  const statements = {
    sessions: db.prepare(`SELECT ${sessionColumns} FROM session ORDER BY last_seq DESC LIMIT ?`),
    session: db.prepare(`SELECT ${sessionColumns} FROM session WHERE id = ?`),
    turns: db.prepare(
      'SELECT id, session, started_at AS startedAt, ended_at AS endedAt, text, planner, answer, grounded, calls FROM turn WHERE session = ? ORDER BY seq',
    ),
    events: db.prepare(`SELECT ${eventColumns} FROM event WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`),
    calls: db.prepare(`SELECT ${callColumns} FROM call WHERE session = ? ORDER BY call_seq`),
    call: db.prepare(`SELECT ${callColumns} FROM call WHERE id = ?`),
    undoable: db.prepare(
      `SELECT ${callColumns} FROM call WHERE undoes IS NULL AND undone_by IS NULL AND id IN (SELECT call FROM write_item WHERE state = 'done' AND verdict = 'confirmed' AND can_undo = 1 ORDER BY seq DESC LIMIT 10000)
       ORDER BY intent_seq DESC LIMIT ?`,
    ),
    unknown: db.prepare(
      `SELECT ${callColumns} FROM call WHERE id IN (SELECT call FROM write_item WHERE state = 'unknown') ORDER BY call_seq DESC`,
    ),
    open: db.prepare(`SELECT ${callColumns} FROM call WHERE state = 'open' ORDER BY call_seq`),
    cut: db.prepare(`SELECT payload FROM event WHERE seq = (SELECT event_seq FROM cut ORDER BY to_seq DESC LIMIT 1)`).pluck(),
    approvals: db.prepare('SELECT asked_seq FROM approval WHERE decided_seq IS NULL ORDER BY asked_seq').pluck(),
    search: db.prepare(
      `SELECT e.seq, e.session, e.turn, e.at, e.kind, e.payload FROM (SELECT rowid FROM search WHERE terms MATCH ? ORDER BY rowid DESC LIMIT ${maxHits}) s JOIN event e ON e.seq = s.rowid`,
    ),
  };

  type Found = { seq: number; session: string | null; turn: string | null; at: string; kind: EventKind; payload: string };

  function* found(text: string): Generator<Found> {
    const expression = searchExpression(text);
    if (expression !== '') yield* statements.search.iterate(expression) as IterableIterator<Found>;
  }

  function session(id: string): SessionRow | undefined {
    return statements.session.get(id) as SessionRow | undefined;
  }

  return {
    session,
    sessions: (options: { limit?: number; search?: string } = {}): SessionRow[] => {
      const limit = options.limit ?? 200;
      if (options.search === undefined || options.search.trim() === '') return statements.sessions.all(limit) as SessionRow[];
      const ids = new Set<string>();
      for (const hit of found(options.search)) {
        if (hit.session !== null) ids.add(hit.session);
        if (ids.size >= limit) break;
      }
      return [...ids].map(session).filter((row) => row !== undefined);
    },
    search: (text: string, options: { limit?: number } = {}): SearchHit[] => {
      const hits: SearchHit[] = [];
      for (const { payload, session: inSession, ...hit } of found(text)) {
        if (inSession === null) continue;
        const value = readPayload(payload);
        hits.push({ ...hit, session: inSession, text: spokenText(hit, value) ?? callTexts(hit, value).join(' ') });
        if (hits.length >= (options.limit ?? 100)) break;
      }
      return hits;
    },
    linkBefore: (sessionId: string): string | null => linkBefore(db, sessionId),
    turns: (sessionId: string): TurnRow[] =>
      (statements.turns.all(sessionId) as TurnLine[]).map((line) => ({
        ...line,
        grounded: line.grounded === null ? null : line.grounded === 1,
      })),
    events: (sessionId: string, options: { afterSeq?: number; limit?: number } = {}): RecordEvent[] =>
      statements.events.all(sessionId, options.afterSeq ?? 0, options.limit ?? -1) as RecordEvent[],
    calls: (sessionId: string): CallRow[] => (statements.calls.all(sessionId) as CallLine[]).map(toCall),
    call: (callId: string): CallRow | undefined => {
      const line = statements.call.get(callId) as CallLine | undefined;
      return line === undefined ? undefined : toCall(line);
    },
    undoable: (limit: number): CallRow[] => (statements.undoable.all(limit) as CallLine[]).map(toCall),
    unknownWrites: (): CallRow[] => (statements.unknown.all() as CallLine[]).map(toCall),
    openCalls: (): CallRow[] => (statements.open.all() as CallLine[]).map(toCall),
    openApprovals: (): ApprovalCard[] => (statements.approvals.all() as number[]).map((seq) => payloadOf<ApprovalCard>(seq)!),
  };
}
