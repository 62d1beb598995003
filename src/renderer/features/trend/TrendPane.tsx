import { ChevronDown, ChevronUp, Download, Radio, X } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { TrendMark, TrendSeries } from '../../../shared/contracts/api.ts';
import type { PlantFile, TagConfig } from '../../../shared/contracts/plant.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callCore, useConnection } from '../../client/connection.ts';
import { toggleShut, useLayout } from '../../client/layout.ts';
import { usePlant } from '../../client/plant.ts';
import { hostNow, readingOf, useInterest } from '../../client/readings.ts';
import { toggleTrendTag, useShell } from '../../client/shell.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { saveFile } from '../../ui/saveFile.ts';
import { clockTime, dayAndTime, formatClock, formatNumber, minus, thinSpace, unknownValue } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { TrendTable } from './TrendTable.tsx';
import { isoWithOffset, trendCsv } from './exportTrend.ts';
import { between, lanesOf, leftOut, openEnd, valueAt, withLatest } from './lanes.ts';
import { paintPng } from './paintPng.ts';
import { usePlot } from './usePlot.ts';

const minute = 60_000;
const spans = [
  { value: String(5 * minute), word: 'span.5m' },
  { value: String(30 * minute), word: 'span.30m' },
  { value: String(120 * minute), word: 'span.2h' },
  { value: String(480 * minute), word: 'span.8h' },
  { value: String(1440 * minute), word: 'span.1d' },
] as const;
const shortestSpan = 10_000;
const longestSpan = 31 * 1440 * minute;

