import Database from 'better-sqlite3';
import { HandrailError } from '../../shared/errors.ts';
import { storeWriteError } from './failures.ts';
import type { Migration } from './migrations.ts';

/** better-sqlite3 13 needs Node-API 10; on an older Node the process would die by SIGSEGV without a word. */
export function checkRuntime(napi: string | undefined = process.versions.napi): void {
  if (Number(napi) >= 10) return;
  throw new HandrailError('INTERNAL', {
    message: {
      en: `The record needs Node 22.14 or newer; this is Node ${process.versions.node}.`,
      zh: `记录功能需要 Node 22.14 或更新版本；当前为 Node ${process.versions.node}。`,
    },
    advice: {
      en: 'Start Handrail with "npm start", which brings a fitting Node.',
      zh: '请用 "npm start" 启动 Handrail，它自带合适的 Node。',
    },
    detail: { napi: napi ?? null },
  });
}

export type OpenOptions = { readOnly?: boolean; synchronous: 'FULL' | 'NORMAL'; migrations: readonly Migration[]; busyMs?: number };

/** How long a write waits for another program's lock. It blocks the event loop, so it is short. */
const busyMs = 250;

export function openDatabase(file: string, options: OpenOptions): Database.Database {
  checkRuntime();
  if (file === ':memory:') {
    const empty = new Database(file);
    migrate(empty, options.migrations, file);
    return empty;
  }
  let db: Database.Database;
  try {
    db = new Database(file, {
      readonly: options.readOnly === true,
      fileMustExist: options.readOnly === true,
      timeout: options.busyMs ?? busyMs,
    });
  } catch (error) {
    throw storeWriteError(error, file);
  }
  try {
    if (options.readOnly !== true) {
      db.pragma('auto_vacuum = INCREMENTAL'); // takes effect in a new file only: what retention frees goes back to the disk
      db.pragma('journal_mode = WAL');
      db.pragma(`synchronous = ${options.synchronous}`);
      db.pragma('cache_size = -16000');
      db.pragma('temp_store = MEMORY');
      migrate(db, options.migrations, file);
    } else {
      checkVersion(db, options.migrations, file);
    }
    return db;
  } catch (error) {
    db.close();
    throw error instanceof HandrailError ? error : storeWriteError(error, file);
  }
}

function checkVersion(db: Database.Database, migrations: readonly Migration[], file: string): number {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > migrations.length) throw new HandrailError('STORE_VERSION', { detail: { version, file } });
  return version;
}

/** Each migration in its own transaction with its number, so that a crash in between leaves a file that is one or the other. */
function migrate(db: Database.Database, migrations: readonly Migration[], file: string): void {
  for (let version = checkVersion(db, migrations, file); version < migrations.length; version++) {
    db.transaction(() => {
      migrations[version]!(db);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
}
