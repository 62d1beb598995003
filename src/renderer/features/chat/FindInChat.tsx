import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { useShell } from '../../client/shell.ts';
import { useTranscript } from '../../client/turns.ts';
import { useWords } from '../../words/words.ts';

const most = 500;

/** Every place of the conversation that holds the words, in the order of reading. */
function placesOf(box: HTMLElement, wanted: string): Range[] {
  const places: Range[] = [];
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && places.length < most; node = walker.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase();
    for (let at = text.indexOf(wanted); at >= 0 && places.length < most; at = text.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      places.push(range);
    }
  }
  return places;
}

/** Find in the conversation; the places are painted by the browser, so the text itself is not touched. */
export function FindInChat({ box }: { box: RefObject<HTMLDivElement | null> }) {
  const open = useShell((state) => state.finding);
  return open ? <FindBar box={box} /> : null;
}

function FindBar({ box }: { box: RefObject<HTMLDivElement | null> }) {
  const { say } = useWords();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [count, setCount] = useState(0);
  const turns = useTranscript((state) => state.turns);
  const places = useRef<Range[]>([]);
  useEffect(() => {
    const wanted = text.trim().toLowerCase();
    places.current = wanted === '' || !box.current ? [] : placesOf(box.current, wanted);
    setCount(places.current.length);
    const now = places.current[Math.min(at, places.current.length - 1)];
    CSS.highlights.set('found', new Highlight(...places.current));
    CSS.highlights.set('found-now', new Highlight(...(now ? [now] : [])));
    now?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
    return () => {
      CSS.highlights.delete('found');
      CSS.highlights.delete('found-now');
    };
  }, [text, at, turns, box]);
  const go = (by: 1 | -1): void => setAt(count === 0 ? 0 : (Math.min(at, count - 1) + by + count) % count);
  const close = (): void => {
    useShell.setState({ finding: false });
    document.getElementById('message')?.focus();
  };
  return (
    <div className="find-bar" role="search">
      <input
        className="input"
        type="search"
        autoFocus
        aria-label={say('chat.find')}
        placeholder={say('chat.find')}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') close();
          else return;
          event.preventDefault();
        }}
      />
      <span className="label" role="status">
        {text.trim() === ''
          ? ''
          : count === 0
            ? say('chat.find.none')
            : say('chat.find.at', { n: Math.min(at, count - 1) + 1, all: count })}
      </span>
      <button type="button" className="icon" aria-label={say('chat.find.before')} onClick={() => go(-1)}>
        <ChevronUp aria-hidden="true" className="i" />
      </button>
      <button type="button" className="icon" aria-label={say('chat.find.next')} onClick={() => go(1)}>
        <ChevronDown aria-hidden="true" className="i" />
      </button>
      <button type="button" className="icon" aria-label={say('close')} onClick={close}>
        <X aria-hidden="true" className="i" />
      </button>
    </div>
  );
}
