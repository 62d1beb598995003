import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeSteps } from '../../shared/contracts/record.ts';
import { checkRuntime } from './database.ts';
import { call, createBench, ended, intent, plantItem, recordCall, result, startSession, type Bench } from './testKit.ts';

let bench: Bench;
beforeEach(() => (bench = createBench()));
afterEach(() => bench.end());
const fixture = (name: string): string => join(import.meta.dirname, '../../../test/fixtures/store', name);

test('files of version 1 open, verify, and are read with all that stood in them', async () => {
  copyFileSync(fixture('record-v1.db'), join(bench.folder, 'record.db'));
  copyFileSync(fixture('history-v1.db'), join(bench.folder, 'history.db'));
  const { record, history } = bench.open();
  expect(await record.verify()).toMatchObject({
    ok: true,
    events: 9,
    headHash: '7c164175eaad04f3d29002a47473cd421e580de5c876bdf5cf57347e2f542bf3',
  });
  expect(record.sessions({ search: '电机' })).toMatchObject([{ id: 's1', title: '把电机设定温度降到 45', calls: 2, writes: 1 }]);
  expect(record.undoable(5)).toMatchObject([
    { call: { call_id: 'w1' }, writes: [{ write: { now: 50, after: 45 }, verdict: 'confirmed' }] },
  ]);
  expect(history.read('TI-101', 0, 9e15, 1000)).toHaveLength(100);
  record.append({ kind: 'note', session: 's1', payload: { text: 'goes on' } });
  expect(await record.verify()).toMatchObject({ ok: true, events: 10 });
});

test('a reader of a folder without a record sees an empty one and leaves nothing behind', async () => {
  const { record, history } = bench.open({ readOnly: true });
  expect(record.sessions()).toEqual([]);
  expect(history.tags()).toEqual([]);
  expect(await record.verify()).toMatchObject({ ok: true, events: 0 });
  expect(readdirSync(bench.folder)).toEqual([]);
});

test('a data folder is made with all above it, and one that cannot be made is an error at once', () => {
  bench.open({ folder: join(bench.folder, 'a', 'b') });
  expect(readdirSync(join(bench.folder, 'a', 'b'))).toContain('record.db');
  const nowhere = process.platform === 'linux' ? '/proc/nope/data' : join(bench.folder, 'a', 'b', 'record.db', 'data');
  expect(() => bench.open({ folder: nowhere })).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^STORE_/) as string }) as Error,
  );
});

test('data of a newer version is refused and left as it is', () => {
  bench.open().close();
  const db = new Database(join(bench.folder, 'record.db'));
  db.pragma('user_version = 999');
  db.close();
  expect(() => bench.open()).toThrow(expect.objectContaining({ code: 'STORE_VERSION' }) as Error);
  expect(() => bench.open({ readOnly: true })).toThrow(expect.objectContaining({ code: 'STORE_VERSION' }) as Error);
});

test('a file that is no database is named as damaged', () => {
  mkdirSync(bench.folder, { recursive: true });
  writeFileSync(join(bench.folder, 'record.db'), 'this is no database, and it is long enough to be looked at'.repeat(50));
  expect(() => bench.open()).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }) as Error);
});

test('a Node that would crash on the database is refused with words', () => {
  expect(() => checkRuntime('9')).toThrow(/needs Node 22.14 or newer/);
  expect(() => checkRuntime('10')).not.toThrow();
});

/** Every derived row, as text. */
function derived(folder: string): string {
  const db = new Database(join(folder, 'record.db'), { readonly: true });
  const tables = ['session', 'turn', 'call', 'write_item', 'approval'];
  const text = JSON.stringify(tables.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()));
  db.close();
  return text;
}

function aBusyDay(bench: Bench): ReturnType<Bench['open']> {
  const store = bench.open();
  const { record } = store;
  startSession(record);
  recordCall(record, 'c1');
  record.append({ kind: 'call', session: 's1', turn: 't1', call: 'w1', payload: call('w1', { tool: 'tag_write' }) });
  record.append(
    { kind: 'intent', session: 's1', turn: 't1', call: 'w1', payload: intent('w1', null, [plantItem(), plantItem({ address: 41 })]) },
    { durable: true },
  );
  record.append({ kind: 'write-step', session: 's1', call: 'w1', payload: writeSteps.aboutToSend('w1', 0) }, { durable: true });
  record.append({ kind: 'write-step', session: 's1', call: 'w1', payload: writeSteps.verdict('w1', 0, 'confirmed', 45) });
  record.append({ kind: 'write-step', session: 's1', call: 'w1', payload: writeSteps.aboutToSend('w1', 1) }, { durable: true });
  record.append({ kind: 'write-step', session: 's1', call: 'w1', payload: writeSteps.verdict('w1', 1, 'unknown', null) });
  record.append({ kind: 'result', session: 's1', call: 'w1', payload: result('w1', null, { ok: false }) });
  record.append({ kind: 'call', session: 's1', turn: 't1', call: 'c9', payload: call('c9') });
  record.append({ kind: 'call-stopped', session: 's1', call: 'c9', payload: { call_id: 'c9', step: 'policy', error: null } });
  record.flush();
  return store;
}

