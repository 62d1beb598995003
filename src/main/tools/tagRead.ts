import { Type, type Static } from 'typebox';
import { HandrailError } from '../../shared/errors.ts';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { ReadingResult } from '../../shared/contracts/toolResults.ts';
import type { ToolDeps } from './deps.ts';
import { bilingual, choice, closed, image, nullable, orders, plain, scalar, table, tagNames, wireError } from './schema.ts';
import { showReading } from './show.ts';
import { tagOf } from './target.ts';

const parameters = Type.Object({ tags: tagNames }, closed);
type Args = Static<typeof parameters>;

export const readingSchema = Type.Object(
  {
    tag: Type.String(),
    name: bilingual,
    value: nullable(scalar),
    unit: Type.String(),
    quality: choice(['good', 'uncertain', 'stale', 'bad']),
    read_at: nullable(Type.String()),
    age_ms: nullable(Type.Number()),
    reason: nullable(Type.String()),
    device: Type.String(),
    unit_id: Type.Integer(),
    table,
    address: Type.Integer(),
    reference: Type.String(),
    raw: nullable(image),
    type: Type.String(),
    order: choice(orders),
    error: nullable(wireError),
    last_known: nullable(Type.Object({ value: scalar, read_at: Type.String(), age_ms: Type.Number() }, closed)),
  },
  closed,
);

/** Current values by tag. One bad tag does not blank the others; when all fail, the contract's fallback says so. */
export function tagRead({ plant, clock }: Pick<ToolDeps, 'plant' | 'clock'>): ToolDefinition {
  return {
    contract: {
      name: 'tag_read',
      title: { en: 'Read tags', zh: '读取点位' },
      description: {
        en: 'Read current values of tags by name. Each value has its unit, quality and age.',
        zh: '按名称读取点位的当前值，附单位、质量和时效。',
      },
      parameters: plain(parameters),
      returnSchema: plain(Type.Object({ readings: Type.Array(readingSchema) }, closed)),
      executionTimeoutMs: 10_000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'last-known',
      undo: 'none',
    },
    wires: (args) =>
      [...new Set((args as Args).tags.map((name) => plant.device(safeDevice(name))?.connection ?? ''))].filter((w) => w !== ''),
    async run(args, context) {
      const tags = (args as Args).tags.map((name) => tagOf(plant, name));
      const before = tags.map((tag) => plant.lastKnown(tag.id));
      const { readings, crcValid } = await plant.readTags(
        tags.map((tag) => tag.id),
        { priority: context.priority, signal: context.signal },
      );
      context.note({ crc_valid: crcValid });
      const allFailed = readings.every((r) => r.quality === 'bad' && r.error !== null);
      const first = readings[0];
      if (allFailed && first?.quality === 'bad')
        throw first.error ?? new HandrailError('DEVICE_NO_ANSWER', { detail: { unit: first.tag } });
      const now = clock.now();
      return { readings: readings.map((reading, i) => showReading(plant, reading, { now, lang: context.lang, last: before[i] })) };
    },
    lastKnown(args, context) {
      const now = clock.now();
      const readings: ReadingResult[] = [];
      for (const name of (args as Args).tags) {
        const known = plant.lastKnown(tagOf(plant, name).id);
        if (known === undefined || known.quality === 'bad') return undefined;
        // Whatever its age: it was not read now, so it is not good now.
        readings.push(showReading(plant, { ...known, quality: 'stale', reason: known.reason ?? 'stale' }, { now, lang: context.lang }));
      }
      return { result: { readings }, ageMs: Math.max(...readings.map((r) => r.age_ms ?? 0)) };
    },
  };

  function safeDevice(name: string): string {
    try {
      return tagOf(plant, name).device;
    } catch {
      return '';
    }
  }
}
