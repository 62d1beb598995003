import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Lang } from '../../shared/errors.ts';
import type { HistoryStore, RecordStore } from '../../shared/contracts/record.ts';
import { openDatabase } from './database.ts';
import { storeWriteError } from './failures.ts';
import { createHistory } from './history.ts';
import { createJournal } from './journal.ts';
import { lockFolder } from './lock.ts';
import { historyMigrations, recordMigrations } from './migrations.ts';
import { createProjections } from './projections.ts';
import { createQueries } from './queries.ts';
import { createRecord, createSpaceGuard } from './record.ts';
import type { ReplayJudge } from './replay.ts';

export type StoreOptions = {
  folder: string;
  clock: { now(): number };
  ids: () => string;
  lang: Lang;
  /** Reads beside another process that writes; every write throws STORE_LOCKED. */
  readOnly?: boolean;
  version?: string;
  judges?: readonly ReplayJudge[];
};

export type Store = { record: RecordStore; history: HistoryStore; readOnly: boolean; close(): void };

/** Opens the data folder. Throws STORE_LOCKED when another process writes there. */
export function openStore(options: StoreOptions): Store {
  const { folder } = options;
  const readOnly = options.readOnly === true;
  const recordFile = join(folder, 'record.db');
  const historyFile = join(folder, 'history.db');
  if (!readOnly) makeFolder(folder);
  const lock = readOnly ? null : lockFolder(folder);
  const undo: (() => void)[] = lock === null ? [] : [() => lock.release()];
  try {
    const db = openDatabase(recordFile, { readOnly, synchronous: 'FULL', migrations: recordMigrations });
    undo.push(() => db.close());
    const historyDb = openDatabase(historyFile, { readOnly, synchronous: 'NORMAL', migrations: historyMigrations });
    undo.push(() => historyDb.close());
    const now = (): number => options.clock.now();
    const journal = readOnly
      ? null
      : createJournal({ db, file: recordFile, projections: createProjections(db), now, beforeDurable: createSpaceGuard(folder, Date.now) });
    const record = createRecord({
      db,
      folder,
      file: recordFile,
      journal,
      queries: createQueries(db),
      recovered: null,
      judges: options.judges ?? [],
      version: options.version ?? '0',
      now,
    });
    const history = createHistory(historyDb, historyFile);
    const flushAtExit = (): void => record.close();
    if (!readOnly) process.once('exit', flushAtExit);
    let open = true;
    return {
      record,
      history,
      readOnly,
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

function takeDown(undo: (() => void)[]): void {
  for (const step of undo.reverse()) step();
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw storeWriteError(error, folder);
  }
}
