import type { Database } from 'better-sqlite3';
import { byBucket, spanOf, type SampleRow, type Span } from './buckets.ts';

export const minuteMs = 60_000;
/** At the full minute every tag has one to sum up; the work is spread over the next calls of `add`. */
const budgetMs = 4;

type MinuteRow = [
  at: number,
  min: number | null,
  max: number | null,
  sum: number,
  count: number,
  bad: number,
  first: number | null,
  last: number | null,
];

/**
 * Samples summed up by minutes. Each tag has a moment up to which its minutes are complete and true: a late sample before
 * it mends its minute in the same transaction; what lies behind it is read as samples.
 */
export function createMinutes(db: Database) {
  const s = {
    until: db.prepare('SELECT minutes_until FROM tag WHERE id = ?').pluck(),
    setUntil: db.prepare('UPDATE tag SET minutes_until = ? WHERE id = ?'),
    firstAt: db.prepare('SELECT min(at) FROM sample WHERE tag = ?').pluck(),
    samples: db.prepare('SELECT at, value, quality FROM sample WHERE tag = ? AND at >= ? AND at < ? ORDER BY at').raw(),
    put: db.prepare('INSERT OR REPLACE INTO minute (tag, at, min, max, sum, count, bad, first, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    drop: db.prepare('DELETE FROM minute WHERE tag = ? AND at >= ? AND at < ?'),
    read: db
      .prepare('SELECT at, min, max, sum, count, bad, first, last FROM minute WHERE tag = ? AND at >= ? AND at < ? ORDER BY at')
      .raw(),
  };
  const known = new Map<number, number>();
  /** Tags with whole minutes to sum up, and up to when. */
  const due = new Map<number, number>();

  function until(tag: number): number {
    const at = known.get(tag) ?? (s.until.get(tag) as number | null) ?? -Infinity;
    known.set(tag, at);
    return at;
  }

  function sumUp(tag: number, from: number, to: number): void {
    s.drop.run(tag, from, to);
    for (const m of byBucket((s.samples.all(tag, from, to) as SampleRow[]).map(spanOf), 0, minuteMs)) {
      const some = m.count > 0;
      s.put.run(tag, m.at, some ? m.min : null, some ? m.max : null, m.sum, m.count, m.bad, some ? m.first : null, some ? m.last : null);
    }
  }

  return {
    until,
    /** Tells of a sample that was just stored, within its transaction. */
    stored(tag: number, at: number): void {
      const minute = Math.floor(at / minuteMs) * minuteMs;
      const done = until(tag);
      if (minute < done) sumUp(tag, minute, minute + minuteMs);
      else if (minute > Math.max(done, due.get(tag) ?? -Infinity)) due.set(tag, minute);
    },
    /** Goes on summing up, for a few milliseconds; to be called in a transaction. */
    work(elapsed: () => number): void {
      const start = elapsed();
      for (const [tag, to] of due) {
        if (elapsed() - start > budgetMs) return;
        due.delete(tag);
        const done = until(tag);
        const from = done === -Infinity ? (s.firstAt.get(tag) as number) : done;
        if (to <= from) continue;
        const stop = Math.min(to, Math.floor(from / minuteMs) * minuteMs + 60 * minuteMs); // an hour at a time, for old files
        sumUp(tag, from === done ? from : Math.floor(from / minuteMs) * minuteMs, stop);
        s.setUntil.run(stop, tag);
        known.set(tag, stop);
        if (stop < to) due.set(tag, to);
      }
    },
    *read(tag: number, from: number, to: number): Generator<Span> {
      for (const [at, min, max, sum, count, bad, first, last] of s.read.iterate(tag, from, to) as IterableIterator<MinuteRow>) {
        yield { at, min: min ?? Infinity, max: max ?? -Infinity, sum, count, bad, first: first ?? 0, last: last ?? 0 };
      }
    },
    /** After samples before `before` went: their minutes go, the one it cuts through is summed up again. */
    retain(tag: number, before: number): void {
      const minute = Math.floor(before / minuteMs) * minuteMs;
      s.drop.run(tag, 0, minute);
      if (minute < until(tag)) sumUp(tag, minute, minute + minuteMs);
    },
    forget(): void {
      known.clear();
      due.clear();
    },
  };
}
