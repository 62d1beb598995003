import { Check, Circle, CircleDashed, CircleDot, CircleHelp, Clock, Hand, Slash, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { ShownCall } from '../../client/turns.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { useNow } from '../../ui/useNow.ts';
import { formatAge, formatDuration, visible } from '../../words/format.ts';
import { useWords, type Say } from '../../words/words.ts';
import { toolWords } from '../../ui/answer/callWords.ts';
import type { Lang } from '../../../shared/errors.ts';

export type CardState = 'preparing' | 'ready' | 'waiting' | 'running' | 'done' | 'cached' | 'degraded' | 'failed' | 'cancelled' | 'unknown';

export function cardState({ phase, result }: Pick<ShownCall, 'phase' | 'result'>): CardState {
  if (result === null || phase !== 'ended')
    return phase === 'preparing' ? 'preparing' : phase === 'ready' ? 'ready' : phase === 'waiting-approval' ? 'waiting' : 'running';
  if (!result.ok)
    return result.error?.code === 'CANCELLED' ? 'cancelled' : result.error?.code === 'WRITE_UNCONFIRMED' ? 'unknown' : 'failed';
  if (result.meta.fallback) return 'degraded';
  return result.meta.cached ? 'cached' : 'done';
}

const icons: Record<CardState, ReactNode> = {
  preparing: <CircleDashed aria-hidden="true" className="i" />,
  ready: <Circle aria-hidden="true" className="i" />,
  waiting: <Hand aria-hidden="true" className="i" />,
  running: <CircleDot aria-hidden="true" className="i" />,
  done: <Check aria-hidden="true" className="i" />,
  cached: <Check aria-hidden="true" className="i" />,
  degraded: <Clock aria-hidden="true" className="i" />,
  failed: <X aria-hidden="true" className="i" />,
  cancelled: <Slash aria-hidden="true" className="i" />,
  unknown: <CircleHelp aria-hidden="true" className="i" />,
};

export function CallCards({ calls, running }: { calls: readonly ShownCall[]; running: boolean }) {
  const { say, lang } = useWords();
  const [unfolded, setUnfolded] = useState(false);
  if (calls.length === 0) return null;
  const good = calls.every((call) => ['done', 'cached'].includes(cardState(call)));
  // Many good calls of a finished turn say one thing: it worked.
  if (!running && good && calls.length > 3 && !unfolded) {
    const total = calls.reduce((sum, call) => sum + (call.result?.meta.duration_ms ?? 0), 0);
    return (
      <div className="calls">
        <button type="button" className="call-top" aria-expanded="false" onClick={() => setUnfolded(true)}>
          <Check aria-hidden="true" className="i" />
          <span className="call-name">{say('calls.folded', { n: calls.length })}</span>
          <span className="grow" />
          <span className="call-time">{formatDuration(total, lang)}</span>
        </button>
      </div>
    );
  }
  return (
    <ul className="calls" aria-label={say('calls')}>
      {calls.map((call) => (
        <CallCard key={call.call.call_id} shown={call} />
      ))}
    </ul>
  );
}

function CallCard({ shown }: { shown: ShownCall }) {
  const { say, lang } = useWords();
  const state = cardState(shown);
  const faulty = state === 'failed' || state === 'degraded' || state === 'unknown';
  const [pressed, setPressed] = useState<boolean | null>(null);
  const open = pressed ?? faulty;
  return (
    <li className={`call call-${state}`}>
      <button type="button" className="call-top" aria-expanded={open} onClick={() => setPressed(!open)}>
        {icons[state]}
        <span className="call-name">{shown.call.tool}</span>
        <span className="cut sec grow">{toolWords(shown.call, say)}</span>
        {crcWords(shown, say) !== '' && <span className="call-crc">{crcWords(shown, say)}</span>}
        <span className="call-time">
          <TimeWords shown={shown} state={state} say={say} lang={lang} />
        </span>
      </button>
      {open && <CallMore shown={shown} />}
    </li>
  );
}

function TimeWords({ shown, state, say, lang }: { shown: ShownCall; state: CardState; say: Say; lang: Lang }) {
  const now = useNow(100);
  if (state === 'running')
    return say('step.of', { n: (Math.max(0, now - shown.startedAt) / 1000).toFixed(1), limit: shown.call.timeout_ms / 1000 });
  if (
    state === 'preparing' ||
    state === 'ready' ||
    state === 'waiting' ||
    state === 'cancelled' ||
    state === 'unknown' ||
    state === 'cached'
  )
    return say(`card.${state}`);
  return formatDuration(shown.result?.meta.duration_ms ?? 0, lang);
}

function crcWords({ result }: ShownCall, say: Say): string {
  if (!result) return '';
  if (result.meta.crc_valid !== null) return say(result.meta.crc_valid ? 'crc.ok.short' : 'crc.wrong');
  const level = typeof result.result === 'object' && result.result !== null ? (result.result as { level?: unknown }).level : undefined;
  return typeof level === 'string' ? level : '';
}

function CallMore({ shown: { call, result } }: { shown: ShownCall }) {
  const { say, lang } = useWords();
  return (
    <div className="call-more">
      {result?.error && (
        <p>
          <ErrorText error={result.error} />
        </p>
      )}
      {result?.meta.fallback && (
        <p>
          <b>
            {say(result.meta.fallback.age_ms === null ? 'fallback' : 'fallback.age', {
              kind: say(`fallback.${result.meta.fallback.kind}`),
              age: formatAge(result.meta.fallback.age_ms ?? 0, lang),
            })}
          </b>{' '}
          {visible(result.meta.fallback.reason)}
        </p>
      )}
      <dl className="facts">
        <dt>{say('source.args')}</dt>
        <dd className="mono wrap">{visible(JSON.stringify(call.args))}</dd>
        <dt>{say('source.call')}</dt>
        <dd className="mono wrap">{call.call_id}</dd>
        <dt>{say('source.caller')}</dt>
        <dd className="mono">{call.meta.caller}</dd>
        {result && result.meta.attempts > 1 && (
          <>
            <dt>{say('source.attempts')}</dt>
            <dd>{result.meta.attempts}</dd>
          </>
        )}
        {result?.meta.exit_code !== null && result?.meta.exit_code !== undefined && (
          <>
            <dt>{say('source.exit')}</dt>
            <dd>{result.meta.exit_code}</dd>
          </>
        )}
        {result?.meta.truncated && (
          <>
            <dt>{say('source.cut')}</dt>
            <dd>{say('yes')}</dd>
          </>
        )}
      </dl>
      {result?.ok && <pre className="payload">{visible(JSON.stringify(result.result, null, 1)).slice(0, 4000)}</pre>}
    </div>
  );
}
