import { ChevronDown, ChevronRight, Plus, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ListPortsResult } from '../../../shared/contracts/toolResults.ts';
import type { ConnectionConfig, SerialSettings } from '../../../shared/contracts/devices.ts';
import type { PlantFile } from '../../../shared/contracts/plant.ts';
import { callTool } from '../../client/callTool.ts';
import { ChoiceField, NumberField, TextField } from '../../ui/Field.tsx';
import { useWords } from '../../words/words.ts';
import { ConnectionTest } from './ConnectionTest.tsx';
import { DeviceRow } from './DeviceRow.tsx';
import { RemoveButton } from './RemoveButton.tsx';
import { LineSettingsScan, UnitScan } from './Scan.tsx';
import { addDevice, changeConnection, edit, isSerial, kinds, removeConnection, useDraft, withKind, type Kind } from './draft.ts';
import { countWithin, type Why } from './problems.ts';

export function ConnectionRow({
  file,
  index,
  connection,
  saved,
  startsOpen,
  why,
}: {
  file: PlantFile;
  index: number;
  connection: ConnectionConfig;
  /** Exactly these settings are the ones in use: a scan can go over them. */
  saved: boolean;
  startsOpen: boolean;
  why: Why;
}) {
  const { say } = useWords();
  const [open, setOpen] = useState(startsOpen);
  const wrong = useDraft((state) => countWithin(state.problems, `/connections/${index}`));
  const at = `/connections/${index}`;
  const change = (patch: Partial<ConnectionConfig>): void => edit((old) => changeConnection(old, index, { ...connection, ...patch }));
  const devices = file.devices.map((device, i) => ({ device, i })).filter(({ device }) => device.connection === connection.id);
  const tags = file.tags.filter((tag) => devices.some(({ device }) => device.id === tag.device)).length;
  return (
    <section className="conn" aria-label={say('connection.named', { id: connection.id })}>
      <button type="button" className="conn-top" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <ChevronDown aria-hidden="true" className="i" /> : <ChevronRight aria-hidden="true" className="i" />}
        <b>{connection.id}</b>
        <span className="sec cut grow">
          {say(`kind.${connection.kind}`)} · {whereOf(connection)}
        </span>
        {wrong > 0 && <TriangleAlert role="img" className="i" aria-label={say('connections.problems', { n: wrong })} />}
        <span className="label">{say('connection.counts', { devices: devices.length, tags })}</span>
      </button>
      {open && (
        <div className="conn-body">
          <div className="fields">
            <TextField label={say('connection.id')} value={connection.id} problem={why(`${at}/id`)} onChange={(id) => change({ id })} />
            <ChoiceField<Kind>
              label={say('connection.kind')}
              value={connection.kind}
              problem={why(`${at}/kind`)}
              options={kinds.map((kind) => ({ value: kind, label: say(`kind.${kind}`) }))}
              onChange={(kind) => edit((old) => changeConnection(old, index, withKind(connection, kind)))}
            />
            {isSerial(connection.kind) && connection.serial ? (
              <SerialFields at={at} serial={connection.serial} why={why} onChange={(serial) => change({ serial })} />
            ) : (
              <>
                <TextField
                  label={say('connection.host')}
                  value={connection.host ?? ''}
                  problem={why(`${at}/host`)}
                  onChange={(host) => change({ host })}
                />
                <NumberField
                  label={say('connection.port')}
                  value={connection.port}
                  problem={why(`${at}/port`)}
                  onChange={(port) => change({ port: port as number })}
                />
              </>
            )}
            <NumberField
              label={say('connection.timeout')}
              value={connection.timing?.timeoutMs}
              hint={say('connection.timeout.hint')}
              problem={why(`${at}/timing/timeoutMs`)}
              onChange={(timeoutMs) => {
                const { timeoutMs: _old, ...rest } = connection.timing ?? {};
                change({ timing: timeoutMs === null ? rest : { ...rest, timeoutMs } });
              }}
            />
          </div>
          <ConnectionTest connection={connection} units={devices.map(({ device }) => device.unitId)} />
          {isSerial(connection.kind) && !saved && (
            <LineSettingsScan
              path={connection.serial?.path ?? ''}
              onFound={(found) => connection.serial && change({ serial: { ...connection.serial, ...found } })}
            />
          )}
          {devices.map(({ device, i }) => (
            <DeviceRow key={i} file={file} index={i} device={device} connection={connection} saved={saved} why={why} />
          ))}
          <div className="sheet-adds">
            <button type="button" className="btn small" onClick={() => edit((old) => addDevice(old, connection.id))}>
              <Plus aria-hidden="true" className="i" />
              {say('device.add')}
            </button>
            <RemoveButton
              label={say('connection.remove')}
              question={say('connection.remove.ask', { id: connection.id, devices: devices.length, tags })}
              onRemove={() => edit((old) => removeConnection(old, connection.id))}
            />
          </div>
          <UnitScan
            connection={connection}
            saved={saved}
            known={devices.map(({ device }) => device.unitId)}
            onAdd={(unit) => edit((old) => addDevice(old, connection.id, unit))}
          />
        </div>
      )}
    </section>
  );
}

