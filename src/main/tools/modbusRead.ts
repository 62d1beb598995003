import { Type, type Static } from 'typebox';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { WireReply } from '../../shared/contracts/devices.ts';
import type { WireType, WordOrder } from '../../shared/contracts/plant.ts';
import { decodeValue, readFunction, registerCount, toReference } from '../../shared/modbus/index.ts';
import { isBitTable, protocolLimits } from '../../shared/plant/planRequests.ts';
import { reasonTexts } from '../../shared/plant/tagValue.ts';
import type { ToolDeps } from './deps.ts';
import { choice, closed, image, nullable, orders, plain, scalar, table, who, wireTypes } from './schema.ts';
import { shown } from './show.ts';
import { invalid, stationOf, tagsTouching } from './target.ts';

const parameters = Type.Object(
  {
    ...who,
    table,
    address: Type.Integer({ minimum: 0, maximum: 65535, description: 'zero-based' }),
    count: Type.Integer({ minimum: 1, maximum: 2000, description: 'values' }),
    type: Type.Optional(choice(wireTypes, 'default uint16')),
    order: Type.Optional(choice(orders, 'default ABCD')),
  },
  closed,
);
type Args = Static<typeof parameters>;

const returns = Type.Object(
  {
    device: nullable(Type.String()),
    connection: Type.String(),
    unit: Type.Integer(),
    table,
    address: Type.Integer(),
    reference: Type.String(),
    count: Type.Integer(),
    type: Type.String(),
    order: choice(orders),
    values: Type.Array(
      Type.Object(
        {
          address: Type.Integer(),
          reference: Type.String(),
          value: nullable(scalar),
          raw: image,
          quality: choice(['good', 'uncertain', 'bad']),
          reason: nullable(Type.String()),
          tag: nullable(Type.String()),
        },
        closed,
      ),
    ),
    read_at: Type.String(),
    age_ms: Type.Number(),
  },
  closed,
);

/** Registers or bits as they are. Long reads are split at the device's limit, never inside a value. */
export function modbusRead({ plant, devices, clock }: Pick<ToolDeps, 'plant' | 'devices' | 'clock'>): ToolDefinition {
  return {
    contract: {
      name: 'modbus_read',
      title: { en: 'Read registers', zh: '读取寄存器' },
      description: {
        en: 'Read registers or bits of a station by address. Name unit or device.',
        zh: '按地址读取站号的寄存器或位；给出 unit 或 device。',
      },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 10_000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'none',
      undo: 'none',
    },
    wires(args) {
      try {
        return [stationOf(plant, args).connection];
      } catch {
        return [];
      }
    },
    async run(args, context) {
      const asked = args as Args;
      const station = stationOf(plant, asked);
      if (station.unitId === 0) throw invalid('unit 0 is the broadcast address and never answers', '站号 0 为广播地址，不会应答');
      const bits = isBitTable(asked.table);
      const type: WireType = asked.type ?? (bits ? 'bool' : 'uint16');
      if (bits && type !== 'bool') throw invalid(`${asked.table} holds bits, not ${type}`, `${asked.table} 是位，不是 ${type}`);
      if (type === 'string' && asked.count > 125)
        throw invalid('a text of registers is at most 125 registers long', '文本最多 125 个寄存器');
      const order: WordOrder = asked.order ?? 'ABCD';
      // A string is one value, `count` registers long; everything else is `count` values side by side.
      const width = type === 'string' ? asked.count : bits ? 1 : registerCount({ type });
      const values = type === 'string' ? 1 : asked.count;
      if (asked.address + width * values > 65536)
        throw invalid(
          `address ${asked.address} + ${width * values} lies beyond 65535`,
          `地址 ${asked.address} + ${width * values} 超出 65535`,
        );
      const limits = station.device?.limits;
      const max = bits
        ? Math.min(limits?.maxBits ?? protocolLimits.maxBits, protocolLimits.maxBits)
        : Math.min(limits?.maxRegisters ?? protocolLimits.maxRegisters, protocolLimits.maxRegisters);
      const perRequest = Math.max(width, Math.floor(max / width) * width);
      const raw: (number | boolean)[] = [];
      const replies: WireReply[] = [];
      for (let at = 0; at < width * values; at += perRequest) {
        const quantity = Math.min(perRequest, width * values - at);
        const reply = await devices.request({
          connection: station.connection,
          unitId: station.unitId,
          functionCode: readFunction[asked.table],
          address: asked.address + at,
          quantity,
          priority: context.priority,
          signal: context.signal,
        });
        raw.push(...(bits ? reply.bits! : reply.words!).slice(0, quantity));
        replies.push(reply);
      }
      context.note({ crc_valid: mergeCrc(replies), attempts: Math.max(...replies.map((r) => r.attempts)) });
      const readAt = replies[0]!.readAt; // the oldest part speaks for the whole
      const isDoubtful = replies.some((reply) => reply.unverified === true);
      const touching = tagsTouching(plant, station, asked.table, asked.address, width * values);
      return {
        device: station.device?.id ?? null,
        connection: station.connection,
        unit: station.unitId,
        table: asked.table,
        address: asked.address,
        reference: toReference(asked.table, asked.address),
        count: asked.count,
        type,
        order,
        values: Array.from({ length: values }, (_, i) => {
          const address = asked.address + i * width;
          const own = raw.slice(i * width, (i + 1) * width);
          const decoded = bits
            ? ({ quality: 'good', value: own[0] as boolean } as const)
            : decodeValue(own as number[], { type, order, length: width * 2 });
          return {
            address,
            reference: toReference(asked.table, address),
            value: decoded.quality === 'good' ? shown(decoded.value) : null,
            raw: own as number[] | boolean[],
            quality: decoded.quality === 'good' && isDoubtful ? 'uncertain' : decoded.quality,
            reason: decoded.quality === 'bad' ? decoded.reason : isDoubtful ? reasonTexts.unverified[context.lang] : null,
            tag: touching.find((t) => t.address === address)?.id ?? null,
          };
        }),
        read_at: readAt,
        age_ms: Math.max(0, clock.now() - Date.parse(readAt)),
      };
    },
  };
}

const mergeCrc = (replies: readonly WireReply[]): boolean | null =>
  replies.some((r) => r.crcValid === false) ? false : replies.some((r) => r.crcValid === true) ? true : null;
