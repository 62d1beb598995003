import type { ResultEnvelope } from '../../shared/contracts/calls.ts';
import { wellFormedText } from './wellFormed.ts';

/** About 1,500 tokens of a register dump; more belongs into a program, not into the model. */
export const MAX_RESULT_CHARS = 6_000;

/**
 * What the planner reads of a result: compact JSON, never cut without saying so. An empty result is a fact about the plant
 * ("0 rows"), because a bare `[]` invites a small model to ask again for ever.
 */
export function resultText(result: ResultEnvelope): string {
  if (!result.ok) {
    const error = result.error;
    return JSON.stringify({ ok: false, code: error?.code, message: error?.message, advice: error?.advice });
  }
  const notes: Record<string, unknown> = {};
  if (result.meta.fallback !== null) notes['fallback'] = result.meta.fallback;
  if (result.meta.truncated) notes['truncated'] = true;
  const body = isEmpty(result.result) ? { note: '0 rows; the question was valid, asking again gives the same' } : {};
  const text = JSON.stringify({ ok: true, result: result.result, ...body, ...notes }, (_, v: unknown) =>
    typeof v === 'bigint' ? v.toString() : v,
  );
  if (text.length <= MAX_RESULT_CHARS) return text;
  // Behind a whole value: a number cut in its middle would be another number.
  const end = text.lastIndexOf(',', MAX_RESULT_CHARS);
  const cut = wellFormedText(text.slice(0, end > MAX_RESULT_CHARS / 2 ? end : MAX_RESULT_CHARS));
  return JSON.stringify({
    ok: true,
    too_large: true,
    characters: text.length,
    shown: cut.length,
    beginning: cut,
    advice: 'Ask for less, aggregate, or compute over it in a program (execute).',
  });
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== 'object') return false;
  const lists = Object.values(value).filter(Array.isArray);
  return lists.length > 0 && lists.every((l) => l.length === 0);
}