test('the derived tables made again from the events alone are the same', () => {
  const store = aBusyDay(bench);
  const before = derived(bench.folder);
  expect(before).toContain('"verdict":"confirmed"');
  const events = store.record.events('s1').length;
  expect(store.rebuild()).toBe(events);
  expect(derived(bench.folder)).toBe(before);
  expect(store.record.sessions({ search: '电机' })).toHaveLength(1);
});

test('an object that its owner goes on changing is recorded and derived as it was', () => {
  const store = bench.open();
  const envelope = call('c1', { args: { tags: ['TI-101'] } });
  const state = { state: 'PLANNING' as const, at: 'a', duration_ms: null as number | null, why: 'x', fuse_ms: null };
  startSession(store.record);
  store.record.append({ kind: 'call', session: 's1', turn: 't1', call: 'c1', payload: envelope });
  store.record.append({ kind: 'state', session: 's1', turn: 't1', payload: state });
  envelope.tool = 'undo';
  envelope.args.tags = ['SP-9'];
  state.duration_ms = 5;
  expect(store.record.call('c1')!.call).toMatchObject({ tool: 'tag_read', args: { tags: ['TI-101'] } });
  const before = derived(bench.folder);
  store.rebuild();
  expect(derived(bench.folder)).toBe(before);
  expect(store.record.sessions({ search: 'SP-9' })).toEqual([]);
});

test('an event of the wrong shape stays in the chain and does not keep others from the disk', async () => {
  const { record } = bench.open();
  record.append({ kind: 'call', session: 's1', payload: null as never });
  record.append({ kind: 'result', session: 's1', payload: { call_id: 'x' } as never });
  recordCall(record, 'c1');
  expect(record.call('c1')).toMatchObject({ state: 'ended' });
  expect(record.health().faults).toHaveLength(2);
  expect(await record.verify()).toMatchObject({ ok: true, events: 4 });
});

test('after a clean end nothing is recovered', () => {
  const store = bench.open();
  startSession(store.record);
  recordCall(store.record, 'c1');
  store.close();
  expect(bench.open().record.recovered()).toBeNull();
});

test('a start after a crash tells interrupted calls, closed approvals and unknown writes, once', async () => {
  const store = bench.open();
  const { record } = store;
  startSession(record);
  for (const id of ['r1', 'w1', 'w2', 'w3']) record.append({ kind: 'call', session: 's1', turn: 't1', call: id, payload: call(id) });
  for (const id of ['w1', 'w2', 'w3']) record.append({ kind: 'intent', session: 's1', call: id, payload: intent(id) }, { durable: true });
  record.append({ kind: 'write-step', session: 's1', call: 'w2', payload: writeSteps.aboutToSend('w2', 0) }, { durable: true });
  record.append({ kind: 'write-step', session: 's1', call: 'w3', payload: writeSteps.aboutToSend('w3', 0) }, { durable: true });
  record.append({ kind: 'write-step', session: 's1', call: 'w3', payload: writeSteps.verdict('w3', 0, 'confirmed', 45) });
  record.append({
    kind: 'approval-asked',
    session: 's1',
    call: 'r1',
    payload: {
      cardId: 'k1',
      callId: 'r1',
      sessionId: 's1',
      title: { en: '', zh: '' },
      items: [],
      digest: 'd',
      createdAt: '',
      expiresAt: '',
      words: '',
      taint: [],
    },
  });
  store.close(); // what a crash leaves is the same: calls without results

  const again = bench.open();
  expect(again.record.recovered()).toMatchObject({
    interrupted: ['r1', 'w1', 'w2', 'w3'],
    approvals_closed: ['k1'],
    writes: [
      { call_id: 'w1', items: [{ state: 'not-sent' }] },
      { call_id: 'w2', items: [{ state: 'unknown' }] },
      { call_id: 'w3', items: [{ state: 'done', verdict: 'confirmed' }] },
    ],
  });
  expect(again.record.calls('s1').map((row) => row.state)).toEqual(['interrupted', 'interrupted', 'unknown', 'interrupted']);
  expect(again.record.unknownWrites().map((row) => row.call.call_id)).toEqual(['w2']);
  expect(again.record.undoable(9).map((row) => row.call.call_id)).toEqual(['w3']);
  expect(again.record.openApprovals()).toEqual([]);
  expect(await again.record.verify()).toMatchObject({ ok: true });
  again.close();

  const third = bench.open();
  expect(third.record.recovered()).toBeNull();
  expect(third.record.unknownWrites()).toHaveLength(1);
  // The person lets it be read back: from now on it is known.
  third.record.append({
    kind: 'write-step',
    session: 's1',
    call: 'w2',
    payload: writeSteps.readBack('w2', 0, { delay_ms: 0, value: 45, raw: [450] }),
  });
  third.record.append({ kind: 'write-step', session: 's1', call: 'w2', payload: writeSteps.verdict('w2', 0, 'confirmed', 45) });
  expect(third.record.unknownWrites()).toEqual([]);
  expect(third.record.call('w2')).toMatchObject({ state: 'interrupted', writes: [{ state: 'done', verdict: 'confirmed' }] });
});

