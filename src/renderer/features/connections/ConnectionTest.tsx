import { Check, TriangleAlert, X } from 'lucide-react';
import { useRef, useState } from 'react';
import type { LineVerdict } from '../../../shared/contracts/api.ts';
import type { ConnectionConfig } from '../../../shared/contracts/devices.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callCore } from '../../client/connection.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { formatDuration, visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';

/** One read of each device with the settings as they stand in the form, and what the doctor says about the line. */
export function ConnectionTest({ connection, units }: { connection: ConnectionConfig; units: readonly number[] }) {
  const { say, lang, both } = useWords();
  const [state, setState] = useState<'idle' | 'running' | { verdict: LineVerdict } | { error: HandrailError }>('idle');
  const stop = useRef<AbortController | null>(null);
  const asked = units.length > 0 ? [...new Set(units)].filter((unit) => unit > 0).slice(0, 32) : [1];
  const run = async (): Promise<void> => {
    stop.current = new AbortController();
    setState('running');
    try {
      const verdict = await callCore('plant.test', { connection, units: asked }, { signal: stop.current.signal, timeoutMs: 120_000 });
      setState({ verdict });
    } catch (failure) {
      setState({ error: asHandrailError(failure) });
    }
  };
  return (
    <div className="conn-test">
      <div className="sheet-adds">
        <button type="button" className="btn small" disabled={state === 'running'} onClick={() => void run()}>
          {say('connection.test')}
        </button>
        {state === 'running' && (
          <>
            <span role="status">{say('connection.testing', { units: asked.join(', ') })}</span>
            <button type="button" className="btn small" onClick={() => stop.current?.abort()}>
              {say('stop')}
            </button>
          </>
        )}
      </div>
      {typeof state === 'object' && 'error' in state && <ErrorText error={state.error} />}
      {typeof state === 'object' && 'verdict' in state && (
        <div className="verdict-box" role="status">
          <p>
            <b>{say(state.verdict.healthy ? 'connection.healthy' : 'connection.unhealthy')}</b>
          </p>
          <ul>
            {state.verdict.probes.map((probe) => (
              <li key={probe.unit} className="verdict-line">
                {probe.ok ? <Check aria-hidden="true" className="i" /> : <X aria-hidden="true" className="i" />}
                {say(probe.ok ? 'connection.unit.ok' : 'connection.unit.silent', { unit: probe.unit })}
                {probe.ok && probe.durationMs !== null && <span className="sec">{formatDuration(probe.durationMs, lang)}</span>}
                {probe.exception !== null && <span className="sec">{say('connection.unit.exception', { n: probe.exception })}</span>}
              </li>
            ))}
          </ul>
          {state.verdict.findings
            .filter((finding) => finding.severity !== 'ok')
            .map((finding) => (
              <div key={finding.title.en} className="finding">
                <p className="verdict-line">
                  <TriangleAlert aria-hidden="true" className="i" />
                  <b>{both(finding.title)}</b>
                </p>
                <p>{both(finding.cause)}</p>
                <p>{both(finding.remedy)}</p>
                {finding.evidence.map((line) => (
                  <p key={line} className="mono wrap">
                    {visible(line)}
                  </p>
                ))}
              </div>
            ))}
        </div>
      )}
    </div>
  );
}