export function TrendPane() {
  const { say, both, lang } = useWords();
  const plant = usePlant((state) => state.plant);
  const tagById = usePlant((state) => state.tagById);
  const chosen = useShell((state) => state.trendTags);
  const client = useConnection((state) => state.client);
  const paused = useShell((state) => state.paused);
  const [span, setSpan] = useState(5 * minute);
  /** Right edge of the plot, or null for live. */
  const [end, setEnd] = useState<number | null>(null);
  const [data, setData] = useState<{ series: ReadonlyMap<string, TrendSeries>; marks: TrendMark[]; from: number; to: number }>({
    series: new Map(),
    marks: [],
    from: 0,
    to: 1,
  });
  const [error, setError] = useState<HandrailError | null>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const [pin, setPin] = useState<number | null>(null);
  const [asTable, setAsTable] = useState(false);
  const shut = useLayout((layout) => layout.trendShut);
  const host = useRef<HTMLDivElement>(null);

  const tags = useMemo(() => chosen.map((id) => tagById.get(id)).filter((tag) => tag !== undefined), [chosen, tagById]);
  const lanes = useMemo(() => lanesOf(tags), [tags]);
  const colours = useMemo(() => new Map(tags.map((tag, i) => [tag.id, i])), [tags]);
  useFirstTags(plant, chosen.length);

  const stopAt = end ?? paused;
  const key = tags.map((tag) => tag.id).join('\n');
  const setWanted = useInterest((state) => state.setWanted);
  useEffect(() => setWanted('trend', key === '' ? [] : key.split('\n')), [key, setWanted]);
  useEffect(() => {
    if (!client || key === '') return;
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ids = key.split('\n');
    const load = async (): Promise<void> => {
      const to = stopAt ?? hostNow();
      const from = to - span;
      try {
        const buckets = Math.max(50, Math.min(2000, host.current?.clientWidth ?? 600));
        const [list, marks] = await Promise.all([
          callCore('trend.series', { tags: ids, from, to, buckets }),
          callCore('trend.marks', { tags: ids, from, to }),
        ]);
        if (gone) return;
        setData({
          series: new Map(list.map((one) => [one.tag, stopAt === null ? withLatest(one, latestOf(one.tag), to) : one])),
          marks,
          from,
          to,
        });
        setError(null);
      } catch (failure) {
        if (!gone) setError(asHandrailError(failure));
      }
      if (!gone && stopAt === null) timer = setTimeout(() => void load(), span <= 30 * minute ? 1000 : 5000);
    };
    void load();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [client, key, span, stopAt]);

  const words = useMemo(() => ({ write: say('trend.write'), lang }), [say, lang]);
  usePlot(host, { lanes, series: data.series, colours, marks: data.marks, from: data.from, to: data.to, pin, words }, setCursor, {
    pin: (at) => setPin(at),
    zoom: (factor, at) => {
      const next = Math.min(longestSpan, Math.max(shortestSpan, span * factor));
      const right = stopAt ?? hostNow();
      const share = (right - at) / span;
      setEnd(end === null && factor < 1 && share < 0.02 ? null : Math.min(hostNow(), at + share * next));
      setSpan(next);
    },
    pan: (byMs) => setEnd(Math.min(hostNow(), (stopAt ?? hostNow()) - byMs)),
  });

  const exportHead = (): string[] => [
    `${plant ? both(plant.name) : ''}${plant?.simulated ? ` (${say('plant.simulated')})` : ''}`,
    `${isoWithOffset(data.from)} – ${isoWithOffset(data.to)}`,
    say('export.note'),
  ];
  const exportCsv = (): void => {
    const text = trendCsv(tags, data.series, exportHead(), lang, {
      time: say('col.time'),
      quality: say('col.quality'),
      good: say('quality.good'),
      bad: say('quality.bad'),
      bucket: '',
    });
    saveFile(`trend-${new Date(data.from).toISOString().replaceAll(':', '')}.csv`, [text], 'text/csv');
  };
  const exportPng = async (): Promise<void> => {
    const blob = await paintPng(
      { lanes, series: data.series, colours, marks: data.marks, from: data.from, to: data.to, pin, words },
      exportHead(),
      tags.map((tag) => both(tag.name)),
    );
    if (blob) saveFile(`trend-${new Date(data.from).toISOString().replaceAll(':', '')}.png`, [blob], 'image/png');
  };
  const left = leftOut(tags, lanes);
  const live = stopAt === null;
  return (
    <section
      className="pane trend"
      aria-label={say('trend')}
      data-pane
      tabIndex={-1}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('text/x-handrail-tag')) event.preventDefault();
      }}
      onDrop={(event) => {
        const tag = event.dataTransfer.getData('text/x-handrail-tag');
        if (tag !== '' && !chosen.includes(tag)) toggleTrendTag(tag);
      }}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.altKey || (event.target as HTMLElement).matches('input, textarea')) return;
        if (event.key === '0') setEnd(null);
        else if (event.key.toLowerCase() === 'v') setAsTable(!asTable);
        else if (event.key.toLowerCase() === 'c') setPin(pin === null ? (cursor ?? data.to - span / 2) : null);
        else if (pin !== null && event.shiftKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight'))
          setPin(Math.min(data.to, Math.max(data.from, pin + ((event.key === 'ArrowLeft' ? -1 : 1) * span) / 100)));
        else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
          setEnd(Math.min(hostNow(), (stopAt ?? hostNow()) + ((event.key === 'ArrowLeft' ? -1 : 1) * span) / 10));
        else return;
        event.preventDefault();
      }}
    >
      <div className="head">
        <h2>{say('trend')}</h2>
        <Segments
          label={say('trend.span')}
          value={String(span)}
          onChange={(value) => setSpan(Number(value))}
          options={spans.map((entry) => ({ value: entry.value, label: say(entry.word) }))}
        />
        <span className="grow" />
        {!live && <span className="label">{say('trend.paused', { time: clockTime(stopAt) })}</span>}
        <button
          type="button"
          className="btn small toggle"
          aria-pressed={live}
          onClick={() => {
            setEnd(null);
            useShell.setState({ paused: null });
          }}
        >
          <Radio aria-hidden="true" className="i" />
          {say('trend.live')}
        </button>
        <button type="button" className="btn small toggle hide-narrow" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {say('trend.table')}
        </button>
        <button type="button" className="btn small" onClick={exportCsv} disabled={tags.length === 0}>
          <Download aria-hidden="true" className="i" />
          {say('csv')}
        </button>
        <button type="button" className="btn small" onClick={() => void exportPng()} disabled={tags.length === 0}>
          <Download aria-hidden="true" className="i" />
          {say('png')}
        </button>
        <button
          type="button"
          className="icon"
          aria-expanded={!shut}
          aria-label={say('palette.trendShut')}
          title={say('palette.trendShut')}
          onClick={() => toggleShut('trendShut')}
        >
          {shut ? <ChevronUp aria-hidden="true" className="i" /> : <ChevronDown aria-hidden="true" className="i" />}
        </button>
      </div>
      {error && (
        <div className="notice">
          <ErrorText error={error} />
        </div>
      )}
      {left.length > 0 && <p className="notice">{say('trend.leftOut', { tags: left.map((tag) => both(tag.name)).join(', ') })}</p>}
      {tags.length === 0 && <p className="empty">{say('trend.none')}</p>}
      {pin !== null && (
        <p className="between">
          <b>{say('trend.delta', { time: formatSpan((cursor ?? data.to) - pin) })}</b>
          {tags.map((tag) => {
            const series = data.series.get(tag.id);
            const found = series ? between(series, pin, cursor ?? data.to) : null;
            const n = (value: number): string => formatNumber(value, tag.decimals);
            return (
              <span key={tag.id} className="between-one">
                <span className="sec">{both(tag.name)}</span>{' '}
                {found === null ? (
                  unknownValue
                ) : (
                  <>
                    <b>
                      Δ {found.delta > 0 ? '+' : ''}
                      {n(found.delta)}
                      {thinSpace}
                      {tag.unit}
                    </b>{' '}
                    <span className="sec">{say('trend.between', { min: n(found.min), max: n(found.max), mean: n(found.mean) })}</span>
                  </>
                )}
              </span>
            );
          })}
          <button type="button" className="icon" aria-label={say('trend.unpin')} title={say('trend.unpin')} onClick={() => setPin(null)}>
            <X aria-hidden="true" className="i" />
          </button>
        </p>
      )}
      {asTable && <TrendTable tags={tags} series={data.series} />}
      <div className={`trend-body ${asTable ? 'gone' : ''}`}>
        <div className="plot" ref={host} role="img" aria-label={describe()} />
        <ol className="trend-names">
          {lanes.flatMap((lane) =>
            lane.tags.map((tag, i) => (
              <Name
                key={tag.id}
                tag={tag}
                colour={colours.get(tag.id) ?? 0}
                top={lane.top}
                row={i}
                value={shownValue(tag)}
                onRemove={() => toggleTrendTag(tag.id)}
              />
            )),
          )}
        </ol>
      </div>
      <p className="vh">{cursor === null ? '' : dayAndTime(cursor)}</p>
    </section>
  );

  function shownValue(tag: TagConfig): string {
    const series = data.series.get(tag.id);
    if (!series) return unknownValue;
    const value = cursor === null ? (openEnd(series, data.to) === null ? (series.avg.at(-1) ?? null) : null) : valueAt(series, cursor);
    return value === null ? unknownValue : formatNumber(value, tag.decimals);
  }
  function describe(): string {
    const parts = tags.map((tag) => {
      const series = data.series.get(tag.id);
      if (!series || series.at.length === 0) return say('trend.describe.none', { tag: both(tag.name) });
      let min = Infinity;
      let max = -Infinity;
      for (let i = 0; i < series.at.length; i += 1) {
        min = Math.min(min, series.min[i]!);
        max = Math.max(max, series.max[i]!);
      }
      return say('trend.describe', {
        tag: both(tag.name),
        min: formatNumber(min, tag.decimals),
        max: formatNumber(max, tag.decimals),
        last: shownValue(tag),
        unit: tag.unit,
      });
    });
    return `${say('trend')}: ${parts.join('; ')}`;
  }
}