test('old records go as a whole, their digest stays in the chain, and the rest still proves itself', async () => {
  const store = bench.open();
  const { record } = store;
  startSession(record, 's1', '旧会话的电机');
  for (let i = 0; i < 20; i++) recordCall(record, `a${i}`, { i }, 's1');
  record.append({ kind: 'turn-ended', session: 's1', turn: 't1', payload: ended('t1', 's1') });
  startSession(record, 's2', '跨越的会话');
  record.append({ kind: 'turn-ended', session: 's2', turn: 't2', payload: ended('t2', 's2') });
  bench.clock.at += 1_000_000;
  const middle = bench.clock.at;
  recordCall(record, 'b1', { i: 1 }, 's2');
  const cut = store.retain(middle)!;
  expect(cut).toMatchObject({ from_seq: 1, to_seq: 46, events: 46, first_prev_hash: '0'.repeat(64) });
  expect(Object.keys(cut.links)).toEqual(['s2']);
  expect(record.sessions().map((row) => row.id)).toEqual(['s2']);
  expect(record.sessions({ search: '电机' })).toEqual([]);
  expect(await record.verify()).toMatchObject({ ok: true, events: 3, cut: 46, headSeq: 49 });
  expect(record.replaySession('s2')).toMatchObject({ same: true });
  const file = join(bench.folder, 's2.jsonl');
  await record.exportSession('s2', file);
  const { verifyFile } = await import('./verifyFile.ts');
  expect(await verifyFile(file)).toMatchObject({ ok: true, events: 2 });
  expect(store.retain(middle)).toBeNull();
  store.close();
  const again = bench.open();
  recordCall(again.record, 'b2', { i: 2 }, 's2');
  expect(await again.record.verify()).toMatchObject({ ok: true, events: 5 });
  bench.clock.at += 10;
  expect(again.retain(bench.clock.at)).toMatchObject({ from_seq: 47 });
  expect(await again.record.verify()).toMatchObject({ ok: true, events: 1 });
});

test('a long record goes in pieces, each of which leaves a record that proves itself', async () => {
  const store = bench.open();
  const { record } = store;
  for (let s = 1; s <= 6; s++) {
    startSession(record, `s${s}`);
    // The third is longer than a piece: a turn goes as a whole.
    for (let i = 0; i < (s === 3 ? 60 : 5); i++) recordCall(record, `c${s}-${i}`, { i }, `s${s}`);
    record.append({ kind: 'turn-ended', session: `s${s}`, turn: `t${s}`, payload: ended(`t${s}`, `s${s}`) });
    bench.clock.at += 1_000;
  }
  const before = bench.clock.at - 1_500; // the sixth stays
  const pieces: number[] = [];
  for (let cut = store.retain(before, 20); cut !== null; cut = store.retain(before, 20)) {
    pieces.push(cut.events);
    expect(await record.verify()).toMatchObject({ ok: true, cut: cut.to_seq });
  }
  expect(pieces.length).toBeGreaterThan(2);
  expect(record.sessions().map((row) => row.id)).toEqual(['s6']);
  expect(record.calls('s6')).toHaveLength(5);
  const whole = await record.verify();
  store.close();
  expect(await bench.open().record.verify()).toMatchObject({ ok: true, events: whole.events, cut: whole.cut });
});

