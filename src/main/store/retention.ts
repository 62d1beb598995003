import type { Database } from 'better-sqlite3';
import type { RetentionCut } from '../../shared/contracts/record.ts';
import type { Journal } from './journal.ts';
import { segmentDigest, youngestCut } from './verify.ts';

type Edge = { seq: number; at: string; hash: string; prev_hash: string };

/** Rows a transaction: the lock is held and the loop is blocked no longer than some milliseconds. */
const batch = 5_000;

/**
 * Takes the records before `before` off the disk, whole from the oldest on, and leaves their digest as a record of the
 * chain. A call, an approval, a turn or a write that is still open keeps everything from its first record on. Answers null when
 * there is nothing to take.
 */
export function cutBefore(db: Database, journal: Journal, before: string): RetentionCut | null {
  journal.flush();
  const first = edge(db, 'SELECT seq, at, hash, prev_hash FROM event ORDER BY seq LIMIT 1');
  const last = edge(db, 'SELECT seq, at, hash, prev_hash FROM event WHERE seq < ? ORDER BY seq DESC LIMIT 1', limitOf(db, before));
  if (first === null || last === null || last.seq < first.seq) return null;
  const cut: RetentionCut = {
    from_seq: first.seq,
    to_seq: last.seq,
    events: last.seq - first.seq + 1,
    first_prev_hash: first.prev_hash,
    last_hash: last.hash,
    segment_sha256: segmentDigest(db, first.seq, last.seq),
    links: linksBehind(db, last.seq),
    oldest_at: first.at,
    newest_at: last.at,
  };
  journal.append({ kind: 'retention', payload: cut }, true); // on the disk before the first row goes
  removeCut(db);
  return cut;
}

/**
 * Cuts as `cutBefore`, about `most` records at a time, so that the loop is blocked only briefly: the next piece ends at a moment
 * of its own, and what is open then keeps its place. Null: nothing (more) to take.
 */
export function cutPiece(db: Database, journal: Journal, before: string, most: number): RetentionCut | null {
  const timeAt = db.prepare('SELECT at FROM event WHERE seq >= (SELECT min(seq) FROM event) + ? ORDER BY seq LIMIT 1').pluck();
  journal.flush();
  for (let span = most; ; span *= 4) {
    const at = (timeAt.get(span) as string | undefined) ?? before;
    const until = at < before ? at : before;
    const cut = cutBefore(db, journal, until);
    // A turn that is longer than a piece goes as a whole.
    if (cut !== null || until === before) return cut;
  }
}

/** Last hash of every session that has records behind `seq`; one that was silent since an earlier cut keeps what that one says. */
function linksBehind(db: Database, seq: number): Record<string, string> {
  const goesOn = db.prepare('SELECT 1 FROM event WHERE session = ? AND seq > ? LIMIT 1').pluck();
  const here = db
    .prepare(
      'SELECT session, hash FROM event WHERE seq IN (SELECT max(seq) FROM event WHERE seq <= ? AND session IS NOT NULL GROUP BY session)',
    )
    .raw()
    .all(seq) as [session: string, hash: string][];
  const links = new Map([...Object.entries(youngestCut(db)?.links ?? {}), ...here]);
  return Object.fromEntries([...links].filter(([session]) => goesOn.get(session, seq) !== undefined));
}

/** The first record that must stay: the first of `before` or later, or of something open. */
function limitOf(db: Database, before: string): number {
  const young = db.prepare('SELECT min(seq) FROM event WHERE at >= ?').pluck().get(before) as number | null;
  const head = db.prepare('SELECT seq FROM head WHERE one = 1').pluck().get() as number;
  const open = db
    .prepare(
      `SELECT min(seq) FROM (SELECT min(call_seq) AS seq FROM call WHERE state NOT IN ('ended', 'interrupted') UNION ALL
       SELECT min(call_seq) FROM call WHERE id IN (SELECT call FROM write_item WHERE state = 'unknown') UNION ALL
       SELECT min(asked_seq) FROM approval WHERE decided_seq IS NULL UNION ALL
       SELECT min(e.seq) FROM event e WHERE e.session IN (SELECT session FROM turn WHERE ended_at IS NULL) UNION ALL
       SELECT min(seq) FROM turn WHERE ended_at >= ? AND started_at < ?)`,
    )
    .pluck()
    .get(before, before) as number | null;
  return Math.min(young ?? head + 1, open ?? Infinity);
}

function edge(db: Database, sql: string, ...args: number[]): Edge | null {
  return (db.prepare(sql).get(...args) as Edge | undefined) ?? null;
}

/**
 * Removes what cuts on record allow, in steps. A crash between cut and removal, or in the middle of it, leaves rows before the
 * cut; the next start goes on here.
 */
export function removeCut(db: Database): number {
  const to = db.prepare('SELECT max(to_seq) FROM cut').pluck().get() as number | null;
  if (to === null) return 0;
  const remove = db.prepare('DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE seq <= ? ORDER BY seq LIMIT ?)');
  let gone = 0;
  db.transaction(() => {
    db.prepare('DELETE FROM search WHERE rowid <= ?').run(to);
    db.prepare('DELETE FROM write_item WHERE call IN (SELECT id FROM call WHERE call_seq <= ?)').run(to);
    db.prepare('DELETE FROM call WHERE call_seq <= ?').run(to);
    db.prepare('DELETE FROM approval WHERE asked_seq <= ?').run(to);
    db.prepare('DELETE FROM turn WHERE seq <= ?').run(to);
    db.prepare('DELETE FROM session WHERE last_seq <= ?').run(to);
  }).immediate();
  for (;;) {
    const { changes } = remove.run(to, batch);
    gone += changes;
    if (changes < batch) break;
  }
  if (gone > 0) db.pragma('incremental_vacuum');
  return gone;
}
