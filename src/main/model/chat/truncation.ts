import { HandrailError } from '../../../shared/errors.ts';
import type { Prompt } from '../prompt/build.ts';
import type { ModelFacts } from '../wire.ts';

/**
 * Did the server use less than was sent? HTTP says 200 when it drops the oldest messages, so the counts have to tell: fewer
 * tokens than the request can have, a window filled to the brim although we stayed below it, or half a window left of a
 * longer prompt. Servers that leave cached tokens out of the count are not accused on a low count alone.
 */
export function truncationError(
  prompt: Prompt,
  promptTokens: number | null,
  window: { numCtx: number; loaded: number | null },
  facts: ModelFacts,
): HandrailError | null {
  const effective = Math.min(window.numCtx, window.loaded ?? window.numCtx);
  const error = (used: number): HandrailError =>
    new HandrailError('CONTEXT_TRUNCATED', { detail: { used, sent: Math.max(prompt.floor, used), window: effective } });
  if (prompt.floor > effective) return error(Math.min(promptTokens ?? effective, effective));
  if (promptTokens === null || promptTokens <= 0) return null;
  if (facts.countsWholePrompt && promptTokens < prompt.floor) return error(promptTokens);
  if (promptTokens >= 0.98 * effective && prompt.ceiling < 0.98 * effective) return error(promptTokens);
  const half = Math.abs(promptTokens - effective / 2) < 0.02 * effective;
  return half && prompt.floor > promptTokens * 1.15 ? error(promptTokens) : null;
}
