import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Anchor, RetentionCut, VerifyReport } from '../../shared/contracts/record.ts';
import { genesisHash, hashFields } from './chain.ts';
import { readPayload } from './recordable.ts';

type Row = [
  seq: number,
  at: string,
  session: string | null,
  turn: string | null,
  call: string | null,
  kind: string,
  payload: string,
  prev: string,
  hash: string,
];
const columns = 'seq, at, session, turn, call, kind, payload, prev_hash, hash';

/** Rows between two looks at the clock of others: a few milliseconds of work. */
const batch = 2_000;

/**
 * Walks the chain from its first record, a page of rows in memory at a time, and names the first that is missing, out of
 * order or changed. A generator, so that a process with other work can let it wait between pages. The record may be written
 * meanwhile: the walk goes as far as the head that stood when it began, and begins anew if retention overtakes it.
 */
export function* verifyChain(db: Database, anchor?: Anchor): Generator<number, VerifyReport> {
  for (;;) {
    const cut = youngestCut(db);
    const report = yield* walk(db, cut, anchor);
    if (report.ok || (youngestCut(db)?.to_seq ?? 0) === (cut?.to_seq ?? 0)) return report;
  }
}

function* walk(db: Database, cut: RetentionCut | null, anchor?: Anchor): Generator<number, VerifyReport> {
  const head = db.prepare('SELECT seq, hash FROM head WHERE one = 1').get() as { seq: number; hash: string };
  const links = new Map<string, string>(Object.entries(cut?.links ?? {}));
  let prev = cut?.last_hash ?? genesisHash;
  let seq = cut?.to_seq ?? 0;
  let events = 0;
  const next = db.prepare(`SELECT ${columns} FROM event WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${batch}`).raw();
  const report = (firstBroken: VerifyReport['firstBroken']): VerifyReport => ({
    ok: firstBroken === null,
    events,
    firstBroken,
    headHash: prev,
    headSeq: seq,
    cut: cut?.to_seq ?? 0,
  });
  let anchored = anchor === undefined || (cut !== null && anchor.seq <= cut.to_seq);
  for (;;) {
    const rows = next.all(seq, head.seq) as Row[];
    for (const row of rows) {
      const [at, session, hash] = [row[0], row[2], row[8]];
      const link = session === null ? null : (links.get(session) ?? null);
      if (at !== seq + 1 || row[7] !== prev || hashFields(prev, link, at, row[1], session, row[3], row[4], row[5], row[6]) !== hash) {
        return report(nameBreak(db, row, seq + 1, prev, link));
      }
      if (session !== null) links.set(session, hash);
      prev = hash;
      seq = at;
      events++;
      if (anchor !== undefined && seq === anchor.seq) {
        if (prev !== anchor.hash) return report({ seq, reason: `record ${seq} is not the one that the anchor names` });
        anchored = true;
      }
    }
    if (rows.length < batch) break;
    yield events;
  }
  if (head.seq > seq) return report({ seq: seq + 1, reason: `${missing(seq + 1, head.seq)} at the end` });
  if (head.seq < seq || head.hash !== prev)
    return report({ seq, reason: `the head of the record does not name record ${seq} as its last` });
  const beyond = db.prepare('SELECT seq FROM event WHERE seq > (SELECT seq FROM head WHERE one = 1) ORDER BY seq LIMIT 1').pluck().get() as
    number | undefined;
  if (beyond !== undefined) return report({ seq: beyond, reason: `record ${beyond} was put in behind the last one` });
  if (!anchored) return report({ seq: seq + 1, reason: `record ${anchor!.seq} of the anchor is missing` });
  return report(null);
}

/**
 * The youngest cut says where the first kept record follows on; it is itself a record of the chain, so it is proven on the
 * way. Rows before it may still lie there, after a crash in the middle of their removal; they no longer count.
 */
export function youngestCut(db: Database): RetentionCut | null {
  const text = db.prepare(`SELECT payload FROM event WHERE kind = 'retention' ORDER BY seq DESC LIMIT 1`).pluck().get() as
    string | undefined;
  return text === undefined ? null : (readPayload(text) as RetentionCut);
}

function missing(from: number, to: number): string {
  return from === to ? `record ${from} is missing` : `records ${from} to ${to} are missing`;
}

function nameBreak(db: Database, row: Row, wanted: number, prev: string, link: string | null): { seq: number; reason: string } {
  const [seq, , , , , , , prevHash] = row;
  if (seq !== wanted) return { seq: wanted, reason: missing(wanted, seq - 1) };
  const place = placeOf(db, row);
  if (place !== null && place !== seq) return { seq, reason: `record ${seq} is out of order: it was written as record ${place}` };
  if (prevHash !== prev) return { seq, reason: `record ${seq} does not follow record ${seq - 1}: the previous hash differs` };
  const session = row[2];
  return session !== null && linksOf(db, session, seq).some((other) => other !== link && proves(row, seq, other))
    ? { seq, reason: `record ${seq} does not follow the record before it in its session` }
    : { seq, reason: `record ${seq} was changed: its hash does not fit its content` };
}

/** Where a record was written, if its own hash proves some place near by. */
function placeOf(db: Database, row: Row): number | null {
  const links = [null, ...(row[2] === null ? [] : linksOf(db, row[2], row[0]))];
  for (let distance = 0; distance <= 500; distance++) {
    for (const seq of distance === 0 ? [row[0]] : [row[0] - distance, row[0] + distance]) {
      if (seq > 0 && links.some((link) => proves(row, seq, link))) return seq;
    }
  }
  return null;
}

function proves(row: Row, seq: number, link: string | null): boolean {
  return hashFields(row[7], link, seq, row[1], row[2], row[3], row[4], row[5], row[6]) === row[8];
}

/** Hashes near by in the session of a broken record: any of them may be the one it followed. */
function linksOf(db: Database, session: string, seq: number): string[] {
  const near = db.prepare('SELECT hash FROM event WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY abs(seq - ?) LIMIT 40').pluck();
  return near.all(session, seq - 1_000, seq + 1_000, seq) as string[];
}

/** Hashes of the records `from` to `to`, one a line: what a cut leaves behind of them. */
export function segmentDigest(db: Database, from: number, to: number): string {
  const digest = createHash('sha256');
  for (const hash of db.prepare('SELECT hash FROM event WHERE seq BETWEEN ? AND ? ORDER BY seq').pluck().iterate(from, to))
    digest.update(`${String(hash)}\n`);
  return digest.digest('hex');
}
