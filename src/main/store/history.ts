import type { Database } from 'better-sqlite3';
import type { HandrailError } from '../../shared/errors.ts';
import type { HistoryStore, Sample, SeriesPoint } from '../../shared/contracts/record.ts';
import { storeWriteError } from './failures.ts';

const qualities = ['good', 'uncertain', 'bad'] as const;

/** A drawing has no more columns than this; more buckets would only be more rows. */
const maxBuckets = 20_000;

export function createHistory(db: Database, file: string, locked: (() => HandrailError) | null): HistoryStore {
  const tagIds = new Map<string, number>();
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
      s.add.run(id, Math.trunc(sample.at), value, value === null ? 2 : qualities.indexOf(sample.quality));
    }
  });

  return {
    add(samples) {
      if (samples.length === 0) return;
      if (locked !== null) throw locked();
      try {
        addAll.immediate(samples);
      } catch (error) {
        tagIds.clear(); // ids of a transaction that was taken back do not exist
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
      return bucketed(s.between.iterate(id, from, to) as IterableIterator<SampleRow>, from, (to - from) / count);
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
      for (const { id } of s.tags.all() as { id: number }[]) gone += s.retain.run(id, before).changes;
      return gone;
    },
    close() {
      db.close();
    },
  };
}

type SampleRow = [at: number, value: number | null, quality: number];

function toSample(tag: string, [at, value, quality]: SampleRow): Sample {
  return { tag, at, value, quality: qualities[quality] ?? 'bad' };
}

/** One pass over samples in time order; a bucket that saw nothing does not come out. */
function bucketed(rows: Iterable<SampleRow>, from: number, width: number): SeriesPoint[] {
  const points: SeriesPoint[] = [];
  let current: (SeriesPoint & { sum: number; index: number; bad: number; first: number; last: number }) | null = null;
  const close = (): void => {
    if (current === null || current.count === 0) return;
    const { sum, index: _index, ...point } = current;
    points.push({ ...point, avg: sum / point.count });
  };
  for (const [at, value] of rows) {
    const index = Math.floor((at - from) / width);
    if (current === null || current.index !== index) {
      close();
      current = { at: from + index * width, min: Infinity, max: -Infinity, avg: 0, count: 0, bad: 0, first: 0, last: 0, sum: 0, index };
    }
    if (value === null) {
      current.bad++;
      continue;
    }
    if (current.count === 0) current.first = value;
    current.last = value;
    current.min = Math.min(current.min, value);
    current.max = Math.max(current.max, value);
    current.sum += value;
    current.count++;
  }
  close();
  return points;
}
