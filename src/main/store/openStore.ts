import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asHandrailError, type HandrailError, type Lang } from '../../shared/errors.ts';
import type { Blobs, HistoryStore, Recovered, RecordStore, RetentionCut, SnapshotStore } from '../../shared/contracts/record.ts';
import { createBlobs } from './blobs.ts';
import { openDatabase } from './database.ts';
import { storeWriteError } from './failures.ts';
import { createHistory } from './history.ts';
import { createJournal, type Journal } from './journal.ts';
import { lockedError, lockFolder } from './lock.ts';
import { historyMigrations, recordMigrations } from './migrations.ts';
import { createProjections } from './projections.ts';
import { createQueries, type Queries } from './queries.ts';
import { rebuild } from './rebuild.ts';
import { createRecord, createSpaceGuard } from './record.ts';
import { recover } from './recover.ts';
import type { RunJob } from './recordJobs.ts';
import type { ReplayJudge } from './judges.ts';
import { cutBefore, cutPiece, removeCut } from './retention.ts';
import { createSnapshots } from './snapshots.ts';

export type StoreOptions = {
  folder: string;
  clock: { now(): number };
  ids: () => string;
  lang: Lang;
  /** Reads beside another process that writes; every write throws STORE_LOCKED. */
  readOnly?: boolean;
  version?: string;
  /** More that recompute verdicts at replay, beside hash, checksum, consent and write verdict. */
  judges?: readonly ReplayJudge[];
  /** Runs verification and exports in another thread (`runWorker` of the workers room); absent: here, in small steps. */
  runJob?: RunJob;
};

export type Store = {
  record: RecordStore;
  history: HistoryStore;
  snapshots: SnapshotStore;
  blobs: Blobs;
  readOnly: boolean;
  /**
   * Takes records before a moment off the disk and leaves their digest in the chain: all of them, or about `most`. Null: there
   * is nothing to take. Throws STORE_WRITE, STORE_LOCKED.
   */
  retain(beforeMs: number, most?: number): RetentionCut | null;
  /** Makes the derived tables again from the events; answers how many events it read. */
  rebuild(): number;
  close(): void;
};

/** Opens the data folder. Throws STORE_LOCKED when another process writes there. */
export function openStore(options: StoreOptions): Store {
  const { folder } = options;
  const readOnly = options.readOnly === true;
  const recordFile = join(folder, 'record.db');
  const historyFile = join(folder, 'history.db');
  const locked = (): HandrailError => lockedError(folder);
  const now = (): number => options.clock.now();
  if (!readOnly) makeFolder(folder);
  const lock = readOnly ? null : lockFolder(folder);
  const undo: (() => void)[] = lock === null ? [] : [() => lock.release()];
  try {
    const db = openDatabase(fileFor(recordFile, readOnly), { readOnly, synchronous: 'FULL', migrations: recordMigrations });
    undo.push(() => db.close());
    const historyDb = openDatabase(fileFor(historyFile, readOnly), { readOnly, synchronous: 'NORMAL', migrations: historyMigrations });
    undo.push(() => historyDb.close());
    const projections = readOnly ? null : createProjections(db);
    const journal =
      projections === null
        ? null
        : createJournal({ db, file: recordFile, projections, now, beforeDurable: createSpaceGuard(folder, () => performance.now()) });
    const queries = createQueries(db);
    const recovered = journal === null ? null : startAgain(journal, queries, () => removeCut(db));
    const record = createRecord({
      db,
      folder,
      file: recordFile,
      journal,
      queries,
      recovered,
      judges: options.judges ?? [],
      version: options.version ?? '0',
      now,
      runJob: db.memory ? undefined : options.runJob,
      faults: projections?.faults ?? [],
    });
    const flushAtExit = (): void => record.close();
    if (!readOnly) process.once('exit', flushAtExit);
    const writing = (): { journal: Journal; projections: NonNullable<typeof projections> } => {
      if (journal === null || projections === null) throw locked();
      return { journal, projections };
    };
    let open = true;
    return {
      record,
      history: createHistory(historyDb, historyFile, readOnly ? locked : null),
      snapshots: createSnapshots({ db, journal, ids: options.ids, now, settle: () => settle(journal), locked }),
      blobs: createBlobs(folder, readOnly ? locked : null),
      readOnly,
      retain(beforeMs, most) {
        const pen = writing().journal;
        const before = new Date(beforeMs).toISOString();
        return most === undefined ? cutBefore(db, pen, before) : cutPiece(db, pen, before, most);
      },
      rebuild() {
        const { journal: pen, projections: derived } = writing();
        pen.flush();
        return rebuild(db, derived);
      },
      close() {
        if (!open) return;
        open = false;
        process.removeListener('exit', flushAtExit);
        try {
          record.close();
        } finally {
          takeDown(undo);
        }
      },
    };
  } catch (error) {
    takeDown(undo);
    throw error;
  }
}

/** A reader of a folder where nothing was recorded yet sees an empty record. */
function fileFor(file: string, readOnly: boolean): string {
  return readOnly && !existsSync(file) ? ':memory:' : file;
}

/** A disk that refuses now must not keep anyone from reading: what is found stays in memory and is written when it can be. */
function startAgain(journal: Journal, queries: Queries, goOnRemoving: () => void): Recovered | null {
  if (journal.failure() !== null) return null; // damaged: looked at, not written on
  const found = recover(journal, queries);
  settle(journal);
  try {
    goOnRemoving();
  } catch (error) {
    if (asHandrailError(storeWriteError(error, '')).code !== 'STORE_WRITE') throw error;
  }
  return found;
}

function settle(journal: Journal | null): void {
  if (journal === null) return;
  try {
    journal.flush();
  } catch {
    return; // `health` tells
  }
}

function takeDown(undo: (() => void)[]): void {
  for (const step of undo.reverse()) step();
}

/** Level by level: Node's own recursive way never comes back from a file system that refuses folders, such as /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw storeWriteError(error, folder);
  }
}
