import type { Health } from '../../../shared/contracts/api.ts';
import { useWords } from '../../words/words.ts';

const means = ['files', 'network', 'processes', 'memory', 'processorShare'] as const;

/** Which level protects a run of each language and by which means, and the interpreters that wait. */
export function SandboxHealth({ health }: { health: Health }) {
  const { say, lang } = useWords();
  return (
    <>
      {health.sandbox.map(({ lang: of, level, reason, by }) => (
        <div className="facts-row" key={of}>
          <dt>{say('health.sandbox', { lang: of })}</dt>
          <dd>
            {level === null ? say('health.none') : say(`level.${level}`)} {reason ? <span className="sec">{reason}</span> : null}
            {by && (
              <details>
                <summary>{say('health.by')}</summary>
                {means.map((name) => (
                  <div key={name} className="sec">
                    {say('health.by.one', { what: say(`health.by.${name}`), means: by[name][lang] })}
                  </div>
                ))}
              </details>
            )}
          </dd>
        </div>
      ))}
      {health.pools.length > 0 && <dt>{say('health.pools')}</dt>}
      {health.pools.length > 0 && (
        <dd>
          {health.pools.map((pool) => (
            <div key={pool.key}>
              {say('health.pool', {
                key: pool.key,
                waiting: pool.waiting,
                running: pool.running,
                queued: pool.queued,
                started: pool.started,
              })}{' '}
              {pool.failedStarts > 0 && (
                <span className="sec">{say('health.pool.failed', { n: pool.failedStarts, why: pool.lastError ?? '' })}</span>
              )}
            </div>
          ))}
        </dd>
      )}
    </>
  );
}
