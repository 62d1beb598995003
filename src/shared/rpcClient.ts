import { HandrailError } from './errors.ts';
import { isReply, type Reply, type RpcFailure, type Wire } from './rpcMessages.ts';
import type { CallName, CallParams, CallResult, StreamItem, StreamName, StreamParams } from './contracts/api.ts';

export type AskOptions = { signal?: AbortSignal; timeoutMs?: number };

/** The page's side of the table: typed calls and streams over one wire. Failures are HandrailError. */
export interface ApiClient {
  call<K extends CallName>(name: K, params: CallParams<K>, options?: AskOptions): Promise<CallResult<K>>;
  stream<K extends StreamName>(name: K, params: StreamParams<K>, options?: { signal?: AbortSignal }): AsyncIterable<StreamItem<K>>;
  /** Resolves with the reason when the wire is gone; it never comes back, the page opens a new one. */
  readonly closed: Promise<string>;
  close(): void;
}

const thrown = (failure: RpcFailure): HandrailError =>
  new HandrailError(failure.code, { message: failure.message, advice: failure.advice, retry: failure.retry, detail: failure.detail });

type PendingCall = { resolve(result: unknown): void; reject(error: Error): void };
type OpenStream = { items: unknown[]; ended: boolean; error: Error | null; wake: (() => void) | null };

export function connectRpc(wire: Wire): ApiClient {
  const calls = new Map<number, PendingCall>();
  const streams = new Map<number, OpenStream>();
  let nextId = 1;
  let gone: string | null = null;
  let tellClosed: (why: string) => void;
  const closed = new Promise<string>((resolve) => {
    tellClosed = resolve;
  });
  const closedError = (): HandrailError => new HandrailError('PORT_HOST_CLOSED', { detail: { reason: gone ?? 'closed' } });

  const endStream = (id: number, error: Error | null): void => {
    const stream = streams.get(id);
    if (!stream) return;
    stream.ended = true;
    stream.error = error;
    stream.wake?.();
  };
  wire.onClose((why) => {
    if (gone !== null) return;
    gone = why;
    for (const call of calls.values()) call.reject(closedError());
    calls.clear();
    for (const id of streams.keys()) endStream(id, closedError());
    tellClosed(why);
  });
  wire.onMessage((raw, unreadable) => {
    // A value may be missing now: better an honest lost connection and a fresh one than a page that lacks it silently.
    if (unreadable !== undefined || !isReply(raw)) return wire.close();
    const reply: Reply = raw;
    switch (reply.t) {
      case 'ok':
        calls.get(reply.id)?.resolve(reply.result);
        return;
      case 'error':
        calls.get(reply.id)?.reject(thrown(reply.error));
        endStream(reply.id, thrown(reply.error));
        return;
      case 'item': {
        const stream = streams.get(reply.id);
        stream?.items.push(reply.item);
        stream?.wake?.();
        return;
      }
      case 'end':
        endStream(reply.id, null);
        return;
      default:
        reply satisfies never;
    }
  });

  return {
    closed,
    close: () => wire.close(),
    call(name, params, options = {}) {
      return new Promise((resolve, reject) => {
        if (gone !== null) return reject(closedError());
        if (options.signal?.aborted) return reject(new HandrailError('CANCELLED'));
        const id = nextId++;
        let timer: unknown;
        const settle = (): void => {
          clearTimeout(timer);
          options.signal?.removeEventListener('abort', onAbort);
          calls.delete(id);
        };
        const giveUp = (error: HandrailError): void => {
          settle();
          wire.send({ t: 'cancel', id });
          reject(error);
        };
        const onAbort = (): void => giveUp(new HandrailError('CANCELLED'));
        const { timeoutMs } = options;
        if (timeoutMs !== undefined)
          timer = setTimeout(() => giveUp(new HandrailError('TIMEOUT', { detail: { what: name, timeout_ms: timeoutMs } })), timeoutMs);
        options.signal?.addEventListener('abort', onAbort, { once: true });
        calls.set(id, {
          resolve: (result) => {
            settle();
            resolve(result as never);
          },
          reject: (error) => {
            settle();
            reject(error);
          },
        });
        wire.send({ t: 'call', id, name, params });
      });
    },
    stream(name, params, options = {}) {
      return {
        async *[Symbol.asyncIterator]() {
          if (gone !== null) throw closedError();
          const id = nextId++;
          const stream: OpenStream = { items: [], ended: options.signal?.aborted ?? false, error: null, wake: null };
          streams.set(id, stream);
          const onAbort = (): void => endStream(id, null);
          options.signal?.addEventListener('abort', onAbort, { once: true });
          if (!stream.ended) wire.send({ t: 'open', id, name, params });
          let finished = stream.ended;
          try {
            for (;;) {
              while (stream.items.length > 0 && !options.signal?.aborted) {
                yield stream.items.shift() as never;
                if (gone === null && !stream.ended) wire.send({ t: 'credit', id, n: 1 });
              }
              if (stream.ended) {
                finished = !options.signal?.aborted;
                if (stream.error) throw stream.error;
                return;
              }
              await new Promise<void>((resolve) => {
                stream.wake = resolve;
              });
              stream.wake = null;
            }
          } finally {
            options.signal?.removeEventListener('abort', onAbort);
            streams.delete(id);
            if (!finished && gone === null) wire.send({ t: 'cancel', id });
          }
        },
      };
    },
  };
}
