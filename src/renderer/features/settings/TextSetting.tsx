import { useState } from 'react';
import { useWords } from '../../words/words.ts';

/** A text that is saved when it is confirmed, not at every letter. */
export function TextSetting({ label, value, onSave }: { label: string; value: string; onSave: (value: string) => void }) {
  const { say } = useWords();
  const [text, setText] = useState<string | null>(null);
  const save = (): void => {
    if (text !== null && text.trim() !== '' && text.trim() !== value) onSave(text.trim());
    setText(null);
  };
  return (
    <form
      className="set-text"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <input className="input" aria-label={label} value={text ?? value} onBlur={save} onChange={(event) => setText(event.target.value)} />
      {text !== null && text !== value && (
        <button type="submit" className="btn small">
          {say('save')}
        </button>
      )}
    </form>
  );
}
