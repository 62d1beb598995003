import { lex, type Token } from './lexer.ts';
import { findNames, type Name } from './names.ts';
import type { Normal } from './normalise.ts';
import { findTime, type TimeFound } from './times.ts';
import type { Interpretation, IntentName, World } from './types.ts';
import { vocabularyOf, type Thing, type Vocabulary } from './vocabulary.ts';

/** A request while it is read. `used[i]` says that a rule has given token i its meaning; a number nobody used is a reason to ask. */
export type Reading = {
  normal: Normal;
  tokens: readonly Token[];
  used: boolean[];
  world: World;
  vocabulary: Vocabulary;
};

export function startReading(normal: Normal, world: World): Reading {
  const vocabulary = vocabularyOf(world);
  const tokens = lex(normal, vocabulary);
  return { normal, tokens, used: tokens.map(() => false), world, vocabulary };
}

export const copyOf = (r: Reading): Reading => ({ ...r, used: [...r.used] });

export const is = (t: Token | undefined, ...classes: string[]): boolean => t !== undefined && classes.some((c) => t.classes.has(c));

/** Position of the first free token of a class, or -1. */
export function find(r: Reading, ...classes: string[]): number {
  return r.tokens.findIndex((t, i) => !r.used[i] && is(t, ...classes));
}
export const any = (r: Reading, ...classes: string[]): boolean => find(r, ...classes) >= 0;
export const anyText = (r: Reading, ...texts: string[]): boolean => r.tokens.some((t, i) => !r.used[i] && texts.includes(t.text));

/** Does a token of one class stand within `reach` tokens of one of another? */
export function near(r: Reading, a: string, b: string, reach: number, inOrder = false): boolean {
  for (let i = 0; i < r.tokens.length; i++) {
    if (!is(r.tokens[i], a)) continue;
    for (let k = Math.max(0, inOrder ? i + 1 : i - reach); k <= Math.min(r.tokens.length - 1, i + reach); k++)
      if (k !== i && is(r.tokens[k], b)) return true;
  }
  return false;
}

export function use(r: Reading, from: number, to = from + 1): void {
  for (let i = from; i < to; i++) r.used[i] = true;
}

export const numbersLeft = (r: Reading): number[] =>
  r.tokens.map((t, i) => (t.kind === 'number' && !r.used[i] ? i : -1)).filter((i) => i >= 0);

export const namesIn = (r: Reading): Name[] => findNames(r.tokens, r.used, r.vocabulary, r.normal);
export const timeIn = (r: Reading): TimeFound => findTime(r.tokens, r.used, r.world.now);

/** Does a change name a time to be made at? There is no scheduler: such a request must not become a write now. */
export function isScheduled(r: Reading): boolean {
  const time = timeIn(r);
  if (time.kind === 'none') return false;
  return time.used.some((i) => {
    const t = r.tokens[i]!;
    return t.kind === 'clock' || t.kind === 'date' || (t.kind === 'word' && t.times.length > 0 && t.unit === null && !t.classes.has('to'));
  });
}

/** A number that its neighbours may change: --5, 5/10, 5*2, 3O. No write takes it. */
/** 负二十, minus 20: the sign as a word before the number. */
export const isMinus = (r: Reading, i: number): boolean => is(r.tokens[i - 1], 'minus');

export function isDoubtful(r: Reading, i: number): boolean {
  const odd = (t: Token | undefined): boolean => is(t, 'dash', 'plus', 'star', 'slash', 'caret', 'less', 'greater');
  return is(r.tokens[i], 'gluedNumber') || odd(r.tokens[i - 1]) || odd(r.tokens[i + 1]);
}

export const deviceOf = (name: Name): Thing | null =>
  name.things.length === 1 && name.things[0]!.kind === 'device' ? name.things[0]! : null;

export const done = (intent: IntentName, params: Record<string, unknown>): Interpretation => ({
  intent,
  params,
  needs_clarification: false,
  reason: null,
});
export const ask = (intent: IntentName, params: Record<string, unknown>, reason: string): Interpretation => ({
  intent,
  params,
  needs_clarification: true,
  reason,
});
export const refuse = (reason: string): Interpretation => ({ intent: 'refuse', params: {}, needs_clarification: false, reason });
export const unknown = (reason: 'out_of_scope' | 'not_supported' | 'not_understood'): Interpretation => ({
  intent: 'unknown',
  params: {},
  needs_clarification: false,
  reason,
});

/** Absent keys are absent, not undefined. */
export function compact(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null));
}
