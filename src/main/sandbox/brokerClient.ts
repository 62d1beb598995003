/** The host's end of the broker: starts it on first need, gives runs numbers, and tells every open run when the broker dies. */
import { fork, type ChildProcess } from 'node:child_process';
import { entryFile } from '../entries.ts';
import type { PoolHealth } from '../../shared/contracts/sandbox.ts';
import { HandrailError } from '../../shared/errors.ts';
import type { BrokerRun, FromBroker, RawRun, ToBroker } from './protocol.ts';

export type RunWatch = {
  onStarted?: (pid: number, ready: boolean) => void;
  onRunning?: () => void;
  onToolCall?: (name: string, args: Record<string, unknown>) => Promise<unknown>;
  signal?: AbortSignal;
};
type Open = { watch: RunWatch; done: (raw: RawRun) => void; fail: (error: Error) => void };

export function createBrokerClient() {
  let child: ChildProcess | null = null;
  let closed = false;
  let lastId = 0;
  const open = new Map<number, Open>();
  const healthAsked = new Map<number, (pools: PoolHealth[]) => void>();

  function start(): ChildProcess {
    const started = fork(entryFile('sandboxBroker'), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--no-warnings'],
      env: brokerEnvironment(),
    });
    started.on('message', (message) => hear(message as FromBroker));
    const gone = (why: string): void => {
      if (child === started) child = null;
      const error = new HandrailError('SANDBOX_UNAVAILABLE', { detail: { reason: why } });
      for (const [id, run] of open) {
        open.delete(id);
        run.fail(error);
      }
      for (const [id, answer] of healthAsked) {
        healthAsked.delete(id);
        answer([]);
      }
    };
    started.on('exit', (code, signal) => gone(`the broker process ended (${signal ?? code})`));
    started.on('error', (error) => gone(error.message));
    started.unref();
    started.channel?.unref();
    return started;
  }

  function send(message: ToBroker): void {
    child ??= start();
    child.send(message, () => undefined);
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

  /** The broker keeps this process alive only while a run is open. */
  function settled(): void {
    if (open.size === 0 && healthAsked.size === 0) child?.channel?.unref();
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
        child?.channel?.ref();
        if (watch.signal?.aborted === true) cancel();
        else watch.signal?.addEventListener('abort', cancel, { once: true });
      });
    },
    warm: (message: Extract<ToBroker, { t: 'warm' }>): void => {
      if (!closed) send(message);
    },
    health(): Promise<PoolHealth[]> {
      if (closed || child === null) return Promise.resolve([]);
      const id = ++lastId;
      return new Promise((resolve) => {
        healthAsked.set(id, resolve);
        send({ t: 'health', id });
        child?.channel?.ref();
      });
    },
    pid: (): number | null => child?.pid ?? null,
    async close(): Promise<void> {
      closed = true;
      const ending = child;
      if (ending === null || ending.exitCode !== null) return;
      const gone = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
      ending.ref();
      if (ending.connected) ending.disconnect();
      const last = setTimeout(() => ending.kill('SIGKILL'), 2_000);
      await gone;
      clearTimeout(last);
    },
  };
}
export type BrokerClient = ReturnType<typeof createBrokerClient>;

/** A written list, not ours: the program's own secrets never come near an interpreter. */
function brokerEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMPDIR', 'HANDRAIL_SANDBOX_DIR', 'ELECTRON_RUN_AS_NODE'];
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
