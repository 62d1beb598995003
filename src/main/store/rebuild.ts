import type { Database } from 'better-sqlite3';
import type { RecordEvent } from '../../shared/contracts/record.ts';
import type { Projections } from './projections.ts';

const batch = 2_000;

/** Drops every derived table and makes it again from the events, in one transaction: readers see the old or the new. */
export function rebuild(db: Database, projections: Projections): number {
  const next = db.prepare(
    `SELECT seq, at, session, turn, call, kind, payload, prev_hash, hash FROM event WHERE seq > ? ORDER BY seq LIMIT ${batch}`,
  );
  let events = 0;
  db.transaction(() => {
    projections.clear();
    projections.forget();
    for (let seq = 0; ;) {
      const page = next.all(seq) as RecordEvent[];
      for (const event of page) projections.apply(event);
      events += page.length;
      if (page.length < batch) break;
      seq = page.at(-1)!.seq;
    }
    projections.finish();
  }).immediate();
  return events;
}
