import { expect, test } from 'vitest';
import type { FromPage, HiddenPage, ToPage } from '../../shared/contracts/hiddenPage.ts';
import { startRendererChild } from './rendererChild.ts';

/** A page under the test's hand. */
function openPage() {
  const sent: ToPage[] = [];
  let hear: (message: FromPage) => void = () => undefined;
  let gone: () => void = () => undefined;
  let kills = 0;
  const page: HiddenPage = {
    send: (message) => void sent.push(message),
    onMessage: (listener) => void (hear = listener),
    onGone: (listener) => void (gone = listener),
    kill: () => {
      kills += 1;
      gone();
    },
  };
  const child = startRendererChild({ open: () => Promise.resolve(page) }, { t: 'start', lang: 'python', setup: {} });
  const ends: [number | null, string | null][] = [];
  const errors: string[] = [];
  child.on('close', (code: number | null, signal: NodeJS.Signals | null) => void ends.push([code, signal]));
  child.on('error', (error: Error) => void errors.push(error.message));
  return { child, sent, ends, errors, say: (message: unknown) => hear(message as FromPage), kills: () => kills };
}
const opened = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what is written before the page is there reaches it behind the start, in order', async () => {
  const { child, sent } = openPage();
  (child.stdio[3] as { write(bytes: Uint8Array): boolean }).write(new Uint8Array([1]));
  await opened();
  (child.stdio[3] as { write(bytes: Uint8Array): boolean }).write(new Uint8Array([2]));
  expect(sent).toEqual([
    { t: 'start', lang: 'python', setup: {} },
    { t: 'input', bytes: new Uint8Array([1]) },
    { t: 'input', bytes: new Uint8Array([2]) },
  ]);
});

test('bytes come out by descriptor, the greatest heap is kept, and an exit ends the page and then the child', async () => {
  const { child, ends, say, kills } = openPage();
  await opened();
  const out: string[] = [];
  child.stdout!.on('data', (chunk: Buffer) => void out.push(chunk.toString()));
  say({ t: 'bytes', fd: 1, bytes: new TextEncoder().encode('温度'), heap: 2 << 20 });
  say({ t: 'bytes', fd: 99, bytes: new Uint8Array([1]), heap: 1 << 20 });
  say({ t: 'exit', code: 3 });
  say({ t: 'bytes', fd: 1, bytes: new TextEncoder().encode('late'), heap: 0 });
  expect(out).toEqual(['温度']);
  expect(child.heapMb()).toBe(2);
  expect(ends).toEqual([[3, null]]);
  expect(kills()).toBe(1);
});

test.each([
  null,
  undefined,
  7,
  'bytes',
  {},
  { t: 'bytes', fd: 1, bytes: 'text', heap: 0 },
  { t: 'bytes', fd: 1, bytes: new Uint8Array(1), heap: Number.NaN },
  { t: 'exit', code: { valueOf: 1, toString: 1 } },
  { t: 'failed', reason: Object.create(null) as unknown },
])('a page that sends %j is ended, and nothing is thrown at us', async (message) => {
  const { ends, errors, say } = openPage();
  await opened();
  expect(() => say(message)).not.toThrow();
  expect(errors).toHaveLength(1);
  expect(ends).toEqual([[null, 'SIGKILL']]);
});

test('a page that cannot be opened is an error with its reason, and the child is gone', async () => {
  const child = startRendererChild({ open: () => Promise.reject(new Error('no engine')) }, { t: 'start', lang: 'python', setup: {} });
  const seen: string[] = [];
  child.on('error', (error: Error) => void seen.push(error.message));
  child.on('close', () => void seen.push('closed'));
  await opened();
  expect(seen).toEqual(['no engine', 'closed']);
});
