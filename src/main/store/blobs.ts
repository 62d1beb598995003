import { hash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HandrailError } from '../../shared/errors.ts';
import type { Blobs } from '../../shared/contracts/record.ts';
import { storeWriteError } from './failures.ts';

/** Contents by SHA-256 in `blobs/ab/…`. On the disk when `put` returns: the file that is replaced next may be the only other copy. */
export function createBlobs(folder: string, locked: (() => HandrailError) | null): Blobs {
  const pathOf = (sha256: string): string => join(folder, 'blobs', sha256.slice(0, 2), sha256);
  return {
    put(bytes) {
      if (locked !== null) throw locked();
      const sha256 = hash('sha256', bytes, 'hex');
      const path = pathOf(sha256);
      if (existsSync(path) && intact(path, sha256) !== undefined) return sha256;
      const part = `${path}.part`;
      try {
        mkdirSync(dirname(path), { recursive: true });
        const file = openSync(part, 'w', 0o600);
        try {
          for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
        renameSync(part, path);
        return sha256;
      } catch (error) {
        rmSync(part, { force: true });
        throw storeWriteError(error, path);
      }
    },
    get(sha256) {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
      const path = pathOf(sha256);
      if (!existsSync(path)) return undefined;
      const bytes = intact(path, sha256);
      if (bytes === undefined)
        throw new HandrailError('STORE_CORRUPT', { detail: { reason: `the kept file ${sha256} is not what was kept` } });
      return bytes;
    },
  };
}

function intact(path: string, sha256: string): Uint8Array | undefined {
  const bytes = readFileSync(path);
  return hash('sha256', bytes, 'hex') === sha256 ? bytes : undefined;
}
