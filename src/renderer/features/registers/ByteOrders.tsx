import { useEffect, useRef } from 'react';
import type { TagConfig } from '../../../shared/contracts/plant.ts';
import { toReference } from '../../../shared/modbus/addresses.ts';
import type { Shown } from '../../client/quality.ts';
import { formatAge, formatHex, formatNumber } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { orderTable, shownCell } from './byteOrders.ts';

/** Every reading of one block at once, over the columns range to reference; never over tags or values. */
export function ByteOrders({ tag, unitId, shown, onClose }: { tag: TagConfig; unitId: number | null; shown: Shown; onClose: () => void }) {
  const { say, both, lang } = useWords();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  const raw = shown.state === 'none' ? [] : shown.reading.raw;
  const isBits = tag.table === 'coil' || tag.table === 'discrete';
  const table = raw.length > 0 && !isBits ? orderTable(tag, raw) : null;
  const last = tag.address + Math.max(1, raw.length) - 1;
  const span =
    last > tag.address ? `${toReference(tag.table, tag.address)}–${toReference(tag.table, last)}` : toReference(tag.table, tag.address);
  const wire = last > tag.address ? `${tag.address}–${last}` : String(tag.address);
  const { min, max } = tag.range;
  return (
    <div
      className="pop orders"
      role="dialog"
      aria-label={say('orders.title', { tag: both(tag.name) })}
      tabIndex={-1}
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
    >
      <h3>
        {say('orders.title', { tag: both(tag.name) })}
        <button type="button" className="key-button" onClick={onClose} aria-label={say('close')}>
          <kbd>{say('key.escape')}</kbd>
        </button>
      </h3>
      <p className="sec">
        {say('orders.where', { unit: unitId ?? '?', references: span, wire })}{' '}
        {raw.length > 0 && <span className="mono">{isBits ? raw.join(' ') : raw.map(formatHex).join(' ')}</span>}{' '}
        {shown.state !== 'none' && shown.ageMs !== null && `· ${formatAge(shown.ageMs, lang)}`}
      </p>
      {!table && <p>{say(isBits ? 'orders.bits' : 'orders.none')}</p>}
      {table && (
        <>
          <table>
            <thead>
              <tr>
                <th scope="col">{say('orders.order')}</th>
                {table.types.map((type) => (
                  <th scope="col" key={type}>
                    {type}
                  </th>
                ))}
                <th scope="col">
                  {min !== null && max !== null
                    ? say('orders.in', { min: formatNumber(min, 0), max: formatNumber(max, 0) })
                    : say('orders.in.unknown')}
                </th>
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row) => (
                <tr key={row.order} className={row.used ? 'used' : ''}>
                  <th scope="row" className="mono">
                    {row.order}
                  </th>
                  {row.cells.map((cell, i) => (
                    <td key={table.types[i]}>{shownCell(cell)}</td>
                  ))}
                  <td
                    className={row.inRange === 'no' ? 'sec' : ''}
                  >{`${say(`orders.${row.inRange}`)}${row.used ? `, ${say('orders.used')}` : ''}`}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {table.rows.every((row) => row.inRange === 'no') && <p>{say('orders.noneFits')}</p>}
          <dl className="facts">
            {table.words.map((word, i) => (
              <div className="facts-row" key={i}>
                <dt className="mono">{formatHex(raw[i] ?? 0)}</dt>
                <dd>
                  {say('orders.word', {
                    signed: shownCell(String(word.signed)),
                    unsigned: shownCell(String(word.unsigned)),
                    bits: word.bits,
                    ascii: word.ascii,
                  })}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </div>
  );
}
