import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ModbusTable } from '../../../shared/contracts/approvals.ts';
import type { ModbusReadResult } from '../../../shared/contracts/toolResults.ts';
import type { DeviceConfig } from '../../../shared/contracts/plant.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callTool } from '../../client/callTool.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { ChoiceField, NumberField } from '../../ui/Field.tsx';
import { unknownValue } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { addTag, edit } from './draft.ts';

const tables: readonly ModbusTable[] = ['holding', 'input', 'coil', 'discrete'];

/** A look at what lies in the device, to make a tag of a register that shows what is looked for. */
export function ReadRegisters({ connection, device, saved }: { connection: string; device: DeviceConfig; saved: boolean }) {
  const { say } = useWords();
  const [table, setTable] = useState<ModbusTable>('holding');
  const [address, setAddress] = useState<number | null>(0);
  const [read, setRead] = useState<ModbusReadResult | null>(null);
  const [error, setError] = useState<HandrailError | null>(null);
  const run = async (): Promise<void> => {
    setError(null);
    try {
      setRead(
        await callTool<ModbusReadResult>('modbus_read', { connection, unit: device.unitId, table, address: address ?? 0, count: 10 }),
      );
    } catch (failure) {
      setRead(null);
      setError(asHandrailError(failure));
    }
  };
  return (
    <fieldset className="scan">
      <legend>{say('tag.read')}</legend>
      <div className="fields">
        <ChoiceField
          label={say('tag.table')}
          value={table}
          options={tables.map((value) => ({ value, label: say(`table.${value}`) }))}
          onChange={setTable}
        />
        <NumberField label={say('tag.from')} value={address} onChange={setAddress} />
      </div>
      <div className="sheet-adds">
        <button type="button" className="btn small" disabled={!saved || address === null} onClick={() => void run()}>
          {say('tag.read.ten')}
        </button>
        {!saved && <span className="sec">{say('scan.saveFirst')}</span>}
      </div>
      {error && <ErrorText error={error} />}
      {read && (
        <ul className="found">
          {read.values.map((row) => (
            <li key={row.address} className="verdict-line">
              <span className="mono">
                {row.reference} · {row.address}
              </span>
              <b className="grow right">{row.value === null ? unknownValue : String(row.value)}</b>
              {row.tag !== null ? (
                <span className="label">{row.tag}</span>
              ) : (
                <button
                  type="button"
                  className="btn small"
                  aria-label={say('tag.add.at', { reference: row.reference })}
                  onClick={() => edit((file) => addTag(file, device.id, { table, address: row.address }))}
                >
                  <Plus aria-hidden="true" className="i" />
                  {say('tag.add')}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
