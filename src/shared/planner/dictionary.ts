import { commonEnglish, plantNouns, plantNounsZh, words, type WordClass } from './lexicon.ts';
import { guardWords } from './guardWords.ts';
import { normalise, isHan } from './normalise.ts';
import { timeWords } from './timeWords.ts';
import { unitSpellings } from './units.ts';

/** What a phrase can be. One phrase can be many things: 度 is a unit, 日 a day and a date mark. */
export type Entry = { classes: Set<string>; unit: string | null; times: string[]; atom: string | null };

/** Phrases of one language by their first piece or character, longest first. */
export type Dictionary = {
  latin: Map<string, { pieces: readonly string[]; entry: Entry }[]>;
  han: Map<string, { text: string; entry: Entry }[]>;
  /** Words of four letters or more that a typo may have been. */
  targets: Map<string, string[]>;
  known: Set<string>;
};

export const latinPieces = (text: string): string[] => text.split(/[\s-]+/).filter((piece) => piece !== '');

const emptyEntry = (): Entry => ({ classes: new Set(), unit: null, times: [], atom: null });

export function emptyDictionary(): Dictionary {
  return { latin: new Map(), han: new Map(), targets: new Map(), known: new Set() };
}

export function addPhrase(dictionary: Dictionary, phrase: string, fill: (entry: Entry) => void): void {
  const text = normalise(phrase).text;
  if (text === '') return;
  if ([...text].some((c) => isHan(c))) {
    const first = text[0]!;
    const list = dictionary.han.get(first) ?? [];
    let found = list.find((item) => item.text === text);
    if (!found) {
      found = { text, entry: emptyEntry() };
      const at = list.findIndex((item) => item.text.length < text.length);
      list.splice(at < 0 ? list.length : at, 0, found);
      dictionary.han.set(first, list);
    }
    fill(found.entry);
    return;
  }
  const pieces = latinPieces(text);
  const first = pieces[0];
  if (first === undefined) return;
  const list = dictionary.latin.get(first) ?? [];
  let found = list.find((item) => item.pieces.length === pieces.length && item.pieces.every((piece, i) => piece === pieces[i]));
  if (!found) {
    found = { pieces, entry: emptyEntry() };
    const at = list.findIndex((item) => item.pieces.length < pieces.length);
    list.splice(at < 0 ? list.length : at, 0, found);
    dictionary.latin.set(first, list);
  }
  fill(found.entry);
  for (const piece of pieces) addTarget(dictionary, piece);
}

/** A word with one letter left out leads to itself and to all words one typo away (symmetric deletes). */
function addTarget(dictionary: Dictionary, word: string): void {
  if (dictionary.known.has(word)) return;
  dictionary.known.add(word);
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return;
  for (const key of [word, ...deletes(word)]) {
    const list = dictionary.targets.get(key) ?? [];
    list.push(word);
    dictionary.targets.set(key, list);
  }
}

const deletes = (word: string): string[] => Array.from({ length: word.length }, (_, i) => word.slice(0, i) + word.slice(i + 1));

/** One wrong, missing, extra or swapped letter. */
export function oneTypoApart(a: string, b: string): boolean {
  if (a === b) return false;
  if (Math.abs(a.length - b.length) > 1) return false;
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  if (a.length === b.length)
    return a.slice(i + 1) === b.slice(i + 1) || (a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2));
  return a.length > b.length ? a.slice(i + 1) === b.slice(i) : a.slice(i) === b.slice(i + 1);
}

/** The word a typo was meant to be; the word itself when it is known, or when nothing or several things fit. */
export function corrected(word: string, dictionaries: readonly Dictionary[]): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word) || commonWords.has(word) || dictionaries.some((d) => d.known.has(word))) return word;
  const found = new Set<string>();
  for (const dictionary of dictionaries)
    for (const key of [word, ...deletes(word)])
      for (const target of dictionary.targets.get(key) ?? []) if (oneTypoApart(word, target)) found.add(target);
  if (found.size === 0) return word;
  const candidates = [...found];
  if (candidates.length === 1) return candidates[0]!;
  // Swapped letters are the typo people make; a plural of the same word is no other word.
  const swapped = candidates.filter((c) => c.length === word.length && [...c].sort().join('') === [...word].sort().join(''));
  if (swapped.length === 1) return swapped[0]!;
  const stems = new Set(candidates.map((c) => c.replace(/(es|s|d|ed)$/, '')));
  if (stems.size === 1) return candidates[0]!;
  const sameStart = candidates.filter((c) => c[0] === word[0] && c[c.length - 1] === word[word.length - 1]);
  return sameStart.length === 1 ? sameStart[0]! : word;
}

const commonWords = new Set(commonEnglish.split('|'));
export const isCommonEnglish = (word: string): boolean => commonWords.has(word);

export const builtIn: Dictionary = buildStatic();

function buildStatic(): Dictionary {
  const dictionary = emptyDictionary();
  for (const [name, list] of Object.entries(words))
    for (const phrase of list.split('|')) addPhrase(dictionary, phrase, (e) => e.classes.add(name.replace(/Zh$/, '')));
  for (const [name, list] of Object.entries(guardWords))
    for (const phrase of list.split('|')) addPhrase(dictionary, phrase, (e) => e.classes.add(name));
  for (const [meaning, list] of Object.entries(timeWords))
    for (const phrase of list.split('|'))
      addPhrase(dictionary, phrase, (e) => {
        e.times.push(meaning);
      });
  for (const [spelling, unit] of unitSpellings)
    if (!/[/%°^]/.test(spelling))
      addPhrase(dictionary, spelling, (e) => {
        e.unit = unit;
      });
  for (const noun of plantNouns.split('|')) addPhrase(dictionary, noun, (e) => e.classes.add('noun'));
  for (const noun of plantNounsZh.split('|')) addPhrase(dictionary, noun, (e) => e.classes.add('noun'));
  return dictionary;
}

export type { WordClass };
