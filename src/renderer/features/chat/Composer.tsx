import { ArrowUp, Paperclip } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { ask, ensureSession } from '../../client/asking.ts';
import { callCore } from '../../client/connection.ts';
import { useSettings } from '../../client/settings.ts';
import { runningTurn, useTranscript } from '../../client/turns.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { useWords } from '../../words/words.ts';
import { Suggestions, useSuggestions } from './Suggestions.tsx';
import { createEnterGuard } from './enterGuard.ts';

export function Composer() {
  const { say } = useWords();
  const [text, setText] = useState('');
  const [files, setFiles] = useState<{ file: string; name: string }[]>([]);
  const [error, setError] = useState<HandrailError | null>(null);
  const sendWith = useSettings((state) => state.settings.sendWith);
  const running = useTranscript((state) => runningTurn(state) !== null);
  const box = useRef<HTMLTextAreaElement>(null);
  const [guard] = useState(createEnterGuard);
  const [isComposing, setIsComposing] = useState(false);
  const suggestions = useSuggestions(text, box, setText, isComposing);

  // Words that could not be sent come back into the box, unless something new was begun there.
  useEffect(
    () =>
      useTranscript.subscribe(({ failed }, before) => {
        if (failed && failed !== before.failed && failed.text !== '') setText((now) => (now === '' ? failed.text : now));
      }),
    [],
  );
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, 160)}px`;
  }, [text]);

  const send = (): void => {
    if (text.trim() === '') return;
    const words = text;
    setText('');
    setFiles([]);
    void ask(
      words,
      files.map((entry) => entry.file),
    );
  };
  const attach = async (list: FileList | null): Promise<void> => {
    try {
      setError(null);
      const sessionId = await ensureSession();
      for (const file of list ?? []) {
        const put = await callCore('file.put', { sessionId, name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
        setFiles((old) => [...old, { file: put.file, name: put.name }]);
      }
    } catch (failure) {
      setError(asHandrailError(failure));
    }
  };
  return (
    <div
      className="compose-frame"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach(event.dataTransfer.files);
      }}
    >
      <Suggestions {...suggestions} />
      {error && (
        <div className="notice">
          <ErrorText error={error} />
        </div>
      )}
      <form
        className="compose"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {files.length > 0 && (
          <ul className="attached" aria-label={say('chat.attached')}>
            {files.map((entry) => (
              <li key={entry.file}>
                <button
                  type="button"
                  className="btn small"
                  title={say('chat.detach')}
                  onClick={() => setFiles(files.filter((other) => other.file !== entry.file))}
                >
                  {entry.name} ×
                </button>
              </li>
            ))}
          </ul>
        )}
        <textarea
          id="message"
          ref={box}
          rows={1}
          value={text}
          aria-label={say('chat.message')}
          aria-controls={suggestions.open ? 'suggestions' : undefined}
          placeholder={say('chat.placeholder')}
          onChange={(event) => setText(event.target.value)}
          onCompositionStart={() => {
            guard.composing(true);
            setIsComposing(true);
          }}
          onCompositionEnd={() => {
            guard.composing(false);
            setIsComposing(false);
          }}
          onKeyDown={(event) => {
            if (guard.belongsToInputMethod(event.nativeEvent)) return;
            if (suggestions.onKey(event)) return;
            const sends = sendWith === 'enter' ? !event.shiftKey && !event.ctrlKey : event.ctrlKey;
            if (event.key === 'Enter' && sends && !event.altKey && !event.metaKey) {
              event.preventDefault();
              send();
            }
          }}
        />
        <span className="compose-hint">
          {running ? say('chat.hint.running') : say(sendWith === 'enter' ? 'chat.hint' : 'chat.hint.ctrl')}
        </span>
        <label className="icon attach" title={say('chat.attach')}>
          <Paperclip aria-hidden="true" className="i" />
          <input
            type="file"
            className="vh"
            multiple
            aria-label={say('chat.attach')}
            onChange={(event) => void attach(event.target.files)}
          />
        </label>
        <button type="submit" className="send" aria-label={say('chat.send')} title={say('chat.send')}>
          <ArrowUp aria-hidden="true" className="i" />
        </button>
      </form>
    </div>
  );
}
