import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { cacheKey, createResultCache } from './cache.ts';
import { createRateLimit } from './rate.ts';
import { createChannelReader, createKeeper } from './broker/channel.ts';
import { createFileDump } from './broker/fileDump.ts';
import { blankResult } from './envelope.ts';
import { within } from './limits.ts';
import type { BrokerRun } from './protocol.ts';

test("only lines with the run's mark are messages, wherever the chunks are cut", () => {
  const stream = Buffer.from(
    'noise\n{"kind":"result"}\n\nm1 {"kind":"started"}\nm1x {"kind":"fake"}\n\nm1 {"kind":"result","text":"温度"}\n',
  );
  for (let size = 1; size <= stream.length; size++) {
    const heard: string[] = [];
    const reader = createChannelReader(
      (text) => heard.push(text),
      10_000,
      () => heard.push('too much'),
    );
    reader.setMark('m1');
    for (let at = 0; at < stream.length; at += size) reader.push(stream.subarray(at, at + size));
    expect(heard).toEqual(['{"kind":"started"}', '{"kind":"result","text":"温度"}']);
    expect(reader.foreignBytes()).toBeGreaterThan(0);
  }
});

test('a channel that carries too much says so and keeps nothing', () => {
  let tooMuch = 0;
  const reader = createChannelReader(
    () => undefined,
    100,
    () => tooMuch++,
  );
  reader.push(Buffer.alloc(60));
  reader.push(Buffer.alloc(60));
  expect(tooMuch).toBe(1);
});

test('a keeper keeps the first bytes, counts all, and tells of a flood', () => {
  let flooded = false;
  const keeper = createKeeper(4, 10, () => (flooded = true));
  keeper.push(Buffer.from('abc'));
  keeper.push(Buffer.from('defg'));
  expect(flooded).toBe(false);
  keeper.push(Buffer.from('hijklm'));
  expect(flooded).toBe(true);
  expect(Buffer.from(keeper.take().bytes).toString()).toBe('abcd');
  expect(keeper.take().total).toBe(13);
});

test('a file dump is read wherever it is cut, with digests taken by us', () => {
  const files = [
    ['a.txt', 'hello'],
    ['empty', ''],
    ['d/b\nc', '\0\0x'],
  ] as const;
  const dump = Buffer.concat([
    Buffer.from(files.map(([name, text]) => `${text.length} ${name}\0`).join('')),
    Buffer.from([0]),
    Buffer.from(files.map(([, text]) => text).join('')),
  ]);
  for (let size = 1; size <= dump.length; size++) {
    let got: unknown = null;
    const reader = createFileDump((list) => (got = list));
    for (let at = 0; at < dump.length; at += size) reader.push(dump.subarray(at, at + size));
    expect(got).toEqual(
      files.map(([name, text]) => ({ name, size: text.length, sha256: createHash('sha256').update(text).digest('hex') })),
    );
  }
});

test('no files is a list without entries', () => {
  let got: unknown = null;
  createFileDump((list) => (got = list)).push(Buffer.from([0]));
  expect(got).toEqual([]);
});

test('a session may burst, then as the bucket refills; sessions do not share', () => {
  let now = 0;
  const rate = createRateLimit({ runs: 3, perMs: 3_000, now: () => now });
  expect([rate.take('a'), rate.take('a'), rate.take('a')]).toEqual([null, null, null]);
  expect(rate.take('a')).toBe(1_000);
  expect(rate.take('b')).toBeNull();
  now = 1_000;
  expect(rate.take('a')).toBeNull();
  expect(rate.take('a')).not.toBeNull();
});

const run = (code: string, more: Partial<BrokerRun> = {}): BrokerRun => ({
  lang: 'python',
  level: 'kernel',
  code,
  check: true,
  inputs: [],
  timeoutMs: 5_000,
  memoryMb: 512,
  tools: false,
  defines: [],
  ...more,
});

test('the key of a result holds everything it can depend on', () => {
  const keys = [
    run('1+1'),
    run('1+2'),
    run('1+1', { level: 'wasm' }),
    run('1+1', { check: false }),
    run('1+1', { lang: 'javascript' }),
    run('1+1', { tools: true }),
    run('1+1', { inputs: [{ name: 'a', bytes: Buffer.from('x') }] }),
    run('1+1', { inputs: [{ name: 'a', bytes: Buffer.from('y') }] }),
    run('1+1', { inputs: [{ name: 'b', bytes: Buffer.from('x') }] }),
  ].map(cacheKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(cacheKey(run('1+1'))).toBe(cacheKey(run('1+1')));
});

test.each([
  'import time',
  'from datetime import datetime',
  'import random',
  'new Date()',
  'Math.random()',
  'SELECT now()',
  'select current_timestamp',
  'uuid4()',
])('a program with %s is never kept', (code) => {
  expect(cacheKey(run(code))).toBeNull();
});

test('only good results are kept, marked when given again, and the oldest goes first', () => {
  const cache = createResultCache(2);
  const ok = { ...blankResult('kernel', 'ok', ''), error: null };
  cache.put('failed', blankResult('kernel', 'error', 'x'));
  expect(cache.get('failed')).toBeNull();
  cache.put('a', ok);
  cache.put('b', ok);
  expect(cache.get('a')!.metadata.cached).toBe(true);
  cache.put('c', ok);
  expect(cache.get('b')).toBeNull();
  expect(cache.get('a')).not.toBeNull();
});

test('limits stay within their bounds', () => {
  const bounds = { default: 5, min: 1, max: 30 };
  expect([within(bounds, undefined), within(bounds, 0), within(bounds, 99), within(bounds, 7.4), within(bounds, Number.NaN)]).toEqual([
    5, 1, 30, 7, 5,
  ]);
});
