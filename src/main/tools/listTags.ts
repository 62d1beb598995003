import { Type, type Static } from 'typebox';
import type { TagConfig } from '../../shared/contracts/plant.ts';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import { toReference } from '../../shared/modbus/index.ts';
import type { ToolDeps } from './deps.ts';
import { bilingual, closed, nullable, plain, table } from './schema.ts';

const parameters = Type.Object(
  { filter: Type.Optional(Type.String({ maxLength: 120, description: 'writable, readonly, or words of the name' })) },
  closed,
);
const returns = Type.Object(
  {
    total: Type.Integer(),
    tags: Type.Array(
      Type.Object(
        {
          tag: Type.String(),
          name: bilingual,
          unit: Type.String(),
          type: Type.String(),
          writable: Type.Boolean(),
          min: nullable(Type.Number()),
          max: nullable(Type.Number()),
          max_step: nullable(Type.Number()),
          device: Type.String(),
          unit_id: Type.Integer(),
          table,
          address: Type.Integer(),
          reference: Type.String(),
        },
        closed,
      ),
    ),
  },
  closed,
);

const squeeze = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_的]/g, '');

export function listTags({ plant }: Pick<ToolDeps, 'plant'>): ToolDefinition {
  return {
    contract: {
      name: 'list_tags',
      title: { en: 'List tags', zh: '列出点位' },
      description: { en: 'List the tags of the plant with unit, range and address.', zh: '列出工厂点位及其单位、范围和地址。' },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 2000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'none',
      undo: 'none',
    },
    async run(args) {
      const { filter } = args as Static<typeof parameters>;
      const tags = plant.file.tags
        .filter((tag) => matches(tag, filter ?? ''))
        .map((tag) => ({
          tag: tag.id,
          name: tag.name,
          unit: tag.unit,
          type: tag.type,
          writable: tag.write.allowed,
          min: tag.write.allowed ? (tag.write.min ?? tag.range.min) : tag.range.min,
          max: tag.write.allowed ? (tag.write.max ?? tag.range.max) : tag.range.max,
          max_step: tag.write.maxStep,
          device: tag.device,
          unit_id: plant.device(tag.device)?.unitId ?? 0,
          table: tag.table,
          address: tag.address,
          reference: toReference(tag.table, tag.address),
        }));
      return { total: tags.length, tags };
    },
  };
}

function matches(tag: TagConfig, filter: string): boolean {
  const wanted = squeeze(filter);
  if (wanted === '') return true;
  if (['writable', 'writeable', '可写'].includes(wanted)) return tag.write.allowed;
  if (['readonly', 'read-only', '只读'].includes(wanted)) return !tag.write.allowed;
  const names = [tag.id, tag.name.en, tag.name.zh, ...tag.aliases.en, ...tag.aliases.zh, tag.device, tag.group ?? '', tag.unit];
  if (names.some((name) => squeeze(name).includes(wanted))) return true;
  // "tank level" also finds "level of tank 1": every word, in any order.
  const words = filter
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s+/)
    .filter((w) => w !== '');
  return words.length > 1 && words.every((word) => names.some((name) => squeeze(name).includes(squeeze(word))));
}
