import { mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createFakeCore, type FakeCore } from '../../../../test/harness/fakeCore.ts';
import { connectRpc, type ApiClient } from '../../../shared/rpcClient.ts';
import { decodeFrame, encodeFrame } from '../../../shared/rpcFrame.ts';
import type { Reply } from '../../../shared/rpcMessages.ts';
import { startWebHost, type WebHost } from './index.ts';
import { socketWire } from './socketWire.ts';

let core: FakeCore;
let host: WebHost;
beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-page-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(folder, 'secret.txt'), 'not a page file');
  core = createFakeCore();
  host = await startWebHost({ core, rendererRoot: folder });
});
afterEach(async () => {
  await host.close();
  core.close();
});

/** A raw request: fetch would tidy the path and the Host header before they reach the host. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const ask = request({ host: '127.0.0.1', port: host.port, path, headers, method }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => (body += String(chunk)));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body, headers: answer.headers }));
    });
    ask.on('error', reject);
    ask.end();
  });

type Door = { origin?: string; hostHeader?: string; token?: string; path?: string };
const open = (door: Door = {}) =>
  new Promise<{ socket: WebSocket } | { status: number; body: string }>((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${host.port}${door.path ?? '/rpc'}`, ['handrail.v1', `t.${door.token ?? host.token}`], {
      origin: door.origin ?? `http://127.0.0.1:${host.port}`,
      headers: door.hostHeader ? { host: door.hostHeader } : {},
    });
    socket.on('open', () => resolve({ socket }));
    socket.on('unexpected-response', (_request, answer) => {
      let body = '';
      answer.on('data', (chunk) => (body += String(chunk)));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    socket.on('error', reject);
  });
async function client(): Promise<{ api: ApiClient; socket: WebSocket }> {
  const opened = await open();
  if (!('socket' in opened)) throw new Error(`refused with ${opened.status}`);
  return { api: connectRpc(socketWire(opened.socket)), socket: opened.socket };
}
const nextReply = (socket: WebSocket) =>
  new Promise<Reply>((resolve) => socket.once('message', (data: Buffer) => resolve(decodeFrame(data) as Reply)));

test('the page is served with a strict policy and nothing that browsers may keep', async () => {
  const page = await get('/');
  expect(page).toMatchObject({ status: 200, body: '<!doctype html><title>page</title>' });
  expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(page.headers['content-security-policy']).not.toContain('unsafe');
  expect(page.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
});

test.each([
  '/../../../etc/passwd',
  '/..%2f..%2fetc%2fpasswd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/..\\..\\x.html',
  '/%00.html',
  '/%zz',
  '/secret.txt',
  '/missing.html',
  '//etc/passwd',
])('%s is not a file of the page', async (path) => {
  expect((await get(path)).status).toBe(404);
});

test('a name that was made to point at this machine is not served', async () => {
  expect((await get('/', { host: `evil.example:${host.port}` })).status).toBe(421);
  expect(await open({ hostHeader: `evil.example:${host.port}` })).toMatchObject({ status: 421 });
});

test('only GET is answered', async () => {
  expect((await get('/', {}, 'POST')).status).toBe(405);
});

test.each<[string, Door, number]>([
  ['another page in the same browser', { origin: 'http://evil.example' }, 403],
  ['a page without an origin', { origin: '' }, 403],
  ['a wrong token', { token: 'x'.repeat(43) }, 401],
  ['no token', { token: '' }, 401],
  ['another path', { path: '/other' }, 404],
])('a socket is refused to %s, with advice', async (_who, door, status) => {
  const refused = await open(door);
  expect(refused).toMatchObject({ status });
  expect(JSON.parse((refused as { body: string }).body)).toMatchObject({
    code: 'POLICY_TOKEN',
    advice: expect.stringContaining('handrail serve') as string,
  });
});

test('the token is not in anything the page host serves', async () => {
  expect(host.url).toContain(`#t=${host.token}`);
  expect(JSON.stringify(await get('/'))).not.toContain(host.token);
});

test("calls run through the table, and each answer is the core's", async () => {
  const { api } = await client();
  expect(await api.call('plant.get', {})).toMatchObject({ name: { en: 'Boiler house 2' } });
  expect(await api.call('file.put', { sessionId: 's', name: 'a.csv', bytes: new Uint8Array([1, 2, 3]) })).toMatchObject({ size: 3 });
});

test('readings arrive as typed arrays and the source stops when the page leaves', async () => {
  const { api, socket } = await client();
  for await (const batch of api.stream('readings', { tags: ['drum_level', 'feedwater_flow'], hz: 10 })) {
    expect(batch.values).toBeInstanceOf(Float64Array);
    expect(batch.values[0]).toBeLessThan(200);
    expect(batch.values[1]).toBeNaN();
    expect(batch.quality[1]).toBe(3);
    break;
  }
  const second = api.stream('health', {})[Symbol.asyncIterator]();
  await second.next();
  socket.terminate();
  await expect.poll(() => core.ended).toEqual(['readings', 'health']);
});

test.each<[string, object, string]>([
  ['an unknown call', { t: 'call', id: 1, name: 'core.close', params: {} }, 'ARGS_MESSAGE'],
  ['a name from the prototype', { t: 'call', id: 1, name: 'constructor', params: {} }, 'ARGS_MESSAGE'],
  ['an argument too many', { t: 'call', id: 1, name: 'plant.get', params: { path: '/etc/passwd' } }, 'ARGS_INVALID'],
  ['a missing argument', { t: 'call', id: 1, name: 'turn.ask', params: { sessionId: 's' } }, 'ARGS_INVALID'],
  ['an argument of the wrong kind', { t: 'call', id: 1, name: 'turn.ask', params: { sessionId: 's', text: 42 } }, 'ARGS_INVALID'],
  ['no arguments', { t: 'call', id: 1, name: 'turn.ask' }, 'ARGS_INVALID'],
  ['bytes that are text', { t: 'call', id: 1, name: 'file.put', params: { sessionId: 's', name: 'x', bytes: 'text' } }, 'ARGS_INVALID'],
  [
    'arming for an hour',
    { t: 'call', id: 1, name: 'arming.arm', params: { devices: ['pump2'], minutes: 60, reason: 'x', operator: 'y' } },
    'ARGS_INVALID',
  ],
  ['a stream of everything at 1000 Hz', { t: 'open', id: 1, name: 'readings', params: { tags: [], hz: 1000 } }, 'ARGS_INVALID'],
])('%s is refused by name and nothing runs', async (_what, message, code) => {
  const { api, socket } = await client();
  const reply = nextReply(socket);
  socket.send(encodeFrame(message));
  expect(await reply).toMatchObject({ t: 'error', id: 1, error: { code } });
  expect(await api.call('session.start', {})).toBeDefined();
});

test.each<[string, Buffer | string]>([
  ['text', '{"t":"call"}'],
  ['an empty message', Buffer.alloc(0)],
  ['random bytes', Buffer.from('ffffffff00000000', 'hex')],
  ['broken JSON', Buffer.from('02000000', 'hex')],
])('%s instead of a frame is answered by an error and loses nothing', async (_what, message) => {
  const { api, socket } = await client();
  const reply = nextReply(socket);
  socket.send(message);
  expect(await reply).toMatchObject({ t: 'error', id: 0, error: { code: 'ARGS_MESSAGE' } });
  expect(await api.call('session.start', {})).toBeDefined();
});

test('a busy port is named, with advice', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  await expect(startWebHost({ core, rendererRoot: '/', port })).rejects.toMatchObject({ code: 'PORT_LISTEN', detail: { port } });
  other.close();
});
