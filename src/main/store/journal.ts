import type { Database } from 'better-sqlite3';
import { HandrailError } from '../../shared/errors.ts';
import type { NewEvent, RecordEvent } from '../../shared/contracts/record.ts';
import { hashOf, isRecordId } from './chain.ts';
import { storeWriteError } from './failures.ts';
import type { Projections } from './projections.ts';
import { payloadText } from './recordable.ts';

/** Reads and polls are committed together: one wait for the disk for all that came within this time. */
const groupMs = 50;
const groupSize = 512;
/** While the disk refuses, so many events wait in memory; then calls are refused rather than left unrecorded. */
const maxWaiting = 10_000;
const retryMs = 1_000;

export type Journal = {
  append(event: NewEvent, durable: boolean): RecordEvent;
  flush(): void;
  waiting(): number;
  failure(): HandrailError | null;
  tip(): { seq: number; hash: string };
  close(): void;
};

/**
 * The one writer of the chain. An event gets its place and hash at once, in memory; a durable one is on the disk when
 * `append` returns, together with all before it. A durable one that cannot be written is taken back: it did not happen.
 */
export function createJournal(deps: {
  db: Database;
  file: string;
  projections: Projections;
  now(): number;
  beforeDurable(): void;
}): Journal {
  const { db } = deps;
  const insert = db.prepare(
    'INSERT INTO event (seq, at, session, turn, call, kind, payload, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const setHead = db.prepare('UPDATE head SET seq = ?, hash = ? WHERE one = 1');
  let tip = db.prepare('SELECT seq, hash FROM head WHERE one = 1').get() as { seq: number; hash: string };
  let waiting: RecordEvent[] = [];
  let timer: NodeJS.Timeout | null = null;
  let failure: HandrailError | null = null;

  const commit = db.transaction((events: readonly RecordEvent[]) => {
    for (const e of events) {
      insert.run(e.seq, e.at, e.session, e.turn, e.call, e.kind, e.payload, e.prev_hash, e.hash);
      deps.projections.apply(e);
    }
    const last = events.at(-1)!;
    setHead.run(last.seq, last.hash);
  });

  function flush(): void {
    stopTimer();
    if (waiting.length === 0) return;
    try {
      commit.immediate(waiting);
      waiting = [];
      failure = null;
    } catch (error) {
      failure = storeWriteError(error, deps.file);
      throw failure;
    }
  }

  /** For events that need not be on the disk yet: a failure is kept and told by `failure()`, and tried again. */
  function flushLater(): void {
    try {
      flush();
    } catch {
      startTimer(retryMs);
    }
  }

  function startTimer(ms: number): void {
    timer ??= setTimeout(() => {
      timer = null;
      flushLater();
    }, ms).unref();
  }

  function stopTimer(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  }

  function append(event: NewEvent, durable: boolean): RecordEvent {
    if (durable) deps.beforeDurable();
    if (waiting.length >= maxWaiting) flush();
    const before = tip;
    const made = chain(event, before, deps.now());
    waiting.push(made);
    tip = { seq: made.seq, hash: made.hash };
    if (durable) {
      try {
        flush();
      } catch (error) {
        waiting.pop();
        tip = before;
        if (waiting.length > 0) startTimer(retryMs);
        throw error;
      }
    } else if (waiting.length >= groupSize && failure === null) flushLater();
    else startTimer(failure === null ? groupMs : retryMs);
    return made;
  }

  return {
    append,
    flush,
    waiting: () => waiting.length,
    failure: () => failure,
    tip: () => tip,
    close() {
      stopTimer();
    },
  };
}

function chain(event: NewEvent, tip: { seq: number; hash: string }, now: number): RecordEvent {
  const fields = {
    seq: tip.seq + 1,
    at: new Date(now).toISOString(),
    session: recordId(event.session, 'session'),
    turn: recordId(event.turn, 'turn'),
    call: recordId(event.call, 'call'),
    kind: event.kind,
    payload: payloadText(event.payload).text,
    prev_hash: tip.hash,
  };
  return { ...fields, hash: hashOf(fields) };
}

function recordId(id: string | null | undefined, what: string): string | null {
  if (id === null || id === undefined) return null;
  if (isRecordId(id)) return id;
  throw new HandrailError('INTERNAL', { detail: { reason: `${what} id ${JSON.stringify(id.slice(0, 40))} cannot stand in the record` } });
}
