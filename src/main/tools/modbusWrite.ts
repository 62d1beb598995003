import { Type, type Static } from 'typebox';
import type { ScalarValue } from '../../shared/contracts/approvals.ts';
import type { Plant, TagConfig, WireType, WordOrder } from '../../shared/contracts/plant.ts';
import type { PlannedWrite, ToolDefinition, WireImage, WriteTarget } from '../../shared/contracts/tools.ts';
import { HandrailError } from '../../shared/errors.ts';
import { decodeValue, encodeValue, registerCount, toReference } from '../../shared/modbus/index.ts';
import { decodeTag, widthOf } from '../../shared/plant/tagValue.ts';
import type { ToolDeps } from './deps.ts';
import { observe, targetOfTag, undoText } from './planWrite.ts';
import { choice, closed, orders, plain, who, writeResult } from './schema.ts';
import { shown } from './show.ts';
import { invalid, stationOf, tagsTouching, type Station } from './target.ts';

const types = ['int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'float32', 'float64'] as const;
const parameters = Type.Object(
  {
    ...who,
    table: choice(['holding', 'coil']),
    address: Type.Integer({ minimum: 0, maximum: 65535, description: 'zero-based; 40001 is holding 0' }),
    values: Type.Unsafe<(number | boolean | string)[]>({
      type: 'array',
      items: { type: ['number', 'boolean', 'string'] },
      minItems: 1,
      maxItems: 123,
    }),
    type: Type.Optional(choice(types, 'default uint16')),
    order: Type.Optional(choice(orders)),
  },
  closed,
);
type Args = Static<typeof parameters>;

/** Registers or coils by address. What tags lie there have the last word: their access, range and step hold for raw writes too. */
export function modbusWrite({ plant, devices }: Pick<ToolDeps, 'plant' | 'devices'>): ToolDefinition {
  return {
    contract: {
      name: 'modbus_write',
      title: { en: 'Write registers', zh: '写入寄存器' },
      description: {
        en: 'Write holding registers or coils by address. A person must approve it.',
        zh: '按地址写保持寄存器或线圈，须由人员批准。',
      },
      parameters: plain(parameters),
      returnSchema: plain(writeResult),
      executionTimeoutMs: 10_000,
      isDeterministic: false,
      effect: 'write-plant',
      fallback: 'none',
      undo: 'before-value',
    },
    wires(args) {
      try {
        return [stationOf(plant, args).connection];
      } catch {
        return [];
      }
    },
    async plan(args, context) {
      const asked = args as Args;
      const station = stationOf(plant, asked);
      const type: WireType = asked.type ?? 'uint16';
      const order: WordOrder = asked.order ?? 'ABCD';
      const raw: WireImage =
        asked.table === 'coil' ? coilsOf(asked) : asked.values.flatMap((value) => encodeValue(numeric(value, type), { type, order }));
      if (asked.address + raw.length > 65536)
        throw invalid(`address ${asked.address} + ${raw.length} lies beyond 65535`, `地址 ${asked.address} + ${raw.length} 超出 65535`);
      const most = asked.table === 'coil' ? 1968 : 123;
      if (raw.length > most)
        throw invalid(`${raw.length} registers do not fit one write of ${most}`, `${raw.length} 个寄存器超出一次写入的 ${most} 个`);
      const target = rawTarget(plant, station, asked, raw);
      const decode = (image: WireImage): ScalarValue | null =>
        asked.table === 'coil' ? list(image) : listOf(image as number[], type, order);
      const read = (signal: AbortSignal) => observe(devices, { ...target, length: raw.length }, decode, signal);
      const before = await read(context.signal);
      const write: PlannedWrite = {
        target,
        after: { value: decode(raw)!, raw },
        request: {
          connection: station.connection,
          unitId: station.unitId,
          address: asked.address,
          quantity: raw.length,
          ...requestOf(raw, station.device?.quirks ?? []),
        },
        read,
        undo: undoText(target, before.value),
      };
      return [write];
    },
  };
}

function coilsOf(asked: Args): boolean[] {
  if (asked.type !== undefined) throw invalid('coils have no type', '线圈没有类型');
  return asked.values.map((value) => {
    if (typeof value === 'boolean') return value;
    if (value === 0 || value === 1) return value === 1;
    throw invalid(`${JSON.stringify(value)} is no coil state; true or false`, `${JSON.stringify(value)} 不是线圈状态，须为 true 或 false`);
  });
}

/** Text is taken only for 64-bit integers, which JSON numbers cannot carry. */
function numeric(value: number | boolean | string, type: WireType): number | string {
  const wide = type === 'int64' || type === 'uint64';
  if (typeof value === 'number' || (typeof value === 'string' && wide)) return value;
  throw invalid(`${JSON.stringify(value)} is not a number`, `${JSON.stringify(value)} 不是数字`);
}

function requestOf(raw: WireImage, quirks: readonly string[]): Pick<PlannedWrite['request'], 'functionCode' | 'words' | 'bits'> {
  const single = raw.length === 1;
  if (typeof raw[0] === 'boolean') return { functionCode: single && !quirks.includes('fc15-only') ? 5 : 15, bits: raw as boolean[] };
  return { functionCode: single && !quirks.includes('fc16-only') ? 6 : 16, words: raw as number[] };
}

const list = (values: readonly (number | boolean | string)[]): ScalarValue => (values.length === 1 ? values[0]! : values.join(', '));

function listOf(words: readonly number[], type: WireType, order: WordOrder): ScalarValue | null {
  const width = registerCount({ type });
  const values: (number | boolean | string)[] = [];
  for (let i = 0; i < words.length; i += width) {
    const decoded = decodeValue(words.slice(i, i + width), { type, order });
    if (decoded.quality === 'bad') return words.map((w) => `0x${w.toString(16).padStart(4, '0')}`).join(' ');
    values.push(shown(decoded.value));
  }
  return list(values);
}

/** The plain register as a target, or the tag's own rules where tags lie there. */
function rawTarget(plant: Plant, station: Station, asked: Args, raw: WireImage): WriteTarget {
  const tags = tagsTouching(plant, station, asked.table, asked.address, raw.length);
  for (const tag of tags) judgeTag(tag, asked, raw);
  const covered =
    tags.length > 0 && raw.every((_, i) => tags.some((t) => t.address <= asked.address + i && asked.address + i < t.address + widthOf(t)));
  const names = tags.map((t) => t.id).join(', ');
  const what = `${station.deviceId} ${toReference(asked.table, asked.address)}`;
  const rules =
    tags.length === 1 && tags[0]!.address === asked.address && widthOf(tags[0]!) === raw.length ? targetOfTag(plant, tags[0]!) : null;
  return {
    tag: null,
    label: { en: names === '' ? what : `${what} (${names})`, zh: names === '' ? what : `${what}（${names}）` },
    aliases: tags.flatMap((t) => [t.id, t.name.en, t.name.zh, ...t.aliases.en, ...t.aliases.zh]),
    device: station.deviceId,
    connection: station.connection,
    unitId: station.unitId,
    table: asked.table,
    address: asked.address,
    reference: toReference(asked.table, asked.address),
    unit: '',
    // A raw number is not in the tag's unit; `judgeTag` has compared the decoded value.
    range: { min: null, max: null, maxStep: null },
    standing: tags.some((t) => !t.write.allowed) ? 'read-only' : covered ? 'listed' : 'unlisted',
    critical: tags.some((t) => t.write.critical === true),
    pulse: rules?.pulse ?? tags.some((t) => t.write.pulse === true),
  };
}

/** A raw write may not do to a tag what a tag write may not. */
function judgeTag(tag: TagConfig, asked: Args, raw: WireImage): void {
  if (!tag.write.allowed) throw new HandrailError('POLICY_READ_ONLY', { detail: { target: tag.id } });
  const at = tag.address - asked.address;
  const width = widthOf(tag);
  if (at < 0 || at + width > raw.length) {
    throw invalid(
      `the write would change only a part of ${tag.id} (${width} registers from ${tag.address})`,
      `此写入只会改变 ${tag.id} 的一部分（自 ${tag.address} 起 ${width} 个寄存器）`,
    );
  }
  const decoded = decodeTag(tag, raw.slice(at, at + width));
  if (decoded.quality === 'bad') throw new HandrailError('DEVICE_VALUE', { detail: { target: tag.id, reason: decoded.reason } });
  const { value } = decoded;
  const min = tag.write.min ?? tag.range.min;
  const max = tag.write.max ?? tag.range.max;
  if ((typeof value === 'number' || typeof value === 'bigint') && ((min !== null && value < min) || (max !== null && value > max))) {
    throw new HandrailError('POLICY_RANGE', {
      detail: { target: tag.id, value: `${value} ${tag.unit}`.trim(), min: min ?? '-∞', max: max ?? '+∞' },
    });
  }
  if (tag.write.maxStep !== null) {
    throw invalid(`${tag.id} has a step limit; write it by its name`, `${tag.id} 有步长限制，请按点位名写入`);
  }
}
