import type { Anchor, VerifyReport } from '../../shared/contracts/record.ts';
import { HandrailError } from '../../shared/errors.ts';
import { openDatabase } from './database.ts';
import { exportSession } from './exportSession.ts';
import { ledgerOf } from './ledger.ts';
import { recordMigrations } from './migrations.ts';
import { verifyFile } from './verifyFile.ts';
import { verifyChain } from './verify.ts';

/** What is done away from the main loop, on a connection of its own that cannot write. */
export type RecordJob =
  | { do: 'verify'; file: string; anchor: Anchor | null }
  | { do: 'verify-file'; file: string }
  | { do: 'ledger'; file: string; sessionId: string | null }
  | { do: 'export'; file: string; sessionId: string; to: string; version: string; now: number };

/** Starts an entry of `entries.ts` in a thread of its own, hands it `data` and answers what it answers. */
export type RunJob = (entry: 'recordWorker', data: RecordJob, options: { signal?: AbortSignal }) => Promise<unknown>;

export async function doRecordJob(job: RecordJob): Promise<unknown> {
  if (job.do === 'verify-file') return verifyFile(job.file);
  const db = openDatabase(job.file, { readOnly: true, synchronous: 'FULL', migrations: recordMigrations });
  try {
    if (job.do === 'ledger') return ledgerOf(db, job.sessionId);
    if (job.do === 'export') return await exportSession(db, job.sessionId, job.to, { version: job.version, now: () => job.now });
    return walkAll(verifyChain(db, job.anchor ?? undefined));
  } finally {
    db.close();
  }
}

function walkAll(walk: Generator<number, VerifyReport>): VerifyReport {
  for (;;) {
    const step = walk.next();
    if (step.done === true) return step.value;
  }
}

/** The same walk where there is no other thread: others get their turn between pages. */
export async function walkInSteps(walk: Generator<number, VerifyReport>, signal?: AbortSignal): Promise<VerifyReport> {
  for (;;) {
    const step = walk.next();
    if (step.done === true) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true) throw new HandrailError('CANCELLED');
  }
}
