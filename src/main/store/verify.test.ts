import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runWorker } from '../workers/runWorker.ts';
import { hash } from 'node:crypto';
import { verifyFile } from './verifyFile.ts';
import { createBench, ended, recordCall, startSession, type Bench } from './testKit.ts';

let bench: Bench;
beforeEach(() => (bench = createBench()));
afterEach(() => bench.end());

/** A closed record of two interleaved sessions and 44 records; `damage` then has the file for itself, its guards taken off. */
function damaged(damage: (db: Database.Database) => void): void {
  const store = bench.open();
  startSession(store.record, 's1');
  startSession(store.record, 's2');
  for (let i = 0; i < 10; i++) {
    recordCall(store.record, `a${i}`, { i }, 's1');
    recordCall(store.record, `b${i}`, { i }, 's2');
  }
  store.close();
  const db = new Database(join(bench.folder, 'record.db'));
  db.exec('DROP TRIGGER event_no_update; DROP TRIGGER event_no_delete; DROP TRIGGER event_append;');
  damage(db);
  db.close();
}

const reseat = 'UPDATE event SET seq = ? WHERE seq = ?';

test.each<[string, (db: Database.Database) => void, number, RegExp]>([
  [
    'a changed payload',
    (db) => db.prepare(`UPDATE event SET payload = replace(payload, '3000', '9000') WHERE seq = 11`).run(),
    11,
    /11 was changed/,
  ],
  ['a changed time', (db) => db.prepare(`UPDATE event SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 12`).run(), 12, /12 was changed/],
  ['a changed kind', (db) => db.prepare(`UPDATE event SET kind = 'note' WHERE seq = 12`).run(), 12, /12 was changed/],
  ['a record moved to another session', (db) => db.prepare(`UPDATE event SET session = 's2' WHERE seq = 9`).run(), 9, /9 was changed/],
  ['a record taken out', (db) => db.prepare('DELETE FROM event WHERE seq = 20').run(), 20, /record 20 is missing/],
  [
    'several records taken out',
    (db) => db.prepare('DELETE FROM event WHERE seq BETWEEN 20 AND 22').run(),
    20,
    /records 20 to 22 are missing/,
  ],
  ['the first record taken out', (db) => db.prepare('DELETE FROM event WHERE seq = 1').run(), 1, /record 1 is missing/],
  ['the end cut off', (db) => db.prepare('DELETE FROM event WHERE seq > 40').run(), 41, /records 41 to 44 are missing at the end/],
  ['everything taken out', (db) => db.prepare('DELETE FROM event').run(), 1, /records 1 to 44 are missing at the end/],
  [
    'two records exchanged',
    (db) => {
      for (const [to, from] of [
        [900, 15],
        [15, 16],
        [16, 900],
      ])
        db.prepare(reseat).run(to, from);
    },
    15,
    /15 is out of order: it was written as record 16/,
  ],
  [
    'a record taken out and the rest moved up',
    (db) => {
      db.prepare('DELETE FROM event WHERE seq = 20').run();
      for (let seq = 21; seq <= 44; seq++) db.prepare(reseat).run(seq - 1, seq);
    },
    20,
    /20 is out of order: it was written as record 21/,
  ],
  ['a hash made to fit its changed record', (db) => forge(db, 11), 12, /12 does not follow record 11/],
  [
    'a record put in at the end',
    (db) => db.exec(`INSERT INTO event SELECT 45, at, session, turn, call, kind, payload, hash, hash FROM event WHERE seq = 44`),
    45,
    /45/,
  ],
  ['another head', (db) => db.exec(`UPDATE head SET seq = 43`), 43, /head/],
])('%s is named', async (_name, damage, seq, reason) => {
  damaged(damage);
  const store = bench.open({ readOnly: true });
  const report = await store.record.verify();
  expect(report).toMatchObject({ ok: false, firstBroken: { seq } });
  expect(report.firstBroken!.reason).toMatch(reason);
});

