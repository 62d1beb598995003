import { Popover } from 'radix-ui';
import type { ReactNode } from 'react';
import type { NumberMark, TurnReport } from '../../../shared/contracts/agent.ts';
import { formatAge, formatDuration, visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { answerBlocks, type Span } from './answerBlocks.ts';
import { toolWords } from './callWords.ts';

type Calls = TurnReport['calls'];

/** The answer as text and tables, each number of it with its source; what has none is boxed with a question mark. */
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
  const sorted = [...marks].sort((a, b) => a.start - b.start);
  const words = (span: Span): ReactNode[] => marked(text, span, sorted, calls);
  return (
    <div className="answer" aria-busy={streaming}>
      {answerBlocks(text).map((block) =>
        block.kind === 'text' ? (
          <p key={block.start}>{words(block)}</p>
        ) : (
          <table key={block.start}>
            <thead>
              <tr>
                {block.head.map((cell) => (
                  <th key={cell.start} scope="col">
                    {words(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row) => (
                <tr key={row[0]?.start}>
                  {row.map((cell) => (
                    <td key={cell.start} className={isNumber(text.slice(cell.start, cell.end)) ? 'right' : ''}>
                      {words(cell)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        ),
      )}
    </div>
  );
}

const isNumber = (text: string): boolean => /^[-\u2212]?\d[\d.,]*(?: \S{1,8})?$/.test(text);

function marked(text: string, span: Span, marks: readonly NumberMark[], calls: Calls): ReactNode[] {
  const pieces: ReactNode[] = [];
  let at = span.start;
  for (const mark of marks) {
    // Marks that do not fit the text are ours to be wrong about; the text is still shown in full.
    if (mark.start < at || mark.end > span.end || mark.end <= mark.start) continue;
    pieces.push(visible(text.slice(at, mark.start)));
    pieces.push(<SourcedNumber key={mark.start} text={text.slice(mark.start, mark.end)} mark={mark} calls={calls} />);
    at = mark.end;
  }
  pieces.push(visible(text.slice(at, span.end)));
  return pieces;
}

/** A source names its call by its place in the turn: `tag_read#1:boiler_temp`. */
const callIndexOf = (source: string | null): number => Number(/#(\d+)/.exec(source ?? '')?.[1] ?? 0) - 1;

function SourcedNumber({ text, mark, calls }: { text: string; mark: NumberMark; calls: Calls }) {
  const { say, lang } = useWords();
  const index = mark.source?.startsWith('earlier') ? -1 : callIndexOf(mark.source);
  const entry = calls[index];
  if (mark.kind === 'unsourced' || mark.source === null) {
    return (
      <span className="num num-none" title={say('ground.none')}>
        {visible(text)}
        <span aria-hidden="true">?</span>
        <span className="vh"> {say('ground.none')}</span>
      </span>
    );
  }
  const old = mark.kind === 'old';
  const label = entry
    ? say(mark.kind === 'computed' ? 'ground.computed' : 'ground.source', { n: index + 1 })
    : say('ground.from', { source: mark.source });
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <button type="button" className={`num ${old ? 'num-old' : ''}`}>
          {visible(text)}
          {old && mark.age_ms !== undefined && <>, {say('age.old', { age: formatAge(mark.age_ms, lang) })}</>}
          {entry && <sup aria-hidden="true">{index + 1}</sup>}
          <span className="vh">, {label}</span>
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="pop" sideOffset={4} collisionPadding={8} aria-label={label}>
          <h3>{label}</h3>
          {entry && <SourceFacts entry={entry} />}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function SourceFacts({ entry }: { entry: Calls[number] }) {
  const { say, lang } = useWords();
  const { call, result } = entry;
  return (
    <>
      <dl className="facts">
        <dt>{say('source.tool')}</dt>
        <dd className="mono">{call.tool}</dd>
        <dt>{say('source.what')}</dt>
        <dd>{toolWords(call, say)}</dd>
        <dt>{say('source.time')}</dt>
        <dd>{result.meta.timestamp}</dd>
        <dt>{say('source.took')}</dt>
        <dd>{formatDuration(result.meta.duration_ms, lang)}</dd>
        <dt>{say('source.crc')}</dt>
        <dd>{say(result.meta.crc_valid === null ? 'crc.none' : result.meta.crc_valid ? 'crc.ok' : 'crc.wrong')}</dd>
        <dt>{say('source.call')}</dt>
        <dd className="mono wrap">{call.call_id}</dd>
      </dl>
      <pre className="payload">{visible(JSON.stringify(result.result, null, 1)).slice(0, 4000)}</pre>
    </>
  );
}