function Name({
  tag,
  colour,
  top,
  row,
  value,
  onRemove,
}: {
  tag: TagConfig;
  colour: number;
  top: number;
  row: number;
  value: string;
  onRemove: () => void;
}) {
  const { say, both } = useWords();
  return (
    <li
      ref={(element) => {
        element?.style.setProperty('--lane', String(top));
        element?.style.setProperty('--row-in-lane', String(row));
      }}
    >
      <svg viewBox="0 0 18 4" className={`sample series-${colour + 1}`} aria-hidden="true">
        <path d="M0 2h18" />
      </svg>
      <button
        type="button"
        className={`name cut series-${colour + 1}`}
        onClick={onRemove}
        title={say('trend.remove', { tag: both(tag.name) })}
        aria-label={say('trend.remove', { tag: both(tag.name) })}
      >
        {both(tag.name)}
      </button>
      <b>{value}</b>
    </li>
  );
}

/** A span with its sign: the second cursor may lie on either side. */
const formatSpan = (ms: number): string =>
  `${ms < 0 ? minus : ''}${Math.abs(ms) < 60_000 ? `${(Math.abs(ms) / 1000).toFixed(1)} s` : formatClock(Math.abs(ms))}`;

/** What was read last of a tag, as a point of its trend; only a value that stands for now. */
function latestOf(tag: string): { at: number; value: number } | null {
  const reading = readingOf(tag);
  if (!reading || typeof reading.value !== 'number' || reading.readAt === null) return null;
  return reading.quality === 'good' || reading.quality === 'uncertain' ? { at: reading.readAt, value: reading.value } : null;
}

/** The first look shows something that moves: one analogue tag of each of three units, so that each has a scale of its own. */
function useFirstTags(plant: PlantFile | null, chosen: number): void {
  const picked = useRef(false);
  useEffect(() => {
    if (!plant || picked.current || chosen > 0) return;
    picked.current = true;
    const analogue = plant.tags.filter(
      (tag) =>
        tag.unit !== '' &&
        tag.type !== 'bool' &&
        tag.type !== 'bit' &&
        tag.type !== 'string' &&
        !tag.write.allowed &&
        tag.range.max !== null,
    );
    const units = [...new Set(analogue.map((tag) => tag.unit))].slice(0, 3);
    useShell.setState({
      trendTags: units.flatMap((unit) => analogue.filter((tag) => tag.unit === unit).slice(0, 1)).map((tag) => tag.id),
    });
  }, [plant, chosen]);
}
