import { useShell } from '../../client/shell.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { dayAndTime, formatInteger, thinSpace } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { LedgerTable } from './LedgerTable.tsx';
import { SandboxHealth } from './SandboxHealth.tsx';

/** Lines, model, sandbox and record, each with what is known of it and by which means a limit holds. */
export function HealthView() {
  const { say } = useWords();
  const health = useShell((state) => state.health);
  if (!health) return <p className="empty">{say('health.waiting')}</p>;
  const number = (n: number): string => formatInteger(String(n));
  return (
    <div className="health">
      <table className="plain">
        <caption>{say('health.lines')}</caption>
        <thead>
          <tr>
            {(
              [
                'health.line',
                'health.state',
                'health.load',
                'health.latency',
                'health.requests',
                'health.timeouts',
                'health.crc',
                'health.exceptions',
                'health.strays',
              ] as const
            ).map((word) => (
              <th scope="col" key={word}>
                {say(word)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {health.lines.map((line) => (
            <tr key={line.connection}>
              <th scope="row">{line.connection}</th>
              <td>{line.error ? <ErrorText error={line.error} /> : say(`line.${line.state}`)}</td>
              <td className="n">{`${Math.round(line.load * 100)}${thinSpace}%`}</td>
              <td className="n">
                {line.latencyMs ? say('health.ms', { p50: Math.round(line.latencyMs.p50), p99: Math.round(line.latencyMs.p99) }) : '—'}
              </td>
              <td className="n">{number(line.counters.requests)}</td>
              <td className="n">{number(line.counters.timeouts)}</td>
              <td className="n">{number(line.counters.crcErrors)}</td>
              <td className="n">{number(line.counters.exceptions)}</td>
              <td className="n">{number(line.counters.strays)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className="facts">
        <dt>{say('health.model')}</dt>
        <dd>
          {health.model.planner} · {say(`health.model.${health.model.state}`)}{' '}
          {health.model.error && <ErrorText error={health.model.error} />}
        </dd>
        <SandboxHealth health={health} />
        <dt>{say('health.record')}</dt>
        <dd>
          {say('health.record.value', { events: number(health.record.events), mb: (health.record.bytes / 1e6).toFixed(1) })}
          {health.record.blocked && <ErrorText error={health.record.blocked} />}
        </dd>
        <dt>{say('health.verify')}</dt>
        <dd>
          {health.record.lastVerify
            ? `${say(health.record.lastVerify.ok ? 'health.verify.ok' : 'health.verify.broken')} · ${dayAndTime(Date.parse(health.record.lastVerify.at))}`
            : say('health.verify.never')}
        </dd>
        {health.history && (
          <>
            <dt>{say('health.history')}</dt>
            <dd>
              {say('health.history.lost', { n: number(health.history.dropped) })} <ErrorText error={health.history.error} />
            </dd>
          </>
        )}
      </dl>
      <LedgerTable ledger={health.ledger} />
    </div>
  );
}
