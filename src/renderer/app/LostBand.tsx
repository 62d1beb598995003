import { useConnection, useStreamFaults } from '../client/connection.ts';
import { ErrorText } from '../ui/ErrorText.tsx';
import { useNow } from '../ui/useNow.ts';
import { formatClock } from '../words/format.ts';
import { useWords } from '../words/words.ts';

/** Stands as long as the core cannot be heard: everything on screen is old then. */
export function LostBand() {
  const { say } = useWords();
  const { state, error, since } = useConnection();
  const faults = useStreamFaults((fault) => fault.faults);
  const now = useNow(1000);
  const fault = Object.values(faults)[0];
  if (state === 'lost' && error) {
    return (
      <div className="band" role="status">
        <b>{say('connection.lost', { time: formatClock(Math.max(0, now - since)) })}</b> <ErrorText error={error} />
      </div>
    );
  }
  if (!fault) return null;
  return (
    <div className="band" role="status">
      <ErrorText error={fault} />
      <button type="button" className="btn small" onClick={() => location.reload()}>
        {say('connection.reload')}
      </button>
    </div>
  );
}
