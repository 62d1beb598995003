import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeSteps } from '../../shared/contracts/record.ts';
import type { Store, StoreOptions } from './openStore.ts';
import { call, createBench, intent, recordCall, result, startSession, type Bench } from './testKit.ts';

let bench: Bench;
let folder: string;
const open = (options?: Partial<StoreOptions>): Store => bench.open(options);

beforeEach(() => {
  bench = createBench();
  folder = bench.folder;
});
afterEach(() => bench.end());

test('what was appended is read back, by session and by call, also after a restart', () => {
  const first = open();
  startSession(first.record);
  recordCall(first.record, 'c1');
  first.close();
  const { record } = open();
  expect(record.sessions()).toEqual([
    {
      id: 's1',
      startedAt: '2026-11-30T08:00:00.000Z',
      endedAt: null,
      title: '读取电机温度',
      turns: 1,
      calls: 1,
      writes: 0,
      door: 'cli',
      operator: 'wang',
    },
  ]);
  expect(record.events('s1').map((event) => event.kind)).toEqual(['session-started', 'turn-started', 'call', 'result']);
  expect(record.calls('s1')).toHaveLength(1);
  expect(record.call('c1')).toMatchObject({
    call: { tool: 'tag_read', args: { tags: ['TI-101'] } },
    result: { ok: true, result: { ok: 1 } },
    state: 'ended',
    undoes: null,
  });
  expect(record.call('c9')).toBeUndefined();
});

test('readings that JSON cannot say come back as they were', () => {
  const { record } = open();
  const value = { nan: NaN, zero: -0, huge: 3.4028234663852886e38, big: 18446744073709551615n, $number: 'mine', list: [undefined, 1] };
  record.append({ kind: 'call', session: 's1', call: 'c1', payload: call('c1') });
  record.append({ kind: 'result', session: 's1', call: 'c1', payload: result('c1', value) });
  expect(record.call('c1')!.result!.result).toEqual({ ...value, list: [null, 1] });
});

test('the chain verifies, and names the record that somebody changed', async () => {
  const store = open();
  startSession(store.record);
  for (let i = 0; i < 20; i++) recordCall(store.record, `c${i}`);
  expect(await store.record.verify()).toMatchObject({ ok: true, events: 42, firstBroken: null });
  store.close();
  const raw = new Database(join(folder, 'record.db'));
  expect(() => raw.prepare(`UPDATE event SET payload = '{}' WHERE seq = 7`).run()).toThrow(/append-only/);
  expect(() => raw.prepare('DELETE FROM event WHERE seq = 7').run()).toThrow(/append-only/);
  expect(() =>
    raw
      .prepare(`INSERT OR REPLACE INTO event SELECT 7, at, session, turn, call, kind, '{}', prev_hash, hash FROM event WHERE seq = 7`)
      .run(),
  ).toThrow(/append-only/);
  raw.exec('DROP TRIGGER event_no_update');
  raw.prepare(`UPDATE event SET payload = replace(payload, '3000', '3001') WHERE seq = 7`).run();
  raw.close();
  expect(await open().record.verify()).toMatchObject({
    ok: false,
    firstBroken: { seq: 7, reason: expect.stringContaining('changed') as string },
  });
});

test('a second writer is refused with the number of the first; a reader is let in and cannot write', () => {
  const store = open();
  startSession(store.record);
  store.record.flush();
  expect(() => open()).toThrow(expect.objectContaining({ code: 'STORE_LOCKED', detail: { folder, pid: process.pid } }) as Error);
  const reader = open({ readOnly: true });
  expect(reader.record.sessions()).toHaveLength(1);
  expect(() => reader.record.append({ kind: 'note', payload: { text: 'x' } })).toThrow(
    expect.objectContaining({ code: 'STORE_LOCKED' }) as Error,
  );
  store.close();
  expect(open().record.sessions()).toHaveLength(1);
});

