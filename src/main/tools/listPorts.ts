import { Type } from 'typebox';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { ToolDeps } from './deps.ts';
import { closed, nullable, plain, wireError } from './schema.ts';

const returns = Type.Object(
  {
    ports: Type.Array(Type.Object({ path: Type.String(), description: Type.String(), present: Type.Boolean() }, closed)),
    connections: Type.Array(
      Type.Object(
        {
          connection: Type.String(),
          kind: Type.String(),
          where: Type.String(),
          state: Type.String(),
          devices: Type.Array(Type.String()),
          error: nullable(wireError),
        },
        closed,
      ),
    ),
  },
  closed,
);

/** The serial ports of this machine, also those the plant file names and that are not there, and the state of each connection. */
export function listPorts({ plant, devices, listPorts: find }: Pick<ToolDeps, 'plant' | 'devices' | 'listPorts'>): ToolDefinition {
  return {
    contract: {
      name: 'list_ports',
      title: { en: 'List ports', zh: '列出端口' },
      description: { en: 'List serial ports and the state of all connections.', zh: '列出串口和所有连接的状态。' },
      parameters: plain(Type.Object({}, closed)),
      returnSchema: plain(returns),
      executionTimeoutMs: 5000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'none',
      undo: 'none',
    },
    async run(_args, context) {
      const found = await find();
      const health = new Map(devices.health().map((h) => [h.connection, h]));
      const named = plant.file.connections.flatMap((c) => (c.serial === undefined ? [] : [c.serial.path]));
      const missing = [...new Set(named)].filter((path) => !found.some((p) => p.path === path));
      return {
        ports: [
          ...found.map((p) => ({
            path: p.path,
            description: [p.manufacturer, p.serialNumber].filter((x) => x !== null).join(' '),
            present: true,
          })),
          ...missing.map((path) => ({ path, description: '', present: false })),
        ],
        connections: plant.file.connections.map((c) => ({
          connection: c.id,
          kind: c.kind,
          where:
            c.serial === undefined
              ? `${c.host ?? ''}:${c.port ?? 502}`
              : `${c.serial.path} ${c.serial.baud} ${c.serial.dataBits}${c.serial.parity[0]!.toUpperCase()}${c.serial.stopBits}`,
          state: health.get(c.id)?.state ?? 'closed',
          devices: plant.file.devices.filter((d) => d.connection === c.id).map((d) => d.id),
          error: health.get(c.id)?.error?.toWire(context.lang) ?? null,
        })),
      };
    },
  };
}
