import type { Database } from 'better-sqlite3';
import {
  knownOfWrite,
  type EventPayloads,
  type Intent,
  type RecordEvent,
  type WriteItemState,
  type WriteStep,
} from '../../shared/contracts/record.ts';
import { readPayload } from './recordable.ts';
import { createIndexing } from './indexing.ts';

/** Derived tables: they say nothing that the events do not, and `rebuild` makes them again from the events alone. */
export type Projections = {
  /** `payload`: its value if it is at hand; else it is read from the event. */
  apply(event: RecordEvent, payload?: unknown): void;
  /** Writes the counts that were added up; to be called before the transaction of the `apply` calls ends. */
  finish(): void;
  /** Forgets counts of a transaction that was taken back. */
  forget(): void;
  clear(): void;
  /** Events whose payload has not the shape of their kind. */
  faults: readonly { seq: number; reason: string }[];
};

export function createProjections(db: Database): Projections {
  const s = prepare(db);
  const indexing = createIndexing(db);
  const faults: { seq: number; reason: string }[] = [];

  /** Counts of the running transaction: one row written a session and turn, not one an event. */
  const seen = new Map<string, { lastSeq: number; calls: number }>();
  const turnCalls = new Map<string, number>();

  function apply(event: RecordEvent, payload: unknown = readPayload(event.payload)): void {
    try {
      derive(event, payload);
    } catch (error) {
      // A payload of the wrong shape stays in the chain as it is; it must not keep the events behind it from the disk.
      if (!(error instanceof TypeError)) throw error;
      faults.push({ seq: event.seq, reason: error.message });
    }
  }

  function derive(event: RecordEvent, payload: unknown): void {
    if (event.session !== null) countSession(event.session, event.seq, event.kind === 'call' ? 1 : 0);
    project(event, payload);
    indexing.add(event, payload);
  }

  function countSession(id: string, lastSeq: number, calls: number): void {
    const sum = seen.get(id);
    if (sum === undefined) seen.set(id, { lastSeq, calls });
    else {
      sum.lastSeq = lastSeq;
      sum.calls += calls;
    }
  }

  function forget(): void {
    seen.clear();
    turnCalls.clear();
  }

  function finish(): void {
    for (const [id, sum] of seen) s.touchSession.run(sum.lastSeq, sum.calls, id);
    for (const [id, calls] of turnCalls) s.countTurnCall.run(calls, id);
    forget();
  }

  function project(event: RecordEvent, payload: unknown): void {
    switch (event.kind) {
      case 'session-started': {
        const p = payload as EventPayloads['session-started'];
        if (event.session !== null) s.startSession.run(event.session, event.at, p.title, p.door, p.operator, event.seq);
        return;
      }
      case 'session-ended':
        s.endSession.run(event.at, event.session);
        return;
      case 'turn-started': {
        const p = payload as EventPayloads['turn-started'];
        if (event.turn === null) return;
        // A session of which a cut left nothing goes on: its beginning is gone, and with it the door.
        if (event.session !== null) s.startSession.run(event.session, event.at, '', '', '', event.seq);
        s.startTurn.run(event.turn, event.session ?? '', event.at, p.text, p.planner, event.seq);
        s.countTurn.run(p.text.slice(0, 80), event.session);
        return;
      }
      case 'turn-ended': {
        const p = payload as EventPayloads['turn-ended'];
        s.endTurn.run(event.at, p.answer, p.grounded ? 1 : 0, event.turn);
        return;
      }
      case 'call': {
        const p = payload as EventPayloads['call'];
        s.startCall.run(p.call_id, p.session_id, p.turn_id, p.parent_call_id, p.tool, p.meta.caller, p.meta.timestamp, event.seq);
        if (p.turn_id !== null) turnCalls.set(p.turn_id, (turnCalls.get(p.turn_id) ?? 0) + 1);
        return;
      }
      case 'result': {
        const p = payload as EventPayloads['result'];
        const m = p.meta;
        s.endCall.run(
          bit(p.ok),
          p.error?.code ?? null,
          m.duration_ms,
          m.exit_code,
          m.status_code,
          bit(m.crc_valid),
          m.fallback?.kind ?? null,
          event.seq,
          p.call_id,
        );
        return;
      }
      case 'call-stopped': {
        const p = payload as EventPayloads['call-stopped'];
        const state = p.step !== 'interrupted' ? 'ended' : hasUnknownWrites(p.call_id) ? 'unknown' : 'interrupted';
        s.stopCall.run(state, p.error?.code ?? null, event.seq, p.call_id);
        return;
      }
      case 'intent': {
        const p = payload as Intent;
        s.intent.run(p.undoes, event.seq, p.call_id);
        p.items.forEach((item, i) => s.addItem.run(p.call_id, i, event.seq, item.kind, item.can_undo ? 1 : 0));
        s.countWrite.run(event.session);
        return;
      }
      case 'write-step':
        applyWriteStep(payload as WriteStep);
        return;
      case 'approval-asked': {
        const p = payload as EventPayloads['approval-asked'];
        s.askApproval.run(p.cardId, p.callId, event.seq);
        return;
      }
      case 'approval-decided': {
        const p = payload as EventPayloads['approval-decided'];
        s.decideApproval.run(event.seq, p.approved ? 1 : 0, p.card_id);
        return;
      }
      case 'retention':
        s.cut.run((payload as EventPayloads['retention']).to_seq, event.seq);
        return;
      case 'state':
      case 'snapshot':
      case 'armed':
      case 'locked':
      case 'frames':
      case 'message':
      case 'run':
      case 'recovery':
      case 'note':
        return;
    }
  }

  function hasUnknownWrites(callId: string): boolean {
    return writesOf(db, callId).writes.some((item) => item.state === 'unknown');
  }

  function applyWriteStep(step: WriteStep): void {
    const { intent, writes } = writesOf(db, step.call_id);
    const item = writes[step.item];
    if (intent === null || item === undefined) return;
    s.setItem.run(item.state, item.verdict, step.call_id, step.item);
    if (item.state !== 'unknown' && !writes.some((other) => other.state === 'unknown')) s.settled.run(step.call_id);
    // An undo counts once everything it set out to write back is confirmed.
    if (intent.undoes !== null && writes.every((other) => other.verdict === 'confirmed')) s.undone.run(step.call_id, intent.undoes);
    // "Undo the last three" takes back several calls in one: each counts once its own items are confirmed.
    const back = takenBack(item.write);
    if (back !== null && writes.every((other) => takenBack(other.write) !== back || other.verdict === 'confirmed'))
      s.undone.run(step.call_id, back);
  }

  function clear(): void {
    for (const table of ['turn', 'call', 'write_item', 'approval']) db.exec(`DELETE FROM ${table}`);
    // A session whose beginning was cut keeps its row: nothing could make it again. Its counts start anew.
    db.exec(`DELETE FROM session WHERE id IN (SELECT session FROM event WHERE kind = 'session-started')`);
    db.exec('UPDATE session SET turns = 0, calls = 0, writes = 0');
    indexing.clear();
  }

  return { apply, finish, forget, clear, faults };
}

