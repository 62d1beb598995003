import { statfsSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { HandrailError } from '../../shared/errors.ts';
import type { LedgerReport } from '../../shared/ledger.ts';
import type { Anchor, NewEvent, Recovered, RecordEvent, RecordStore, VerifyReport } from '../../shared/contracts/record.ts';
import type { Journal } from './journal.ts';
import type { Queries } from './queries.ts';
import { exportSession } from './exportSession.ts';
import { ledgerOf } from './ledger.ts';
import { lockedError } from './lock.ts';
import type { ReplayJudge } from './judges.ts';
import { replaySession } from './replay.ts';
import { walkInSteps, type RecordJob, type RunJob } from './recordJobs.ts';
import { verifyChain } from './verify.ts';

/** Below this much free space no intent is taken: what becomes of a write must still fit. */
const reserveBytes = 4 * 1024 * 1024;
const freeSpaceAgeMs = 1_000;

type Deps = {
  db: Database;
  folder: string;
  file: string;
  /** null: opened for reading. */
  journal: Journal | null;
  queries: Queries;
  recovered: Recovered | null;
  judges: readonly ReplayJudge[];
  version: string;
  now: () => number;
  runJob?: RunJob | undefined;
  faults: readonly { seq: number; reason: string }[];
};

export function createRecord(deps: Deps): RecordStore {
  const { db, journal, queries } = deps;

  function writer(): Journal {
    if (journal === null) throw lockedError(deps.folder);
    return journal;
  }

  /** Readers see what waits, too; if the disk refuses it they see what is on it, and `health` says so. */
  function settle(): void {
    if (journal === null || journal.waiting() === 0) return;
    try {
      journal.flush();
    } catch {
      return;
    }
  }

  const reading =
    <A extends unknown[], R>(query: (...args: A) => R) =>
    (...args: A): R => {
      settle();
      return query(...args);
    };

  function elsewhere(job: RecordJob, signal?: AbortSignal): Promise<unknown> | null {
    return deps.runJob === undefined ? null : deps.runJob('recordWorker', job, signal === undefined ? {} : { signal });
  }

  async function verify(options: { anchor?: Anchor; signal?: AbortSignal } = {}): Promise<VerifyReport> {
    settle();
    const job = elsewhere({ do: 'verify', file: deps.file, anchor: options.anchor ?? null }, options.signal);
    return job === null ? walkInSteps(verifyChain(db, options.anchor), options.signal) : ((await job) as VerifyReport);
  }

  async function exportTo(sessionId: string, to: string): Promise<{ events: number; sha256: string }> {
    settle();
    const { version } = deps;
    const job = elsewhere({ do: 'export', file: deps.file, sessionId, to, version, now: deps.now() });
    return job === null
      ? exportSession(db, sessionId, to, { version, now: deps.now })
      : ((await job) as { events: number; sha256: string });
  }

  async function ledger(options: { sessionId?: string } = {}): Promise<LedgerReport> {
    settle();
    const sessionId = options.sessionId ?? null;
    const job = elsewhere({ do: 'ledger', file: deps.file, sessionId });
    return job === null ? ledgerOf(db, sessionId) : ((await job) as LedgerReport);
  }

  return {
    append(event: NewEvent, options: { durable?: boolean } = {}): RecordEvent {
      return writer().append(event, options.durable === true);
    },
    flush: () => writer().flush(),
    health() {
      const failure = journal?.failure() ?? null;
      const freeBytes = freeSpace(deps.folder);
      const full = freeBytes !== null && freeBytes < reserveBytes;
      return {
        writable: journal !== null && failure === null && !full,
        reason: journal === null ? 'read-only' : failure !== null ? String(failure.detail.reason) : full ? 'the disk is full' : null,
        pending: journal?.waiting() ?? 0,
        freeBytes,
        events: journal?.tip().seq ?? (db.prepare('SELECT seq FROM head').pluck().get() as number),
        bytes: sizeOf(deps.file) + sizeOf(`${deps.file}-wal`),
        faults: deps.faults,
      };
    },
    sessions: reading(queries.sessions),
    session: reading(queries.session),
    turns: reading(queries.turns),
    search: reading(queries.search),
    events: reading(queries.events),
    calls: reading(queries.calls),
    call: reading(queries.call),
    undoable: reading(queries.undoable),
    openApprovals: reading(queries.openApprovals),
    unknownWrites: reading(queries.unknownWrites),
    recovered: () => deps.recovered,
    verify,
    ledger,
    exportSession: exportTo,
    replaySession: (sessionId) => {
      settle();
      return replaySession(queries, sessionId, deps.judges);
    },
    close() {
      if (journal === null) return;
      try {
        journal.flush();
      } finally {
        journal.close();
      }
    },
  };
}

/** Refuses an intent while there is still room for its outcome. Asked at most once a second. */
export function createSpaceGuard(folder: string, now: () => number): () => void {
  let askedAt = -Infinity;
  let free: number | null = null;
  return () => {
    if (now() - askedAt > freeSpaceAgeMs || now() < askedAt || (free !== null && free < reserveBytes)) {
      askedAt = now();
      free = freeSpace(folder);
    }
    if (free !== null && free < reserveBytes) {
      throw new HandrailError('STORE_WRITE', {
        message: { en: 'The record cannot be written: the disk is full.', zh: '记录无法写入：磁盘已满。' },
        detail: { reason: 'the disk is full', reason_zh: '磁盘已满', free_bytes: free, folder },
      });
    }
  };
}

function freeSpace(folder: string): number | null {
  try {
    const fs = statfsSync(folder);
    return fs.bavail * fs.bsize;
  } catch {
    return null;
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
