import { useCallback } from 'react';
import type { Bilingual, Lang } from '../../shared/errors.ts';
import { useSettings } from '../client/settings.ts';
import { catalogue, type WordKey } from './catalogue/index.ts';

export type { WordKey } from './catalogue/index.ts';
export type WordValues = Record<string, string | number>;

/** `{name}` is a value; `{n, plural, one {# call} other {# calls}}` chooses by the language's plural rule. */
export function say(lang: Lang, key: WordKey, values: WordValues = {}): string {
  const template = catalogue[key][lang];
  const chosen = template.replace(
    /\{(\w+), plural,((?: *(?:zero|one|two|few|many|other) \{[^{}]*\})+) *\}/g,
    (_whole, name: string, forms: string) => {
      const count = Number(values[name]);
      const rule = new Intl.PluralRules(lang === 'zh' ? 'zh-CN' : 'en').select(count);
      const byRule = new Map([...forms.matchAll(/(\w+) \{([^{}]*)\}/g)].map((form) => [form[1], form[2]]));
      return (byRule.get(rule) ?? byRule.get('other') ?? '').replaceAll('#', String(values[name]));
    },
  );
  return chosen.replace(/\{(\w+)\}/g, (whole, name: string) => (values[name] === undefined ? whole : String(values[name])));
}

export type Say = (key: WordKey, values?: WordValues) => string;
export function useWords(): { say: Say; lang: Lang; both: (text: Bilingual) => string } {
  const lang = useSettings((state) => state.settings.lang);
  return {
    lang,
    say: useCallback((key, values) => say(lang, key, values), [lang]),
    both: useCallback((text) => text[lang], [lang]),
  };
}
