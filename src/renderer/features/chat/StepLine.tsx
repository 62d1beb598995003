import { Check, CircleDot, Hand } from 'lucide-react';
import { useApprovals } from '../../client/approvals.ts';
import type { ShownStep, ShownTurn } from '../../client/turns.ts';
import { useNow } from '../../ui/useNow.ts';
import { formatDuration } from '../../words/format.ts';
import { useWords, type Say } from '../../words/words.ts';
import { stepWords } from './stepWords.ts';

/** Where the turn stands, in words with elapsed time and limit; never a bare spinner. */
export function StepLine({ turn, stopping }: { turn: ShownTurn; stopping: boolean }) {
  const { say, lang } = useWords();
  const now = useNow(100);
  const waiting = useApprovals((state) => state.waiting.length > 0);
  const running = turn.report === null;
  const steps = joined(turn.steps, running);
  return (
    <ol className="steps" aria-label={say('steps')}>
      {steps.map((step, i) => {
        const current = running && i === steps.length - 1 && step.endedAt === null;
        const elapsed = Math.max(0, (step.endedAt ?? now) - step.at);
        return (
          <li key={`${step.at}-${step.state}-${i}`} className={current && !waiting ? 'now' : ''}>
            {current ? <CircleDot aria-hidden="true" className="i" /> : <Check aria-hidden="true" className="i" />}
            {say(stepWords[step.state])}
            <span className="step-time">
              {current && step.fuseMs !== null && !waiting
                ? ` ${say('step.of', { n: (elapsed / 1000).toFixed(1), limit: step.fuseMs / 1000 })}`
                : ` ${formatDuration(elapsed, lang)}`}
            </span>
            {step.again && (
              <span className="step-again" title={step.again.reason}>
                {say('step.again', { n: step.again.attempt, reason: step.again.reason })}
              </span>
            )}
          </li>
        );
      })}
      {running && turn.loading && (
        <li className="now">{say('step.loading', { n: Math.round(turn.loading.seconds), limit: Math.round(turn.loading.ofSeconds) })}</li>
      )}
      {running && waiting && (
        <li className="now hand">
          <Hand aria-hidden="true" className="i" />
          {say('step.waiting')}
        </li>
      )}
      <li className="step-end">{running ? (stopping ? say('stop.going') : '') : endWords(turn, say)}</li>
    </ol>
  );
}

/**
 * While it runs: the last steps, neighbours of one kind as one. At its end: one step of each kind with its whole time, for
 * then only where the time went is of interest.
 */
function joined(steps: readonly ShownStep[], running: boolean): ShownStep[] {
  const out: ShownStep[] = [];
  for (const step of steps) {
    const same = running ? (out.at(-1)?.state === step.state ? out.length - 1 : -1) : out.findIndex((other) => other.state === step.state);
    const before = out[same];
    if (!before) out.push(step);
    else {
      const spent = (before.endedAt ?? step.at) - before.at;
      out[same] = running
        ? { ...step, at: before.at, again: step.again ?? before.again }
        : { ...before, endedAt: before.at + spent + ((step.endedAt ?? step.at) - step.at), again: step.again ?? before.again };
    }
  }
  return out.slice(-4);
}

function endWords(turn: ShownTurn, say: Say): string {
  const code = turn.report?.error?.code;
  if (code === 'CANCELLED') return say('step.stopped');
  return code ? say('step.failed') : '';
}
