import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from './database.ts';
import { createJournal, type Journal } from './journal.ts';
import { recordMigrations } from './migrations.ts';
import { createProjections } from './projections.ts';
import { openStore } from './openStore.ts';
import { createBench, intent, recordCall, startSession, type Bench } from './testKit.ts';
import { verifyChain } from './verify.ts';
import { walkInSteps } from './recordJobs.ts';

let bench: Bench;
let db: Database.Database;
let journal: Journal;

beforeEach(() => {
  bench = createBench();
  const file = join(bench.folder, 'record.db');
  db = openDatabase(file, { synchronous: 'FULL', migrations: recordMigrations, busyMs: 20 });
  journal = createJournal({ db, file, projections: createProjections(db), now: () => bench.clock.now(), beforeDurable: () => undefined });
});
afterEach(() => {
  vi.useRealTimers();
  journal.close();
  db.close();
  bench.end();
});

const note = (text: string) => ({ kind: 'note' as const, session: 's1', payload: { text } });
const intentEvent = { kind: 'intent' as const, session: 's1', call: 'w1', payload: intent('w1') };
const onDisk = (): number => {
  const other = new Database(join(bench.folder, 'record.db'), { readonly: true });
  const count = other.prepare('SELECT count(*) FROM event').pluck().get() as number;
  other.close();
  return count;
};

test('events wait together for a moment; a durable one is on the disk when append returns, with all before it', async () => {
  vi.useFakeTimers();
  journal.append(note('a'), false);
  journal.append(note('b'), false);
  expect([onDisk(), journal.waiting()]).toEqual([0, 2]);
  vi.advanceTimersByTime(50);
  expect([onDisk(), journal.waiting()]).toEqual([2, 0]);
  journal.append(note('c'), false);
  journal.append(intentEvent, true);
  expect([onDisk(), journal.waiting()]).toEqual([4, 0]);
  for (let i = 0; i < 512; i++) journal.append(note('d'), false);
  expect(onDisk()).toBe(516);
});

/** Ways in which a disk refuses, each a real answer of SQLite, and how it comes to its senses. */
const refusals: [string, string, (db: Database.Database) => () => void][] = [
  [
    'the disk is full',
    'SQLITE_FULL',
    (db) => {
      db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`);
      return () => void db.pragma('max_page_count = 1000000');
    },
  ],
  [
    'the data folder is read-only',
    'SQLITE_READONLY',
    (db) => {
      db.pragma('query_only = 1');
      return () => void db.pragma('query_only = 0');
    },
  ],
  [
    'another program holds the record locked',
    'SQLITE_BUSY',
    (db) => {
      const other = new Database(db.name);
      other.exec('BEGIN IMMEDIATE');
      return () => void other.close();
    },
  ],
];

test.each(refusals)(
  'while %s an intent is refused and did not happen; what was read meanwhile is kept and written later',
  async (reason, sqlite, refuse) => {
    journal.append(note('before'), true);
    const recover = refuse(db);
    for (let i = 0; i < 40; i++) journal.append(note(`read ${i} ${'x'.repeat(500)}`), false);
    const tip = journal.tip();
    expect(() => journal.append(intentEvent, true)).toThrow(
      expect.objectContaining({
        code: 'STORE_WRITE',
        detail: expect.objectContaining({ reason, sqlite: expect.stringContaining(sqlite) as string }) as object,
      }) as Error,
    );
    expect(journal.tip()).toEqual(tip);
    expect(journal.failure()).toMatchObject({ code: 'STORE_WRITE' });
    expect([onDisk(), journal.waiting()]).toEqual([1, 40]);
    recover();
    journal.append(intentEvent, true);
    expect(journal.failure()).toBeNull();
    expect([onDisk(), journal.waiting()]).toEqual([42, 0]);
    expect(await walkInSteps(verifyChain(db))).toMatchObject({ ok: true, events: 42 });
  },
);

test('what waits is written by itself once the disk allows it', () => {
  vi.useFakeTimers();
  db.pragma('query_only = 1');
  journal.append(note('a'), false);
  vi.advanceTimersByTime(5_000);
  expect(journal.waiting()).toBe(1);
  db.pragma('query_only = 0');
  vi.advanceTimersByTime(1_000);
  expect([onDisk(), journal.waiting()]).toEqual([1, 0]);
});

test('memory is bounded: with ten thousand events waiting the next is refused', () => {
  db.pragma('query_only = 1');
  for (let i = 0; i < 10_000; i++) journal.append(note('a'), false);
  expect(() => journal.append(note('one more'), false)).toThrow(expect.objectContaining({ code: 'STORE_WRITE' }) as Error);
});

test('an id that could blur the hashed text is refused', () => {
  for (const session of ['', '-', 'a\nb', 'a b', 'x'.repeat(200), 'é']) {
    expect(() => journal.append({ kind: 'note', session, payload: { text: 'x' } }, false)).toThrow(/cannot stand in the record/);
  }
});

const small = join(tmpdir(), `handrail-small-${process.pid}`);
function mountSmall(): boolean {
  mkdirSync(small, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', small], { stdio: 'ignore' });
    return true;
  } catch {
    rmSync(small, { recursive: true, force: true });
    return false;
  }
}

// Needs the right to mount; elsewhere SQLITE_FULL above stands for it.
test(
  'on a full file system no intent is taken while there is still room for outcomes',
  { skip: process.platform !== 'linux' || process.getuid?.() !== 0 },
  (context) => {
    if (!mountSmall()) context.skip('this machine lets nobody mount a small file system');
    try {
      const store = openStore({ folder: join(small, 'data'), clock: bench.clock, ids: () => 'x', lang: 'en' });
      startSession(store.record);
      store.record.append(intentEvent, { durable: true });
      writeFileSync(join(small, 'ballast'), Buffer.alloc(9 * 1024 * 1024));
      bench.clock.at += 5_000;
      const refused = (): boolean => {
        try {
          store.record.append(intentEvent, { durable: true });
          return false;
        } catch (error) {
          expect(error).toMatchObject({ code: 'STORE_WRITE', detail: { reason: 'the disk is full' } });
          return true;
        }
      };
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000); // the free space is looked at once a second
      expect(refused()).toBe(true);
      expect(store.record.health()).toMatchObject({ writable: false, reason: 'the disk is full' });
      recordCall(store.record, 'c1'); // an outcome still finds room
      store.record.flush();
      rmSync(join(small, 'ballast'));
      expect(refused()).toBe(false);
      expect(store.record.health()).toMatchObject({ writable: true });
      store.close();
    } finally {
      vi.restoreAllMocks();
      execFileSync('umount', ['-l', small]);
      rmSync(small, { recursive: true, force: true });
    }
  },
);
