import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useWords } from '../../words/words.ts';

/** Says what goes along before it goes; nothing on disk changes until the file is saved. */
export function RemoveButton({ label, question, onRemove }: { label: string; question: string; onRemove: () => void }) {
  const { say } = useWords();
  const [asking, setAsking] = useState(false);
  if (!asking)
    return (
      <button type="button" className="btn small" onClick={() => setAsking(true)}>
        <Trash2 aria-hidden="true" className="i" />
        {label}
      </button>
    );
  return (
    <span className="remove-ask" role="group" aria-label={question}>
      <b>{question}</b>
      <button type="button" className="btn small" onClick={() => setAsking(false)} autoFocus>
        {say('keep')}
      </button>
      <button
        type="button"
        className="btn small"
        onClick={() => {
          setAsking(false);
          onRemove();
        }}
      >
        {say('remove')}
      </button>
    </span>
  );
}
