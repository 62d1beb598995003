import { useEffect } from 'react';
import { useApprovals } from '../../client/approvals.ts';
import { useSettings } from '../../client/settings.ts';
import { speak } from '../../client/shell.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { useNow } from '../../ui/useNow.ts';
import { useWords } from '../../words/words.ts';
import { ApprovalCardView } from './ApprovalCardView.tsx';
import { chime } from './chime.ts';

const verdictMs = 10_000;

/** Between transcript and message box, part of no message. The oldest card is decided first; the others are counted. */
export function ApprovalDock() {
  const { say, both } = useWords();
  const waiting = useApprovals((state) => state.waiting);
  const last = useApprovals((state) => state.last);
  const sound = useSettings((state) => state.settings.sound);
  const now = useNow(1000);
  const first = waiting[0];
  const count = waiting.length;
  useEffect(() => {
    if (count === 0) return;
    speak(say('approval.arrived'));
    document.title = `(${count}) ${say('brand')}`;
    if (sound) chime();
    return () => {
      document.title = say('brand');
    };
  }, [count, say, sound]);
  return (
    <>
      {last && !first && now - last.at < verdictMs && (
        <div className="ask-verdict" role="status">
          {last.outcome.kind === 'void' ? <ErrorText error={last.outcome} /> : <span>{say(`approval.${last.outcome.kind}`)}</span>}
          {last.card?.items[0] && <span className="sec"> {both(last.card.items[0].label)}</span>}
        </div>
      )}
      {first && <ApprovalCardView key={first.card.cardId} card={first.card} arrivedAt={first.arrivedAt} more={count - 1} />}
    </>
  );
}
