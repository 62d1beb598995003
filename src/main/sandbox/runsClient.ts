/** The host's end of a place that starts interpreters: gives runs numbers, answers what they ask, and tells each when that place dies. */
import { HandrailError } from '../../shared/errors.ts';
import type { PoolHealth } from '../../shared/contracts/sandbox.ts';
import type { BrokerRun, FromBroker, RawRun, ToBroker } from './protocol.ts';

export type RunWatch = {
  onStarted?: (pid: number, ready: boolean) => void;
  onRunning?: () => void;
  onToolCall?: (name: string, args: Record<string, unknown>) => Promise<unknown>;
  signal?: AbortSignal;
};
type Open = { watch: RunWatch; done: (raw: RawRun) => void; fail: (error: Error) => void };

/** The way to that place. `hold` keeps this process alive for it, or no longer; `pid` is null while there is no process. */
export type Link = { send(message: ToBroker): void; hold(on: boolean): void; pid(): number | null; close(): Promise<void> };

export function createRunsClient(connect: (hear: (message: FromBroker) => void, gone: (why: string) => void) => Link) {
  let closed = false;
  let lastId = 0;
  const open = new Map<number, Open>();
  const healthAsked = new Map<number, (pools: PoolHealth[]) => void>();
  const link = connect(hear, gone);
  const send = (message: ToBroker): void => link.send(message);

  function gone(why: string): void {
    const error = new HandrailError('SANDBOX_UNAVAILABLE', { detail: { reason: why } });
    for (const [id, run] of open) {
      open.delete(id);
      run.fail(error);
    }
    for (const [id, answer] of healthAsked) {
      healthAsked.delete(id);
      answer([]);
    }
  }

  function hear(message: FromBroker): void {
    if (message.t === 'health') {
      healthAsked.get(message.id)?.(message.pools);
      healthAsked.delete(message.id);
      settled();
      return;
    }
    const run = open.get(message.id);
    if (run === undefined) return;
    switch (message.t) {
      case 'started':
        run.watch.onStarted?.(message.pid, message.ready);
        return;
      case 'running':
        run.watch.onRunning?.();
        return;
      case 'ask':
        void answer(message.id, message.call, message.name, message.args, run);
        return;
      case 'busy':
        open.delete(message.id);
        settled();
        run.fail(new HandrailError('SANDBOX_BUSY', { detail: { waiting: message.waiting } }));
        return;
      case 'done':
        open.delete(message.id);
        settled();
        run.done(message.raw);
        return;
    }
  }

  /** That place keeps this process alive only while a run is open. */
  function settled(): void {
    if (open.size === 0 && healthAsked.size === 0) link.hold(false);
  }

  async function answer(id: number, call: number, name: string, args: string, run: Open): Promise<void> {
    let reply: { value: string | null; error: string | null };
    try {
      const handler = run.watch.onToolCall;
      if (handler === undefined) throw new Error('There is no plant in this run.');
      const value = await handler(name, JSON.parse(args) as Record<string, unknown>);
      reply = { value: JSON.stringify(value ?? null), error: null };
    } catch (error) {
      reply = { value: null, error: error instanceof Error ? error.message : String(error) };
    }
    send({ t: 'answer', id, call, ...reply });
  }

  return {
    run(run: BrokerRun, watch: RunWatch): Promise<RawRun> {
      if (closed) return Promise.reject(new HandrailError('SANDBOX_UNAVAILABLE', { detail: { reason: 'the sandbox is closed' } }));
      const id = ++lastId;
      return new Promise<RawRun>((resolve, reject) => {
        const cancel = (): void => send({ t: 'cancel', id });
        const leave = (): void => watch.signal?.removeEventListener('abort', cancel);
        open.set(id, {
          watch,
          done: (raw) => {
            leave();
            resolve(raw);
          },
          fail: (error) => {
            leave();
            reject(error);
          },
        });
        send({ t: 'run', id, run });
        link.hold(true);
        if (watch.signal?.aborted === true) cancel();
        else watch.signal?.addEventListener('abort', cancel, { once: true });
      });
    },
    warm: (message: Extract<ToBroker, { t: 'warm' }>): void => {
      if (!closed) send(message);
    },
    health(): Promise<PoolHealth[]> {
      if (closed || link.pid() === null) return Promise.resolve([]);
      const id = ++lastId;
      return new Promise((resolve) => {
        healthAsked.set(id, resolve);
        send({ t: 'health', id });
        link.hold(true);
      });
    },
    pid: (): number | null => link.pid(),
    async close(): Promise<void> {
      closed = true;
      await link.close();
    },
  };
}
export type RunsClient = ReturnType<typeof createRunsClient>;
