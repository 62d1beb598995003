import { readFileSync } from 'node:fs';
import { createServer as createPlain } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HttpHost } from '../../../src/main/tools/index.ts';
import { isPrivateAddress } from '../../../src/main/tools/http/privateAddress.ts';
import { httpRequest } from '../../../src/main/tools/httpRequest.ts';
import { createRig, type Rig } from '../../harness/gatewayRig.ts';

const pem = (name: string): string => readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
const ca = `${pem('cert')}\n${pem('rsa-cert')}`;
const servers: { close(): unknown; closeAllConnections?(): void }[] = [];
const listen = async (
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: ServerOptions = {},
): Promise<number> => {
  const server: Server = createServer({ key: pem('key'), cert: pem('cert'), ...options }, handler);
  server.on('tlsClientError', () => undefined);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
};

let rig: Rig;
const hosts: HttpHost[] = [];
beforeAll(async () => {
  rig = await createRig({ realTime: true, tools: () => [httpRequest({ httpHosts: hosts })] });
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections?.();
    server.close();
  }
  await rig.close();
});
const allow = (port: number, more: Partial<HttpHost> = {}): void =>
  void hosts.push({ host: '127.0.0.1', port, allowPrivate: true, ca, ...more });
const get = (url: string, more: Record<string, unknown> = {}, timeoutMs?: number) =>
  rig.call('http_request', { url, ...more }, timeoutMs === undefined ? {} : { timeoutMs });

test('an allowed host answers over TLS, and the answer says how', async () => {
  const port = await listen((_request, response) =>
    response.setHeader('content-type', 'text/plain; charset=gbk').end(Buffer.from('cec2b6c8', 'hex')),
  );
  allow(port);
  expect(await get(`https://127.0.0.1:${port}/x?y=1`)).toMatchObject({
    ok: true,
    result: { status: 200, text: '温度', bytes: 4, truncated: false, redirects: [], tls: { protocol: 'TLSv1.3' } },
    meta: { status_code: 200 },
  });
});
test.each([404, 500])('status %i is an answer, not an error', async (status) => {
  const port = await listen((_request, response) => response.writeHead(status).end('no'));
  allow(port);
  expect(await get(`https://127.0.0.1:${port}/`)).toMatchObject({ ok: true, meta: { status_code: status } });
});

