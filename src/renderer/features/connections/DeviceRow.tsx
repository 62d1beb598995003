import { ChevronDown, ChevronRight, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ConnectionConfig } from '../../../shared/contracts/devices.ts';
import type { DeviceConfig, PlantFile } from '../../../shared/contracts/plant.ts';
import { NumberField, TextField } from '../../ui/Field.tsx';
import { useWords } from '../../words/words.ts';
import { ReadRegisters } from './ReadRegisters.tsx';
import { RemoveButton } from './RemoveButton.tsx';
import { TagRow } from './TagRow.tsx';
import { addTag, changeDevice, edit, removeDevice } from './draft.ts';
import type { Why } from './problems.ts';

export function DeviceRow({
  file,
  index,
  device,
  connection,
  saved,
  why,
}: {
  file: PlantFile;
  index: number;
  device: DeviceConfig;
  connection: ConnectionConfig;
  saved: boolean;
  why: Why;
}) {
  const { say, lang } = useWords();
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState(20);
  const at = `/devices/${index}`;
  const change = (patch: Partial<DeviceConfig>): void => edit((old) => changeDevice(old, index, { ...device, ...patch }));
  const tags = file.tags.map((tag, i) => ({ tag, i })).filter(({ tag }) => tag.device === device.id);
  return (
    <section className="dev" aria-label={device.name[lang]}>
      <button type="button" className="conn-top" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <ChevronDown aria-hidden="true" className="i" /> : <ChevronRight aria-hidden="true" className="i" />}
        <span className="cut grow">{device.name[lang]}</span>
        <span className="label">
          {say('unit.n', { n: device.unitId })} · {say('device.tags', { n: tags.length })}
        </span>
      </button>
      {open && (
        <div className="conn-body">
          <div className="fields">
            <TextField label={say('device.id')} value={device.id} problem={why(`${at}/id`)} onChange={(id) => change({ id })} />
            <NumberField
              label={say('device.unit')}
              value={device.unitId}
              problem={why(`${at}/unitId`)}
              onChange={(unitId) => change({ unitId: unitId as number })}
            />
            <TextField
              label={say('connections.name.en')}
              value={device.name.en}
              problem={why(`${at}/name/en`)}
              onChange={(en) => change({ name: { ...device.name, en } })}
            />
            <TextField
              label={say('connections.name.zh')}
              value={device.name.zh}
              problem={why(`${at}/name/zh`)}
              onChange={(zh) => change({ name: { ...device.name, zh } })}
            />
          </div>
          {tags.slice(0, shown).map(({ tag, i }) => (
            <TagRow key={i} tag={tag} index={i} why={why} />
          ))}
          {tags.length > shown && (
            <button type="button" className="btn small" onClick={() => setShown(shown + 100)}>
              {say('device.more', { n: tags.length - shown })}
            </button>
          )}
          <div className="sheet-adds">
            <button type="button" className="btn small" onClick={() => edit((old) => addTag(old, device.id))}>
              <Plus aria-hidden="true" className="i" />
              {say('tag.add')}
            </button>
            <RemoveButton
              label={say('device.remove')}
              question={say('device.remove.ask', { id: device.id, tags: tags.length })}
              onRemove={() => edit((old) => removeDevice(old, device.id))}
            />
          </div>
          <ReadRegisters connection={connection.id} device={device} saved={saved} />
        </div>
      )}
    </section>
  );
}
