import { asHandrailError, HandrailError } from './errors.ts';
import { faultOfAsk, streamWindow, toFailure, type Ask, type Reply, type Wire } from './rpcMessages.ts';

export type RunCall = (name: string, params: unknown, signal: AbortSignal) => Promise<unknown>;
export type OpenStream = (name: string, params: unknown, signal: AbortSignal) => AsyncIterable<unknown>;

/** The other side's requests that are open at once; a page of ours needs about twenty. */
const mostOpen = 256;
/** After so many unusable messages the sender is no page of ours and the wire is closed. */
const mostFaults = 20;

type Open = { abort: AbortController; credit: number; wake: (() => void) | null };

/**
 * Answers the asks of one wire. Whatever comes in is either run or answered by an error; nothing is dropped silently
 * and nothing that comes in can throw out of here.
 */
export function serveRpc(wire: Wire, handlers: { call: RunCall; open: OpenStream }): void {
  const open = new Map<number, Open>();
  let faults = 0;
  let gone = false;

  const send = (reply: Reply): void => {
    if (gone) return;
    try {
      wire.send(reply);
    } catch (error) {
      // The result itself cannot travel; the asker must not wait for ever. If the error cannot either, the wire is dead.
      if (reply.t === 'ok' || reply.t === 'item')
        wire.send({ t: 'error', id: reply.id, error: toFailure(asHandrailError(error)) } satisfies Reply);
    }
  };
  const refuse = (id: number, reason: string): void => {
    send({ t: 'error', id, error: toFailure(new HandrailError('ARGS_MESSAGE', { detail: { reason } })) });
    if (++faults >= mostFaults) wire.close();
  };

  wire.onClose(() => {
    gone = true;
    for (const entry of open.values()) entry.abort.abort();
    open.clear();
  });
  wire.onMessage((raw, unreadable) => {
    const fault = unreadable ?? faultOfAsk(raw);
    const id =
      typeof raw === 'object' && raw !== null && Number.isSafeInteger((raw as { id?: unknown }).id) ? (raw as { id: number }).id : 0;
    if (fault !== null) return refuse(id, fault);
    const ask = raw as Ask;
    const entry = open.get(ask.id);
    switch (ask.t) {
      // A cancel or a credit for what has just ended is no fault: both were under way at once.
      case 'cancel':
        entry?.abort.abort();
        return;
      case 'credit':
        if (entry) {
          entry.credit = Math.min(entry.credit + ask.n, 1024);
          entry.wake?.();
        }
        return;
      case 'call':
      case 'open':
        if (entry) return refuse(ask.id, 'its id is in use');
        if (open.size >= mostOpen)
          return send({ t: 'error', id: ask.id, error: toFailure(new HandrailError('TOOL_BUSY', { detail: { waiting: open.size } })) });
        void run(ask.t, ask.id, ask.name, ask.params);
        return;
      default:
        ask satisfies never;
    }
  });

  async function run(kind: 'call' | 'open', id: number, name: string, params: unknown): Promise<void> {
    const entry: Open = { abort: new AbortController(), credit: streamWindow, wake: null };
    open.set(id, entry);
    const { signal } = entry.abort;
    try {
      if (kind === 'call') send({ t: 'ok', id, result: await handlers.call(name, params, signal) });
      else {
        await pump(id, entry, handlers.open(name, params, signal)[Symbol.asyncIterator]());
        send({ t: 'end', id });
      }
    } catch (error) {
      send({
        t: 'error',
        id,
        error: toFailure(signal.aborted ? new HandrailError('CANCELLED', { cause: error }) : asHandrailError(error)),
      });
    } finally {
      open.delete(id);
    }
  }

  /** Sends items as credit allows. A stream that never yields again still ends when its signal aborts. */
  async function pump(id: number, entry: Open, items: AsyncIterator<unknown>): Promise<void> {
    const { signal } = entry.abort;
    const aborted = new Promise<null>((resolve) => {
      if (signal.aborted) resolve(null);
      signal.addEventListener(
        'abort',
        () => {
          entry.wake?.();
          resolve(null);
        },
        { once: true },
      );
    });
    try {
      while (!signal.aborted) {
        const next = await Promise.race([items.next(), aborted]);
        if (next === null || next.done) return;
        send({ t: 'item', id, item: next.value });
        entry.credit -= 1;
        while (entry.credit <= 0 && !signal.aborted) {
          await new Promise<void>((resolve) => {
            entry.wake = resolve;
          });
          entry.wake = null;
        }
      }
    } finally {
      // Not awaited: a generator that hangs in its own await would keep us here.
      void Promise.resolve(items.return?.()).catch(() => undefined);
    }
  }
}
