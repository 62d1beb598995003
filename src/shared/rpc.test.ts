import { expect, test } from 'vitest';
import { HandrailError } from './errors.ts';
import { connectRpc, type ApiClient } from './rpcClient.ts';
import type { Reply, Wire } from './rpcMessages.ts';
import { serveRpc } from './rpcServer.ts';

function wirePair(): { page: Wire; core: Wire; raw: (message: unknown) => void; replies: Reply[] } {
  const make = () => ({ listeners: [] as ((m: unknown) => void)[], closers: [] as ((why: string) => void)[] });
  const a = make();
  const b = make();
  const replies: Reply[] = [];
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    for (const closer of [...a.closers, ...b.closers]) closer('closed by test');
  };
  const wire = (mine: ReturnType<typeof make>, theirs: ReturnType<typeof make>, seen?: Reply[]): Wire => ({
    send: (message) => {
      if (!open) return;
      const copy: unknown = structuredClone(message);
      seen?.push(copy as Reply);
      queueMicrotask(() => theirs.listeners.forEach((listener) => listener(copy)));
    },
    onMessage: (listener) => mine.listeners.push(listener),
    onClose: (listener) => mine.closers.push(listener),
    close,
  });
  return { page: wire(a, b), core: wire(b, a, replies), raw: (message) => b.listeners.forEach((listener) => listener(message)), replies };
}

type Log = { started: string[]; ended: string[]; yielded: number };
function setup(): { client: ApiClient; log: Log; pair: ReturnType<typeof wirePair> } {
  const pair = wirePair();
  const log: Log = { started: [], ended: [], yielded: 0 };
  serveRpc(pair.core, {
    async call(name, params, signal) {
      log.started.push(name);
      if (name === 'plant.get') throw new HandrailError('STORE_NOT_FOUND', { detail: { what: 'plant', id: 'x', huge: 1n } });
      if (name === 'turn.ask')
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            log.ended.push(name);
            reject(new Error('gone'));
          }),
        );
      if (name === 'app.info') return () => 'a function cannot be cloned';
      return params;
    },
    async *open(name, _params, signal) {
      try {
        if (name === 'arming') await new Promise(() => undefined);
        for (let i = 0; !signal.aborted; i++) {
          log.yielded = i + 1;
          yield i;
        }
      } finally {
        log.ended.push(name);
      }
    },
  });
  return { client: connectRpc(pair.page), log, pair };
}
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
// The peer does not know the table: its names and types are checked one layer up, so any shape may pass here.
type LooseCall = { call(name: string, params: unknown, options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<unknown> };
const anyCall =
  (client: ApiClient) =>
  (name: string, params: unknown, options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<unknown> =>
    (client as unknown as LooseCall).call(name, params, options);

test('a call comes back with its own answer, however many are under way', async () => {
  const { client } = setup();
  const answers = await Promise.all([1, 2, 3].map((n) => anyCall(client)('session.list', { n })));
  expect(answers).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test('an error keeps code, both languages, advice and detail', async () => {
  const { client } = setup();
  const error = await anyCall(client)('plant.get', {}).catch((e: unknown) => e as HandrailError);
  expect(error).toBeInstanceOf(HandrailError);
  expect(error).toMatchObject({
    code: 'STORE_NOT_FOUND',
    text: { message: { en: 'There is no plant x.', zh: '没有 plant x。' } },
    detail: { huge: '1' },
  });
});

test('a result that cannot travel is told as an error instead of leaving the page waiting', async () => {
  const { client } = setup();
  await expect(anyCall(client)('app.info', {})).rejects.toMatchObject({ code: 'INTERNAL' });
});

test('a cancelled call ends on both sides', async () => {
  const { client, log } = setup();
  const abort = new AbortController();
  const call = anyCall(client)('turn.ask', {}, { signal: abort.signal });
  await tick();
  abort.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  await tick();
  expect(log.ended).toEqual(['turn.ask']);
});

test('a call that takes too long is given up and cancelled there', async () => {
  const { client, log } = setup();
  await expect(anyCall(client)('turn.ask', {}, { timeoutMs: 10 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  await tick();
  expect(log.ended).toEqual(['turn.ask']);
});

test('a reader who stops reading stops the source after one window', async () => {
  const { client, log } = setup();
  for await (const item of client.stream('health', {})) {
    expect(item).toBe(0);
    await tick();
    expect(log.yielded).toBe(8);
    break;
  }
  await tick();
  expect(log.ended).toEqual(['health']);
});

test('a stream delivers in order beyond its window', async () => {
  const { client } = setup();
  const got: unknown[] = [];
  for await (const item of client.stream('health', {})) if (got.push(item) === 50) break;
  expect(got).toEqual(Array.from({ length: 50 }, (_, i) => i));
});

test('aborting a stream that never yields ends it for the page', async () => {
  const { client } = setup();
  const abort = new AbortController();
  const reading = (async () => {
    for await (const _ of client.stream('arming', {}, { signal: abort.signal })) throw new Error('nothing was expected');
  })();
  await tick();
  abort.abort();
  await reading;
});

test('a lost wire rejects every call, ends every stream with a named error and stops the sources', async () => {
  const { client, log, pair } = setup();
  const call = anyCall(client)('turn.ask', {});
  const reading = (async () => {
    for await (const _ of client.stream('health', {})) await tick();
  })();
  await tick();
  pair.core.close();
  await expect(call).rejects.toMatchObject({ code: 'PORT_HOST_CLOSED' });
  await expect(reading).rejects.toMatchObject({ code: 'PORT_HOST_CLOSED' });
  await expect(anyCall(client)('plant.get', {})).rejects.toMatchObject({ code: 'PORT_HOST_CLOSED' });
  expect(await client.closed).toBe('closed by test');
  await tick();
  expect(log.ended.sort()).toEqual(['health', 'turn.ask']);
});

test.each([
  ['nothing', null],
  ['a text', 'call'],
  ['a list', []],
  ['no id', { t: 'call', name: 'x' }],
  ['id zero', { t: 'call', id: 0, name: 'x' }],
  ['a broken id', { t: 'call', id: 1.5, name: 'x' }],
  ['an unknown kind', { t: 'eval', id: 3 }],
  ['no name', { t: 'call', id: 3 }],
  ['a credit of minus one', { t: 'credit', id: 3, n: -1 }],
  ['a credit of a billion', { t: 'credit', id: 3, n: 1e9 }],
])('a message with %s is answered by an error that says why, and the wire lives on', async (_what, message) => {
  const { client, pair } = setup();
  pair.raw(message);
  expect(pair.replies.at(-1)).toMatchObject({ t: 'error', error: { code: 'ARGS_MESSAGE' } });
  await expect(anyCall(client)('session.list', { still: 'alive' })).resolves.toEqual({ still: 'alive' });
});

test('a sender of nothing but garbage is cut off', async () => {
  const { client, pair } = setup();
  for (let i = 0; i < 20; i++) pair.raw({ t: 'garbage' });
  expect(await client.closed).toBe('closed by test');
});

test('too many open requests are refused as busy, not queued without end', () => {
  const { pair } = setup();
  for (let id = 1; id <= 300; id++) pair.raw({ t: 'call', id, name: 'turn.ask' });
  const busy = pair.replies.filter((reply) => reply.t === 'error');
  expect(busy).toHaveLength(44);
  expect(busy[0]).toMatchObject({ error: { code: 'TOOL_BUSY' } });
});
