import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { CoreApi } from '../../../shared/contracts/api.ts';
import { HandrailError } from '../../../shared/errors.ts';
import { pageHeaders, readPageFile } from '../pageFiles.ts';
import { rejectWhenNobodyLooks } from '../lastClient.ts';
import { serveApi } from '../serveApi.ts';
import { socketWire } from './socketWire.ts';

export type WebHostOptions = {
  core: { api: CoreApi };
  /** The built page (`out/renderer`). */
  rendererRoot: string;
  /** 0 takes a free one. */
  port?: number;
  log?: (line: string) => void;
};
export type WebHost = {
  /** The address with its token, to be opened by the person at this machine. */
  url: string;
  port: number;
  token: string;
  /** The panel says so when the page is served to nobody. */
  clients(): number;
  close(): Promise<void>;
};

/** A dropped log of 64 MB and its head; everything else is small. */
const mostMessageBytes = 65 * 1024 * 1024;
const protocol = 'handrail.v1';

/**
 * The page on this machine only. Three locks, each against another intruder: the Host header (a foreign name that
 * resolves to 127.0.0.1), the Origin header (another page in the same browser), the token (another user or program on
 * the same machine). The token stands in the fragment, which browsers never send, and is new at each start.
 */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const token = randomBytes(32).toString('base64url');
  const log = options.log ?? (() => undefined);
  const watch = rejectWhenNobodyLooks(options.core.api);
  let port = 0;

  const hostIsOurs = (request: IncomingMessage): boolean =>
    request.headers.host === `127.0.0.1:${port}` || request.headers.host === `localhost:${port}`;
  const originIsOurs = (request: IncomingMessage): boolean => request.headers.origin === `http://${request.headers.host}`;

  const http = createServer((request, response) => {
    void answer(request, response, options.rendererRoot, hostIsOurs).catch(() => response.destroy());
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: mostMessageBytes,
    perMessageDeflate: false,
    handleProtocols: () => protocol,
  });

  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const refusal = refusalOf(request, {
      hostIsOurs: hostIsOurs(request),
      originIsOurs: originIsOurs(request),
      tokenIsOurs: sameToken(tokenOf(request), token),
    });
    if (refusal) {
      log(`refused a connection: ${refusal.reason}`);
      const body = JSON.stringify(new HandrailError('POLICY_TOKEN', { detail: { reason: refusal.reason } }).toWire('en'));
      socket.end(
        `HTTP/1.1 ${refusal.status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      const wire = socketWire(client);
      watch.joined(wire);
      serveApi(wire, options.core.api, { door: 'web', client: randomUUID() });
    });
  });

  await listen(http, options.port ?? 0);
  port = (http.address() as AddressInfo).port;
  return {
    port,
    token,
    url: `http://127.0.0.1:${port}/#t=${token}`,
    clients: () => sockets.clients.size,
    async close() {
      watch.stop();
      for (const client of sockets.clients) client.terminate();
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  hostIsOurs: (request: IncomingMessage) => boolean,
): Promise<void> {
  const say = (status: number, body: string): void =>
    void response.writeHead(status, { ...pageHeaders, 'content-type': 'text/plain; charset=utf-8' }).end(body);
  if (!hostIsOurs(request)) return say(421, 'This address is not served here.');
  if (request.method !== 'GET' && request.method !== 'HEAD') return say(405, 'Only GET is answered here.');
  let pathname: string;
  try {
    pathname = new URL(request.url ?? '/', 'http://page').pathname;
  } catch {
    return say(400, 'This address cannot be read.');
  }
  const file = await readPageFile(root, pathname);
  if (!file) return say(404, 'There is no such file.');
  response.writeHead(200, { ...pageHeaders, 'content-type': file.type, 'content-length': file.body.length });
  response.end(request.method === 'HEAD' ? undefined : file.body);
}

function refusalOf(
  request: IncomingMessage,
  checks: { hostIsOurs: boolean; originIsOurs: boolean; tokenIsOurs: boolean },
): { status: string; reason: string } | null {
  if (!checks.hostIsOurs) return { status: '421 Misdirected Request', reason: 'the Host header names another machine' };
  if (!checks.originIsOurs) return { status: '403 Forbidden', reason: 'the Origin header names another page' };
  if (new URL(request.url ?? '/', 'http://page').pathname !== '/rpc') return { status: '404 Not Found', reason: 'there is no such socket' };
  if (!checks.tokenIsOurs) return { status: '401 Unauthorized', reason: 'the token is missing or from another start' };
  return null;
}

function tokenOf(request: IncomingMessage): string {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
  return offered.find((part) => part.startsWith('t.'))?.slice(2) ?? '';
}

function sameToken(given: string, ours: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(ours);
  return a.length === b.length && timingSafeEqual(a, b);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'another program uses it' : error.code === 'EACCES' ? 'no permission' : error.message;
      reject(new HandrailError('PORT_LISTEN', { detail: { port, reason }, cause: error }));
    });
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
