import { useVirtualizer } from '@tanstack/react-virtual';
import { Check, Clock, Search, X } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { usePlant } from '../../client/plant.ts';
import { useShell } from '../../client/shell.ts';
import { isFault, useTraffic, type ShownFrame } from '../../client/traffic.ts';
import { clockTime, formatBytes, unknownValue, visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { frameMeaning, holdsBytes } from './decodeFrame.ts';

const rowHeight = 22;

/** Every frame as it went over the wire. Follows the newest unless a person has scrolled up or paused. */
export function TrafficView({ faultsOnly, search }: { faultsOnly: boolean; search: string }) {
  const { say } = useWords();
  const live = useTraffic((state) => state.frames);
  const paused = useShell((state) => state.paused);
  const connections = usePlant((state) => state.plant?.connections);
  const [frozen, setFrozen] = useState<readonly ShownFrame[] | null>(null);
  const [selected, setSelected] = useState<number | null>(null);
  if (paused !== null && frozen === null) setFrozen(live);
  if (paused === null && frozen !== null) setFrozen(null);
  const frames = frozen ?? live;
  const shown = useMemo(
    () => frames.filter((frame) => (!faultsOnly || isFault(frame)) && (search.trim() === '' || holdsBytes(frame.bytes, search))),
    [frames, faultsOnly, search],
  );
  const kinds = useMemo(() => new Map((connections ?? []).map((connection) => [connection.id, connection.kind])), [connections]);
  const scroller = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  // Rows are keyed by frame and all of one height; the cause of a fault stands in the row after it.
  const lines = useMemo(
    () =>
      shown.flatMap((frame) =>
        frame.note && isFault(frame)
          ? [
              { frame, why: false },
              { frame, why: true },
            ]
          : [{ frame, why: false }],
      ),
    [shown],
  );
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (i) => `${lines[i]?.frame.id ?? i}${lines[i]?.why ? 'w' : ''}`,
  });
  useEffect(() => {
    if (follows.current && lines.length > 0) rows.scrollToIndex(lines.length - 1);
  }, [lines.length, rows]);
  const chosen = shown.find((frame) => frame.id === selected);
  return (
    <>
      <div
        className="grid"
        role="grid"
        aria-label={say('drawer.traffic')}
        aria-rowcount={lines.length + 1}
        tabIndex={0}
        ref={scroller}
        onScroll={(event) => {
          const element = event.currentTarget;
          follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < 3 * rowHeight;
        }}
        onKeyDown={(event) => {
          const at = shown.findIndex((frame) => frame.id === selected);
          const next =
            event.key === 'ArrowDown'
              ? at + 1
              : event.key === 'ArrowUp'
                ? at - 1
                : event.key === 'Home'
                  ? 0
                  : event.key === 'End'
                    ? shown.length - 1
                    : null;
          if (next === null) return;
          event.preventDefault();
          follows.current = false;
          setSelected(shown[Math.min(shown.length - 1, Math.max(0, next))]?.id ?? null);
        }}
      >
        <div className="fr th" role="row">
          {(['col.time', 'col.delta', 'col.dir', 'col.unit.id', 'col.meaning', 'col.bytes', 'col.verdict'] as const).map((word) => (
            <div key={word} role="columnheader">
              {say(word)}
            </div>
          ))}
        </div>
        {lines.length === 0 && <p className="empty">{say(frames.length === 0 ? 'traffic.none' : 'traffic.filtered')}</p>}
        <div className="rows" role="presentation" ref={(element) => element?.style.setProperty('--rows', `${rows.getTotalSize()}px`)}>
          {rows.getVirtualItems().map((item) => {
            const entry = lines[item.index];
            if (!entry) return null;
            return entry.why ? (
              <Why key={item.key} text={entry.frame.note ?? ''} top={item.start} />
            ) : (
              <Frame
                key={item.key}
                frame={entry.frame}
                kind={kinds.get(entry.frame.connection) ?? 'rtu'}
                top={item.start}
                selected={entry.frame.id === selected}
                onSelect={() => setSelected(entry.frame.id)}
              />
            );
          })}
        </div>
      </div>
      {chosen && (
        <p className="frame-detail mono">
          {chosen.connection} · {chosen.at} · {formatBytes(chosen.bytes)}
        </p>
      )}
    </>
  );
}

function useTop(top: number) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.style.setProperty('--y', `${top}px`), [top]);
  return element;
}

function Frame({
  frame,
  kind,
  top,
  selected,
  onSelect,
}: {
  frame: ShownFrame;
  kind: Parameters<typeof frameMeaning>[2];
  top: number;
  selected: boolean;
  onSelect: () => void;
}) {
  const { say } = useWords();
  const meaning = frameMeaning(frame.bytes, frame.direction, kind, say);
  const fault = isFault(frame);
  const sent = frame.direction === 'tx' && !fault;
  return (
    <div ref={useTop(top)} className={`fr ${frame.direction} ${fault ? 'err' : ''}`} role="row" aria-selected={selected} onClick={onSelect}>
      <div role="gridcell" className="mono">
        {clockTime(Date.parse(frame.at), true)}
      </div>
      <div role="gridcell" className="d">
        {frame.deltaMs === null ? unknownValue : Math.round(frame.deltaMs)}
      </div>
      <div role="gridcell" className="dir">
        {say(frame.direction === 'tx' ? 'frame.tx' : 'frame.rx')}
      </div>
      <div role="gridcell">{meaning.unit ?? unknownValue}</div>
      <div role="gridcell" className="cut">
        {meaning.words}
      </div>
      <div role="gridcell" className="mono cut">
        {formatBytes(frame.bytes)}
      </div>
      <div role="gridcell" className="v">
        {fault ? (
          frame.verdict === 'incomplete' ? (
            <Clock aria-hidden="true" className="i" />
          ) : (
            <X aria-hidden="true" className="i" />
          )
        ) : sent ? null : (
          <Check aria-hidden="true" className="i" />
        )}
        {sent
          ? say('verdict.sent')
          : frame.verdict === 'ok'
            ? say(frame.crcValid === null ? 'verdict.ok' : 'crc.ok')
            : say(`verdict.${frame.verdict}`)}
      </div>
    </div>
  );
}

function Why({ text, top }: { text: string; top: number }) {
  return (
    <div ref={useTop(top)} className="fr why" role="row">
      <div role="gridcell" className="why-cell cut" title={text}>
        <Search aria-hidden="true" className="i" />
        {visible(text)}
      </div>
    </div>
  );
}
