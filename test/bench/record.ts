import { hash } from 'node:crypto';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { CallEnvelope, ResultEnvelope } from '../../src/shared/contracts/calls.ts';
import type { NewEvent, VerifyReport } from '../../src/shared/contracts/record.ts';
import { createUlids } from '../../src/shared/ulid.ts';
import { openDatabase } from '../../src/main/store/database.ts';
import { createJournal, type Journal } from '../../src/main/store/journal.ts';
import { recordMigrations } from '../../src/main/store/migrations.ts';
import { createProjections } from '../../src/main/store/projections.ts';
import { createQueries } from '../../src/main/store/queries.ts';
import { intent } from '../../src/main/store/testKit.ts';
import { runWorker } from '../../src/main/workers/runWorker.ts';
import type { Bench, Figure } from './main.ts';

/** Calls in the record that is verified: two events each, a million in all. */
const calls = 500_000;
const rounds = 3;

const now = (() => {
  let at = Date.parse('2026-11-30T08:00:00.000Z');
  return () => at++;
})();
const ids = createUlids({ now, random: () => crypto.getRandomValues(new Uint8Array(16)) });

type Open = { db: Database.Database; journal: Journal; file: string; close(): void };

function open(folder: string, name: string, synchronous: 'FULL' | 'NORMAL'): Open {
  const file = join(folder, name);
  const db = openDatabase(file, { synchronous, migrations: recordMigrations });
  const journal = createJournal({ db, file, projections: createProjections(db), now, beforeDurable: () => undefined });
  return {
    db,
    journal,
    file,
    close() {
      journal.flush();
      journal.close();
      db.close();
    },
  };
}

/** A read as the plant answers it: four tags with value, quality and time. */
export function readCall(session: string, turn: string, i: number): [NewEvent, NewEvent] {
  const id = ids();
  const tag = (k: number): string => `TI-${100 + ((i + k) % 900)}`;
  const envelope: CallEnvelope = {
    call_id: id,
    parent_call_id: null,
    session_id: session,
    turn_id: turn,
    tool: 'tag_read',
    args: { tags: [0, 1, 2, 3].map(tag) },
    depends_on: [],
    expected_output_schema: null,
    timeout_ms: 3000,
    meta: { timestamp: new Date(now()).toISOString(), caller: 'agent:builtin' },
  };
  const result: ResultEnvelope = {
    call_id: id,
    ok: true,
    error: null,
    result: {
      readings: [0, 1, 2, 3].map((k) => ({
        tag: tag(k),
        value: 20 + ((i * 7 + k) % 1000) / 10,
        unit: '°C',
        quality: 'good',
        readAt: '2026-11-30T08:00:00.000Z',
      })),
    },
    meta: {
      timestamp: new Date(now()).toISOString(),
      duration_ms: 4.2,
      exit_code: null,
      status_code: null,
      crc_valid: true,
      truncated: false,
      fallback: null,
      attempts: 1,
      cached: false,
    },
  };
  const at = { session, turn, call: id };
  return [
    { ...at, kind: 'call', payload: envelope },
    { ...at, kind: 'result', payload: result },
  ];
}

