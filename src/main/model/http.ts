import http from 'node:http';
import https from 'node:https';

export type HttpRequest = {
  url: string;
  method: 'GET' | 'POST';
  body?: unknown;
  headers?: Record<string, string>;
  signal: AbortSignal;
  /** Until the connection stands. There is no limit of ours on the first byte: the loop's visible budgets decide that. */
  connectMs?: number;
};

export type HttpAnswer = { status: number; headers: http.IncomingHttpHeaders; body: http.IncomingMessage };

/** The connection failed or broke before the status line came. */
export class NoAnswer extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'NoAnswer';
    this.code = code;
  }
}

/**
 * One request over node:http. Node's fetch gives up after 300 s without headers, and a model that loads from a slow disk sends
 * none until its first token; this has no such limit, and aborting closes the socket at once, also before the first byte.
 */
export function requestHttp(request: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    if (request.signal.aborted) return reject(request.signal.reason as Error);
    const url = new URL(request.url);
    const payload = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const headers: Record<string, string | number> = { accept: '*/*', ...request.headers };
    if (payload !== undefined) Object.assign(headers, { 'content-type': 'application/json', 'content-length': payload.length });
    const send = url.protocol === 'https:' ? https.request : http.request;
    const sent = send(url, { method: request.method, headers, agent: false });
    const connectTimer = setTimeout(() => sent.destroy(new NoAnswer('ETIMEDOUT', 'no connection')), request.connectMs ?? 5_000);
    const onAbort = (): void => void sent.destroy(request.signal.reason as Error);
    request.signal.addEventListener('abort', onAbort, { once: true });
    sent.on('socket', (socket) => {
      socket.setNoDelay(true);
      if (socket.connecting) socket.once('connect', () => clearTimeout(connectTimer));
      else clearTimeout(connectTimer);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(connectTimer);
      request.signal.removeEventListener('abort', onAbort);
      reject(request.signal.aborted ? (request.signal.reason as Error) : new NoAnswer(error.code ?? 'ERROR', error.message));
    });
    sent.on('response', (body) => {
      clearTimeout(connectTimer);
      body.once('close', () => request.signal.removeEventListener('abort', onAbort));
      resolve({ status: body.statusCode ?? 0, headers: body.headers, body });
    });
    sent.end(payload);
  });
}

/** The whole body as text, up to a limit; for error pages and the small endpoints. */
export async function readText(body: http.IncomingMessage, limit = 4 * 1024 * 1024): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > limit) {
      body.destroy();
      break;
    }
  }
  return text + decoder.decode();
}