test('a session that is silent for longer than a cut, or for longer than the record is kept, still proves itself when it goes on', async () => {
  const store = bench.open();
  const { record } = store;
  const talk = (session: string): void => {
    startSession(record, session);
    recordCall(record, `${session}-a`, { i: 1 }, session);
    const turn = session.replace('s', 't');
    record.append({ kind: 'turn-ended', session, turn, payload: ended(turn, session) });
    bench.clock.at += 1_000;
  };
  talk('s1');
  talk('s2');
  const first = bench.clock.at;
  talk('s3');
  const second = bench.clock.at;
  recordCall(record, 'late1', { i: 2 }, 's1'); // s1 has a record before the first cut and behind the second, none between
  store.retain(first);
  const cut = store.retain(second)!;
  expect(Object.keys(cut.links)).toEqual(['s1']);
  expect(await record.verify()).toMatchObject({ ok: true, events: 4 });
  // Of s2 nothing is left; the window that shows it was never closed.
  record.append({ kind: 'turn-started', session: 's2', turn: 't9', payload: { text: '再读一次', planner: 'builtin' } });
  recordCall(record, 'late2', { i: 3 }, 's2');
  expect(await record.verify()).toMatchObject({ ok: true, events: 7 });
  expect(record.sessions().find((row) => row.id === 's2')).toMatchObject({ title: '再读一次', turns: 1, calls: 1 });
  const { verifyFile } = await import('./verifyFile.ts');
  for (const session of ['s1', 's2']) {
    const file = join(bench.folder, `${session}.jsonl`);
    await record.exportSession(session, file);
    expect(await verifyFile(file)).toMatchObject({ ok: true });
  }
  store.close();
  expect(await bench.open().record.verify()).toMatchObject({ ok: true, events: 7 });
});

test('retention keeps what is still open', () => {
  const store = bench.open();
  startSession(store.record);
  recordCall(store.record, 'c1');
  bench.clock.at += 1_000;
  expect(store.retain(bench.clock.at)).toBeNull(); // the turn has not ended
});

test('a forged cut does not hide records that were taken out', async () => {
  const store = bench.open();
  startSession(store.record);
  for (let i = 0; i < 10; i++) recordCall(store.record, `c${i}`);
  store.close();
  const db = new Database(join(bench.folder, 'record.db'));
  db.exec(`INSERT INTO cut VALUES (9, 22); DELETE FROM event WHERE seq <= 9`);
  db.close();
  expect(await bench.open().record.verify()).toMatchObject({ ok: false, firstBroken: { seq: 1, reason: 'records 1 to 9 are missing' } });
});

test('snapshots come back as saved, share their parts, and are gone with their turn', () => {
  const store = bench.open();
  startSession(store.record);
  const messages = [{ role: 'user' as const, content: '读取 TI-101' }];
  const calls = [{ call: call('c1'), result: result('c1', { v: NaN }) }];
  const save = (good: boolean, state: 'PLANNING' | 'TOOL_CALLING') =>
    store.snapshots.save({
      sessionId: 's1',
      turnId: 't1',
      state,
      good,
      messages,
      calls,
      workspaceDigest: 'w',
      tokens: { sent: 1, received: 2, classic: null },
      extra: { n: 1 },
    });
  const first = save(true, 'PLANNING');
  const second = save(false, 'TOOL_CALLING');
  expect(store.snapshots.lastGood('t1')).toEqual(first);
  expect(store.snapshots.latest('t1')).toEqual(second);
  store.snapshots.markGood(second.id);
  store.close();

  const again = bench.open();
  expect(again.snapshots.lastGood('t1')).toMatchObject({ id: second.id, good: true, messages, calls });
  expect(again.snapshots.unfinishedTurns()).toMatchObject([
    { sessionId: 's1', turnId: 't1', text: '读取电机温度', snapshot: { id: second.id } },
  ]);
  const db = new Database(join(bench.folder, 'record.db'));
  expect(db.prepare('SELECT count(*) FROM snapshot_part').pluck().get()).toBe(2);
  db.prepare(`UPDATE snapshot_part SET text = replace(text, 'TI-101', 'TI-102')`).run();
  db.close();
  expect(() => again.snapshots.lastGood('t1')).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }) as Error);
  again.snapshots.drop('t1');
  expect(again.snapshots.latest('t1')).toBeUndefined();
});

test('old contents of files are kept by digest, and a spoilt one is not handed out', () => {
  const store = bench.open();
  const bytes = new TextEncoder().encode('setpoint=40\r\n');
  const sha256 = store.blobs.put(bytes);
  expect(store.blobs.put(bytes)).toBe(sha256);
  expect(Buffer.from(store.blobs.get(sha256)!).toString()).toBe('setpoint=40\r\n');
  expect(store.blobs.get('0'.repeat(64))).toBeUndefined();
  expect(store.blobs.get('../../record.db')).toBeUndefined();
  writeFileSync(join(bench.folder, 'blobs', sha256.slice(0, 2), sha256), 'other');
  expect(() => store.blobs.get(sha256)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }) as Error);
  store.blobs.put(bytes); // mends it
  expect(store.blobs.get(sha256)).toHaveLength(13);
});
