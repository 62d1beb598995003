import type { WordOrder } from '../contracts/plant.ts';
import { wordOrders } from './order.ts';
import { decodeValue } from './values.ts';
import { registerCount, type ValueType } from './valueTypes.ts';

export type OrderCandidate = { order: WordOrder; shift: -1 | 0 | 1; value: number; score: number };
export type OrderVerdict =
  | { kind: 'order'; best: OrderCandidate; candidates: OrderCandidate[] }
  /** No order makes sense at this address, but one does a register beside it: the pair is straddled. */
  | { kind: 'shift'; best: OrderCandidate; candidates: OrderCandidate[] }
  | { kind: 'unclear'; candidates: OrderCandidate[] };

/**
 * Order or address? A hint for a person, never applied by itself. `words` are the registers around the value, `at` where it
 * is said to begin; the range is what a sane reading lies in. Several polls make the verdict firmer.
 */
export function judgeOrder(
  polls: readonly (readonly number[])[],
  at: number,
  type: ValueType,
  range: { min: number; max: number },
): OrderVerdict {
  const count = registerCount({ type });
  const candidates: OrderCandidate[] = [];
  for (const shift of [0, -1, 1] as const) {
    for (const order of wordOrders) {
      const values = polls
        .map((words) => decodeValue(words.slice(Math.max(0, at + shift), at + shift + count), { type, order }))
        .map((decoded) => (decoded.quality === 'good' ? Number(decoded.value) : NaN));
      if (at + shift < 0 || values.some((value) => Number.isNaN(value))) continue;
      candidates.push({ order, shift, value: values.at(-1)!, score: score(values, range) });
    }
  }
  candidates.sort((a, b) => b.score - a.score || Math.abs(a.shift) - Math.abs(b.shift));
  const here = candidates.filter((candidate) => candidate.shift === 0 && candidate.score >= plausible);
  if (here.length > 0) return { kind: 'order', best: here[0]!, candidates };
  const beside = candidates.filter((candidate) => candidate.score >= plausible);
  return beside.length > 0 ? { kind: 'shift', best: beside[0]!, candidates } : { kind: 'unclear', candidates };
}

const plausible = 0.5;

/** In range counts most; values whose exponent is absurd or that jump between polls count nothing. */
function score(values: readonly number[], { min, max }: { min: number; max: number }): number {
  const inRange = values.filter((value) => value >= min && value <= max).length / values.length;
  const sane = values.every((value) => value === 0 || (Math.abs(value) > 1e-6 && Math.abs(value) < 1e12)) ? 1 : 0;
  const spread = Math.max(...values) - Math.min(...values);
  const steady = spread <= 0.2 * Math.max(Math.abs(max - min), 1e-9) ? 1 : 0;
  return 0.6 * inRange * sane + 0.2 * sane + 0.2 * steady * inRange - (inRange < 1 ? 0.2 : 0);
}
