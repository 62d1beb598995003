import type { ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { Job } from './job.ts';

export type OpenCall = { job: Job; settled: Promise<ResultEnvelope>; dependsOn: readonly string[]; parent: string | null };

/** Which calls are open, and how those ended that others may still wait for. Bounded: the oldest endings are forgotten. */
export function createCallBook(limits = { remembered: 20_000 }) {
  const open = new Map<string, OpenCall>();
  const finished = new Map<string, boolean>();
  return {
    open,
    isKnown: (callId: string): boolean => open.has(callId) || finished.has(callId),
    ended: (callId: string): boolean | undefined => finished.get(callId),
    remember(callId: string, ok: boolean): void {
      finished.set(callId, ok);
      if (finished.size > limits.remembered) finished.delete(finished.keys().next().value!);
    },
    state: () => ({ open: open.size, remembered: finished.size }),
  };
}
export type CallBook = ReturnType<typeof createCallBook>;
