import { useVirtualizer } from '@tanstack/react-virtual';
import { Filter as FilterIcon } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { TagConfig } from '../../../shared/contracts/plant.ts';
import { useConnection } from '../../client/connection.ts';
import { usePlant } from '../../client/plant.ts';
import { shownReading, type Shown } from '../../client/quality.ts';
import { hostNow, readingOf, useInterest, useReadingTick } from '../../client/readings.ts';
import { useSettings } from '../../client/settings.ts';
import { toggleTrendTag, useShell } from '../../client/shell.ts';
import { Segments } from '../../ui/Segments.tsx';
import { clockTime, formatClock } from '../../words/format.ts';
import { useWords, type WordKey } from '../../words/words.ts';
import { ByteOrders } from './ByteOrders.tsx';
import { Row, type ValueForm } from './Row.tsx';
import { isNotNormal, matches, nextSort, noFilter, sortedTags, type Filter, type Sort, type SortKey } from './rows.ts';

const overscan = 8;
const rowHeights = { dense: 22, regular: 26, glove: 44 } as const;
const heads: { key: SortKey | null; word: WordKey; className: string }[] = [
  { key: 'quality', word: 'col.state', className: 'c-mark' },
  { key: 'tag', word: 'col.tag', className: 'c-tag' },
  { key: 'value', word: 'col.value', className: 'c-value' },
  { key: null, word: 'col.unit', className: 'c-unit' },
  { key: null, word: 'col.range', className: 'c-range' },
  { key: null, word: 'col.age', className: 'c-age' },
  { key: null, word: 'col.raw', className: 'c-raw' },
  { key: 'address', word: 'col.address', className: 'c-address' },
];

