/** Queue, pools and open runs of one place that starts interpreters: the broker process, or main for the pages of the window. */
import type { RunLang, RunLevel } from '../../../shared/contracts/sandbox.ts';
import type { BrokerRun, FromBroker, RawRun, ToBroker } from '../protocol.ts';
import { runLimits } from '../limits.ts';
import { variantOf } from '../variant.ts';
import { createPool, type Pool } from './pool.ts';
import type { Member, Started } from './member.ts';

export type Starter = (lang: RunLang, level: RunLevel, variant: 'plain' | 'data', memoryMb: number) => (warm: boolean) => Started;

const emptyRun = (reason: string): RawRun => ({
  end: 'unavailable',
  report: null,
  foreignBytes: 0,
  exitCode: null,
  signal: null,
  stdout: { bytes: new Uint8Array(), total: 0 },
  stderr: { bytes: new Uint8Array(), total: 0 },
  execMs: 0,
  startMs: 0,
  memoryMb: null,
  memorySource: 'unknown',
  runtime: 'none',
  reason,
});

export function createRuns(starter: Starter, send: (message: FromBroker) => void) {
  const pools = new Map<string, Pool>();
  const members = new Set<Member>();
  const active = new Map<number, Member>();
  const cancelled = new Set<number>();
  const queue: { id: number; run: BrokerRun }[] = [];
  let running = 0;

  function poolFor(run: { lang: BrokerRun['lang']; level: BrokerRun['level'] }, variant: 'plain' | 'data', memoryMb: number): Pool {
    const key = `${run.lang}:${run.level}:${variant}:${memoryMb}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = createPool(key, starter(run.lang, run.level, variant, memoryMb), (member) => {
        members.add(member);
        member.started.child.on('close', () => members.delete(member));
      });
      pools.set(key, pool);
    }
    return pool;
  }

  async function perform(id: number, run: BrokerRun): Promise<void> {
    const pool = poolFor(run, variantOf(run), run.memoryMb);
    let raw: RawRun;
    try {
      const { member, wasReady } = await pool.take();
      active.set(id, member);
      send({ t: 'started', id, pid: member.pid, ready: wasReady });
      if (cancelled.has(id)) member.finish('cancelled');
      raw = await member.run(run, {
        running: () => send({ t: 'running', id }),
        ask: (call, name, args) => send({ t: 'ask', id, call, name, args }),
      });
      if (wasReady) raw.startMs = 0;
      pool.release();
    } catch (error) {
      raw = emptyRun(error instanceof Error ? error.message : String(error));
    }
    active.delete(id);
    cancelled.delete(id);
    send({ t: 'done', id, raw });
  }

  function next(): void {
    while (running < runLimits.running && queue.length > 0) {
      const job = queue.shift()!;
      running += 1;
      void perform(job.id, job.run).finally(() => {
        running -= 1;
        next();
      });
    }
  }

  function receive(message: ToBroker): void {
    switch (message.t) {
      case 'run':
        if (queue.length >= runLimits.waiting) {
          send({ t: 'busy', id: message.id, waiting: queue.length });
          return;
        }
        queue.push({ id: message.id, run: message.run });
        next();
        return;
      case 'answer':
        active.get(message.id)?.answer(message.call, message.value, message.error);
        return;
      case 'cancel': {
        const at = queue.findIndex((job) => job.id === message.id);
        if (at >= 0) {
          queue.splice(at, 1);
          send({ t: 'done', id: message.id, raw: { ...emptyRun('cancelled'), end: 'cancelled' } });
          return;
        }
        cancelled.add(message.id);
        active.get(message.id)?.finish('cancelled');
        return;
      }
      case 'warm':
        poolFor(message, message.variant, runLimits.memoryMb.default).warm(message.size);
        return;
      case 'health':
        send({ t: 'health', id: message.id, pools: [...pools.values()].map((pool) => pool.health(queue.length)) });
        return;
    }
  }

  return {
    receive,
    /** Ends everything at once; whoever waits hears nothing more. */
    close(): void {
      queue.length = 0;
      for (const pool of pools.values()) pool.close();
      for (const member of members) {
        member.kill();
        member.started.dispose?.();
      } // the close events come too late for a process that ends now
    },
  };
}
