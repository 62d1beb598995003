import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronFirst, ChevronLast, Pause, Play, StepBack, StepForward } from 'lucide-react';
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { RecordEvent } from '../../../shared/contracts/record.ts';
import { useSettings } from '../../client/settings.ts';
import { Segments } from '../../ui/Segments.tsx';
import { clockTime, formatInteger, visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { Lanes } from './Lanes.tsx';
import { gist, isFaulty, isHand, seek, stepsOf, waitBefore, type Step } from './timeline.ts';

const rowHeights = { dense: 22, regular: 26, glove: 44 } as const;
const speeds = ['1', '4', '16'] as const;

/** Steps through what is on record. All of it comes from the events handed in; there is nothing here that could act. */
export function Replay({ events, brokenFrom }: { events: readonly RecordEvent[]; brokenFrom: number | null }) {
  const { say } = useWords();
  const steps = useMemo(() => stepsOf(events), [events]);
  const [at, setAt] = useState(0);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<(typeof speeds)[number]>('1');
  const density = useSettings((state) => state.settings.density);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeights[density],
    overscan: 8,
  });
  useEffect(() => rows.measure(), [density, rows]);
  useEffect(() => rows.scrollToIndex(at), [at, rows]);
  const last = steps.length - 1;
  useEffect(() => {
    if (!playing || at >= last) return;
    const timer = setTimeout(() => setAt(at + 1), waitBefore(steps, at + 1, Number(speed)));
    return () => clearTimeout(timer);
  }, [playing, at, last, steps, speed]);
  const running = playing && at < last;
  const go = (next: number): void => {
    setPlaying(false);
    setAt(Math.min(last, Math.max(0, next)));
  };
  const onKey = useEffectEvent((event: KeyboardEvent): void => {
    if ((event.target as HTMLElement).matches('input, select, textarea') || event.ctrlKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === ' ' && !(event.target as HTMLElement).matches('button')) setPlaying(!running);
    else if (key === 'ArrowDown' || (key === 'ArrowRight' && !event.shiftKey)) go(at + 1);
    else if (key === 'ArrowUp' || (key === 'ArrowLeft' && !event.shiftKey)) go(at - 1);
    else if (key === 'ArrowRight') go(seek(steps, at, 1, (step) => step.event.kind === 'turn-started'));
    else if (key === 'ArrowLeft') go(seek(steps, at, -1, (step) => step.event.kind === 'turn-started'));
    else if (key === 'w') go(seek(steps, at, 1, (step) => isHand(step.event.kind)));
    else if (key === 'f') go(seek(steps, at, 1, isFaulty));
    else if (key === 'Home') go(0);
    else if (key === 'End') go(last);
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
  const current = steps[at];
  if (!current) return <p className="empty">{say('record.empty')}</p>;
  return (
    <div className="replay">
      <section className="pane timeline" aria-label={say('timeline')} data-pane tabIndex={-1}>
        <div className="head">
          <h2>{say('timeline')}</h2>
          <span className="grow" />
          <button type="button" className="btn small" onClick={() => go(seek(steps, at, 1, (step) => isHand(step.event.kind)))}>
            {say('timeline.write')} <kbd>W</kbd>
          </button>
          <button type="button" className="btn small" onClick={() => go(seek(steps, at, 1, isFaulty))}>
            {say('timeline.fault')} <kbd>F</kbd>
          </button>
        </div>
        <Lanes steps={steps} at={at} onGo={go} />
        <div className="transport">
          <TransportButton label={say('transport.first')} onPress={() => go(0)}>
            <ChevronFirst aria-hidden="true" className="i" />
          </TransportButton>
          <TransportButton label={say('transport.back')} onPress={() => go(at - 1)}>
            <StepBack aria-hidden="true" className="i" />
          </TransportButton>
          <TransportButton label={say(running ? 'pause' : 'transport.play')} onPress={() => setPlaying(!running)}>
            {running ? <Pause aria-hidden="true" className="i" /> : <Play aria-hidden="true" className="i" />}
          </TransportButton>
          <TransportButton label={say('transport.next')} onPress={() => go(at + 1)}>
            <StepForward aria-hidden="true" className="i" />
          </TransportButton>
          <TransportButton label={say('transport.last')} onPress={() => go(last)}>
            <ChevronLast aria-hidden="true" className="i" />
          </TransportButton>
          <Segments
            label={say('transport.speed')}
            value={speed}
            onChange={setSpeed}
            options={speeds.map((value) => ({ value, label: `${value}×` }))}
          />
          <span className="grow" />
          <span>
            {say('transport.at', { seq: formatInteger(String(current.event.seq)), n: at + 1, all: steps.length })} ·{' '}
            <b>{clockTime(current.at, true)}</b>
          </span>
        </div>
      </section>
      <section className="pane records" aria-label={say('records')} data-pane tabIndex={-1}>
        <div className="grid" role="grid" aria-label={say('records')} aria-rowcount={steps.length + 1} tabIndex={0} ref={scroller}>
          <div className="rec th" role="row">
            {(['col.no', 'col.time', 'col.kind', 'col.what', 'col.verdict', 'col.hash'] as const).map((word) => (
              <div key={word} role="columnheader" className={word === 'col.hash' ? 'hide-narrow' : ''}>
                {say(word)}
              </div>
            ))}
          </div>
          <div className="rows" role="presentation" ref={(element) => element?.style.setProperty('--rows', `${rows.getTotalSize()}px`)}>
            {rows.getVirtualItems().map((item) => {
              const step = steps[item.index];
              return step ? (
                <RecordRow
                  key={step.event.seq}
                  step={step}
                  top={item.start}
                  selected={item.index === at}
                  notProven={brokenFrom !== null && step.event.seq >= brokenFrom}
                  onPress={() => go(item.index)}
                />
              ) : null;
            })}
          </div>
        </div>
      </section>
      <section className="pane detail-pane" aria-label={say('record.detail')} data-pane tabIndex={-1}>
        <div className="head">
          <h2>
            {say('record.number', { n: formatInteger(String(current.event.seq)) })} {say(`event.${current.event.kind}`)}
          </h2>
        </div>
        <div className="detail" tabIndex={0}>
          <dl className="facts">
            <dt>{say('col.time')}</dt>
            <dd>{current.event.at}</dd>
            <dt>{say('record.previous')}</dt>
            <dd className="mono wrap">{current.event.prev_hash}</dd>
            <dt>{say('record.this')}</dt>
            <dd className="mono wrap">{current.event.hash}</dd>
          </dl>
          <pre className="payload">{visible(JSON.stringify(current.payload, null, 2))}</pre>
        </div>
      </section>
    </div>
  );
}

function TransportButton({ label, onPress, children }: { label: string; onPress: () => void; children: ReactNode }) {
  return (
    <button type="button" className="transport-button" aria-label={label} title={label} onClick={onPress}>
      {children}
    </button>
  );
}

function RecordRow({
  step,
  top,
  selected,
  notProven,
  onPress,
}: {
  step: Step;
  top: number;
  selected: boolean;
  notProven: boolean;
  onPress: () => void;
}) {
  const { say } = useWords();
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.style.setProperty('--y', `${top}px`), [top]);
  const faulty = isFaulty(step);
  return (
    <div
      ref={element}
      className={`rec ${isHand(step.event.kind) ? 'hand' : ''} ${notProven ? 'unproven' : ''}`}
      role="row"
      aria-selected={selected}
      onClick={onPress}
    >
      <div role="gridcell" className="mono">
        {formatInteger(String(step.event.seq))}
      </div>
      <div role="gridcell" className="mono">
        {clockTime(step.at, true)}
      </div>
      <div role="gridcell" className="k cut">
        {say(`event.${step.event.kind}`)}
      </div>
      <div role="gridcell" className="cut">
        {visible(gist(step, say))}
      </div>
      <div role="gridcell" className="sec cut">
        {notProven ? say('record.notProven') : faulty ? say('record.fault') : ''}
      </div>
      <div role="gridcell" className="mono sec hide-narrow">
        {step.event.hash.slice(0, 4)}…
      </div>
    </div>
  );
}