describe('where a request may go', () => {
  test.each([
    'https://example.com/',
    'https://127.0.0.1/',
    'https://127.0.0.1.nip.io/',
    'https://localhost:1/',
    'https://0x7f000001:1/',
    'https://[::ffff:127.0.0.1]:1/',
    'https://2130706433/',
    'http://127.0.0.1/',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'https://user:pw@127.0.0.1/',
    'https://',
    'gopher://x/',
  ])('%s is refused', async (url) => {
    const answer = await get(url);
    expect([answer.ok, ['POLICY_HOST', 'ARGS_INVALID'].includes(answer.error!.code)]).toEqual([false, true]);
  });
  test('an empty allow list allows nothing', async () => {
    const empty = await createRig({ realTime: true, tools: () => [httpRequest({})] });
    expect((await empty.call('http_request', { url: 'https://example.com/' })).error).toMatchObject({
      code: 'POLICY_HOST',
      detail: { host: 'example.com' },
    });
    await empty.close();
  });
  test('an allowed name that leads to a private address is refused, before anything is sent', async () => {
    let asked = 0;
    const port = await listen((_request, response) => {
      asked++;
      response.end('x');
    });
    hosts.push({ host: 'localhost', port, ca });
    expect((await get(`https://localhost:${port}/`)).error).toMatchObject({ code: 'POLICY_HOST', detail: { reason: 'private address' } });
    hosts.push({ host: '127.0.0.1', port, ca });
    expect((await get(`https://127.0.0.1:${port}/`)).error).toMatchObject({ code: 'POLICY_HOST' });
    expect(asked).toBe(0);
  });
  test.each([
    ['0.0.0.0', true],
    ['10.1.2.3', true],
    ['100.64.0.1', true],
    ['127.0.0.1', true],
    ['169.254.169.254', true],
    ['172.31.255.255', true],
    ['172.32.0.1', false],
    ['192.168.1.1', true],
    ['198.18.0.1', true],
    ['224.0.0.1', true],
    ['255.255.255.255', true],
    ['8.8.8.8', false],
    ['::', true],
    ['::1', true],
    ['::ffff:10.0.0.1', true],
    ['::ffff:a00:1', true],
    ['::ffff:8.8.8.8', false],
    ['fe80::1%eth0', true],
    ['fc00::1', true],
    ['ff02::1', true],
    ['64:ff9b::a00:1', true],
    ['2002:a00:1::', true],
    ['2606:4700::1111', false],
    ['no address', true],
  ])('%s is private: %s', (address, is) => {
    expect(isPrivateAddress(address)).toBe(is);
  });
  test('an allowed port allows no other host on it, and no name and password', async () => {
    const port = await listen((_request, response) => response.end('x'));
    allow(port);
    expect((await get(`https://localhost:${port}/`)).error).toMatchObject({ code: 'POLICY_HOST' });
    expect(await get(`https://user:pw@127.0.0.1:${port}/`)).toMatchObject({ ok: false });
  });
  test('POST needs the host to allow it', async () => {
    const port = await listen((request, response) => void request.on('end', () => response.end('done')).resume());
    allow(port);
    expect((await get(`https://127.0.0.1:${port}/`, { method: 'POST', body: 'x' })).error).toMatchObject({ code: 'POLICY_REFUSED' });
    hosts[hosts.length - 1]!.methods = ['GET', 'POST'];
    expect((await get(`https://127.0.0.1:${port}/`, { method: 'POST', body: 'x' })).ok).toBe(true);
  });
  test.each([{ host: 'evil' }, { 'Content-Length': '0' }, { 'transfer-encoding': 'chunked' }, { 'X-A': 'a\r\nX-B: b' }, { 'X A': 'b' }])(
    'the header %j is refused',
    async (headers) => {
      expect((await get(`https://127.0.0.1:${hosts[0]!.port}/`, { headers })).error).toMatchObject({ code: 'ARGS_INVALID' });
    },
  );
});

describe('redirects', () => {
  test('to another host, to plain http or to a file are judged like a first request', async () => {
    let target = '';
    const port = await listen((_request, response) => response.writeHead(302, { location: target }).end());
    allow(port);
    for (target of [
      'https://example.com/',
      `http://127.0.0.1:${port}/`,
      'file:///etc/passwd',
      'https://169.254.169.254/latest/meta-data',
      '//example.com/x',
    ]) {
      expect((await get(`https://127.0.0.1:${port}/`)).error).toMatchObject({ code: 'POLICY_HOST' });
    }
  });
  test('within the allowed are followed, secrets stay behind, and a circle ends', async () => {
    let seen: string | undefined = 'none';
    const second = await listen((request, response) => {
      seen = request.headers.authorization;
      response.end('there');
    });
    const first = await listen((request, response) =>
      response.writeHead(302, { location: request.url === '/loop' ? '/loop' : `https://127.0.0.1:${second}/` }).end(),
    );
    allow(first);
    allow(second);
    expect(await get(`https://127.0.0.1:${first}/`, { headers: { Authorization: 'Bearer x' } })).toMatchObject({
      ok: true,
      result: { text: 'there', redirects: [`https://127.0.0.1:${second}/`] },
    });
    expect(seen).toBeUndefined();
    expect((await get(`https://127.0.0.1:${first}/loop`)).error).toMatchObject({ code: 'PORT_UNREACHABLE' });
  });
  test('to another host carry no header that could be a secret, however it is named', async () => {
    let seen: IncomingMessage['headers'] = {};
    const second = await listen((request, response) => {
      seen = request.headers;
      response.end('there');
    });
    const first = await listen((_request, response) => response.writeHead(302, { location: `https://127.0.0.1:${second}/` }).end());
    allow(first);
    allow(second);
    const secrets = ['Authorization', 'Cookie', 'X-Api-Key', 'Api-Key', 'X-Auth-Token', 'Private-Token', 'X-Vault-Token', 'X-Anything'];
    const headers = { ...Object.fromEntries(secrets.map((name) => [name, 's3cret'])), Accept: 'text/csv' };
    expect(await get(`https://127.0.0.1:${first}/`, { headers })).toMatchObject({ ok: true, result: { text: 'there' } });
    expect(Object.values(seen)).not.toContain('s3cret');
    expect(seen.accept).toBe('text/csv');
  });
});

