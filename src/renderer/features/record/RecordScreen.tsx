import { Search, Shield, ShieldAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { RecordEvent, SessionRow, VerifyReport } from '../../../shared/contracts/record.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callCore, useConnection } from '../../client/connection.ts';
import { show } from '../../client/shell.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { saveFile } from '../../ui/saveFile.ts';
import { dayAndTime, formatInteger, visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { Replay } from './Replay.tsx';

/** Sessions of the record, read-only: nothing on this screen reads from the plant or writes to it. */
export function RecordScreen() {
  const { say } = useWords();
  const client = useConnection((state) => state.client);
  const [search, setSearch] = useState('');
  const [sessions, setSessions] = useState<SessionRow[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const [events, setEvents] = useState<RecordEvent[] | null>(null);
  const [verify, setVerify] = useState<VerifyReport | 'running' | null>(null);
  const [writesOnly, setWritesOnly] = useState(false);
  const [error, setError] = useState<HandrailError | null>(null);
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      setError(null);
      await work();
    } catch (failure) {
      setError(asHandrailError(failure));
    }
  };
  useEffect(() => {
    if (!client) return;
    const timer = setTimeout(() => {
      void guarded(async () => {
        const found = await callCore('session.list', { limit: 500, ...(search.trim() === '' ? {} : { search: search.trim() }) });
        setSessions(found);
        setChosen((now) => now ?? found[0]?.id ?? null);
      });
    }, 150);
    return () => clearTimeout(timer);
  }, [client, search]);
  useEffect(() => {
    if (!client || chosen === null) return;
    let gone = false;
    const load = async (): Promise<void> => {
      const all: RecordEvent[] = [];
      for (;;) {
        const page = await callCore('session.events', { sessionId: chosen, afterSeq: all.at(-1)?.seq ?? 0, limit: 2000 });
        all.push(...page);
        if (page.length < 2000 || gone) break;
      }
      if (!gone) setEvents(all);
    };
    load().catch((failure: unknown) => {
      if (!gone) setError(asHandrailError(failure));
    });
    return () => {
      gone = true;
    };
  }, [client, chosen]);
  const choose = (id: string): void => {
    if (id === chosen) return;
    setEvents(null); // the records of one session must not stand under the name of another while these load
    setError(null);
    setChosen(id);
  };
  const session = sessions.find((row) => row.id === chosen);
  const shown = sessions.filter((row) => !writesOnly || row.writes > 0);
  const broken = verify !== null && verify !== 'running' && !verify.ok ? verify.firstBroken : null;
  return (
    <main className="record" aria-label={say('screen.record')}>
      <div className="replayband">
        <span className="rhatch" aria-hidden="true" />
        <b>{say('replay')}</b>
        <span className="cut grow">{say('replay.note')}</span>
        <button type="button" className="btn" onClick={() => show('workbench')}>
          {say('replay.back')}
        </button>
      </div>
      <section className="pane sessions" aria-label={say('record.sessions')} data-pane tabIndex={-1}>
        <div className="head">
          <h2>{say('record.sessions')}</h2>
          <span className="label">{say('record.kept', { n: sessions.length })}</span>
        </div>
        <div className="tools">
          <label className="field">
            <Search aria-hidden="true" className="i" />
            <input
              type="search"
              value={search}
              placeholder={say('record.find')}
              aria-label={say('record.find')}
              onChange={(event) => setSearch(event.target.value)}
            />
          </label>
          <button type="button" className="btn small toggle" aria-pressed={writesOnly} onClick={() => setWritesOnly(!writesOnly)}>
            {say('record.withWrites')}
          </button>
        </div>
        <ul className="session-list">
          {shown.map((row) => (
            <li key={row.id}>
              <button type="button" className="session" aria-current={row.id === chosen} onClick={() => choose(row.id)}>
                <span className="session-top">
                  <span className="session-title cut">{visible(row.title === '' ? say('record.untitled') : row.title)}</span>
                  <span className="sec">{dayAndTime(Date.parse(row.startedAt))}</span>
                </span>
                <span className="session-facts">
                  {row.operator} · {say('record.calls', { n: row.calls })} · {say('record.writes', { n: row.writes })} · {row.door}
                </span>
              </button>
            </li>
          ))}
          {shown.length === 0 && <li className="empty">{say('record.none')}</li>}
        </ul>
      </section>
      <section className="pane verdict-pane" aria-label={say('record.verdict')}>
        <div className={`verdict ${broken ? 'broken' : ''}`} role="status">
          {broken ? <ShieldAlert aria-hidden="true" className="i big" /> : <Shield aria-hidden="true" className="i big" />}
          <div className="grow">
            <p className="verdict-words">
              {verify === null
                ? say('record.unchecked')
                : verify === 'running'
                  ? say('record.checking')
                  : broken
                    ? say('record.broken', { n: formatInteger(String(broken.seq)) })
                    : say('record.intact', { n: formatInteger(String(verify.events)) })}
            </p>
            <p className="sec">
              {broken
                ? broken.reason
                : verify !== null && verify !== 'running'
                  ? say('record.head', { hash: verify.headHash.slice(0, 12) })
                  : say('record.why')}
            </p>
          </div>
          <button
            type="button"
            className="btn"
            disabled={verify === 'running'}
            onClick={() => {
              setVerify('running');
              void guarded(async () => setVerify(await callCore('record.verify', {}))).then(() =>
                setVerify((now) => (now === 'running' ? null : now)),
              );
            }}
          >
            {say('record.verify')}
          </button>
          <button
            type="button"
            className="btn"
            disabled={!session}
            onClick={() =>
              void guarded(async () => {
                if (!session) return;
                const file = await callCore('session.export', { sessionId: session.id });
                saveFile(file.fileName, [file.text], 'application/jsonl');
              })
            }
          >
            {say('export')}
          </button>
        </div>
        {error && (
          <div className="notice">
            <ErrorText error={error} />
          </div>
        )}
      </section>
      {session && events ? (
        <Replay key={session.id} events={events} brokenFrom={broken?.seq ?? null} />
      ) : (
        <p className="empty">{say(sessions.length === 0 ? 'record.none' : 'record.choose')}</p>
      )}
    </main>
  );
}