const percentile = (sorted: number[], share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** What recording adds to one read call: both appends and, if it falls into them, the commit of the group. 200 calls a second, as a busy plant asks. */
async function readLatency(store: Open): Promise<number[]> {
  const times: number[] = [];
  const session = ids();
  for (let i = 0; i < 2_000; i++) {
    const events = readCall(session, session, i);
    const start = performance.now();
    for (const event of events) store.journal.append(event, false);
    times.push(performance.now() - start);
    if (i % 20 === 19) await new Promise((resolve) => setTimeout(resolve, 100 - 20));
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return times.sort((a, b) => a - b);
}

/** The longest that the group commit holds the loop: it falls between calls, not into them, but a frame may wait for it. */
function groupCommit(store: Open): number[] {
  const times: number[] = [];
  const session = ids();
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < 10; i++) for (const event of readCall(session, session, i)) store.journal.append(event, false);
    const start = performance.now();
    store.journal.flush();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

function intentLatency(store: Open): number[] {
  const times: number[] = [];
  const session = ids();
  for (let i = 0; i < 1_000; i++) {
    const id = ids();
    const start = performance.now();
    store.journal.append({ kind: 'intent', session, turn: session, call: id, payload: intent(id) }, true);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

/** The floor under any durable write on this disk: append 1 KB, fsync. */
function bareFsync(folder: string): number[] {
  const file = openSync(join(folder, 'bare'), 'w');
  const bytes = Buffer.alloc(1024, 1);
  const times: number[] = [];
  for (let i = 0; i < 1_000; i++) {
    const start = performance.now();
    writeSync(file, bytes);
    fsyncSync(file);
    times.push(performance.now() - start);
  }
  closeSync(file);
  return times.sort((a, b) => a - b);
}

const columns = 'seq, at, session, turn, call, kind, payload, prev_hash, hash';

/** Reads every row and hashes its text, and nothing else: what verification cannot be faster than. */
function bareLoop(file: string): number {
  const db = new Database(file, { readonly: true });
  const start = performance.now();
  let rows = 0;
  for (const row of db.prepare(`SELECT ${columns} FROM event ORDER BY seq`).raw().iterate() as IterableIterator<[number, ...string[]]>) {
    hash('sha256', `${row[7]}\n${row[0]}\n${row[1]}\n${row[2]}\n${row[3]}\n${row[4]}\n${row[5]}\n${row[6]}`, 'hex');
    rows++;
  }
  const rate = (rows / (performance.now() - start)) * 1000;
  db.close();
  return rate;
}

export async function bench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-bench-record-'));
  try {
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string): Promise<Bench> {
  const figures: Figure[] = [];
  const add = (
    name: string,
    value: number,
    unit: string,
    peer: number | null = null,
    goal: string | null = null,
    met: boolean | null = null,
  ): void => {
    const round = (x: number): number => Number(x.toPrecision(4));
    figures.push({
      name,
      value: round(value),
      unit,
      peer: peer === null ? null : round(peer),
      ratio: peer === null ? null : round(value / peer),
      goal,
      met,
    });
  };

  const fsync = bareFsync(folder);
  const full = open(folder, 'full.db', 'FULL');
  const normal = open(folder, 'normal.db', 'NORMAL');
  const [readFull, readNormal] = [await readLatency(full), await readLatency(normal)];
  add(
    'added to a read call, p99, FULL (peer: NORMAL)',
    percentile(readFull, 0.99),
    'ms',
    percentile(readNormal, 0.99),
    '< 1 ms',
    percentile(readFull, 0.99) < 1,
  );
  add('added to a read call, p50, FULL (peer: NORMAL)', percentile(readFull, 0.5), 'ms', percentile(readNormal, 0.5));
  const [groupFull, groupNormal] = [groupCommit(full), groupCommit(normal)];
  add('commit of a group of 20 events, p99, FULL (peer: NORMAL)', percentile(groupFull, 0.99), 'ms', percentile(groupNormal, 0.99));
  const [intentFull, intentNormal] = [intentLatency(full), intentLatency(normal)];
  add('intent on disk, p99, FULL (peer: write and fsync of 1 KB)', percentile(intentFull, 0.99), 'ms', percentile(fsync, 0.99));
  add('intent on disk, p50, FULL (peer: write and fsync of 1 KB)', percentile(intentFull, 0.5), 'ms', percentile(fsync, 0.5));
  add('intent, p99, NORMAL', percentile(intentNormal, 0.99), 'ms');
  full.close();
  normal.close();

  const big = open(folder, 'big.db', 'FULL');
  let session = ids();
  let turn = ids();
  const start = performance.now();
  for (let i = 0; i < calls; i++) {
    if (i % 1_000 === 0) {
      if (i >= 100_000) session = ids(); // the first session is a long one
      turn = ids();
      big.journal.append({ kind: 'session-started', session, payload: { door: 'bench', operator: 'bench', title: '' } }, false);
      big.journal.append(
        { kind: 'turn-started', session, turn, payload: { text: `读取${i % 7_000 === 0 ? '电机' : '水泵'}温度 ${i}`, planner: 'builtin' } },
        false,
      );
    }
    for (const event of readCall(session, turn, i)) big.journal.append(event, false);
  }
  big.journal.flush();
  const events = big.journal.tip().seq;
  const rate = (events / (performance.now() - start)) * 1000;
  add('events a second, batched, FULL, with hash, masking, projections and search', rate, '1/s', 20_000, '>= 20,000/s', rate >= 20_000);
  big.db.pragma('wal_checkpoint(TRUNCATE)');
  const bytes = statSync(big.file).size;
  add('file size per million events', ((bytes / events) * 1e6) / 2 ** 20, 'MB');
  add('file size per million calls', ((bytes / calls) * 1e6) / 2 ** 20, 'MB');

  const queries = createQueries(big.db);
  for (const [name, text] of [
    ['rare two-character word', '电机'],
    ['common two-character word', '水泵'],
    ['tag', 'TI-105'],
  ] as const) {
    const times = Array.from({ length: 9 }, () => {
      const at = performance.now();
      if (queries.sessions({ search: text, limit: 50 }).length === 0) throw new Error(`nothing found for ${text}`);
      return performance.now() - at;
    });
    add(`search of sessions in ${(events / 1e6).toFixed(1)} M events, ${name}, median`, median(times), 'ms');
  }
  big.close();

  const [verified, bare, growth] = [[] as number[], [] as number[], [] as number[]];
  for (let round = 0; round < rounds; round++) {
    bare.push(bareLoop(big.file));
    const rss = process.memoryUsage.rss();
    let peak = rss;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
    const at = performance.now();
    const report = (await runWorker('recordWorker', { do: 'verify', file: big.file, anchor: null })) as VerifyReport;
    verified.push((report.events / (performance.now() - at)) * 1000);
    clearInterval(watch);
    growth.push((peak - rss) / 2 ** 20);
    if (!report.ok || report.events !== events) throw new Error(`the record does not verify: ${JSON.stringify(report)}`);
  }
  const ratio = median(verified.map((value, i) => value / bare[i]!));
  add(
    'verify, events a second, thread start included (peer: bare read and SHA-256 loop)',
    median(verified),
    '1/s',
    median(bare),
    '>= 0.8 of peer',
    ratio >= 0.8,
  );
  add('verify, growth of memory, largest', Math.max(...growth), 'MB');

  const out = join(folder, 'export.jsonl');
  const db = new Database(big.file, { readonly: true });
  const largest = db.prepare('SELECT session FROM event GROUP BY session ORDER BY count(*) DESC LIMIT 1').pluck().get() as string;
  db.close();
  const exportAt = performance.now();
  const exported = (await runWorker('recordWorker', {
    do: 'export',
    file: big.file,
    sessionId: largest,
    to: out,
    version: 'bench',
    now: 0,
  })) as { events: number };
  const exportMs = performance.now() - exportAt;
  add(`export, events a second (session of ${exported.events})`, (exported.events / exportMs) * 1000, '1/s');
  const checkAt = performance.now();
  const check = (await runWorker('recordWorker', { do: 'verify-file', file: out })) as VerifyReport;
  if (!check.ok) throw new Error('the export does not verify');
  add('verify of an exported file, events a second', (check.events / (performance.now() - checkAt)) * 1000, '1/s');

  const missed = figures.filter((figure) => figure.met === false).map((figure) => figure.name);
  return {
    name: 'record',
    figures,
    summary: `${Math.round(rate)} events/s batched with FULL; a read call pays ${percentile(readFull, 0.99).toFixed(3)} ms at p99; verify runs at ${ratio.toFixed(2)} of the bare loop. ${missed.length === 0 ? 'All goals met.' : `Missed: ${missed.join('; ')}.`}`,
  };
}