function forge(db: Database.Database, seq: number): void {
  const row = db.prepare('SELECT * FROM event WHERE seq = ?').get(seq) as Record<string, string>;
  const link = db
    .prepare('SELECT hash FROM event WHERE session = ? AND seq < ? ORDER BY seq DESC LIMIT 1')
    .pluck()
    .get(row.session, seq) as string;
  const payload = row.payload!.replace('3000', '9000');
  const text = [
    'handrail-event-1',
    row.prev_hash,
    link,
    seq,
    row.at,
    row.session,
    row.turn ?? '-',
    row.call ?? '-',
    row.kind,
    payload,
  ].join('\n');
  db.prepare('UPDATE event SET payload = ?, hash = ? WHERE seq = ?').run(payload, hash('sha256', text, 'hex'), seq);
}

test('an anchor that was written down shows a record that was written anew', async () => {
  const store = bench.open();
  startSession(store.record);
  const anchor = { seq: 2, hash: store.record.events('s1')[1]!.hash };
  recordCall(store.record, 'c1');
  expect(await store.record.verify({ anchor })).toMatchObject({ ok: true, headSeq: 4 });
  expect(await store.record.verify({ anchor: { ...anchor, hash: 'f'.repeat(64) } })).toMatchObject({ ok: false, firstBroken: { seq: 2 } });
  expect(await store.record.verify({ anchor: { seq: 9, hash: anchor.hash } })).toMatchObject({
    ok: false,
    firstBroken: { reason: 'record 9 of the anchor is missing' },
  });
});

test('a record that is written, or cut by retention, while it is verified is no broken record', async () => {
  const store = bench.open();
  const reader = bench.open({ readOnly: true });
  startSession(store.record, 's1');
  for (let i = 0; i < 2_500; i++) recordCall(store.record, `c${i}`);
  store.record.append({ kind: 'turn-ended', session: 's1', turn: 't1', payload: ended('t1', 's1') });
  startSession(store.record, 's2');
  store.record.append({ kind: 'turn-ended', session: 's2', turn: 't2', payload: ended('t2', 's2') });
  const own = store.record.verify();
  const other = reader.record.verify();
  recordCall(store.record, 'late');
  store.record.flush();
  expect(await own).toMatchObject({ ok: true, events: 5_006 });
  expect(await other).toMatchObject({ ok: true });
  const overtaken = reader.record.verify();
  expect(store.retain(bench.clock.at)).not.toBeNull();
  expect(await overtaken).toMatchObject({ ok: true, firstBroken: null });
});

test('a record whose end was cut off is not written on, but can be read and verified', async () => {
  damaged((db) => db.prepare('DELETE FROM event WHERE seq > 40').run());
  const { record } = bench.open();
  expect(() => record.append({ kind: 'note', payload: { text: 'x' } })).toThrow(
    expect.objectContaining({ code: 'STORE_CORRUPT' }) as Error,
  );
  expect(record.health()).toMatchObject({ writable: false });
  expect(record.sessions()).toHaveLength(2);
  expect(await record.verify()).toMatchObject({ ok: false, firstBroken: { seq: 41 } });
});