const takenBack = (write: WriteItemState['write']): string | null => (write.kind === 'plant' ? (write.takesBack?.callId ?? null) : null);

/** Intent and steps of a call as the events tell them. */
export function writesOf(db: Database, callId: string): { intent: Intent | null; writes: WriteItemState[] } {
  const rows = db
    .prepare(`SELECT kind, payload FROM event WHERE call = ? AND kind IN ('intent', 'write-step') ORDER BY seq`)
    .all(callId) as { kind: string; payload: string }[];
  const first = rows.find((row) => row.kind === 'intent');
  if (first === undefined) return { intent: null, writes: [] };
  const intent = readPayload(first.payload) as Intent;
  const steps = rows.filter((row) => row.kind === 'write-step').map((row) => readPayload(row.payload) as WriteStep);
  return { intent, writes: knownOfWrite(intent, steps) };
}

function bit(value: boolean | null): number | null {
  return value === null ? null : value ? 1 : 0;
}

function prepare(db: Database) {
  return {
    touchSession: db.prepare('UPDATE session SET last_seq = ?, calls = calls + ? WHERE id = ?'),
    startSession: db.prepare(
      'INSERT INTO session (id, started_at, title, door, operator, last_seq) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
    ),
    endSession: db.prepare('UPDATE session SET ended_at = ? WHERE id = ?'),
    startTurn: db.prepare(
      'INSERT INTO turn (id, session, started_at, text, planner, seq) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
    ),
    countTurn: db.prepare(`UPDATE session SET turns = turns + 1, title = CASE WHEN title = '' THEN ? ELSE title END WHERE id = ?`),
    endTurn: db.prepare('UPDATE turn SET ended_at = ?, answer = ?, grounded = ? WHERE id = ?'),
    startCall: db.prepare(
      `INSERT INTO call (id, session, turn, parent, tool, caller, at, state, call_seq) VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?) ON CONFLICT (id) DO NOTHING`,
    ),
    countTurnCall: db.prepare('UPDATE turn SET calls = calls + ? WHERE id = ?'),
    endCall: db.prepare(
      `UPDATE call SET state = 'ended', ok = ?, error_code = ?, duration_ms = ?, exit_code = ?, status_code = ?, crc_valid = ?, fallback = ?, result_seq = ? WHERE id = ?`,
    ),
    stopCall: db.prepare(
      `UPDATE call SET state = CASE WHEN result_seq IS NULL THEN ? ELSE state END, ok = coalesce(ok, 0), error_code = coalesce(error_code, ?), stopped_seq = ? WHERE id = ?`,
    ),
    settled: db.prepare(`UPDATE call SET state = 'interrupted' WHERE id = ? AND state = 'unknown'`),
    intent: db.prepare('UPDATE call SET undoes = ?, intent_seq = ? WHERE id = ?'),
    undone: db.prepare('UPDATE call SET undone_by = ? WHERE id = ?'),
    countWrite: db.prepare('UPDATE session SET writes = writes + 1 WHERE id = ?'),
    addItem: db.prepare(
      `INSERT INTO write_item (call, item, seq, kind, state, verdict, can_undo) VALUES (?, ?, ?, ?, 'not-sent', NULL, ?) ON CONFLICT DO NOTHING`,
    ),
    setItem: db.prepare('UPDATE write_item SET state = ?, verdict = ? WHERE call = ? AND item = ?'),
    askApproval: db.prepare('INSERT INTO approval (card, call, asked_seq) VALUES (?, ?, ?) ON CONFLICT (card) DO NOTHING'),
    decideApproval: db.prepare('UPDATE approval SET decided_seq = ?, approved = ? WHERE card = ? AND decided_seq IS NULL'),
    cut: db.prepare('INSERT INTO cut (to_seq, event_seq) VALUES (?, ?) ON CONFLICT DO NOTHING'),
  };
}
