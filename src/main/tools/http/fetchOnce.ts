import { request as httpsRequest } from 'node:https';
import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { HandrailError } from '../../../shared/errors.ts';
import type { HttpHost } from '../deps.ts';
import { isPrivateAddress } from './privateAddress.ts';

export type OneAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  truncated: boolean;
  tls: { protocol: string; cipher: string };
};
export type OneRequest = {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  host: HttpHost;
  maxBytes: number;
  signal: AbortSignal;
};

/** Forward secrecy and authenticated encryption only; CBC, RC4, 3DES, export and anonymous suites are not offered. */
const ciphers = 'ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!eNULL:!PSK:!SRP';

export const unreachable = (url: URL, reason: string, cause?: unknown): HandrailError =>
  new HandrailError('PORT_UNREACHABLE', { detail: { host: url.hostname, port: Number(url.port || 443), reason }, cause });

/**
 * The name is resolved here, and the connection goes to exactly the address that was judged: a name that answers
 * something else the second time cannot lead inside.
 */
function judgedLookup(host: HttpHost): LookupFunction {
  return (name, options, done) => {
    dnsLookup(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '', 0);
      const addresses = found;
      const allowed = host.allowPrivate === true ? addresses : addresses.filter((a) => !isPrivateAddress(a.address));
      if (allowed.length === 0 || allowed.length < addresses.length) return done(privateError(name), '', 0);
      if (options.all === true) (done as unknown as (e: null, a: LookupAddress[]) => void)(null, allowed);
      else done(null, allowed[0]!.address, allowed[0]!.family);
    });
  };
}

const privateError = (host: string): HandrailError =>
  new HandrailError('POLICY_HOST', {
    detail: { host, reason: 'private address' },
    message: { en: `${host} leads to an address of this machine or its networks.`, zh: `${host} 指向本机或内网地址。` },
  });

/** One request over TLS 1.2 or newer, without following anything. Reads at most `maxBytes` of the body. */
export function fetchOnce({ url, method, headers, body, host, maxBytes, signal }: OneRequest): Promise<OneAnswer> {
  return new Promise((done, failed) => {
    const name = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(name) !== 0 && host.allowPrivate !== true && isPrivateAddress(name)) return failed(privateError(name));
    const sent = httpsRequest({
      protocol: 'https:',
      hostname: name,
      port: url.port === '' ? 443 : Number(url.port),
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      agent: false,
      lookup: judgedLookup(host),
      minVersion: 'TLSv1.2',
      ciphers,
      rejectUnauthorized: true,
      ...(host.ca === undefined ? {} : { ca: host.ca }),
      ...(isIP(name) === 0 ? { servername: name } : {}),
      maxHeaderSize: 32_768,
      signal,
    });
    sent.on('error', (error) =>
      failed(signal.aborted ? (signal.reason as Error) : error instanceof HandrailError ? error : unreachable(url, reasonOf(error), error)),
    );
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      failed(unreachable(url, 'the server wants another protocol'));
    });
    sent.on('response', (response) => {
      const socket = response.socket as TLSSocket;
      const tls = { protocol: socket.getProtocol() ?? '', cipher: socket.getCipher().name };
      const parts: Buffer[] = [];
      let size = 0;
      const finish = (truncated: boolean): void =>
        done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts), truncated, tls });
      response.on('data', (part: Buffer) => {
        const room = maxBytes - size;
        parts.push(part.length > room ? part.subarray(0, room) : part);
        size += Math.min(part.length, room);
        if (part.length >= room && part.length > 0 && size >= maxBytes) {
          // As much as was asked for is here; the rest, be it a gigabyte, is not fetched.
          finish(part.length > room || !response.complete);
          response.destroy();
        }
      });
      response.on('end', () => finish(false));
      response.on('error', (error) => failed(signal.aborted ? (signal.reason as Error) : unreachable(url, reasonOf(error), error)));
      response.on('aborted', () => failed(signal.aborted ? (signal.reason as Error) : unreachable(url, 'the answer ended too soon')));
    });
    sent.end(body);
  });
}

function reasonOf(error: Error): string {
  const { code } = error as { code?: string };
  return code === undefined ? error.message : `${code} ${error.message}`.slice(0, 200);
}