test('verification and export give the same from a thread of their own, and a stopped one is cancelled', async () => {
  const store = bench.open({ runJob: runWorker });
  startSession(store.record);
  for (let i = 0; i < 50; i++) recordCall(store.record, `c${i}`);
  expect(await store.record.verify()).toEqual({
    ok: true,
    events: 102,
    firstBroken: null,
    headHash: store.record.events('s1').at(-1)!.hash,
    headSeq: 102,
    cut: 0,
  });
  const file = join(bench.folder, 'out.jsonl');
  expect(await store.record.exportSession('s1', file)).toMatchObject({ events: 102 });
  expect(await runWorker('recordWorker', { do: 'verify-file', file })).toMatchObject({ ok: true, events: 102 });
  await expect(store.record.exportSession('nobody', join(bench.folder, 'no.jsonl'))).rejects.toMatchObject({ code: 'STORE_NOT_FOUND' });
  await expect(store.record.verify({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
});

async function exported(): Promise<{ file: string; lines: string[] }> {
  const store = bench.open();
  startSession(store.record, 's1', '电机\u2028温度');
  startSession(store.record, 's2');
  for (let i = 0; i < 5; i++) {
    recordCall(store.record, `a${i}`, { i, text: '值' }, 's1');
    recordCall(store.record, `b${i}`, { i }, 's2');
  }
  const file = join(bench.folder, 'session.jsonl');
  await store.record.exportSession('s1', file);
  return { file, lines: readFileSync(file, 'utf8').trimEnd().split('\n') };
}

test('an export holds one session, verifies by itself, and is never half written', async () => {
  const { file, lines } = await exported();
  expect(lines).toHaveLength(13);
  expect(lines.some((line) => line.includes('"session":"s2"'))).toBe(false);
  expect(await verifyFile(file)).toMatchObject({ ok: true, events: 12, firstBroken: null });
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({
    manifest: { format: 'handrail-session-1', session: 's1', events: 12, first_seq: 1, head: { seq: 24 } },
  });
});

/** What a forger would do last: make the manifest fit the lines again. */
function withManifest(lines: string[]): string[] {
  const records = lines.slice(0, -1);
  const last = JSON.parse(lines.at(-1)!) as { manifest: Record<string, unknown> };
  const sha256 = hash('sha256', records.map((line) => `${line}\n`).join(''), 'hex');
  const last_seq = (JSON.parse(records.at(-1)!) as { seq: number }).seq;
  const manifest = { ...last.manifest, events: records.length, last_seq, sha256 };
  return [...records, JSON.stringify({ manifest: Object.fromEntries(Object.entries(manifest).sort(([a], [b]) => (a < b ? -1 : 1))) })];
}

test.each<[string, (lines: string[]) => string[], RegExp]>([
  ['a changed record', (l) => withManifest(l.with(4, l[4]!.replace('3000', '9000'))), /record \d+ was changed/],
  ['a record taken out, with a manifest that fits', (l) => withManifest(l.toSpliced(4, 1)), /a record of its session before it is missing/],
  ['two records exchanged, with a manifest that fits', (l) => withManifest(l.with(4, l[6]!).with(6, l[4]!)), /fit|order/],
  ['a record twice', (l) => withManifest(l.toSpliced(5, 0, l[4]!)), /out of order/],
  ['a cut end', (l) => l.slice(0, -3), /manifest is missing/],
  ['a cut end with the old manifest', (l) => l.toSpliced(-3, 2), /missing at the end/],
  ['a changed manifest', (l) => l.with(-1, l.at(-1)!.replace('"events":12', '"events":13')), /counts 13/],
  ['another digest', (l) => l.with(-1, l.at(-1)!.replace(/"sha256":"./, '"sha256":"_')), /digest/],
  ['a second key in a line', (l) => withManifest(l.with(4, l[4]!.replace('{', '{"a":1,'))), /no record/],
  ['a doubled key in a line', (l) => l.with(4, l[4]!.replace('{', '{"at":"x",')), /no record/],
  ['something behind the manifest', (l) => [...l, l[0]!], /behind the manifest/],
  ['text that is no record', () => ['hello'], /no record/],
  ['nothing', () => [''], /manifest is missing/],
])('%s in an exported file is found', async (_name, tamper, reason) => {
  const { file, lines } = await exported();
  const text = tamper(lines).join('\n');
  writeFileSync(file, text === '' ? '' : `${text}\n`);
  const report = await verifyFile(file);
  expect(report.ok).toBe(false);
  expect(report.firstBroken!.reason).toMatch(reason);
});

test('a whole record.db can be verified by its file, and a file that is not there is an error', async () => {
  const store = bench.open();
  startSession(store.record);
  store.close();
  const copy = join(bench.folder, 'copy.db');
  copyFileSync(join(bench.folder, 'record.db'), copy);
  expect(await verifyFile(copy)).toMatchObject({ ok: true, events: 2 });
  await expect(verifyFile(join(bench.folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'ARGS_UNREADABLE_FILE' });
});
