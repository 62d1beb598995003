import { hash } from 'node:crypto';
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

/** Rows between two looks at the clock of others: about 10 ms of work. */
const batch = 2_000;

/**
 * Walks the chain from its first record, one row in memory at a time, and names the first that is missing, out of order
 * or changed. A generator, so that a process with other work can let it wait between batches.
 */
export function* verifyChain(db: Database, anchor?: Anchor): Generator<number, VerifyReport> {
  const head = db.prepare('SELECT seq, hash FROM head WHERE one = 1').get() as { seq: number; hash: string } | undefined;
  const first = db.prepare('SELECT min(seq) FROM event').pluck().get() as number | null;
  const cut = first === null ? null : coveringCut(db, first);
  let prev = cut?.last_hash ?? genesisHash;
  let seq = cut?.to_seq ?? 0;
  let events = 0;
  const next = db.prepare(`SELECT ${columns} FROM event WHERE seq > ? ORDER BY seq LIMIT ${batch}`).raw();
  const report = (firstBroken: VerifyReport['firstBroken']): VerifyReport => ({
    ok: firstBroken === null,
    events,
    firstBroken,
    headHash: prev,
    headSeq: seq,
    cut: cut?.events ?? 0,
  });
  let anchored = anchor === undefined || (cut !== null && anchor.seq <= cut.to_seq);
  for (;;) {
    const rows = next.all(seq) as Row[];
    for (const row of rows) {
      const broken = judge(db, row, seq + 1, prev);
      if (broken !== null) return report(broken);
      prev = row[8];
      seq = row[0];
      events++;
      if (anchor !== undefined && seq === anchor.seq) {
        if (prev !== anchor.hash) return report({ seq, reason: 'it is not the record that the anchor names' });
        anchored = true;
      }
    }
    if (rows.length < batch) break;
    yield events;
  }
  if (head !== undefined && head.seq > seq)
    return report({ seq: seq + 1, reason: `records ${seq + 1} to ${head.seq} are missing at the end` });
  if (head !== undefined && (head.seq < seq || head.hash !== prev))
    return report({ seq, reason: 'the head of the record does not name it' });
  if (!anchored) return report({ seq: seq + 1, reason: `record ${anchor!.seq} of the anchor is missing` });
  return report(null);
}

/** The youngest cut that says where the first remaining record follows on; it is itself a record of the chain, so it is proven on the way. */
function coveringCut(db: Database, first: number): RetentionCut | null {
  if (first === 1) return null;
  const rows = db.prepare(`SELECT payload FROM event WHERE kind = 'retention' ORDER BY seq DESC`).pluck().all() as string[];
  return rows.map((text) => readPayload(text) as RetentionCut).find((cut) => cut.to_seq === first - 1) ?? null;
}

function judge(db: Database, row: Row, wanted: number, prev: string): VerifyReport['firstBroken'] {
  const [seq, at, session, turn, call, kind, payload, prevHash, stored] = row;
  const missing = seq !== wanted;
  if (!missing && prevHash === prev && hashFields(prevHash, seq, at, session, turn, call, kind, payload) === stored) return null;
  if (missing)
    return { seq: wanted, reason: seq === wanted + 1 ? `record ${wanted} is missing` : `records ${wanted} to ${seq - 1} are missing` };
  const belongs = placeOf(db, row);
  if (belongs !== null && belongs !== seq) return { seq, reason: `record ${seq} is out of order: it was written as record ${belongs}` };
  if (prevHash !== prev) return { seq, reason: `record ${seq} does not follow record ${seq - 1}: the previous hash differs` };
  return { seq, reason: `record ${seq} was changed: its hash does not fit its content` };
}

/** Where a record was written: behind the one its previous hash names, if its own hash proves that place. */
function placeOf(db: Database, row: Row): number | null {
  const [, at, session, turn, call, kind, payload, prevHash, stored] = row;
  const before = db.prepare('SELECT seq FROM event WHERE hash = ?').pluck().all(prevHash) as number[];
  const near = [...new Set([...before.map((seq) => seq + 1), ...neighbours(row[0])])];
  return near.find((seq) => hashFields(prevHash, seq, at, session, turn, call, kind, payload) === stored) ?? null;
}

function neighbours(seq: number): number[] {
  return Array.from({ length: 2_001 }, (_, i) => seq - 1_000 + i).filter((near) => near > 0);
}

/** Hashes of the records `from` to `to`, one a line: what a cut leaves behind of them. */
export function segmentDigest(db: Database, from: number, to: number): string {
  const hashes = db.prepare('SELECT hash FROM event WHERE seq BETWEEN ? AND ? ORDER BY seq').pluck().all(from, to) as string[];
  return hash('sha256', hashes.map((line) => `${line}\n`).join(''), 'hex');
}
