import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight, ListTree, LockOpen, PanelLeft, Plus, Search } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { ConnectionConfig } from '../../../shared/contracts/devices.ts';
import { useConnection } from '../../client/connection.ts';
import { toggleShut } from '../../client/layout.ts';
import { usePlant } from '../../client/plant.ts';
import { hostNow, readingOf, useInterest, useReadingTick } from '../../client/readings.ts';
import { shownReading } from '../../client/quality.ts';
import { useSettings } from '../../client/settings.ts';
import { toggleTrendTag, useShell } from '../../client/shell.ts';
import { Mark } from '../../ui/Mark.tsx';
import { formatClock, thinSpace, unknownValue } from '../../words/format.ts';
import { formatValue } from '../../words/values.ts';
import { useWords } from '../../words/words.ts';
import { treeRows, type TreeRow } from './treeRows.ts';

const rowHeights = { dense: 22, regular: 26, glove: 44 } as const;

export function PlantPane() {
  const { say } = useWords();
  const treeOpen = useShell((state) => state.treeOpen);
  return (
    <>
      <nav className="pane strip only-narrow" aria-label={say('plant')}>
        <button
          type="button"
          className="icon"
          aria-label={say('plant.open')}
          aria-expanded={treeOpen}
          onClick={() => useShell.setState({ treeOpen: !treeOpen })}
        >
          <ListTree aria-hidden="true" className="i" />
        </button>
      </nav>
      <nav className={`pane plant ${treeOpen ? 'flyout' : 'hide-narrow'}`} aria-label={say('plant')} data-pane tabIndex={-1}>
        <div className="head">
          <h2>{say('plant')}</h2>
          <span className="grow" />
          <button
            type="button"
            id="open-connections"
            className="icon"
            aria-label={say('connections.edit')}
            title={say('connections.edit')}
            onClick={() => useShell.setState({ sheet: 'connections', treeOpen: false })}
          >
            <Plus aria-hidden="true" className="i" />
          </button>
          <button
            type="button"
            className="icon hide-narrow"
            aria-label={say('palette.plantShut')}
            title={say('palette.plantShut')}
            onClick={() => {
              toggleShut('plantShut');
              useShell.setState({ treeOpen: false });
            }}
          >
            <PanelLeft aria-hidden="true" className="i" />
          </button>
        </div>
        <Tree />
      </nav>
    </>
  );
}

