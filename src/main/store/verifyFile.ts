import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { canonicalJson } from '../../shared/canonicalJson.ts';
import { HandrailError } from '../../shared/errors.ts';
import type { RecordEvent, VerifyReport } from '../../shared/contracts/record.ts';
import { genesisHash, hashOf } from './chain.ts';
import { openDatabase } from './database.ts';
import { exportFormat, type Manifest } from './exportSession.ts';
import { recordMigrations } from './migrations.ts';
import { verifyChain } from './verify.ts';
import { walkInSteps } from './recordJobs.ts';

/** Longer than any record of ours; a line without end must not fill the memory. */
const maxLineBytes = 64 * 1024 * 1024;

/**
 * Checks a file on any machine: an exported session, or a whole record.db. Streams; the first line that is missing,
 * out of order, changed or not a record is named by its seq.
 */
export async function verifyFile(file: string): Promise<VerifyReport> {
  const input = await open(file, 'r').catch((cause: unknown) => {
    throw new HandrailError('ARGS_UNREADABLE_FILE', {
      detail: { file, reason: cause instanceof Error ? cause.message : String(cause) },
      cause,
    });
  });
  try {
    const start = Buffer.alloc(16);
    await input.read(start, 0, 16, 0);
    if (start.toString('latin1').startsWith('SQLite format 3')) return await verifyDatabase(file);
    const check = createExportCheck();
    for await (const line of linesOf(input.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 }))) {
      if (!check.line(line)) break;
    }
    return check.end();
  } finally {
    await input.close();
  }
}

async function verifyDatabase(file: string): Promise<VerifyReport> {
  const db = openDatabase(file, { readOnly: true, synchronous: 'FULL', migrations: recordMigrations });
  try {
    return await walkInSteps(verifyChain(db));
  } finally {
    db.close();
  }
}

/** Lines as bytes, the line feed cut off. A rest without line feed is a line too: a file that was cut off shows it. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at));
      yield parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      parts = [];
      length = 0;
      from = at + 1;
    }
    if (from < chunk.length) {
      parts.push(chunk.subarray(from));
      length += chunk.length - from;
    }
    if (length > maxLineBytes) throw new HandrailError('STORE_CORRUPT', { detail: { reason: 'a line is longer than any record' } });
  }
  if (length > 0) yield Buffer.concat(parts);
}

type Broken = { seq: number; reason: string };

/** Fed line by line; `line` answers false when it has seen enough. */
function createExportCheck() {
  const digest = createHash('sha256');
  let manifest: Manifest | null = null;
  let session: string | null = null;
  let last: RecordEvent | null = null;
  let events = 0;
  let lines = 0;
  let broken: Broken | null = null;

  function fail(seq: number, reason: string): false {
    broken = { seq, reason };
    return false;
  }

  function line(bytes: Buffer): boolean {
    lines++;
    const next = (last?.seq ?? 0) + 1;
    if (manifest !== null) return fail(next, `line ${lines} stands behind the manifest`);
    const parsed = parse(bytes);
    if (parsed === null) return fail(next, `line ${lines} is no record`);
    if ('manifest' in parsed) {
      manifest = parsed.manifest;
      return true;
    }
    digest.update(bytes).update('\n');
    const { event } = parsed;
    const first = session === null;
    session ??= event.session;
    if (event.session === null || event.session !== session) return fail(event.seq, `record ${event.seq} belongs to another session`);
    if (last !== null && event.seq <= last.seq)
      return fail(event.seq, `record ${event.seq} is out of order: it stands behind record ${last.seq}`);
    if (last !== null && event.seq === last.seq + 1 && event.prev_hash !== last.hash)
      return fail(event.seq, `record ${event.seq} does not follow record ${last.seq}`);
    if (event.seq === 1 && event.prev_hash !== genesisHash) return fail(1, 'record 1 does not begin a record');
    const link = first ? parsed.link : (last?.hash ?? null);
    if (hashOf(event, link) !== event.hash) {
      return fail(event.seq, `record ${event.seq} was changed, or a record of its session before it is missing: its hash does not fit`);
    }
    last = event;
    events++;
    return true;
  }

  function end(): VerifyReport {
    broken ??= judgeManifest();
    return { ok: broken === null, events, firstBroken: broken, headHash: last?.hash ?? genesisHash, headSeq: last?.seq ?? 0, cut: 0 };
  }

  function judgeManifest(): Broken | null {
    const next = (last?.seq ?? 0) + 1;
    if (manifest === null) return { seq: next, reason: 'the manifest is missing: the file was cut off' };
    if (manifest.format !== exportFormat) return { seq: next, reason: `the format ${String(manifest.format)} is not known` };
    if (manifest.session !== session) return { seq: next, reason: 'the manifest names another session' };
    if (manifest.last_seq !== last?.seq) return { seq: next, reason: `records up to ${manifest.last_seq} are missing at the end` };
    if (manifest.events !== events)
      return { seq: next, reason: `the manifest counts ${manifest.events} records, the file holds ${events}` };
    if (manifest.sha256 !== digest.digest('hex'))
      return { seq: manifest.first_seq, reason: 'the digest of the file does not fit its lines' };
    return null;
  }

  return { line, end };
}

const eventKeys = 'at,call,hash,kind,payload,prev_hash,seq,session,turn';

/** A record in exactly the form in which it was written, so that nothing can hide in a second key or a second spelling. */
function parse(bytes: Buffer): { event: RecordEvent; link: string | null } | { manifest: Manifest } | null {
  const text = bytes.toString('utf8');
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    if (typeof value !== 'object' || value === null || canonicalJson(value) !== text) return null;
    if (typeof value.manifest === 'object' && value.manifest !== null) return { manifest: value.manifest as Manifest };
    const { link, ...event } = value;
    if (Object.keys(event).sort().join() !== eventKeys || typeof event.payload !== 'string' || typeof event.seq !== 'number') return null;
    if (link !== undefined && typeof link !== 'string') return null;
    return { event: event as unknown as RecordEvent, link: link ?? null };
  } catch {
    return null;
  }
}
