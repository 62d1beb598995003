import { useState } from 'react';
import type { Health } from '../../../shared/contracts/api.ts';
import type { LedgerView } from '../../../shared/ledger.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callCore } from '../../client/connection.ts';
import { useTranscript } from '../../client/turns.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { saveFile } from '../../ui/saveFile.ts';
import { formatInteger, thinSpace } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';

/** What turns cost, what the same calls would have cost in the classic way, and how programs ended; to be saved with the health. */
export function LedgerTable({ ledger: { overall, sessions, lastTurn } }: { ledger: Health['ledger'] }) {
  const { say } = useWords();
  const mine = useTranscript((state) => state.sessionId);
  const [error, setError] = useState<HandrailError | null>(null);
  const session = sessions.find((entry) => entry.session === mine);
  const save = async (): Promise<void> => {
    try {
      const report = await callCore('health.report', mine === null ? {} : { sessionId: mine });
      const name = `handrail-health-${report.health.at.replaceAll(':', '')}.json`;
      saveFile(name, [`${JSON.stringify(report, null, 2)}\n`], 'application/json');
      setError(null);
    } catch (failure) {
      setError(asHandrailError(failure));
    }
  };
  return (
    <table className="plain">
      <caption>
        {say('health.ledger')}{' '}
        <button type="button" className="btn" onClick={() => void save()}>
          {say('export')}
        </button>
        {error && <ErrorText error={error} />}
      </caption>
      <thead>
        <tr>
          {(
            ['health.ledger.of', 'health.turns', 'health.sent', 'health.received', 'health.classic', 'health.saved', 'health.runs'] as const
          ).map((word) => (
            <th scope="col" key={word}>
              {say(word)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lastTurn && (
          <tr>
            <th scope="row">{say('health.ledger.turn')}</th>
            <td className="n">1</td>
            <td className="n">{integer(lastTurn.sent)}</td>
            <td className="n">{integer(lastTurn.received)}</td>
            <td className="n">{lastTurn.classic === null ? '—' : integer(lastTurn.classic)}</td>
            <td className="n">—</td>
            <td>—</td>
          </tr>
        )}
        {session && <LedgerRow name={say('health.ledger.session')} ledger={session} />}
        <LedgerRow name={say('health.ledger.all')} ledger={overall} />
      </tbody>
    </table>
  );
}

const integer = (n: number): string => formatInteger(String(Math.round(n)));
const percent = (share: number | null): string => (share === null ? '—' : `${Math.round(share * 1000) / 10}${thinSpace}%`);

function LedgerRow({ name, ledger }: { name: string; ledger: LedgerView }) {
  const { say } = useWords();
  const { ok, failed, byStatus } = ledger.runs;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="n">{integer(ledger.turns)}</td>
      <td className="n">{integer(ledger.sent)}</td>
      <td className="n">{integer(ledger.received)}</td>
      <td className="n">{integer(ledger.classic)}</td>
      <td className="n">{percent(ledger.savedShare)}</td>
      <td>
        {ok + failed === 0
          ? '—'
          : say('health.runs.value', {
              ok,
              all: ok + failed,
              rate: percent(ledger.successRate),
              statuses: Object.entries(byStatus)
                .map(([status, n]) => `${status} ${n}`)
                .join(say('list.comma')),
            })}
      </td>
    </tr>
  );
}
