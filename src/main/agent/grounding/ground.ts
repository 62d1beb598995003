import type { NumberMark } from '../../../shared/contracts/agent.ts';
import type { Answered } from '../turn.ts';
import { statedNumbers, type StatedNumber } from './numbers.ts';
import { sourcesOf, type SourceNumber, type Sources } from './sources.ts';
import { tagsNamed, wordsAbout, type TagNames } from './tagNames.ts';
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
 * with the same unit where both have one, and of the tag that the clause names where it names one. Values of earlier turns are
 * found too, but marked as old. `asked` is the person's question; `names` gives the words for a tag.
 */
export function ground(
  answer: string,
  answered: readonly Answered[],
  earlier: readonly Answered[],
  plantTime: string,
  asked = '',
  names: TagNames = [],
): Grounding {
  const now = sourcesOf(answered);
  now.stamps.push({ text: plantTime, source: 'plant clock' });
  const before = sourcesOf(earlier);
  const inQuestion = statedNumbers(asked);
  const named = tagsNamed(names, now.numbers);
  const marks: NumberMark[] = [];
  const refuted: string[] = [];
  const all = statedNumbers(answer);
  all.forEach((stated, i) => {
    const { before: words, behind } = wordsAbout(answer, stated, all[i - 1]?.end ?? 0, all[i + 1]?.start ?? answer.length);
    const meant = stated.stamp === null ? (named(behind) ?? named(words)) : null;
    const able = meant === null ? now : { ...now, numbers: now.numbers.filter((n) => n.tag === null || n.tag === meant) };
    const isPart =
      isDerived(stated, now) && (differenceWords.test(words) || differenceWords.test(answer.slice(stated.end, stated.end + 25)));
    const mark = markOf(stated, isPart, words, able, before, inQuestion);
    marks.push(mark);
    if (mark.kind === 'unsourced' && contradicts(stated, able, now, inQuestion)) refuted.push(`${stated.text} ${stated.unit ?? ''}`.trim());
  });
  return { marks, grounded: marks.every((m) => m.kind === 'sourced' || m.kind === 'computed'), refuted };
}

/** A measured value that is not in the results, although they hold one of its kind; naming what was asked for is no contradiction. */
function contradicts(stated: StatedNumber, able: Sources, now: Sources, inQuestion: readonly StatedNumber[]): boolean {
  const { unit } = stated;
  if (unit === null) return false;
  if (inQuestion.some((q) => equalAsShown(q.value, stated))) return false;
  if (now.numbers.some((n) => n.source.includes('.args') && equalAsShown(n.value, stated))) return false;
  return able.numbers.some((n) => n.measured && n.unit !== null && (sameUnit(n.unit, unit) || convert(n.value, n.unit, unit) !== null));
}

function markOf(
  stated: StatedNumber,
  isPart: boolean,
  words: string,
  now: Sources,
  before: Sources,
  inQuestion: readonly StatedNumber[],
): NumberMark {
  const place = { start: stated.start, end: stated.end, text: stated.text };
  const found = find(stated, now);
  if (found !== null) return { ...place, ...found };
  if (isPart) return { ...place, source: 'difference or sum of two readings', kind: 'computed' };
  // A limit that the person named ("above 180 °C") may be named again as one.
  if (limitWords.test(words) && inQuestion.some((q) => q.stamp === stated.stamp && (q.stamp !== null || equalAsShown(q.value, stated))))
    return { ...place, source: 'the question', kind: 'sourced' };
  const older = find(stated, before);
  if (older !== null) return { ...place, source: `earlier: ${older.source}`, kind: 'old' };
  return { ...place, source: null, kind: 'unsourced' };
}

const differenceWords =
  /\b(difference|differ|apart|rose|risen|rise|fell|fallen|dropped|drop|increased?|decreased?|gained|lost|higher|lower|more|less|warmer|colder|sum|total|by)\b|差|升高|升了|上升|下降|降低|降了|增加|减少|变化|合计|总共|[高低多少]了?$/i;
const limitWords =
  /\b(above|below|over|under|than|exceeds?|exceeded|limit|threshold|reach(es|ed)?|between|within)\b[^\d]*$|(超过|高于|低于|大于|小于|不到|达到|上限|下限|限值)[^\d]*$/i;

/** The difference or the sum of two readings of this unit: arithmetic of the model's own, checked here. */
function isDerived(stated: StatedNumber, now: Sources): boolean {
  const { unit } = stated;
  if (unit === null || stated.stamp !== null) return false;
  const same = now.numbers.filter((n) => n.measured && n.unit !== null && sameUnit(n.unit, unit)).slice(0, 24);
  return same.some((a, i) =>
    same.slice(i + 1).some((b) => [a.value - b.value, b.value - a.value, a.value + b.value].some((v) => equalAsShown(v, stated))),
  );
}

function find(stated: StatedNumber, sources: Sources): { source: string; kind: 'sourced' | 'old' | 'computed'; age_ms?: number } | null {
  if (stated.stamp !== null) {
    // Whole parts only: 14:07 is not in 09:14:07.
    const wanted = new RegExp(`(?<![\\d:])${stated.stamp}(?!\\d)`);
    const hit = sources.stamps.find((s) => wanted.test(s.text));
    return hit === undefined ? null : { source: hit.source, kind: 'sourced' };
  }
  const { unit } = stated;
  const able = unit === null ? sources.numbers : sources.numbers.filter((n) => n.measured);
  const fits = able.filter((n) => equalAsShown(n.value, stated) && (unit === null || n.unit === null || sameUnit(n.unit, unit)));
  // A value read now speaks before an old one, and a reading before a mere argument or length.
  const rank = (n: (typeof fits)[number]): number =>
    n.kind === 'old' ? 3 : n.source.includes('.args') ? 2 : n.kind === 'computed' ? 1 : 0;
  const best = fits.sort((a, b) => rank(a) - rank(b))[0];
  if (best !== undefined) return { source: best.source, kind: best.kind, ...(best.ageMs === undefined ? {} : { age_ms: best.ageMs }) };
  if (unit === null) return null;
  const inUnit = (n: SourceNumber): number =>
    // A ratio may be said in percent.
    (n.unit === null ? (unit === '%' && !Number.isInteger(n.value) ? n.value * 100 : null) : convert(n.value, n.unit, unit)) ?? NaN;
  const converted = able.find((n) => n.kind !== 'old' && equalAsShown(inUnit(n), stated));
  return converted === undefined
    ? null
    : { source: `${converted.source} (${converted.value}${converted.unit === null ? '' : ` ${converted.unit}`})`, kind: 'computed' };
}

/** Rounding may take this share of a value, no more: 0.82 MPa is not "1 MPa", and 0.4 is not "0". */
const ROUNDING_SHARE = 0.1;

/** Rounded to the digits shown it is this number, and the rounding has left it what it was. */
function equalAsShown(value: number, stated: StatedNumber): boolean {
  const tolerance = Math.min(0.5 * 10 ** -stated.decimals, ROUNDING_SHARE * Math.abs(value));
  return Math.abs(value - stated.value) <= tolerance * (1 + 1e-9) + Number.EPSILON * Math.abs(value);
}
