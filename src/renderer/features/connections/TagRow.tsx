import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { ModbusTable } from '../../../shared/contracts/approvals.ts';
import type { TagConfig, WireType, WordOrder } from '../../../shared/contracts/plant.ts';
import { readFunction, toReference } from '../../../shared/modbus/addresses.ts';
import { ChoiceField, NumberField, TextField } from '../../ui/Field.tsx';
import { formatHex } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { RemoveButton } from './RemoveButton.tsx';
import { changeTag, edit, removeTag } from './draft.ts';
import type { Why } from './problems.ts';

const tables: readonly ModbusTable[] = ['holding', 'input', 'coil', 'discrete'];
const wordTypes: readonly WireType[] = [
  'uint16',
  'int16',
  'uint32',
  'int32',
  'float32',
  'uint64',
  'int64',
  'float64',
  'bcd16',
  'bcd32',
  'string',
  'bit',
];
const orders: readonly WordOrder[] = ['ABCD', 'CDAB', 'BADC', 'DCBA'];

/** What a tag needs to be read and understood; what is rarer (sentinels, groups, normal limits) stays as the file has it. */
export function TagRow({ tag, index, why }: { tag: TagConfig; index: number; why: Why }) {
  const { say, lang } = useWords();
  const [open, setOpen] = useState(false);
  const at = `/tags/${index}`;
  const change = (patch: Partial<TagConfig>): void => edit((old) => changeTag(old, index, { ...tag, ...patch }));
  const bits = tag.table === 'coil' || tag.table === 'discrete';
  const hint = Number.isInteger(tag.address) && tag.address >= 0 && tag.address <= 65_535 ? addressWords() : undefined;
  const canWrite = tag.table === 'holding' || tag.table === 'coil';
  return (
    <section className="dev" aria-label={tag.name[lang]}>
      <button type="button" className="conn-top" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <ChevronDown aria-hidden="true" className="i" /> : <ChevronRight aria-hidden="true" className="i" />}
        <span className="cut grow">{tag.name[lang]}</span>
        <span className="label mono">{hint === undefined ? '' : `${toReference(tag.table, tag.address)} · ${tag.type}`}</span>
      </button>
      {open && (
        <div className="conn-body">
          <div className="fields">
            <TextField label={say('tag.id')} value={tag.id} problem={why(`${at}/id`)} onChange={(id) => change({ id })} />
            <ChoiceField
              label={say('tag.table')}
              value={tag.table}
              problem={why(`${at}/table`)}
              options={tables.map((value) => ({ value, label: say(`table.${value}`) }))}
              onChange={(table) =>
                change({
                  table,
                  type: table === 'coil' || table === 'discrete' ? 'bool' : tag.type === 'bool' ? 'uint16' : tag.type,
                  write: { ...tag.write, allowed: tag.write.allowed && (table === 'holding' || table === 'coil') },
                })
              }
            />
            <TextField
              label={say('connections.name.en')}
              value={tag.name.en}
              problem={why(`${at}/name/en`)}
              onChange={(en) => change({ name: { ...tag.name, en } })}
            />
            <TextField
              label={say('connections.name.zh')}
              value={tag.name.zh}
              problem={why(`${at}/name/zh`)}
              onChange={(zh) => change({ name: { ...tag.name, zh } })}
            />
            <NumberField
              label={say('tag.address')}
              value={tag.address}
              hint={hint}
              problem={why(`${at}/address`)}
              onChange={(address) => change({ address: address as number })}
            />
            {!bits && (
              <>
                <ChoiceField<WireType>
                  label={say('tag.type')}
                  value={tag.type}
                  problem={why(`${at}/type`)}
                  options={wordTypes.map((value) => ({ value, label: value }))}
                  onChange={(type) => change({ type })}
                />
                <ChoiceField<WordOrder>
                  label={say('tag.order')}
                  value={tag.order}
                  problem={why(`${at}/order`)}
                  options={orders.map((value) => ({ value, label: value }))}
                  onChange={(order) => change({ order })}
                />
                {tag.type === 'bit' && (
                  <NumberField
                    label={say('tag.bit')}
                    value={tag.bit}
                    problem={why(`${at}/bit`) ?? why(at)}
                    onChange={(bit) => change({ bit: bit as number })}
                  />
                )}
                {tag.type === 'string' && (
                  <NumberField
                    label={say('tag.length')}
                    value={tag.length}
                    problem={why(`${at}/length`) ?? why(at)}
                    onChange={(length) => change({ length: length as number })}
                  />
                )}
                <NumberField
                  label={say('tag.scale')}
                  value={tag.scale}
                  problem={why(`${at}/scale`)}
                  onChange={(scale) => change({ scale: scale as number })}
                />
                <NumberField
                  label={say('tag.decimals')}
                  value={tag.decimals}
                  problem={why(`${at}/decimals`)}
                  onChange={(decimals) => change({ decimals: decimals as number })}
                />
                <TextField label={say('tag.unit')} value={tag.unit} problem={why(`${at}/unit`)} onChange={(unit) => change({ unit })} />
                <NumberField
                  label={say('tag.min')}
                  value={tag.range.min}
                  problem={why(`${at}/range/min`) ?? why(`${at}/range`)}
                  onChange={(min) => change({ range: { ...tag.range, min } })}
                />
                <NumberField
                  label={say('tag.max')}
                  value={tag.range.max}
                  problem={why(`${at}/range/max`)}
                  onChange={(max) => change({ range: { ...tag.range, max } })}
                />
              </>
            )}
          </div>
          <label className="check">
            <input
              type="checkbox"
              checked={tag.write.allowed}
              disabled={!canWrite}
              onChange={(event) =>
                change({ write: { ...tag.write, allowed: event.target.checked, min: tag.range.min, max: tag.range.max } })
              }
            />
            {say('tag.writable')}
            <span className="sec">{say(canWrite ? 'tag.writable.explain' : 'tag.writable.never')}</span>
          </label>
          <div className="sheet-adds">
            <RemoveButton
              label={say('tag.remove')}
              question={say('tag.remove.ask', { id: tag.id })}
              onRemove={() => edit((old) => removeTag(old, index))}
            />
          </div>
        </div>
      )}
    </section>
  );

  function addressWords(): string {
    return say('tag.address.hint', {
      reference: toReference(tag.table, tag.address),
      fc: `FC0${readFunction[tag.table]}`,
      wire: tag.address,
      hex: formatHex(tag.address),
    });
  }
}