function Tree() {
  const { say, lang } = useWords();
  const plant = usePlant((state) => state.plant);
  const tick = useReadingTick((state) => state.tick);
  const connected = useConnection((state) => state.state === 'open');
  const armed = useShell((state) => state.armed);
  const selected = useShell((state) => state.selectedTag);
  const health = useShell((state) => state.health);
  const [search, setSearch] = useState('');
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => (plant ? treeRows(plant, { closed, search, lang }) : []), [plant, closed, search, lang]);
  const density = useSettings((state) => state.settings.density);
  // A plant of a thousand tags is a thousand rows; only those in sight are drawn and asked for.
  const shownRows = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeights[density],
    overscan: 12,
    getItemKey: (i) => rows[i]?.id ?? i,
  });
  useEffect(() => shownRows.measure(), [density, shownRows]);
  const items = shownRows.getVirtualItems();
  const wanted = items.flatMap(({ index }) => (rows[index]?.kind === 'tag' ? [rows[index].tag.id] : [])).join('\n');
  const setWanted = useInterest((state) => state.setWanted);
  useEffect(() => setWanted('tree', wanted === '' ? [] : wanted.split('\n')), [wanted, setWanted]);
  if (!plant) return null;
  const now = hostNow();
  void tick;
  const active = Math.min(at, rows.length - 1);
  const toggle = (id: string): void =>
    setClosed((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const press = (row: TreeRow): void => (row.kind === 'tag' ? useShell.setState({ selectedTag: row.tag.id }) : toggle(row.id));
  const onKey = (event: KeyboardEvent): void => {
    const row = rows[active];
    const move = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: rows.length - 1, PageDown: active + 15, PageUp: active - 15 }[
      event.key
    ];
    if (move !== undefined) setAt(Math.min(rows.length - 1, Math.max(0, move)));
    else if (row && event.key === 'Enter') press(row);
    else if (
      row &&
      row.kind !== 'tag' &&
      (event.key === 'ArrowRight' || event.key === 'ArrowLeft') &&
      row.open !== (event.key === 'ArrowRight')
    )
      toggle(row.id);
    else if (row?.kind === 'tag' && event.key.toLowerCase() === 't' && !event.ctrlKey) toggleTrendTag(row.tag.id);
    else return;
    event.preventDefault();
    if (move !== undefined) shownRows.scrollToIndex(Math.min(rows.length - 1, Math.max(0, move)));
  };
  return (
    <>
      <div className="tools">
        <label className="field">
          <Search aria-hidden="true" className="i" />
          <input
            id="find-tag"
            type="search"
            value={search}
            placeholder={say('plant.find')}
            aria-label={say('plant.find.label')}
            onChange={(event) => setSearch(event.target.value)}
          />
          <kbd aria-hidden="true">F3</kbd>
        </label>
      </div>
      <div
        className="tree"
        role="tree"
        aria-label={say('plant')}
        tabIndex={0}
        ref={box}
        onKeyDown={onKey}
        aria-activedescendant={rows[active] && items.some(({ index }) => index === active) ? `tree-${rows[active].id}` : undefined}
      >
        {rows.length === 0 && <p className="empty">{say('plant.none')}</p>}
        <div className="rows" role="presentation" ref={(element) => element?.style.setProperty('--rows', `${shownRows.getTotalSize()}px`)}>
          {items.map(({ index: i, start }) => {
            const row = rows[i];
            if (!row) return null;
            const common = {
              ref: (element: HTMLDivElement | null) => element?.style.setProperty('--y', `${start}px`),
              id: `tree-${row.id}`,
              role: 'treeitem',
              'data-active': i === active ? true : undefined,
              onClick: () => {
                setAt(i);
                press(row);
              },
            } as const;
            switch (row.kind) {
              case 'connection': {
                const line = health?.lines.find((entry) => entry.connection === row.connection.id);
                return (
                  <div key={row.id} {...common} className="tree-row l0" aria-level={1} aria-expanded={row.open}>
                    {row.open ? <ChevronDown aria-hidden="true" className="i" /> : <ChevronRight aria-hidden="true" className="i" />}
                    <span className="cut grow">{row.connection.id}</span>
                    {line?.error && <Mark kind="device-silent" label={line.error.message[lang]} />}
                    <span className="label">{settingsWords(row.connection)}</span>
                  </div>
                );
              }
              case 'device': {
                const open = armed.find((entry) => entry.device === row.device.id);
                const silent = isSilent(row.tags.map((tag) => readingOf(tag.id)));
                return (
                  <div key={row.id} {...common} className={`tree-row l1 ${open ? 'armed' : ''}`} aria-level={2} aria-expanded={row.open}>
                    {row.open ? <ChevronDown aria-hidden="true" className="i" /> : <ChevronRight aria-hidden="true" className="i" />}
                    <span className="cut grow">{row.device.name[lang]}</span>
                    {silent && <Mark kind="device-silent" label={say('device.silent', { device: row.device.name[lang] })} />}
                    {open ? (
                      <span className="sec armed-left">
                        <LockOpen className="i" role="img" aria-label={say('tag.armed')} /> {formatClock(Date.parse(open.until) - now)}
                      </span>
                    ) : (
                      <span className="label">{say('unit.n', { n: row.device.unitId })}</span>
                    )}
                  </div>
                );
              }
              case 'tag': {
                const shown = shownReading(row.tag, readingOf(row.tag.id), now, connected);
                const text =
                  shown.state === 'none' || shown.state === 'bad' ? unknownValue : formatValue(row.tag, shown.reading.value, say);
                return (
                  <div
                    key={row.id}
                    {...common}
                    className={`tree-row l2 ${shown.state}`}
                    aria-level={3}
                    aria-selected={row.tag.id === selected}
                    title={row.tag.id}
                    draggable
                    onDragStart={(event) => event.dataTransfer.setData('text/x-handrail-tag', row.tag.id)}
                  >
                    <span className="cut grow">{row.tag.name[lang]}</span>
                    {shown.state === 'bad' && <Mark kind="bad" label={say('quality.bad')} />}
                    {shown.state === 'stale' && <Mark kind="stale" label={say('quality.stale')} />}
                    <span className="v">
                      {text}
                      {row.tag.unit !== '' && text !== unknownValue ? thinSpace + row.tag.unit : ''}
                    </span>
                  </div>
                );
              }
              default:
                return row satisfies never;
            }
          })}
        </div>
      </div>
    </>
  );
}

/** One mark on the device when nothing of it answers, never one per tag. */
const isSilent = (readings: readonly ({ quality: string } | undefined)[]): boolean =>
  readings.length > 0 && readings.every((reading) => reading?.quality === 'bad');

function settingsWords(connection: ConnectionConfig): string {
  if (connection.serial)
    return `${connection.serial.baud} ${connection.serial.dataBits}${connection.serial.parity[0]?.toUpperCase() ?? ''}${connection.serial.stopBits}`;
  return connection.host
    ? `${connection.host}${connection.port !== undefined && connection.port !== 502 ? `:${connection.port}` : ''}`
    : connection.kind;
}
