import { Type, type Static } from 'typebox';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { ToolDeps } from './deps.ts';
import { planTagWrite } from './planWrite.ts';
import { closed, plain, writeResult } from './schema.ts';
import { tagOf } from './target.ts';

const parameters = Type.Object(
  {
    tag: Type.String({ minLength: 1, maxLength: 120 }),
    value: Type.Unsafe<number | boolean | string>({
      type: ['number', 'boolean', 'string'],
      maxLength: 250,
      description: "in the tag's unit",
    }),
  },
  closed,
);
type Args = Static<typeof parameters>;

export function tagWrite({ plant, devices }: Pick<ToolDeps, 'plant' | 'devices'>): ToolDefinition {
  return {
    contract: {
      name: 'tag_write',
      title: { en: 'Write a tag', zh: '写入点位' },
      description: { en: 'Write one value to a tag. A person must approve it.', zh: '向点位写入一个值，须由人员批准。' },
      parameters: plain(parameters),
      returnSchema: plain(writeResult),
      executionTimeoutMs: 10_000,
      isDeterministic: false,
      effect: 'write-plant',
      fallback: 'none',
      undo: 'before-value',
    },
    wires(args) {
      const tag = plant.tag((args as Args).tag);
      const device = tag === undefined ? undefined : plant.device(tag.device);
      return device === undefined ? [] : [device.connection];
    },
    async plan(args, context) {
      const { tag, value } = args as Args;
      return [await planTagWrite({ plant, devices }, tagOf(plant, tag), value, context.signal)];
    },
  };
}
