import type { PlantFile, TagConfig } from '../../shared/contracts/plant.ts';
import type { World, WorldDevice, WorldTag } from '../../shared/planner/types.ts';

/** The plant as the built-in planner sees it. `now` is local plant time without an offset. */
export function worldOf(
  file: PlantFile,
  ports: readonly string[],
  now: string,
  isConnected: (device: string) => boolean = () => true,
): World {
  return {
    now,
    serial_ports: [...ports],
    devices: file.devices.map((device): WorldDevice => {
      const connection = file.connections.find((c) => c.id === device.connection);
      const link = connection?.serial
        ? { port: connection.serial.path, baud: connection.serial.baud }
        : { host: connection?.host ?? '', tcp_port: connection?.port ?? 502 };
      return {
        id: device.id,
        unit: device.unitId,
        link,
        connected: isConnected(device.id),
        aliases: distinct([...device.aliases, device.name.zh, device.name.en]),
      };
    }),
    tags: file.tags.map(worldTag),
  };
}

function worldTag(tag: TagConfig): WorldTag {
  const isBool = tag.type === 'bool' || tag.type === 'bit';
  // A narrower write range rules what may be asked of a writable tag; the reading may lie wider.
  const min = tag.write.allowed ? (tag.write.min ?? tag.range.min) : tag.range.min;
  const max = tag.write.allowed ? (tag.write.max ?? tag.range.max) : tag.range.max;
  return {
    name: tag.id,
    ...(tag.unit === '' ? {} : { unit: tag.unit }),
    ...(isBool ? { type: 'bool' } : tag.type === 'string' ? { type: 'string' } : {}),
    ...(min === null ? {} : { min }),
    ...(max === null ? {} : { max }),
    write: tag.write.allowed,
    aliases: distinct([tag.name.zh, ...tag.aliases.zh, tag.name.en, ...tag.aliases.en]),
  };
}

const distinct = (texts: readonly string[]): string[] =>
  texts.filter((t, i) => texts.findIndex((other) => other.toLowerCase() === t.toLowerCase()) === i);

/** A moment as local plant time, `YYYY-MM-DDTHH:MM:SS`. */
export function localTime(at: number): string {
  const d = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}
