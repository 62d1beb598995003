import { Plus } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { newConversation } from '../../client/asking.ts';
import { useSettings } from '../../client/settings.ts';
import { useTranscript } from '../../client/turns.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { useWords } from '../../words/words.ts';
import { Composer } from './Composer.tsx';
import { EmptyChat } from './EmptyChat.tsx';
import { FindInChat } from './FindInChat.tsx';
import { StepLine } from './StepLine.tsx';
import { TurnView } from './TurnView.tsx';

export function ChatPane({ dock, first }: { dock: ReactNode; first: ReactNode }) {
  const { say } = useWords();
  const transcript = useTranscript();
  const model = useSettings((state) => state.settings.model);
  const last = transcript.turns.at(-1);
  return (
    <section className="pane chat" aria-label={say('chat')} data-pane tabIndex={-1}>
      <div className="head">
        <h2 className="cut">{transcript.turns[0]?.text ?? say('chat')}</h2>
        <span className="grow" />
        <span className="label">{model.kind === 'builtin' ? say('model.builtin') : model.name}</span>
        <button
          type="button"
          className="icon"
          aria-label={say('chat.new')}
          title={say('chat.new')}
          onClick={() => void newConversation().catch(() => undefined)}
        >
          <Plus aria-hidden="true" className="i" />
        </button>
      </div>
      {last && <StepLine turn={last} stopping={transcript.stopping} />}
      <Talk turns={transcript.turns.length}>
        {transcript.turns.length === 0 && (
          <>
            {first}
            <EmptyChat />
          </>
        )}
        {transcript.turns.map((turn) => (
          <TurnView key={turn.turnId} turn={turn} />
        ))}
        {transcript.queued !== null && (
          <div className="said said-next">
            <span className="label">{say('chat.next')}</span> {transcript.queued.text}
          </div>
        )}
        {transcript.failed && (
          <div className="notice" role="status">
            {transcript.failed.text !== '' && <div className="said">{transcript.failed.text}</div>}
            <ErrorText error={transcript.failed.error} />
          </div>
        )}
      </Talk>
      {dock}
      <Composer />
    </section>
  );
}

/** Follows the newest line unless the person has scrolled up; then it stays and says that there is more. What one sends is always shown. */
function Talk({ turns, children }: { turns: number; children: ReactNode }) {
  const { say } = useWords();
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const [more, setMore] = useState(false);
  useEffect(() => {
    if (turns === 0) {
      follows.current = false; // what stands before a conversation is read from its top
      return;
    }
    follows.current = true;
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [turns]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const seen = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
      else if (turns > 0) setMore(true);
    });
    for (const child of element.children) seen.observe(child);
    return () => seen.disconnect();
  });
  return (
    <div className="talk-frame">
      <FindInChat box={box} />
      <div
        className="talk"
        ref={box}
        role="log"
        aria-label={say('chat.messages')}
        tabIndex={0}
        onScroll={(event) => {
          const element = event.currentTarget;
          const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
          // Text that grew since our own scrolling is not a person looking back: only a move upwards is.
          if (atEnd || element.scrollTop < lastTop.current - 1) follows.current = atEnd;
          lastTop.current = element.scrollTop;
          if (follows.current) setMore(false);
        }}
      >
        {children}
      </div>
      {more && (
        <button
          type="button"
          className="btn small more-below"
          onClick={() => {
            follows.current = true;
            setMore(false);
            if (box.current) box.current.scrollTop = box.current.scrollHeight;
          }}
        >
          {say('chat.more')}
        </button>
      )}
    </div>
  );
}
