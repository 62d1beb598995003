import { show } from '../../client/shell.ts';
import { useTranscript } from '../../client/turns.ts';
import { formatDuration } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';

/** The last calls of this conversation, newest first; everything else is on the Record screen. */
export function RecordView() {
  const { say, lang } = useWords();
  const turns = useTranscript((state) => state.turns);
  const calls = turns
    .flatMap((turn) => turn.calls)
    .slice(-60)
    .reverse();
  return (
    <div className="record-tab">
      <button type="button" className="btn small" onClick={() => show('record')}>
        {say('record.open')}
      </button>
      {calls.length === 0 && <p className="empty">{say('record.noCalls')}</p>}
      {calls.length > 0 && (
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">{say('source.tool')}</th>
              <th scope="col">{say('source.args')}</th>
              <th scope="col">{say('col.verdict')}</th>
              <th scope="col">{say('source.took')}</th>
            </tr>
          </thead>
          <tbody>
            {calls.map(({ call, result }) => (
              <tr key={call.call_id}>
                <td className="mono">{call.tool}</td>
                <td className="mono cut">{JSON.stringify(call.args)}</td>
                <td>{result === null ? say('card.running') : result.ok ? say('verdict.done') : (result.error?.code ?? '')}</td>
                <td>{result ? formatDuration(result.meta.duration_ms, lang) : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
