import { useEffect, useState } from 'react';
import type { PlantWriteItem, WriteItemState } from '../../shared/contracts/record.ts';
import { HandrailError, asHandrailError } from '../../shared/errors.ts';
import { ensureSession } from '../client/asking.ts';
import { callCore, useConnection } from '../client/connection.ts';
import { ErrorText } from '../ui/ErrorText.tsx';
import { useWords } from '../words/words.ts';

type Unknown = { key: string; write: PlantWriteItem };
type ReadBack = { value: string } | { error: HandrailError };

/**
 * Writes that were on the wire when Handrail ended: nobody knows whether they took, nothing is sent again, and a person may
 * read back what the device holds now.
 */
export function UnknownWrites() {
  const { say, both, lang } = useWords();
  const connected = useConnection((state) => state.client !== null);
  const [unknown, setUnknown] = useState<Unknown[]>([]);
  const [found, setFound] = useState<Record<string, ReadBack>>({});
  useEffect(() => {
    if (!connected) return;
    void callCore('record.unknown', {}).then(
      (rows) => setUnknown(rows.flatMap((row) => row.writes.flatMap((item, i) => unknownItem(`${row.call.call_id}/${i}`, item)))),
      () => undefined, // the record's own trouble shows in the status bar
    );
  }, [connected]);
  if (unknown.length === 0) return null;

  const readBack = async ({ key, write }: Unknown): Promise<void> => {
    const result: ReadBack = await readNow(write, lang).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: asHandrailError(error) }),
    );
    setFound((old) => ({ ...old, [key]: result }));
  };
  return (
    <section className="band unknown-writes" aria-label={say('crash.unknown')}>
      <b>{say('crash.unknown')}</b>
      <ul>
        {unknown.map((entry) => {
          const result = found[entry.key];
          const { write } = entry;
          return (
            <li key={entry.key}>
              {both(write.label)} ({write.device}, {write.reference}): {String(write.now ?? '—')} → {String(write.after)} {write.unit}{' '}
              <button type="button" className="btn small" onClick={() => void readBack(entry)}>
                {say('crash.readBack')}
              </button>{' '}
              {result && ('value' in result ? <b>{say('crash.reads', { value: result.value })}</b> : <ErrorText error={result.error} />)}
            </li>
          );
        })}
      </ul>
      <button type="button" className="btn small" onClick={() => setUnknown([])}>
        {say('crash.hide')}
      </button>
    </section>
  );
}

function unknownItem(key: string, item: WriteItemState): Unknown[] {
  return item.state === 'unknown' && item.write.kind === 'plant' ? [{ key, write: item.write }] : [];
}

/** What the device holds now, read by the usual tool and put on record like any reading. */
async function readNow(write: PlantWriteItem, lang: 'zh' | 'en'): Promise<string> {
  const sessionId = await ensureSession();
  const [tool, args] =
    write.tag === null
      ? ([
          'modbus_read',
          { unit: write.unitId, connection: write.connection, table: write.table, address: write.address, count: 1 },
        ] as const)
      : (['tag_read', { tags: [write.tag] }] as const);
  const envelope = await callCore('tool.call', { sessionId, tool, args, lang });
  if (envelope.error) {
    const { code, message, advice } = envelope.error;
    throw new HandrailError(code, { message: { en: message, zh: message }, advice: { en: advice, zh: advice } });
  }
  const result = envelope.result as { readings?: Reading[]; values?: Reading[] };
  const [reading] = result.readings ?? result.values ?? [];
  return reading === undefined || reading.value === null || reading.quality === 'bad'
    ? '—'
    : `${String(reading.value)} ${reading.unit ?? ''}`.trim();
}
type Reading = { value: number | boolean | string | null; unit?: string; quality?: string };
