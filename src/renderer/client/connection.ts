import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import type { CallName, CallParams, CallResult, StreamItem, StreamName, StreamParams } from '../../shared/contracts/api.ts';
import { asHandrailError, HandrailError } from '../../shared/errors.ts';
import { connectRpc, type ApiClient, type AskOptions } from '../../shared/rpcClient.ts';
import { openWire } from './openWire.ts';

type ConnectionState = {
  client: ApiClient | null;
  state: 'connecting' | 'open' | 'lost';
  /** Local time since when it is so. */
  since: number;
  error: HandrailError | null;
  attempt: number;
};
export const useConnection = create<ConnectionState>()(() => ({
  client: null,
  state: 'connecting',
  since: Date.now(),
  error: null,
  attempt: 0,
}));

const retryMs = [500, 1000, 2000, 5000];
let started = false;

/** Connects, and connects again for as long as the page lives. The page keeps what it shows, marked old. */
export function startConnection(): void {
  if (started) return;
  started = true;
  void (async () => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const client = connectRpc(await openWire());
        attempt = 0;
        useConnection.setState({ client, state: 'open', since: Date.now(), error: null, attempt: 0 });
        const reason = await client.closed;
        useConnection.setState({
          client: null,
          state: 'lost',
          since: Date.now(),
          error: new HandrailError('PORT_HOST_CLOSED', { detail: { reason } }),
        });
      } catch (error) {
        useConnection.setState((old) => ({
          client: null,
          state: 'lost',
          since: old.state === 'lost' ? old.since : Date.now(),
          error: asHandrailError(error),
          attempt: attempt + 1,
        }));
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs[Math.min(attempt, retryMs.length - 1)]));
    }
  })();
}

/** A call on whatever connection stands now; without one it fails at once and nothing is kept for later. */
export function callCore<K extends CallName>(name: K, params: CallParams<K>, options?: AskOptions): Promise<CallResult<K>> {
  const { client, error } = useConnection.getState();
  return client
    ? client.call(name, params, options)
    : Promise.reject(error ?? new HandrailError('PORT_HOST_CLOSED', { detail: { reason: 'not connected yet' } }));
}

/** Follows a stream for as long as the component lives and the connection stands; opened again on a new connection. */
export function useCoreStream<K extends StreamName>(name: K, params: StreamParams<K> | null, onItem: (item: StreamItem<K>) => void): void {
  const client = useConnection((state) => state.client);
  const latest = useRef(onItem);
  useEffect(() => {
    latest.current = onItem;
  });
  const key = params === null ? null : JSON.stringify(params);
  useEffect(() => {
    if (!client || key === null) return;
    const abort = new AbortController();
    void (async () => {
      try {
        for await (const item of client.stream(name, JSON.parse(key) as StreamParams<K>, { signal: abort.signal })) latest.current(item);
      } catch (error) {
        const known = asHandrailError(error);
        // The lost connection itself is shown by the shell; anything else is a fault of ours and must be seen.
        if (known.code !== 'PORT_HOST_CLOSED' && known.code !== 'CANCELLED')
          useStreamFaults.setState((old) => ({ faults: { ...old.faults, [name]: known } }));
      }
    })();
    return () => abort.abort();
  }, [client, name, key]);
}
export const useStreamFaults = create<{ faults: Record<string, HandrailError> }>()(() => ({ faults: {} }));
