import { createHash } from 'node:crypto';
import type { PlannedCall } from '../../shared/contracts/agent.ts';
import { stableText } from './stableText.ts';

/**
 * One decision of the planner, one key: turn, step, place in the batch, tool and arguments. Stable over a retry and over a
 * resume after a crash, new for a new decision; a model neither sees nor chooses it.
 */
export function idempotencyKey(turnId: string, step: number, index: number, call: PlannedCall): string {
  return createHash('sha256')
    .update(stableText([turnId, step, index, call.tool, call.args]))
    .digest('hex');
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(stableText(value)).digest('hex');
}
