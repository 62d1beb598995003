import { Type, type Static } from 'typebox';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import { probe } from '../devices/index.ts';
import type { ToolDeps } from './deps.ts';
import { choice, closed, nullable, plain } from './schema.ts';
import { invalid } from './target.ts';
import { ensureConnection, type Wanted } from './temporary.ts';

const parameters = Type.Object(
  {
    port: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'serial port' })),
    host: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
    baud: Type.Optional(Type.Integer({ minimum: 300, maximum: 921_600, description: 'default 9600' })),
    data_bits: Type.Optional(Type.Integer({ minimum: 7, maximum: 8, description: 'default 8' })),
    parity: Type.Optional(choice(['none', 'even', 'odd'], 'default none')),
    stop_bits: Type.Optional(Type.Integer({ minimum: 1, maximum: 2, description: 'default 1' })),
    tcp_port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: 'default 502' })),
  },
  closed,
);
const returns = Type.Object(
  {
    connection: Type.String(),
    kind: Type.String(),
    where: Type.String(),
    in_plant_file: Type.Boolean(),
    state: Type.String(),
    /** The station that was asked to see whether anybody answers; null: nobody did. */
    answered_unit: nullable(Type.Integer()),
    devices: Type.Array(Type.String()),
  },
  closed,
);

/** Opens a serial port or a Modbus TCP connection and sees whether it answers. The plant's own settings are left alone. */
export function connect({ plant, devices }: Pick<ToolDeps, 'plant' | 'devices'>): ToolDefinition {
  return {
    contract: {
      name: 'connect',
      title: { en: 'Connect', zh: '连接' },
      description: {
        en: 'Open a serial port or a Modbus TCP host; use its connection name afterwards.',
        zh: '打开串口或 Modbus TCP 主机，之后用其 connection 名。',
      },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 15_000,
      isDeterministic: false,
      effect: 'connect',
      fallback: 'ask-person',
      undo: 'none',
    },
    async run(args, context) {
      const asked = args as Static<typeof parameters>;
      const wanted = wantedOf(asked);
      const own = plant.file.connections.find((c) =>
        'host' in wanted ? c.host === wanted.host && (c.port ?? 502) === wanted.port : c.serial?.path === wanted.serial.path,
      );
      if (own?.serial !== undefined && 'serial' in wanted && differs(own.serial, asked)) {
        throw invalid(
          `${own.serial.path} belongs to connection ${own.id} with ${own.serial.baud} baud; change it in the plant file`,
          `${own.serial.path} 属于连接 ${own.id}（${own.serial.baud} 波特），请在工厂文件中更改`,
        );
      }
      const config = own ?? ensureConnection(devices, wanted).config;
      const known = plant.file.devices.filter((d) => d.connection === config.id);
      let answered: number | null = null;
      for (const unitId of known.length > 0 ? known.map((d) => d.unitId) : [1]) {
        // Opening errors come out of the first probe, with cause and remedy.
        const presence = await probe(devices, {
          connection: config.id,
          unitId,
          timeoutMs: 1000,
          priority: context.priority,
          signal: context.signal,
        });
        if (presence === null) continue;
        answered = unitId;
        break;
      }
      return {
        connection: config.id,
        kind: config.kind,
        where:
          config.serial === undefined
            ? `${config.host ?? ''}:${config.port ?? 502}`
            : `${config.serial.path} ${config.serial.baud} ${config.serial.dataBits}${config.serial.parity[0]!.toUpperCase()}${config.serial.stopBits}`,
        in_plant_file: own !== undefined,
        state: devices.health().find((h) => h.connection === config.id)?.state ?? 'open',
        answered_unit: answered,
        devices: known.map((d) => d.id),
      };
    },
  };
}

function wantedOf(asked: Static<typeof parameters>): Wanted {
  if ((asked.port === undefined) === (asked.host === undefined)) throw invalid('name either port or host', '请给出 port 或 host 其一');
  if (asked.host !== undefined) {
    if (asked.baud !== undefined || asked.parity !== undefined || asked.data_bits !== undefined || asked.stop_bits !== undefined) {
      throw invalid('a host has no line settings', '主机没有串口参数');
    }
    if (!/^[A-Za-z0-9.:_-]+$/.test(asked.host)) throw invalid('host is a name or an address', 'host 须为主机名或地址');
    return { host: asked.host, port: asked.tcp_port ?? 502 };
  }
  if (asked.tcp_port !== undefined) throw invalid('a serial port has no tcp_port', '串口没有 tcp_port');
  return {
    serial: {
      path: asked.port!,
      baud: asked.baud ?? 9600,
      dataBits: (asked.data_bits ?? 8) as 7 | 8,
      parity: asked.parity ?? 'none',
      stopBits: (asked.stop_bits ?? 1) as 1 | 2,
    },
  };
}

function differs(own: { baud: number; dataBits: number; parity: string; stopBits: number }, asked: Static<typeof parameters>): boolean {
  return (
    (asked.baud ?? own.baud) !== own.baud ||
    (asked.data_bits ?? own.dataBits) !== own.dataBits ||
    (asked.parity ?? own.parity) !== own.parity ||
    (asked.stop_bits ?? own.stopBits) !== own.stopBits
  );
}
