import type { Database } from 'better-sqlite3';
import type { HandrailError } from '../../shared/errors.ts';
import type { HistoryStore, Sample } from '../../shared/contracts/record.ts';
import { byBucket, spanOf, toPoints, type SampleRow, type Span } from './buckets.ts';
import { createMinutes, minuteMs } from './minutes.ts';
import { storeWriteError } from './failures.ts';

const qualities = ['good', 'uncertain', 'bad'] as const;

/** A drawing has no more columns than this; more buckets would only be more rows. */
const maxBuckets = 20_000;
/** From this width on a series is made of minutes; its buckets are rounded up to whole ones, so there may be fewer than asked for. */
const minutesFromWidth = minuteMs;

export function createHistory(db: Database, file: string, locked: (() => HandrailError) | null): HistoryStore {
  const tagIds = new Map<string, number>();
  const minutes = createMinutes(db);
  const s = {
    addTag: db.prepare('INSERT INTO tag (name) VALUES (?)'),
    tag: db.prepare('SELECT id FROM tag WHERE name = ?').pluck(),
    tags: db.prepare('SELECT id, name FROM tag ORDER BY name'),
    add: db.prepare('INSERT OR REPLACE INTO sample (tag, at, value, quality) VALUES (?, ?, ?, ?)'),
    read: db.prepare('SELECT at, value, quality FROM sample WHERE tag = ? AND at >= ? AND at < ? ORDER BY at LIMIT ?').raw(),
    last: db.prepare('SELECT at, value, quality FROM sample WHERE tag = ? AND at <= ? ORDER BY at DESC LIMIT 1').raw(),
    between: db.prepare('SELECT at, value, quality FROM sample WHERE tag = ? AND at >= ? AND at < ? ORDER BY at').raw(),
    span: db.prepare('SELECT min(at), max(at), count(*) FROM sample WHERE tag = ?').raw(),
    retain: db.prepare('DELETE FROM sample WHERE tag = ? AND at < ?'),
  };

  function* samples(id: number, from: number, to: number): Generator<Span> {
    for (const row of s.between.iterate(id, from, to) as IterableIterator<SampleRow>) yield spanOf(row);
  }

  /** Whole minutes where they are summed up, single samples before, between and behind. */
  function* minutesAndRest(id: number, from: number, to: number): Generator<Span> {
    const first = Math.min(Math.ceil(from / minuteMs) * minuteMs, to);
    const last = Math.max(first, Math.min(Math.floor(to / minuteMs) * minuteMs, minutes.until(id)));
    yield* samples(id, from, first);
    yield* minutes.read(id, first, last);
    yield* samples(id, last, to);
  }

  function idOf(tag: string): number | undefined {
    const known = tagIds.get(tag) ?? (s.tag.get(tag) as number | undefined);
    if (known !== undefined) tagIds.set(tag, known);
    return known;
  }

  const addAll = db.transaction((samples: readonly Sample[]) => {
    for (const sample of samples) {
      let id = idOf(sample.tag);
      if (id === undefined) {
        id = Number(s.addTag.run(sample.tag).lastInsertRowid);
        tagIds.set(sample.tag, id);
      }
      // A bad sample keeps its place in time and no value: a gap that is known, not a zero.
      const value = sample.quality === 'bad' || sample.value === null || !Number.isFinite(sample.value) ? null : sample.value;
      const at = Math.trunc(sample.at);
      s.add.run(id, at, value, value === null ? 2 : qualities.indexOf(sample.quality));
      minutes.stored(id, at);
    }
    minutes.work(() => performance.now());
  });

  const retainTag = db.transaction((id: number, before: number): number => {
    const { changes } = s.retain.run(id, before);
    if (changes > 0) minutes.retain(id, before);
    return changes;
  });

  return {
    add(samples) {
      if (samples.length === 0) return;
      if (locked !== null) throw locked();
      try {
        addAll.immediate(samples);
      } catch (error) {
        tagIds.clear(); // what a transaction that was taken back made does not exist
        minutes.forget();
        throw storeWriteError(error, file);
      }
    },
    read(tag, from, to, limit) {
      const id = idOf(tag);
      return id === undefined ? [] : (s.read.all(id, from, to, limit) as SampleRow[]).map((row) => toSample(tag, row));
    },
    series(tag, from, to, buckets) {
      const id = idOf(tag);
      const count = Math.min(Math.max(1, Math.trunc(buckets)), maxBuckets);
      if (id === undefined || !(to > from)) return [];
      const width = (to - from) / count;
      if (width < minutesFromWidth) return toPoints(byBucket(samples(id, from, to), from, width));
      // Buckets of whole minutes, so that no minute lies in two of them; the first and the last may be cut short.
      const start = Math.floor(from / minuteMs) * minuteMs;
      const points = toPoints(byBucket(minutesAndRest(id, from, to), start, Math.ceil(width / minuteMs) * minuteMs));
      return points.map((point) => (point.at < from ? { ...point, at: from } : point));
    },
    last(tag, at = Number.MAX_SAFE_INTEGER) {
      const id = idOf(tag);
      const row = id === undefined ? undefined : (s.last.get(id, at) as SampleRow | undefined);
      return row === undefined ? undefined : toSample(tag, row);
    },
    tags() {
      return (s.tags.all() as { id: number; name: string }[]).flatMap(({ id, name }) => {
        const [from, to, samples] = s.span.get(id) as [number | null, number | null, number];
        return from === null || to === null ? [] : [{ tag: name, from, to, samples }];
      });
    },
    retain(before) {
      if (locked !== null) throw locked();
      let gone = 0;
      for (const { id } of s.tags.all() as { id: number }[]) gone += retainTag(id, before);
      return gone;
    },
    close() {
      db.close();
    },
  };
}

function toSample(tag: string, [at, value, quality]: SampleRow): Sample {
  return { tag, at, value, quality: qualities[quality] ?? 'bad' };
}
