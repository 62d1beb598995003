import { LockOpen } from 'lucide-react';
import { memo, useLayoutEffect, useRef } from 'react';
import type { TagConfig } from '../../../shared/contracts/plant.ts';
import { toReference } from '../../../shared/modbus/addresses.ts';
import { outsideNormal, type Shown } from '../../client/quality.ts';
import type { HeldReading } from '../../client/readings.ts';
import { useShell } from '../../client/shell.ts';
import { Mark } from '../../ui/Mark.tsx';
import { formatAge, formatClock, formatHex, formatNumber, unknownValue } from '../../words/format.ts';
import { formatValue } from '../../words/values.ts';
import { useWords, type Say } from '../../words/words.ts';
import { RangeBar } from './RangeBar.tsx';
import type { Lang } from '../../../shared/errors.ts';

export type ValueForm = 'value' | 'hex' | 'bits';
type RowProps = {
  tag: TagConfig;
  unitId: number | null;
  shown: Shown;
  index: number;
  top: number;
  form: ValueForm;
  now: number;
  selected: boolean;
  onOpen: () => void;
};

/** The wash of a change is news, not noise: only after five seconds of stillness, for 600 ms, gone in one step. */
const washAfterMs = 5000;
const washMs = 600;

export const Row = memo(function Row({ tag, unitId, shown, index, top, form, now, selected, onOpen }: RowProps) {
  const { say, both, lang } = useWords();
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.style.setProperty('--y', `${top}px`), [top]);
  const armed = useShell((state) => state.armed.some((entry) => entry.device === tag.device));
  const reading = shown.state === 'none' ? null : shown.reading;
  const outside = shown.state === 'good' ? outsideNormal(tag, shown.reading.value) : null;
  const washed = shown.state === 'good' && shown.reading.stillFor >= washAfterMs && now - shown.reading.changedAt < washMs;
  const value = shown.state === 'none' ? '…' : shown.state === 'bad' ? unknownValue : shownForm(tag, shown.reading, form, say);
  const numeric = reading && shown.state !== 'bad' && typeof reading.value === 'number' ? reading.value : null;
  return (
    <div
      ref={element}
      id={`row-${tag.id}`}
      className={`gr ${shown.state} ${outside ? 'outside' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      onClick={() => useShell.setState({ selectedTag: tag.id })}
      onDoubleClick={onOpen}
    >
      <div role="gridcell" className="c-mark">
        {shown.state === 'bad' ? (
          <Mark kind="bad" label={say('quality.bad')} />
        ) : shown.state === 'stale' ? (
          <Mark kind="stale" label={say('quality.stale')} />
        ) : shown.state === 'uncertain' ? (
          <Mark kind="uncertain" label={say('quality.uncertain')} />
        ) : outside ? (
          <Mark kind="outside" label={say(`outside.${outside}`)} />
        ) : armed && tag.write.allowed ? (
          <LockOpen className="i" role="img" aria-label={say('tag.armed')} />
        ) : null}
      </div>
      <div role="gridcell" className="c-tag cut" title={tag.id}>
        {both(tag.name)}
        <span className="tagid">{tag.id}</span>
      </div>
      <div role="gridcell" className={`c-value ${washed ? 'changed' : ''}`}>
        {value}
      </div>
      <div role="gridcell" className="c-unit">
        {tag.unit}
      </div>
      <div role="gridcell" className="c-range">
        <RangeBar tag={tag} value={numeric} state={shown.state === 'stale' ? 'stale' : outside ? 'outside' : 'good'} />
      </div>
      <div role="gridcell" className="c-age cut">
        {ageWords(tag, shown, outside, say, lang)}
      </div>
      <div role="gridcell" className="c-raw">
        {reading && reading.raw.length > 0 ? (
          <button type="button" tabIndex={-1} className="raw cut" onClick={onOpen} aria-label={say('orders.open', { tag: both(tag.name) })}>
            {rawText(tag, reading.raw)}
          </button>
        ) : (
          unknownValue
        )}
      </div>
      <div role="gridcell" className="c-address mono">
        {unitId === null ? unknownValue : `${unitId}: ${toReference(tag.table, tag.address)} · ${tag.address}`}
      </div>
    </div>
  );
});

function shownForm(tag: TagConfig, reading: HeldReading, form: ValueForm, say: Say): string {
  const words = tag.table === 'holding' || tag.table === 'input';
  if (form === 'value' || reading.raw.length === 0 || !words) return formatValue(tag, reading.value, say);
  if (form === 'hex') return reading.raw.map(formatHex).join(' ');
  return reading.raw.map((word) => word.toString(2).padStart(16, '0')).join(' ');
}

/** The first words of a long block; the rest is in the popover. */
function rawText(tag: TagConfig, raw: readonly number[]): string {
  if (tag.table === 'coil' || tag.table === 'discrete') return raw.join(' ');
  return raw.length <= 2 ? raw.map(formatHex).join(' ') : `…${raw.slice(-2).map(formatHex).join(' ')}`;
}

function ageWords(tag: TagConfig, shown: Shown, outside: 'low' | 'high' | null, say: Say, lang: Lang): string {
  switch (shown.state) {
    case 'none':
      return say('quality.waiting');
    case 'bad': {
      const reason = shown.reading.reason;
      const since = formatClock(Math.max(0, Date.now() - shown.reading.changedAt));
      if (reason === null) return `${say('quality.bad')} ${since}`;
      return reason.code === 'DEVICE_NO_ANSWER' ? say('quality.silent', { time: since }) : `${reason.text[lang]}`;
    }
    case 'stale':
      return say('age.old', { age: formatAge(shown.ageMs, lang) });
    case 'uncertain':
      return shown.reading.reason?.text[lang] ?? say('quality.uncertain');
    case 'good': {
      if (outside === null) return formatAge(shown.ageMs, lang);
      const limit = outside === 'low' ? tag.normal?.low : tag.normal?.high;
      return say(`outside.${outside}.limit`, { limit: formatNumber(limit ?? 0, tag.decimals) });
    }
    default:
      return shown satisfies never;
  }
}
