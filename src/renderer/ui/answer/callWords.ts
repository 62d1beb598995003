import type { CallEnvelope } from '../../../shared/contracts/calls.ts';
import { visible } from '../../words/format.ts';
import type { Say, WordKey } from '../../words/words.ts';

const list = (value: unknown): string | null =>
  Array.isArray(value) ? value.map(String).join(', ') : typeof value === 'string' ? value : null;

const tables = ['holding', 'input', 'coil', 'discrete'];
const tableWords = (table: string, say: Say): string => (tables.includes(table) ? say(`table.${table}` as WordKey) : visible(table));

/** What a call does in plain words, from its own arguments. */
export function toolWords(call: CallEnvelope, say: Say): string {
  const a = call.args;
  const where = (): string =>
    [
      typeof a.unit === 'number' ? say('unit.n', { n: a.unit }) : list(a.device),
      typeof a.table === 'string' ? tableWords(a.table, say) : null,
    ]
      .filter(Boolean)
      .join(' · ');
  switch (call.tool) {
    case 'modbus_read':
      return say('call.modbus_read', { where: where(), address: String(a.address), count: Number(a.count) });
    case 'modbus_write':
      return say('call.modbus_write', { where: where(), address: String(a.address), values: list(a.values) ?? '' });
    case 'tag_write':
      return visible(`${String(a.tag)} = ${String(a.value)}`);
    case 'execute':
      return visible(list(a.lang) ?? '');
    default: {
      const words =
        list(a.tags) ?? list(a.tag) ?? list(a.filter) ?? list(a.file) ?? list(a.path) ?? list(a.port) ?? list(a.host) ?? list(a.action);
      return words === null ? '' : visible(words);
    }
  }
}
