import type { ResultEnvelope } from '../../shared/contracts/calls.ts';
import { stableText } from './stableText.ts';

/** Keys that change with every reading although nothing in the plant did. */
const volatileKeys = new Set([
  'readAt',
  'read_at',
  'timestamp',
  'age_ms',
  'ageMs',
  'duration_ms',
  'exec_time_ms',
  'start_ms',
  'memory_used_mb',
  'attempts',
  'lastTriedAt',
  'call_id',
  'job_id',
]);

/**
 * Counts equal calls with equal results within one turn. Polling a live value is fine, because its result changes; the same
 * question with the same answer for the third time is a loop. Lives outside the transcript, so that trimming cannot reset it.
 */
export function createLoopGuard(limit = 3) {
  const seen = new Map<string, number>();
  return {
    /** Adds the calls of one batch; equal calls within one batch count once. Returns the first that went round too often. */
    add(batch: readonly { tool: string; args: Record<string, unknown>; result: ResultEnvelope }[]): { tool: string; times: number } | null {
      let loop: { tool: string; times: number } | null = null;
      const signatures = new Map(batch.map((c) => [signature(c.tool, c.args, c.result), c.tool]));
      for (const [key, tool] of signatures) {
        const times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        if (times >= limit && loop === null) loop = { tool, times };
      }
      return loop;
    },
  };
}

export type LoopGuard = ReturnType<typeof createLoopGuard>;

function signature(tool: string, args: Record<string, unknown>, result: ResultEnvelope): string {
  const outcome = result.ok ? { result: steady(result.result) } : { code: result.error?.code, message: result.error?.message };
  return stableText([tool, steady(args), outcome]);
}

/** Without absent arguments and without what is only the time of asking. */
function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>)
      .filter(([key, v]) => !volatileKeys.has(key) && v !== null && v !== undefined)
      .map(([key, v]) => [key, steady(v)]),
  );
}