function SerialFields({
  at,
  serial,
  why,
  onChange,
}: {
  at: string;
  serial: SerialSettings;
  why: Why;
  onChange: (serial: SerialSettings) => void;
}) {
  const { say } = useWords();
  const [ports, setPorts] = useState<ListPortsResult['ports']>([]);
  useEffect(() => {
    let gone = false;
    callTool<ListPortsResult>('list_ports', {}).then(
      (found) => !gone && setPorts(found.ports),
      () => undefined, // a port can be typed, too
    );
    return () => {
      gone = true;
    };
  }, []);
  const listId = `ports${at.replaceAll('/', '-')}`;
  const odd = serial.parity !== 'none' && serial.stopBits === 2 ? say('serial.stop.odd') : undefined;
  return (
    <>
      <TextField
        label={say('serial.path')}
        value={serial.path}
        list={listId}
        mono
        hint={ports.find((port) => port.path === serial.path)?.description || undefined}
        problem={why(`${at}/serial/path`)}
        onChange={(path) => onChange({ ...serial, path })}
      />
      <datalist id={listId}>
        {ports.map((port) => (
          <option key={port.path} value={port.path}>
            {port.description}
          </option>
        ))}
      </datalist>
      <NumberField
        label={say('serial.baud')}
        value={serial.baud}
        problem={why(`${at}/serial/baud`)}
        onChange={(baud) => onChange({ ...serial, baud: baud as number })}
      />
      <ChoiceField
        label={say('serial.parity')}
        value={serial.parity}
        options={(['none', 'even', 'odd'] as const).map((value) => ({ value, label: say(`parity.${value}`) }))}
        onChange={(parity) => onChange({ ...serial, parity })}
      />
      <ChoiceField
        label={say('serial.data')}
        value={String(serial.dataBits) as '7' | '8'}
        options={(['7', '8'] as const).map((value) => ({ value, label: value }))}
        onChange={(bits) => onChange({ ...serial, dataBits: Number(bits) as 7 | 8 })}
      />
      <ChoiceField
        label={say('serial.stop')}
        value={String(serial.stopBits) as '1' | '2'}
        problem={odd}
        options={(['1', '2'] as const).map((value) => ({ value, label: value }))}
        onChange={(bits) => onChange({ ...serial, stopBits: Number(bits) as 1 | 2 })}
      />
    </>
  );
}

export function whereOf({ serial, host, port }: ConnectionConfig): string {
  if (!serial) return `${host ?? ''}:${port ?? 502}`;
  return `${serial.path} ${serial.baud} ${serial.dataBits}${serial.parity[0]?.toUpperCase() ?? ''}${serial.stopBits}`;
}
