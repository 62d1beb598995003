import { Check, CircleAlert, TriangleAlert } from 'lucide-react';
import { ask } from '../../client/asking.ts';
import { usePlant } from '../../client/plant.ts';
import { show, useShell } from '../../client/shell.ts';
import type { ShownTurn } from '../../client/turns.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { AnswerText } from '../../ui/answer/AnswerText.tsx';
import { ownWords } from '../../ui/answer/ownWords.ts';
import { CallCards } from './CallCards.tsx';
import { TurnTimeline } from './TurnTimeline.tsx';
import { WriteOutcomes } from './WriteOutcomes.tsx';

export function TurnView({ turn }: { turn: ShownTurn }) {
  const { say, both } = useWords();
  const devices = usePlant((state) => state.deviceById);
  const nameOf = (detail: Record<string, unknown> | undefined): string =>
    deviceOf(detail)
      .map((id) => both(devices.get(id)?.name ?? { en: id, zh: id }))
      .join();
  const { report } = turn;
  const text = ownWords(report, turn.streamed);
  // A failed call's card is open and says it already; only what can be done about it is said again.
  const toldByCall = turn.calls.some((shown) => shown.result?.error?.message === report?.error?.message);
  return (
    <article className="turn">
      <div className="said">{visible(turn.text)}</div>
      <CallCards calls={turn.calls} running={report === null} />
      {turn.thinking !== '' && (
        <details className="thinking">
          <summary>{say('chat.thinking')}</summary>
          <p>{visible(turn.thinking)}</p>
        </details>
      )}
      {text !== null && <AnswerText text={text} marks={report?.marks ?? []} calls={report?.calls ?? []} streaming={report === null} />}
      {report?.clarification && (
        <div className="choices" role="group" aria-label={report.clarification.question}>
          {report.clarification.candidates.map((candidate) => (
            <button key={candidate.value} type="button" className="btn" onClick={() => void ask(candidate.value)}>
              {visible(candidate.label)}
            </button>
          ))}
        </div>
      )}
      {report?.error && (!toldByCall || report.error.code === 'POLICY_LOCKED') && (
        <div className="notice">
          <CircleAlert aria-hidden="true" className="i" />
          {toldByCall ? (
            <b className="grow">{say('lock.asked', { device: nameOf(report.error.detail) })}</b>
          ) : (
            <ErrorText error={report.error} />
          )}
          {report.error.code === 'POLICY_LOCKED' && (
            <button
              type="button"
              className="btn small"
              onClick={() => useShell.setState({ arming: { devices: deviceOf(report.error?.detail) } })}
            >
              {say('arm.title')}
            </button>
          )}
        </div>
      )}
      {report?.notice && <p className="notice">{visible(report.notice)}</p>}
      {report?.calls.map(({ call, result }) => (
        <WriteOutcomes key={call.call_id} result={result} />
      ))}
      {report && !report.needs_clarification && !report.error && <Grounding turn={turn} />}
      {report && <TurnTimeline states={report.states} />}
      {report?.shows.map((shown) => (
        <button
          key={shown.tags.join()}
          type="button"
          className="btn small"
          onClick={() => {
            useShell.setState({ trendTags: shown.tags.slice(0, 8) });
            show('workbench');
          }}
        >
          {say('chat.show.trend', { n: shown.tags.length })}
        </button>
      ))}
    </article>
  );
}

const deviceOf = (detail: Record<string, unknown> | undefined): string[] => (typeof detail?.device === 'string' ? [detail.device] : []);

function Grounding({ turn }: { turn: ShownTurn }) {
  const { say } = useWords();
  const marks = turn.report?.marks ?? [];
  if (marks.length === 0) return null;
  const missing = marks.filter((mark) => mark.kind === 'unsourced').length;
  const old = marks.filter((mark) => mark.kind === 'old').length;
  return (
    <div className="grounded">
      {missing === 0 ? <Check aria-hidden="true" className="i" /> : <TriangleAlert aria-hidden="true" className="i" />}
      <span>
        {missing > 0 ? <b>{say('ground.missing', { n: missing })}</b> : say('ground.traced', { n: marks.length, all: marks.length })}
        {old > 0 && ` · ${say('ground.old', { n: old })}`}
      </span>
    </div>
  );
}
