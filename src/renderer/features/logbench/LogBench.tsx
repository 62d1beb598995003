import { FileText, Upload } from 'lucide-react';
import { useState } from 'react';
import type { FilePreview } from '../../../shared/contracts/api.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { ask, ensureSession } from '../../client/asking.ts';
import { callCore } from '../../client/connection.ts';
import { create } from 'zustand';
import { useTranscript } from '../../client/turns.ts';
import { AnswerText } from '../../ui/answer/AnswerText.tsx';
import { ownWords } from '../../ui/answer/ownWords.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { formatInteger, visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';

type Opened = { file: string; name: string; size: number; preview: FilePreview | null; error: HandrailError | null };
/** Kept while other screens are looked at. */
const useBench = create<{ files: Opened[]; chosen: string | null }>()(() => ({ files: [], chosen: null }));
const rowsAPage = 200;
const shownMb = (bytes: number): string => (bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

async function openFiles(list: FileList | File[]): Promise<void> {
  const sessionId = await ensureSession();
  for (const file of list) {
    const put = await callCore('file.put', { sessionId, name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    const entry: Opened = { ...put, preview: null, error: null };
    useBench.setState((state) => ({ files: [...state.files.filter((other) => other.file !== put.file), entry], chosen: put.file }));
    await loadPage(put.file, 0);
  }
}
async function loadPage(file: string, offset: number): Promise<void> {
  const change = (patch: Partial<Opened>): void =>
    useBench.setState((state) => ({ files: state.files.map((entry) => (entry.file === file ? { ...entry, ...patch } : entry)) }));
  try {
    change({ preview: await callCore('file.preview', { sessionId: await ensureSession(), file, offset, limit: rowsAPage }), error: null });
  } catch (failure) {
    change({ error: asHandrailError(failure) });
  }
}

export function LogBench() {
  const { say } = useWords();
  const { files, chosen } = useBench();
  const [error, setError] = useState<HandrailError | null>(null);
  const [dragging, setDragging] = useState(false);
  const file = files.find((entry) => entry.file === chosen);
  const open = (list: FileList | null): void => {
    setError(null);
    if (list && list.length > 0) openFiles(list).catch((failure: unknown) => setError(asHandrailError(failure)));
  };
  return (
    <main
      className={`bench ${dragging ? 'dragging' : ''}`}
      aria-label={say('screen.logbench')}
      onDragOver={(event) => {
        event.preventDefault();
        setDragging(true);
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setDragging(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setDragging(false);
        open(event.dataTransfer.files);
      }}
    >
      <section className="pane bench-files" aria-label={say('bench.files')} data-pane tabIndex={-1}>
        <div className="head">
          <h2>{say('bench.files')}</h2>
          <span className="grow" />
          <label className="btn small">
            <Upload aria-hidden="true" className="i" />
            {say('bench.open')}
            <input type="file" multiple className="vh" onChange={(event) => open(event.target.files)} />
          </label>
        </div>
        {error && (
          <div className="notice">
            <ErrorText error={error} />
          </div>
        )}
        <ul className="session-list">
          {files.map((entry) => (
            <li key={entry.file}>
              <button
                type="button"
                className="session"
                aria-current={entry.file === chosen}
                onClick={() => useBench.setState({ chosen: entry.file })}
              >
                <span className="session-top">
                  <FileText aria-hidden="true" className="i" />
                  <span className="session-title cut grow">{visible(entry.name)}</span>
                  <span className="sec">{shownMb(entry.size)}</span>
                </span>
                {entry.preview && (
                  <span className="session-facts">
                    {entry.preview.dialect} · {entry.preview.encoding}
                    {entry.preview.confidence !== null && ` · ${Math.round(entry.preview.confidence * 100)} %`}
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section className="pane bench-table" aria-label={say('bench.table')} data-pane tabIndex={-1}>
        <div className="head">
          <h2 className="cut">{file ? visible(file.name) : say('bench.table')}</h2>
          {file?.preview && <span className="label">{say('bench.rows', { n: formatInteger(String(file.preview.totalRows)) })}</span>}
          <span className="grow" />
          {file?.preview && file.preview.totalRows > rowsAPage && (
            <>
              <button
                type="button"
                className="btn small"
                disabled={file.preview.offset === 0}
                onClick={() => void loadPage(file.file, Math.max(0, (file.preview?.offset ?? 0) - rowsAPage))}
              >
                {say('bench.before')}
              </button>
              <button
                type="button"
                className="btn small"
                disabled={file.preview.offset + rowsAPage >= file.preview.totalRows}
                onClick={() => void loadPage(file.file, (file.preview?.offset ?? 0) + rowsAPage)}
              >
                {say('bench.after')}
              </button>
            </>
          )}
        </div>
        {file?.error && (
          <div className="notice">
            <ErrorText error={file.error} />
          </div>
        )}
        {file?.preview && file.preview.unread.count > 0 && (
          <p className="band small">
            {say('bench.unread', { n: file.preview.unread.count })}{' '}
            {file.preview.unread.first &&
              say('bench.unread.first', { line: file.preview.unread.first.line, reason: file.preview.unread.first.reason })}
          </p>
        )}
        {file?.preview ? (
          <PreviewTable preview={file.preview} />
        ) : (
          <label className="drop-here">
            <Upload aria-hidden="true" className="i big" />
            <b>{say('bench.drop')}</b>
            <span className="sec">{say('bench.hint')}</span>
            <input type="file" multiple className="vh" aria-label={say('bench.drop')} onChange={(event) => open(event.target.files)} />
          </label>
        )}
      </section>
      <BenchQuestions key={file?.file ?? ''} file={file} />
      {dragging && (
        <div className="drop" aria-hidden="true">
          {say('bench.drop')}
        </div>
      )}
    </main>
  );
}

function PreviewTable({ preview }: { preview: FilePreview }) {
  return (
    <div className="bench-scroll" tabIndex={0}>
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">#</th>
            {preview.columns.map((column, i) => (
              <th scope="col" key={i}>
                {visible(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.rows.map((row, i) => (
            <tr key={i}>
              <th scope="row">{preview.offset + i + 1}</th>
              {row.map((cell, c) => (
                <td key={c}>{visible(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BenchQuestions({ file }: { file: Opened | undefined }) {
  const { say } = useWords();
  const [text, setText] = useState('');
  const turns = useTranscript((state) => state.turns);
  const failed = useTranscript((state) => state.failed);
  const column = file?.preview?.columns.find((name) => /temp|value|温|值/i.test(name)) ?? file?.preview?.columns[1];
  const questions = file ? [say('bench.ask.count'), ...(column ? [say('bench.ask.max', { column })] : []), say('bench.ask.errors')] : [];
  const send = (words: string): void => {
    if (words.trim() === '') return;
    setText('');
    void ask(words, file ? [file.file] : []);
  };
  return (
    <section className="pane bench-ask" aria-label={say('bench.questions')} data-pane tabIndex={-1}>
      <div className="head">
        <h2>{say('bench.questions')}</h2>
      </div>
      <ul className="questions">
        {questions.map((question) => (
          <li key={question}>
            <button type="button" className="btn question" onClick={() => send(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
      <div className="bench-answers" role="log" aria-label={say('chat.messages')} tabIndex={0}>
        {turns.slice(-6).map((turn) => (
          <div key={turn.turnId} className="bench-turn">
            <p className="said">{visible(turn.text)}</p>
            {ownWords(turn.report, turn.streamed) !== null && (
              <AnswerText
                text={ownWords(turn.report, turn.streamed) ?? ''}
                marks={turn.report?.marks ?? []}
                calls={turn.report?.calls ?? []}
                streaming={turn.report === null}
              />
            )}
            {turn.report?.error && <ErrorText error={turn.report.error} />}
          </div>
        ))}
        {failed && <ErrorText error={failed.error} />}
      </div>
      <form
        className="bench-form"
        onSubmit={(event) => {
          event.preventDefault();
          send(text);
        }}
      >
        <input
          className="input"
          value={text}
          placeholder={say('bench.ask')}
          aria-label={say('bench.ask')}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="btn">
          {say('chat.send')}
        </button>
      </form>
    </section>
  );
}