export function RegistersPane() {
  const { say, lang } = useWords();
  const plant = usePlant((state) => state.plant);
  const devices = usePlant((state) => state.deviceById);
  const density = useSettings((state) => state.settings.density);
  const connected = useConnection((state) => state.state === 'open');
  const paused = useShell((state) => state.paused);
  const selected = useShell((state) => state.selectedTag);
  const rate = useReadingTick((state) => state.rate);
  const tick = useReadingTick((state) => state.tick);
  const [filter, setFilter] = useState<Filter>(noFilter);
  const [sort, setSort] = useState<Sort>({ key: 'plant', down: false });
  const [form, setForm] = useState<ValueForm>('value');
  const [opened, setOpened] = useState<string | null>(null);
  const frozen = usePausedReadings(paused);
  const now = paused ?? hostNow();
  const shownOf = (tag: TagConfig): Shown => shownReading(tag, frozen ? frozen.get(tag.id) : readingOf(tag.id), now, connected);

  // Sorting looks at the values once, when the head is pressed: a table that sorts itself moves under the pointer.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const ordered = useMemo(() => (plant ? sortedTags(plant, sort, lang, shownOf) : []), [plant, sort, lang]);
  const live = filter.notNormal || filter.changed;
  const tags = useMemo(
    () => ordered.filter((tag) => matches(tag, shownOf(tag), filter, now)),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only the two live filters look at values
    [ordered, filter, live ? Math.floor(tick / 4) : 0],
  );
  const odd = ordered.filter((tag) => isNotNormal(tag, shownOf(tag))).length;

  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: tags.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeights[density],
    overscan,
    getItemKey: (i) => tags[i]?.id ?? i,
  });
  useEffect(() => rows.measure(), [density, rows]);
  const items = rows.getVirtualItems();
  // The count of odd tags needs all of them, and 1,000 tags are one small batch; beyond that only what is on screen.
  const visible =
    ordered.length <= 1000 ? ordered.map((tag) => tag.id) : items.map((item) => tags[item.index]?.id).filter((id) => id !== undefined);
  const visibleKey = visible.join('\n');
  const setWanted = useInterest((state) => state.setWanted);
  useEffect(() => {
    const timer = setTimeout(() => setWanted('registers', visibleKey === '' ? [] : visibleKey.split('\n')), 100);
    return () => clearTimeout(timer);
  }, [visibleKey, setWanted]);

  const onKey = (event: KeyboardEvent): void => {
    const at = Math.max(
      0,
      tags.findIndex((tag) => tag.id === selected),
    );
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeights[density]) - 1);
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: tags.length - 1 }[event.key];
    if (target !== undefined) {
      const next = Math.min(tags.length - 1, Math.max(0, target));
      useShell.setState({ selectedTag: tags[next]?.id ?? null });
      rows.scrollToIndex(next);
    } else if (event.key === 'Enter' && selected !== null) setOpened(opened === selected ? null : selected);
    else if (event.key.toLowerCase() === 't' && !event.ctrlKey && !event.altKey && selected !== null) toggleTrendTag(selected);
    else return;
    event.preventDefault();
  };
  if (!plant) return <section className="pane registers" aria-label={say('registers')} />;
  const openedTag = tags.find((tag) => tag.id === opened);
  return (
    <section className="pane registers" aria-label={say('registers')} data-pane tabIndex={-1}>
      <div className="head">
        <h2>{say('registers')}</h2>
        <span className="label">{say('registers.count', { shown: tags.length, all: ordered.length, hz: Math.round(rate) })}</span>
        <span className="grow" />
        <input
          className="input small find-small"
          type="search"
          value={filter.text}
          placeholder={say('registers.find')}
          aria-label={say('registers.find')}
          onChange={(event) => setFilter({ ...filter, text: event.target.value })}
        />
        <span className="hide-narrow">
          <Segments
            label={say('form')}
            value={form}
            onChange={setForm}
            options={[
              { value: 'value', label: say('form.value') },
              { value: 'hex', label: say('form.hex') },
              { value: 'bits', label: say('form.bits') },
            ]}
          />
        </span>
        <Chip
          on={filter.writable}
          onChange={(writable) => setFilter({ ...filter, writable })}
          label={say('filter.writable', { n: ordered.filter((tag) => tag.write.allowed).length })}
        />
        <Chip
          on={filter.notNormal}
          onChange={(notNormal) => setFilter({ ...filter, notNormal })}
          label={say('filter.odd', { n: odd })}
          icon
        />
        <select
          className="select hide-mid"
          aria-label={say('filter.device')}
          value={filter.device ?? ''}
          onChange={(event) => setFilter({ ...filter, device: event.target.value === '' ? null : event.target.value })}
        >
          <option value="">{say('filter.all')}</option>
          {plant.devices.map((device) => (
            <option key={device.id} value={device.id}>
              {device.name[lang]}
            </option>
          ))}
        </select>
      </div>
      {paused !== null && (
        <div className="band small">
          {say('paused', { time: clockTime(paused), ago: formatClock(hostNow() - paused) })}
          <button type="button" className="btn small" onClick={() => useShell.setState({ paused: null })}>
            {say('resume')}
          </button>
        </div>
      )}
      <div
        className="grid"
        role="grid"
        aria-label={say('registers')}
        aria-rowcount={tags.length + 1}
        aria-activedescendant={selected !== null && items.some((item) => tags[item.index]?.id === selected) ? `row-${selected}` : undefined}
        tabIndex={0}
        ref={scroller}
        onKeyDown={onKey}
      >
        <div className="gr th" role="row" aria-rowindex={1}>
          {heads.map((head) => (
            <div
              key={head.word}
              role="columnheader"
              className={head.className}
              aria-sort={head.key !== null && sort.key === head.key ? (sort.down ? 'descending' : 'ascending') : undefined}
            >
              {head.key === null ? (
                say(head.word)
              ) : (
                <button
                  type="button"
                  tabIndex={-1}
                  onClick={() => setSort(nextSort(sort, head.key!))}
                  aria-label={head.key === 'quality' ? say(head.word) : undefined}
                >
                  {head.key === 'quality' ? '' : say(head.word)}
                  {sort.key === head.key ? <span aria-hidden="true">{sort.down ? ' ↓' : ' ↑'}</span> : null}
                </button>
              )}
            </div>
          ))}
        </div>
        {tags.length === 0 && <p className="empty">{say(ordered.length === 0 ? 'registers.none' : 'registers.filtered')}</p>}
        <div className="rows" role="presentation" ref={(element) => element?.style.setProperty('--rows', `${rows.getTotalSize()}px`)}>
          {items.map((item) => {
            const tag = tags[item.index];
            return tag ? (
              <Row
                key={tag.id}
                tag={tag}
                unitId={devices.get(tag.device)?.unitId ?? null}
                shown={shownOf(tag)}
                index={item.index}
                top={item.start}
                form={form}
                now={Date.now()}
                selected={tag.id === selected}
                onOpen={() => setOpened(opened === tag.id ? null : tag.id)}
              />
            ) : null;
          })}
        </div>
      </div>
      {openedTag && (
        <ByteOrders
          tag={openedTag}
          unitId={devices.get(openedTag.device)?.unitId ?? null}
          shown={shownOf(openedTag)}
          onClose={() => {
            setOpened(null);
            scroller.current?.focus();
          }}
        />
      )}
    </section>
  );
}

/** While paused the table keeps what it showed; polling goes on underneath. */
function usePausedReadings(paused: number | null): ReadonlyMap<string, NonNullable<ReturnType<typeof readingOf>>> | null {
  return useMemo(() => {
    if (paused === null) return null;
    const tags = usePlant.getState().plant?.tags ?? [];
    return new Map(
      tags.flatMap((tag) => {
        const reading = readingOf(tag.id);
        return reading ? [[tag.id, reading] as const] : [];
      }),
    );
  }, [paused]);
}

function Chip({ on, onChange, label, icon = false }: { on: boolean; onChange: (on: boolean) => void; label: string; icon?: boolean }) {
  return (
    <button type="button" className="btn small toggle" aria-pressed={on} onClick={() => onChange(!on)}>
      {icon && <FilterIcon aria-hidden="true" className="i" />}
      {label}
    </button>
  );
}