describe('TLS', () => {
  test.each<[string, ServerOptions]>([
    ['TLS 1.0', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' }],
    ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }],
    ['CBC suites only', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA' }],
    [
      'a key exchange without forward secrecy',
      { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256', key: pem('rsa-key'), cert: pem('rsa-cert') },
    ],
  ])('a server with %s is not spoken to', async (_, options) => {
    let asked = 0;
    const port = await listen((_request, response) => {
      asked++;
      response.end('x');
    }, options);
    allow(port);
    expect((await get(`https://127.0.0.1:${port}/`)).error).toMatchObject({ code: 'PORT_UNREACHABLE' });
    expect(asked).toBe(0);
  });
  test('TLS 1.2 with a good suite is', async () => {
    const port = await listen((_request, response) => response.end('x'), { maxVersion: 'TLSv1.2' });
    allow(port);
    expect(await get(`https://127.0.0.1:${port}/`)).toMatchObject({ ok: true, result: { tls: { protocol: 'TLSv1.2' } } });
  });
  test('a certificate that nobody vouches for, or of another name, is refused', async () => {
    const port = await listen((_request, response) => response.end('x'));
    hosts.push({ host: '127.0.0.1', port, allowPrivate: true });
    expect((await get(`https://127.0.0.1:${port}/`)).error).toMatchObject({ code: 'PORT_UNREACHABLE' });
  });
  test('a server that speaks plain http on the port is refused', async () => {
    const plain = createPlain((_request, response) => response.end('x'));
    servers.push(plain);
    await new Promise<void>((done) => plain.listen(0, '127.0.0.1', done));
    const { port } = plain.address() as AddressInfo;
    allow(port);
    expect((await get(`https://127.0.0.1:${port}/`)).error).toMatchObject({ code: 'PORT_UNREACHABLE' });
  });
});

describe('bodies', () => {
  test('of a gigabyte are read up to the limit, and the rest is not fetched', async () => {
    let sent = 0;
    const block = Buffer.alloc(1_000_000, 'x');
    const port = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(1024 ** 3) });
      const more = (): void => {
        while (!response.destroyed && sent < 1024 ** 3) {
          sent += block.length;
          if (!response.write(block)) {
            response.once('drain', more);
            return;
          }
        }
      };
      response.on('error', () => undefined);
      more();
    });
    allow(port);
    const answer = await get(`https://127.0.0.1:${port}/`, { max_bytes: 100_000 });
    expect(answer).toMatchObject({ ok: true, result: { bytes: 100_000, truncated: true }, meta: { truncated: true } });
    expect(sent).toBeLessThan(100_000_000);
  });
  test('that never end run into the deadline', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(200);
      response.write('a');
    });
    allow(port);
    expect((await get(`https://127.0.0.1:${port}/`, {}, 400)).error).toMatchObject({ code: 'TIMEOUT' });
  });
  test('that stop half way are an error, not a short text', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    });
    allow(port);
    expect((await get(`https://127.0.0.1:${port}/`)).ok).toBe(false);
  });
  test('that are packed come as they are: nothing is unpacked', async () => {
    const port = await listen((request, response) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(Buffer.from([0x1f, 0x8b]));
    });
    allow(port);
    expect(await get(`https://127.0.0.1:${port}/`)).toMatchObject({ ok: true, result: { text: null, base64: 'H4s=' } });
  });
});
