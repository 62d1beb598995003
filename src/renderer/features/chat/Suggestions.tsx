import { useEffect, useMemo, useState, type KeyboardEvent, type RefObject } from 'react';
import type { suggest as Suggest } from '../../../shared/planner/suggest.ts';
import { languageOf } from '../../../shared/language.ts';
import { usePlant } from '../../client/plant.ts';
import { useWords } from '../../words/words.ts';

type Suggestion = { insert: string; title: string; hint: string; from?: number; to?: number };
type Shown = { open: boolean; list: Suggestion[]; at: number; choose: (suggestion: Suggestion) => void };
const most = 8;

/** The built-in planner's grammar comes in a file of its own, after the first key: the page is on screen sooner. */
function usePlannerSuggest(): typeof Suggest | null {
  const [loaded, setLoaded] = useState<{ suggest: typeof Suggest } | null>(null);
  useEffect(() => {
    void import('../../../shared/planner/suggest.ts').then(setLoaded);
  }, []);
  return loaded?.suggest ?? null;
}

/**
 * "@" names a tag by any of its names in both languages, "/" at the start offers requests; else the built-in planner offers
 * what the words may become, pinyin initials too. Those are passive: Enter sends what was typed until an arrow key has chosen.
 * While an input method composes nothing is offered: the text is not the person's yet.
 */
export function useSuggestions(
  text: string,
  box: RefObject<HTMLTextAreaElement | null>,
  setText: (text: string) => void,
  isComposing: boolean,
): Shown & { onKey: (event: KeyboardEvent) => boolean } {
  const { say, both, lang } = useWords();
  const plant = usePlant((state) => state.plant);
  const world = usePlant((state) => state.world);
  const plannerSuggest = usePlannerSuggest();
  const [at, setAt] = useState(0);
  const [movedIn, setMovedIn] = useState('');
  const [dismissed, setDismissed] = useState('');
  const found = useMemo((): { start: number; list: Suggestion[]; passive?: true } => {
    if (text.startsWith('/') && !text.includes('\n')) {
      const typed = text.slice(1).toLowerCase();
      const requests = [
        say('ask.read'),
        say('ask.trend'),
        say('ask.scan'),
        say('ask.ports'),
        say('ask.undo'),
        say('ask.writable'),
        say('ask.log'),
      ];
      return {
        start: 0,
        list: requests
          .filter((request) => request.toLowerCase().includes(typed))
          .map((request) => ({ insert: request, title: request, hint: '' })),
      };
    }
    const typed = /(?:^|[\s,，。])@([^\s@]*)$/.exec(text);
    if (!typed || !plant) {
      const offered =
        world && plannerSuggest && !isComposing ? plannerSuggest(text, text.length, world, languageOf(text) === 'zh' ? 'zh' : lang) : [];
      const list = offered.map(({ insert, label, from, to }) => ({ insert, title: label, hint: '', from, to }));
      return { start: 0, list: list.filter(({ insert }) => insert.trim() !== text.trim()), passive: true };
    }
    const wanted = (typed[1] ?? '').toLowerCase();
    const tags = plant.tags.filter((tag) =>
      [tag.id, tag.name.en, tag.name.zh, ...tag.aliases.en, ...tag.aliases.zh].some((name) => name.toLowerCase().includes(wanted)),
    );
    return {
      start: text.length - wanted.length - 1,
      list: tags.slice(0, most).map((tag) => ({ insert: `${both(tag.name)} `, title: both(tag.name), hint: tag.id })),
    };
  }, [text, plant, say, both, world, lang, plannerSuggest, isComposing]);
  const open = found.list.length > 0 && dismissed !== text;
  const isPassive = found.passive === true && movedIn !== text;
  const chosen = isPassive ? -1 : Math.min(at, found.list.length - 1);
  const choose = (suggestion: Suggestion): void => {
    const { from = found.start, to = text.length } = suggestion;
    const next = text.slice(0, from) + suggestion.insert + text.slice(to);
    setText(next);
    setDismissed(next);
    setAt(0);
    box.current?.focus();
  };
  return {
    open,
    list: found.list.slice(0, most),
    at: chosen,
    choose,
    onKey(event) {
      if (!open) return false;
      const move = (to: number): void => {
        setAt(to % found.list.length);
        setMovedIn(text);
      };
      // In a passive list Up stays with the text box, where it moves the caret.
      if (event.key === 'ArrowDown') move(chosen + 1);
      else if (event.key === 'ArrowUp' && !isPassive) move(chosen - 1 + found.list.length);
      else if (event.key === 'Tab' && !event.shiftKey && found.list[Math.max(0, chosen)]) choose(found.list[Math.max(0, chosen)]!);
      else if (event.key === 'Enter' && !event.shiftKey && found.list[chosen]) choose(found.list[chosen]);
      else if (event.key === 'Escape') setDismissed(text);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

export function Suggestions({ open, list, at, choose }: Shown) {
  const { say } = useWords();
  if (!open) return null;
  return (
    <ul id="suggestions" className="suggestions" role="listbox" aria-label={say('suggestions')}>
      {list.map((suggestion, i) => (
        <li
          key={suggestion.hint + suggestion.title}
          role="option"
          aria-selected={i === at}
          onPointerDown={(event) => {
            event.preventDefault();
            choose(suggestion);
          }}
        >
          <span className="grow cut">{suggestion.title}</span>
          <span className="sec mono">{suggestion.hint}</span>
        </li>
      ))}
    </ul>
  );
}
