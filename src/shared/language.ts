import type { Lang } from './errors.ts';

/** The language a person writes in: one Chinese character makes a sentence Chinese, for people mix in English tag names, not the other way round. */
export function languageOf(text: string): Lang {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}
