import { useMemo, useState, type KeyboardEvent, type RefObject } from 'react';
import { usePlant } from '../../client/plant.ts';
import { useWords } from '../../words/words.ts';

type Suggestion = { insert: string; title: string; hint: string };
type Shown = { open: boolean; list: Suggestion[]; at: number; choose: (suggestion: Suggestion) => void };
const most = 8;

/** "@" names a tag by any of its names in both languages, "/" at the start offers requests. */
export function useSuggestions(
  text: string,
  box: RefObject<HTMLTextAreaElement | null>,
  setText: (text: string) => void,
): Shown & { onKey: (event: KeyboardEvent) => boolean } {
  const { say, both } = useWords();
  const plant = usePlant((state) => state.plant);
  const [at, setAt] = useState(0);
  const [dismissed, setDismissed] = useState('');
  const found = useMemo((): { start: number; list: Suggestion[] } => {
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
    if (!typed || !plant) return { start: 0, list: [] };
    const wanted = (typed[1] ?? '').toLowerCase();
    const tags = plant.tags.filter((tag) =>
      [tag.id, tag.name.en, tag.name.zh, ...tag.aliases.en, ...tag.aliases.zh].some((name) => name.toLowerCase().includes(wanted)),
    );
    return {
      start: text.length - wanted.length - 1,
      list: tags.slice(0, most).map((tag) => ({ insert: `${both(tag.name)} `, title: both(tag.name), hint: tag.id })),
    };
  }, [text, plant, say, both]);
  const open = found.list.length > 0 && dismissed !== text;
  const chosen = Math.min(at, found.list.length - 1);
  const choose = (suggestion: Suggestion): void => {
    const next = text.slice(0, found.start) + suggestion.insert;
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
      if (event.key === 'ArrowDown') setAt((chosen + 1) % found.list.length);
      else if (event.key === 'ArrowUp') setAt((chosen - 1 + found.list.length) % found.list.length);
      else if (event.key === 'Tab' && found.list[chosen]) choose(found.list[chosen]);
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
