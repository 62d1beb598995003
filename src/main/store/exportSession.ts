import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import { canonicalJson } from '../../shared/canonicalJson.ts';
import { HandrailError } from '../../shared/errors.ts';
import type { RecordEvent, RetentionCut } from '../../shared/contracts/record.ts';
import { readPayload } from './recordable.ts';

export const exportFormat = 'handrail-session-1';
const batch = 1_000;

export type Manifest = {
  format: typeof exportFormat;
  session: string;
  version: string;
  exported_at: string;
  events: number;
  first_seq: number;
  last_seq: number;
  /** Head of the whole record when the export was made. */
  head: { seq: number; hash: string };
  /** SHA-256 over all lines before this one, line feeds included. */
  sha256: string;
};

/**
 * One line a record in canonical JSON, then one line with the manifest. The records of a session need not be neighbours in
 * the chain, but each one's hash covers the hash of the one before it in its session, so the lines prove each other. Where
 * retention took the beginning, the first line carries that hash as `link`.
 */
export async function exportSession(
  db: Database,
  sessionId: string,
  file: string,
  about: { version: string; now: () => number },
): Promise<{ events: number; sha256: string }> {
  const next = db.prepare(
    'SELECT seq, at, session, turn, call, kind, payload, prev_hash, hash FROM event WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?',
  );
  const head = db.prepare('SELECT seq, hash FROM head WHERE one = 1').get() as { seq: number; hash: string };
  const rows = (after: number): RecordEvent[] => next.all(sessionId, after, batch) as RecordEvent[];
  let page = rows(0);
  if (page.length === 0) throw new HandrailError('STORE_NOT_FOUND', { detail: { what: 'session', id: sessionId } });
  const firstSeq = page[0]!.seq;
  const link = linkBefore(db, sessionId);
  const digest = createHash('sha256');
  const part = `${file}.part`;
  const out = await open(part, 'wx').catch((cause: unknown) => {
    throw new HandrailError('ARGS_UNREADABLE_FILE', {
      detail: { file, reason: cause instanceof Error ? cause.message : String(cause) },
      cause,
    });
  });
  let events = 0;
  let lastSeq = firstSeq;
  try {
    while (page.length > 0) {
      const text = page.map((event, i) => `${canonicalJson(events + i === 0 && link !== null ? { ...event, link } : event)}\n`).join('');
      digest.update(text);
      await out.write(text);
      events += page.length;
      lastSeq = page.at(-1)!.seq;
      page = rows(lastSeq);
    }
    const sha256 = digest.digest('hex');
    const manifest: Manifest = {
      format: exportFormat,
      session: sessionId,
      version: about.version,
      exported_at: new Date(about.now()).toISOString(),
      events,
      first_seq: firstSeq,
      last_seq: lastSeq,
      head,
      sha256,
    };
    await out.write(`${canonicalJson({ manifest })}\n`);
    await out.sync();
    await out.close();
    await rename(part, file);
    return { events, sha256 };
  } catch (error) {
    await out.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}

/** What the first kept record of a session links to: nothing, or its last hash before a cut. */
export function linkBefore(db: Database, sessionId: string): string | null {
  const text = db.prepare(`SELECT payload FROM event WHERE kind = 'retention' ORDER BY seq DESC LIMIT 1`).pluck().get() as
    string | undefined;
  return text === undefined ? null : ((readPayload(text) as RetentionCut).links[sessionId] ?? null);
}
