import type { NumberMark } from '../../../shared/contracts/agent.ts';
import type { Answered } from '../turn.ts';
import { statedNumbers, type StatedNumber } from './numbers.ts';
import { sourcesOf, type Sources } from './sources.ts';
import { convert, sameUnit } from './units.ts';

export type Grounding = {
  marks: NumberMark[];
  /** Every stated number traces to a result of this turn. */
  grounded: boolean;
  /** Measured values (with a unit) that no result holds, though the turn has results that could: the answer says something else. */
  refuted: string[];
};

/**
 * Takes every number of a drafted answer and looks for it among the turn's results: the same value within the precision shown,
 * with the same unit where both have one. Values of earlier turns are found too, but marked as old.
 */
export function ground(answer: string, answered: readonly Answered[], earlier: readonly Answered[], plantTime: string): Grounding {
  const now = sourcesOf(answered);
  now.stamps.push({ text: plantTime, source: 'plant clock' });
  const before = sourcesOf(earlier);
  const hasReadings = answered.some((a) => a.result.ok && sourcesOf([{ ...a, planned: { ...a.planned, args: {} } }]).numbers.length > 0);
  const marks: NumberMark[] = [];
  const refuted: string[] = [];
  for (const stated of statedNumbers(answer)) {
    const mark = markOf(stated, now, before);
    marks.push(mark);
    const asked = now.numbers.some((n) => n.source.includes('.args') && equalAsShown(n.value, stated));
    if (mark.kind === 'unsourced' && stated.unit !== null && hasReadings && !asked) refuted.push(`${stated.text} ${stated.unit}`);
  }
  return { marks, grounded: marks.every((m) => m.kind === 'sourced' || m.kind === 'computed'), refuted };
}

function markOf(stated: StatedNumber, now: Sources, before: Sources): NumberMark {
  const place = { start: stated.start, end: stated.end, text: stated.text };
  const found = find(stated, now);
  if (found !== null) return { ...place, ...found };
  const older = find(stated, before);
  if (older !== null) return { ...place, source: `earlier: ${older.source}`, kind: 'old' };
  return { ...place, source: null, kind: 'unsourced' };
}

function find(stated: StatedNumber, sources: Sources): { source: string; kind: 'sourced' | 'old' | 'computed'; age_ms?: number } | null {
  if (stated.stamp !== null) {
    const wanted = stated.stamp;
    const hit = sources.stamps.find((s) => s.text.includes(wanted));
    return hit === undefined ? null : { source: hit.source, kind: 'sourced' };
  }
  // What was asked for may be named again ("registers 0 to 9"), but it cannot vouch for a measured value.
  const able = stated.unit === null ? sources.numbers : sources.numbers.filter((n) => !n.source.includes('.args'));
  const fits = able.filter(
    (n) => equalAsShown(n.value, stated) && (stated.unit === null || n.unit === null || sameUnit(n.unit, stated.unit)),
  );
  // A value read now speaks before an old one, and a reading before a mere argument or length.
  const rank = (n: (typeof fits)[number]): number =>
    n.kind === 'old' ? 3 : n.source.includes('.args') ? 2 : n.kind === 'computed' ? 1 : 0;
  const best = fits.sort((a, b) => rank(a) - rank(b))[0];
  if (best !== undefined) return { source: best.source, kind: best.kind, ...(best.ageMs === undefined ? {} : { age_ms: best.ageMs }) };
  const { unit } = stated;
  if (unit === null) return null;
  const converted = able.find((n) => n.unit !== null && n.kind !== 'old' && equalAsShown(convert(n.value, n.unit, unit) ?? NaN, stated));
  return converted === undefined ? null : { source: `${converted.source} (${converted.value} ${converted.unit ?? ''})`, kind: 'computed' };
}

/** Rounded to the digits shown it is this number; a sign said in words ("-5" as "5 below") is not guessed. */
function equalAsShown(value: number, stated: StatedNumber): boolean {
  const tolerance = 0.5 * 10 ** -stated.decimals;
  return Math.abs(value - stated.value) <= tolerance * (1 + 1e-9) + Number.EPSILON * Math.abs(value);
}