test('a write goes from not sent over unknown to confirmed, and only then it can be undone', () => {
  const { record } = open();
  startSession(record);
  record.append({
    kind: 'call',
    session: 's1',
    turn: 't1',
    call: 'w1',
    payload: call('w1', { tool: 'tag_write', args: { tag: 'SP-1', value: 45 } }),
  });
  record.append({ kind: 'intent', session: 's1', call: 'w1', payload: intent('w1') }, { durable: true });
  expect(record.call('w1')!.writes[0]).toMatchObject({ state: 'not-sent', verdict: null });
  record.append({ kind: 'write-step', session: 's1', call: 'w1', payload: writeSteps.aboutToSend('w1', 0) }, { durable: true });
  expect(record.unknownWrites().map((row) => row.call.call_id)).toEqual(['w1']);
  expect(record.undoable(10)).toEqual([]);
  record.append({
    kind: 'write-step',
    session: 's1',
    call: 'w1',
    payload: writeSteps.answered('w1', 0, { acknowledged: true, exception: null }),
  });
  record.append({ kind: 'write-step', session: 's1', call: 'w1', payload: writeSteps.verdict('w1', 0, 'confirmed', 45) });
  expect(record.unknownWrites()).toEqual([]);
  expect(record.undoable(10)).toMatchObject([
    { call: { call_id: 'w1' }, writes: [{ state: 'done', verdict: 'confirmed', now: 45, write: { now: 40, after: 45 } }] },
  ]);

  record.append({ kind: 'call', session: 's1', turn: 't1', call: 'u1', payload: call('u1', { tool: 'undo', args: { steps: 1 } }) });
  record.append({ kind: 'intent', session: 's1', call: 'u1', payload: intent('u1', 'w1') }, { durable: true });
  record.append({ kind: 'write-step', session: 's1', call: 'u1', payload: writeSteps.aboutToSend('u1', 0) }, { durable: true });
  expect(record.undoable(10)).toHaveLength(1);
  record.append({ kind: 'write-step', session: 's1', call: 'u1', payload: writeSteps.verdict('u1', 0, 'confirmed', 40) });
  expect(record.undoable(10)).toEqual([]);
  expect(record.call('w1')!.undoneBy).toBe('u1');
  expect(record.call('u1')!.undoes).toBe('w1');
});

test('personal data is masked before it is hashed', () => {
  const store = open();
  store.record.append({
    kind: 'turn-started',
    session: 's1',
    turn: 't1',
    payload: { text: '打给 13800138000，读 TI-101', planner: 'builtin' },
  });
  const [event] = store.record.events('s1');
  expect(event!.payload).toBe('{"planner":"builtin","text":"打给 [PHONE]，读 TI-101"}');
});

test('sessions are found by two Chinese characters, by one, by a tag and by a word', () => {
  const { record } = open();
  const say = (session: string, text: string): void => {
    record.append({ kind: 'session-started', session, payload: { door: 'cli', operator: 'w', title: '' } });
    record.append({ kind: 'turn-started', session, turn: `t-${session}`, payload: { text, planner: 'builtin' } });
  };
  say('a', '检查3号泵电机的温度');
  say('b', '压力变送器TI-101.PV 读数');
  say('c', 'Show the pump pressure');
  const found = (search: string): string[] => record.sessions({ search }).map((row) => row.id);
  expect(found('电机')).toEqual(['a']);
  expect(found('泵')).toEqual(['a']);
  expect(found('变送器')).toEqual(['b']);
  expect(found('TI-101')).toEqual(['b']);
  expect(found('press')).toEqual(['c']);
  expect(found('度电')).toEqual([]);
  expect(found('"OR" * NEAR(')).toEqual([]);
  expect(record.search('电机')).toMatchObject([{ session: 'a', kind: 'turn-started', text: '检查3号泵电机的温度' }]);
});

test('history gives raw samples, and a series whose gaps stay gaps', () => {
  const { history } = open();
  history.add([
    { tag: 'T', at: 1000, value: 1, quality: 'good' },
    { tag: 'T', at: 1500, value: 3, quality: 'uncertain' },
    { tag: 'T', at: 2000, value: 99, quality: 'bad' },
    { tag: 'T', at: 4000, value: 5, quality: 'good' },
    { tag: 'U', at: 1000, value: 7, quality: 'good' },
  ]);
  expect(history.read('T', 1000, 4000, 10)).toEqual([
    { tag: 'T', at: 1000, value: 1, quality: 'good' },
    { tag: 'T', at: 1500, value: 3, quality: 'uncertain' },
    { tag: 'T', at: 2000, value: null, quality: 'bad' },
  ]);
  expect(history.series('T', 1000, 5000, 4)).toEqual([
    { at: 1000, min: 1, max: 3, avg: 2, count: 2, bad: 0, first: 1, last: 3 },
    { at: 4000, min: 5, max: 5, avg: 5, count: 1, bad: 0, first: 5, last: 5 },
  ]);
  expect(history.last('T')).toMatchObject({ at: 4000, value: 5 });
  expect(history.last('T', 3999)).toMatchObject({ at: 2000, value: null });
  expect(history.read('X', 0, 9e9, 10)).toEqual([]);
  expect(history.retain(2000)).toBe(3);
});
