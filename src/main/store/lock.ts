import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { HandrailError } from '../../shared/errors.ts';
import { checkRuntime } from './database.ts';
import { storeWriteError } from './failures.ts';

export type FolderLock = { release(): void };

/**
 * One process writes in a data folder. The lock is the operating system's own (an exclusive SQLite transaction on a file
 * of its own), so it ends with its process, however that ends, and a reused process number cannot fake it. The file
 * beside it only names the holder for the one who is refused.
 */
export function lockFolder(folder: string, pid: number = process.pid): FolderLock {
  checkRuntime();
  const file = join(folder, 'lock.db');
  const nameFile = join(folder, 'lock.pid');
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { timeout: 0 });
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    const code = (error as { code?: string }).code ?? '';
    if (code.startsWith('SQLITE_BUSY')) throw lockedError(folder);
    throw storeWriteError(error, file);
  }
  nameHolder(nameFile, `${pid}\n`);
  const held = db;
  return {
    release() {
      if (!held.open) return;
      nameHolder(nameFile, '');
      held.exec('ROLLBACK');
      held.close();
    },
  };
}

/** The lock holds without its name: a full disk must not keep anyone from reading the record. */
function nameHolder(nameFile: string, text: string): void {
  try {
    writeFileSync(nameFile, text);
  } catch {
    return;
  }
}

export function lockedError(folder: string): HandrailError {
  return new HandrailError('STORE_LOCKED', { detail: { folder, pid: lockHolder(folder) ?? '?' } });
}

/** Process number in the name file; null when nobody holds the folder or it cannot be read. */
export function lockHolder(folder: string): number | null {
  const nameFile = join(folder, 'lock.pid');
  if (!existsSync(nameFile)) return null;
  const pid = Number(readFileSync(nameFile, 'utf8').trim());
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}
