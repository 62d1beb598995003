import type { Database } from 'better-sqlite3';
import { HandrailError } from '../../shared/errors.ts';
import type { EventKind, NewEvent, RecordEvent } from '../../shared/contracts/record.ts';
import { hashOf, isRecordId } from './chain.ts';
import type { CallEnvelope, ResultEnvelope } from '../../shared/contracts/calls.ts';
import { callTexts } from './indexing.ts';
import { storeWriteError } from './failures.ts';
import type { Projections } from './projections.ts';
import { payloadText } from './recordable.ts';

/** Reads and polls are committed together: one wait for the disk for all that came within this time. */
const groupMs = 50;
const groupSize = 512;
/** While the disk refuses, so many events wait in memory; then calls are refused rather than left unrecorded. */
const maxWaiting = 10_000;
const retryMs = 1_000;
const maxLinks = 2_000;

/** Committed at once, though kept if the disk refuses: what a start after a crash must not miss. */
const urgent: ReadonlySet<EventKind> = new Set<EventKind>(['write-step', 'approval-decided', 'turn-ended', 'recovery']);

export type Journal = {
  append(event: NewEvent, durable: boolean): RecordEvent;
  /** Work on other tables of the file that is committed with the next events. */
  alongside(work: () => void): void;
  flush(): void;
  waiting(): number;
  failure(): HandrailError | null;
  tip(): { seq: number; hash: string };
  close(): void;
};

/** An event on its way. `value`: what the derived tables need of its payload, so that the two frequent kinds are not parsed again. */
type Waiting = { made: RecordEvent; value: unknown };
type Tip = { seq: number; hash: string };
type Deps = { db: Database; file: string; projections: Projections; now(): number; beforeDurable(): void };

/**
 * The one writer of the chain. An event gets its place and hash at once, in memory; a durable one is on the disk when
 * `append` returns, together with all before it. A durable one that cannot be written is taken back: it did not happen.
 */
export function createJournal(deps: Deps): Journal {
  const { db } = deps;
  const insert = db.prepare(
    'INSERT INTO event (seq, at, session, turn, call, kind, payload, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const setHead = db.prepare('UPDATE head SET seq = ?, hash = ? WHERE one = 1');
  let tip = db.prepare('SELECT seq, hash FROM head WHERE one = 1').get() as Tip;
  const links = createLinks(db);
  const damage = damageAtTheEnd(db, tip);
  let waiting: Waiting[] = [];
  let work: (() => void)[] = [];
  let timer: NodeJS.Timeout | null = null;
  let failure: HandrailError | null = damage;

  const commit = db.transaction((events: readonly Waiting[], extra: readonly (() => void)[]) => {
    deps.projections.forget();
    for (const { made: e, value } of events) {
      insert.run(e.seq, e.at, e.session, e.turn, e.call, e.kind, e.payload, e.prev_hash, e.hash);
      deps.projections.apply(e, value);
    }
    deps.projections.finish();
    for (const job of extra) job();
    const last = events.at(-1)?.made;
    if (last !== undefined) setHead.run(last.seq, last.hash);
  });

  function flush(): void {
    stopTimer();
    if (waiting.length === 0 && work.length === 0) return;
    try {
      commit.immediate(waiting, work);
      waiting = [];
      work = [];
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
    if (damage !== null) throw damage;
    if (durable) deps.beforeDurable();
    if (waiting.length >= maxWaiting) flush();
    const before = tip;
    const link = event.session === undefined || event.session === null ? null : links.get(event.session);
    const { made, value } = chain(event, before, link, deps.now());
    waiting.push({ made, value });
    tip = { seq: made.seq, hash: made.hash };
    if (made.session !== null) links.set(made.session, made.hash);
    if (durable) {
      try {
        flush();
      } catch (error) {
        waiting.pop();
        tip = before;
        if (made.session !== null) links.set(made.session, link);
        if (waiting.length > 0) startTimer(retryMs);
        throw error;
      }
      if (made.kind === 'retention') links.forget();
    } else if (failure === null && (urgent.has(made.kind) || waiting.length >= groupSize)) flushLater();
    else startTimer(failure === null ? groupMs : retryMs);
    if (waiting.length === 0) links.trim();
    return made;
  }

  return {
    append,
    alongside(job) {
      work.push(job);
      startTimer(groupMs);
    },
    flush,
    waiting: () => waiting.length,
    failure: () => failure,
    tip: () => tip,
    close: stopTimer,
  };
}

function chain(event: NewEvent, tip: Tip, link: string | null, now: number): Waiting {
  const { text, value } = payloadText(event.payload);
  const fields = {
    seq: tip.seq + 1,
    at: new Date(now).toISOString(),
    session: recordId(event.session, 'session'),
    turn: recordId(event.turn, 'turn'),
    call: recordId(event.call, 'call'),
    kind: event.kind,
    payload: text,
    prev_hash: tip.hash,
  };
  return { made: { ...fields, hash: hashOf(fields, link) }, value: forTables(event.kind, value) };
}

/** A copy, since the caller may go on with its object before the commit; undefined: to be read from the text. */
function forTables(kind: EventKind, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (kind === 'call') {
    const call = value as CallEnvelope;
    return { ...call, args: callTexts({ kind }, value).slice(1), meta: { ...call.meta } };
  }
  if (kind === 'result') {
    const result = value as ResultEnvelope;
    return { ...result, result: null, error: result.error && { ...result.error }, meta: { ...result.meta } };
  }
  return undefined;
}

function recordId(id: string | null | undefined, what: string): string | null {
  if (id === null || id === undefined) return null;
  if (isRecordId(id)) return id;
  throw new HandrailError('INTERNAL', { detail: { reason: `${what} id ${JSON.stringify(id.slice(0, 40))} cannot stand in the record` } });
}

/** The last hash of each session, from memory or from the disk. */
function createLinks(db: Database) {
  const known = new Map<string, string | null>();
  const last = db
    .prepare('SELECT hash FROM event WHERE session = ? AND seq > (SELECT coalesce(max(to_seq), 0) FROM cut) ORDER BY seq DESC LIMIT 1')
    .pluck();
  return {
    get(session: string): string | null {
      const found = known.get(session);
      return found !== undefined ? found : ((last.get(session) as string | undefined) ?? null);
    },
    set: (session: string, hash: string | null): void => void known.set(session, hash),
    /** Only while nothing waits, so that the disk knows them all. */
    trim(): void {
      if (known.size > maxLinks) known.clear();
    },
    /** A session of which a cut left nothing begins anew. */
    forget: (): void => known.clear(),
  };
}

/** A record whose end was cut off or replaced is not written on: that would bury the break. */
function damageAtTheEnd(db: Database, head: Tip): HandrailError | null {
  const last = (db.prepare('SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1').get() as Tip | undefined) ?? null;
  if (last === null ? head.seq === 0 : last.seq === head.seq && last.hash === head.hash) return null;
  return new HandrailError('STORE_CORRUPT', {
    detail: { reason: `its head names record ${head.seq}, its last record is ${last?.seq ?? 0}` },
  });
}
