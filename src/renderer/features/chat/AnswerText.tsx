import { Popover } from 'radix-ui';
import type { ReactNode } from 'react';
import type { NumberMark, TurnReport } from '../../../shared/contracts/agent.ts';
import { formatAge, formatDuration, visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { toolWords } from './callWords.ts';

type Calls = TurnReport['calls'];

/** The answer as plain text, each number of it with its source; what has none is boxed with a question mark. */
export function AnswerText({
  text,
  marks,
  calls,
  streaming,
}: {
  text: string;
  marks: readonly NumberMark[];
  calls: Calls;
  streaming: boolean;
}) {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const mark of [...marks].sort((a, b) => a.start - b.start)) {
    // Marks that do not fit the text are ours to be wrong about; the text is still shown in full.
    if (mark.start < at || mark.end > text.length || mark.end <= mark.start) continue;
    pieces.push(visible(text.slice(at, mark.start)));
    pieces.push(<SourcedNumber key={mark.start} text={text.slice(mark.start, mark.end)} mark={mark} calls={calls} />);
    at = mark.end;
  }
  pieces.push(visible(text.slice(at)));
  return (
    <div className="answer" aria-busy={streaming}>
      <p>{pieces}</p>
    </div>
  );
}

function SourcedNumber({ text, mark, calls }: { text: string; mark: NumberMark; calls: Calls }) {
  const { say, lang } = useWords();
  const index = calls.findIndex((entry) => entry.call.call_id === mark.source);
  const entry = calls[index];
  if (mark.kind === 'unsourced' || !entry) {
    return (
      <span className="num num-none" title={say('ground.none')}>
        {visible(text)}
        <span aria-hidden="true">?</span>
        <span className="vh"> {say('ground.none')}</span>
      </span>
    );
  }
  const old = mark.kind === 'old';
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <button type="button" className={`num ${old ? 'num-old' : ''}`}>
          {visible(text)}
          {old && mark.age_ms !== undefined && <>, {say('age.old', { age: formatAge(mark.age_ms, lang) })}</>}
          <sup>{index + 1}</sup>
          <span className="vh">, {say('ground.source', { n: index + 1 })}</span>
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="pop" sideOffset={4} collisionPadding={8} aria-label={say('ground.source', { n: index + 1 })}>
          <h3>{say(mark.kind === 'computed' ? 'ground.computed' : 'ground.source', { n: index + 1 })}</h3>
          <dl className="facts">
            <dt>{say('source.tool')}</dt>
            <dd className="mono">{entry.call.tool}</dd>
            <dt>{say('source.what')}</dt>
            <dd>{toolWords(entry.call, say)}</dd>
            <dt>{say('source.time')}</dt>
            <dd>{entry.result.meta.timestamp}</dd>
            <dt>{say('source.took')}</dt>
            <dd>{formatDuration(entry.result.meta.duration_ms, lang)}</dd>
            <dt>{say('source.crc')}</dt>
            <dd>{say(entry.result.meta.crc_valid === null ? 'crc.none' : entry.result.meta.crc_valid ? 'crc.ok' : 'crc.wrong')}</dd>
            <dt>{say('source.call')}</dt>
            <dd className="mono">{entry.call.call_id}</dd>
          </dl>
          <pre className="payload">{visible(JSON.stringify(entry.result.result, null, 1)).slice(0, 4000)}</pre>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
