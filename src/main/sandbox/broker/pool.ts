/** Pre-started one-use interpreters of one kind, refilled one at a time in the background. */
import type { PoolHealth } from '../../../shared/contracts/sandbox.ts';
import { Member, type Started } from './member.ts';

export function createPool(key: string, start: (warm: boolean) => Started, onStarted: (member: Member) => void) {
  const waiting: Member[] = [];
  let target = 0;
  let refilling = false;
  let closed = false;
  let running = 0;
  let started = 0;
  let failedStarts = 0;
  let lastError: string | null = null;

  async function launch(warm: boolean): Promise<Member> {
    let member: Member;
    try {
      member = new Member(start(warm));
    } catch (error) {
      failedStarts += 1;
      lastError = error instanceof Error ? error.message : String(error);
      throw error;
    }
    started += 1;
    onStarted(member);
    if (await member.ready) return member;
    member.kill();
    failedStarts += 1;
    lastError = member.startError() || 'the interpreter ended before it was ready';
    throw new Error(lastError);
  }

  async function refill(): Promise<void> {
    if (refilling || closed) return;
    refilling = true;
    try {
      while (!closed && waiting.length < target) {
        const member = await launch(true);
        if (closed) {
          member.kill();
          break;
        }
        waiting.push(member);
      }
    } catch {
      target = 0; /* a kind that cannot start is not tried again in the background; the next run reports why */
    }
    refilling = false;
  }

  return {
    key,
    /** Keeps this many ready from now on. */
    warm(size: number): void {
      target = Math.max(target, size);
      void refill();
    },
    async take(): Promise<{ member: Member; wasReady: boolean }> {
      for (let member = waiting.shift(); member !== undefined; member = waiting.shift()) {
        if (member.state === 'ready') {
          running += 1;
          return { member, wasReady: true };
        }
      }
      const member = await launch(false); // somebody waits: only what every program needs is loaded
      running += 1;
      return { member, wasReady: false };
    },
    release(): void {
      running -= 1;
      setImmediate(() => void refill());
    },
    health: (queued: number): PoolHealth => ({ key, waiting: waiting.length, running, queued, started, failedStarts, lastError }),
    close(): void {
      closed = true;
      waiting.splice(0).forEach((member) => member.kill());
    },
  };
}
export type Pool = ReturnType<typeof createPool>;
