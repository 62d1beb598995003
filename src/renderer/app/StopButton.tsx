import { Square } from 'lucide-react';
import { stop } from '../client/asking.ts';
import { runningTurn, useTranscript } from '../client/turns.ts';
import { useWords } from '../words/words.ts';

/** Always at the same place of the window. `over`: the one of a modal dialog, which makes everything outside itself inert. */
export function StopButton({ over = false }: { over?: boolean }) {
  const { say } = useWords();
  const running = useTranscript((state) => runningTurn(state) !== null);
  const stopping = useTranscript((state) => state.stopping);
  return (
    <button
      type="button"
      className={`stop ${running ? '' : 'idle'} ${over ? 'stop-over' : ''}`}
      aria-keyshortcuts="Escape"
      onClick={() => void stop()}
    >
      <Square aria-hidden="true" className="stop-square" />
      {say(stopping ? 'stop.going' : 'stop')}
      <kbd aria-hidden="true">{say('key.escape')}</kbd>
    </button>
  );
}
