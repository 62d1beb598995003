import { Check, Shield, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Health, LineView } from '../../shared/contracts/api.ts';
import { useShell } from '../client/shell.ts';
import { useNow } from '../ui/useNow.ts';
import { clockTime, formatInteger, thinSpace } from '../words/format.ts';
import { useWords, type Say } from '../words/words.ts';

type Item = { key: string; faulty: boolean; body: ReactNode };

/** What is faulty moves to the front; what is healthy drops from the right when space ends. */
export function StatusBar() {
  const { say } = useWords();
  const health = useShell((state) => state.health);
  const now = useNow(1000);
  const items = health ? itemsOf(health, say) : [];
  const ordered = [...items.filter((item) => item.faulty), ...items.filter((item) => !item.faulty)];
  return (
    <footer className="status" aria-label={say('status')}>
      <div className="status-items">
        {ordered.map((item) => (
          <span key={item.key} className={item.faulty ? 'status-item faulty' : 'status-item'}>
            {item.body}
          </span>
        ))}
      </div>
      <span className="grow" />
      <span className="status-item">{say('limits.short')}</span>
      {health && health.tokens.sent + health.tokens.received > 0 && <span className="status-item hide-narrow">{tokens(health, say)}</span>}
      <span className="status-item">{clockTime(now)}</span>
    </footer>
  );
}

const tokens = ({ tokens: { sent, received, classic } }: Health, say: Say): string =>
  classic === null
    ? say('status.tokens', { n: formatInteger(String(sent + received)) })
    : say('status.tokens.classic', { n: formatInteger(String(sent + received)), classic: formatInteger(String(classic)) });

function itemsOf(health: Health, say: Say): Item[] {
  const lines = health.lines.map((line): Item => ({
    key: line.connection,
    faulty: isFaulty(line),
    body: <LineItem line={line} say={say} />,
  }));
  const levels = [...new Set(health.sandbox.map((entry) => entry.level).filter((level) => level !== null))];
  return [
    ...lines,
    {
      key: 'sandbox',
      faulty: levels.length === 0 && health.sandbox.length > 0,
      body: (
        <>
          <Shield aria-hidden="true" className="i" />
          {health.sandbox.length === 0
            ? say('status.sandbox.checking')
            : levels.length > 0
              ? say('status.sandbox', { level: levels.map((level) => say(`level.${level}`)).join(say('list.comma')) })
              : say('status.sandbox.none')}
        </>
      ),
    },
    {
      key: 'record',
      faulty: health.record.blocked !== null || health.record.lastVerify?.ok === false,
      body: health.record.blocked ? (
        <>
          <TriangleAlert aria-hidden="true" className="i" />
          {say('status.record.blocked')}
        </>
      ) : health.record.lastVerify?.ok === false ? (
        <>
          <TriangleAlert aria-hidden="true" className="i" />
          {say('status.record.broken')}
        </>
      ) : (
        <>
          <Check aria-hidden="true" className="i" />
          {say('status.record', { n: formatInteger(String(health.record.events)) })}
        </>
      ),
    },
    ...(health.model.state === 'offline' || health.model.state === 'error'
      ? [
          {
            key: 'model',
            faulty: true,
            body: (
              <>
                <TriangleAlert aria-hidden="true" className="i" />
                {say('status.model.lost', { model: health.model.planner })}
              </>
            ),
          },
        ]
      : []),
  ];
}

const isFaulty = (line: LineView): boolean => line.error !== null || line.state === 'waiting-retry' || line.state === 'closed';

function LineItem({ line, say }: { line: LineView; say: Say }) {
  const load = Math.round(Math.min(1, Math.max(0, line.load)) * 100);
  if (isFaulty(line))
    return (
      <>
        <TriangleAlert aria-hidden="true" className="i" />
        {say('status.line.lost', { line: line.connection, state: say(`line.${line.state}`) })}
      </>
    );
  return (
    <>
      {line.connection}
      <svg className="gauge" viewBox="0 0 46 8" aria-hidden="true">
        <rect className="gauge-all" x="0.5" y="0.5" width="45" height="7" />
        <rect className="gauge-used" x="1" y="1" width={(44 * load) / 100} height="6" />
        <path className="gauge-limit" d="M27.600 0v8" />
      </svg>
      {say('status.load', { load: `${load}${thinSpace}%` })}
      {line.latencyMs && <span>{say('duration.ms', { n: Math.round(line.latencyMs.p50) })}</span>}
    </>
  );
}
