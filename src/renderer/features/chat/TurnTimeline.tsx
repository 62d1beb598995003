import { RotateCcw, TriangleAlert } from 'lucide-react';
import type { StateLogEntry } from '../../../shared/contracts/agent.ts';
import { formatDuration, visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { logRows, whyWords } from './stateLog.ts';
import { stepWords } from './stepWords.ts';

/** Where the time of a turn went: its states one under another, what was planned again and why, and a fuse that ended one. */
export function TurnTimeline({ states }: { states: readonly StateLogEntry[] }) {
  const { say, lang } = useWords();
  const { rows, totalMs, ending } = logRows(states);
  if (rows.length === 0) return null;
  const again = rows.filter((row) => row.replan !== null).length;
  return (
    <details className="turn-log">
      <summary>
        {say('log.title', { n: rows.length, time: formatDuration(totalMs, lang) })}
        {again > 0 && ` · ${say('log.again', { n: again })}`}
      </summary>
      <ol>
        {rows.map((row, i) => (
          <li key={i}>
            <span className="log-state">{row.state === 'IDLE' ? '' : say(stepWords[row.state])}</span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" className="log-bar" aria-hidden="true">
              <path className="log-line" d="M0 5h100" />
              <rect
                className={row.blown ? 'log-blown' : 'log-time'}
                x={(100 * row.from) / totalMs}
                y="1"
                width={Math.max(0.8, (100 * row.ms) / totalMs)}
                height="8"
              />
            </svg>
            <span className="log-ms">{formatDuration(row.ms, lang)}</span>
            <span className={`log-why ${row.replan ? 'log-replan' : ''}`}>
              {row.replan ? (
                <>
                  <RotateCcw aria-hidden="true" className="i" />
                  {say('step.again', { n: row.replan.n, reason: visible(row.replan.reason) })}
                </>
              ) : (
                visible(whyWords(row.why, say))
              )}
              {row.blown && row.fuseMs !== null && (
                <b>
                  <TriangleAlert aria-hidden="true" className="i" />
                  {say('log.fuse', { limit: row.fuseMs / 1000 })}
                </b>
              )}
            </span>
          </li>
        ))}
      </ol>
      {ending !== '' && <p className="sec">{say('log.ended', { why: visible(whyWords(ending, say)) })}</p>}
    </details>
  );
}
