import { HandrailError } from '../../shared/errors.ts';
import type { ModbusTable } from '../../shared/contracts/approvals.ts';
import type { DeviceConfig, Plant, TagConfig } from '../../shared/contracts/plant.ts';
import { widthOf } from '../../shared/plant/tagValue.ts';

export type Who = { unit?: number; device?: string; connection?: string };
export type Station = { device: DeviceConfig | null; deviceId: string; connection: string; unitId: number };

const squeeze = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_#号]/g, '');

/** The station a call names: by device, or by a unit that is unique in the plant (else the connection decides). */
export function stationOf(plant: Plant, who: Who): Station {
  const { file } = plant;
  if ((who.unit === undefined) === (who.device === undefined)) {
    throw invalid('name either unit or device', '请给出 unit 或 device 其一');
  }
  if (who.connection !== undefined && !file.connections.some((c) => c.id === who.connection)) {
    throw new HandrailError('DEVICE_UNKNOWN', { detail: { device: who.connection, known: file.connections.map((c) => c.id).join(', ') } });
  }
  if (who.device !== undefined) {
    const name = who.device;
    const device =
      file.devices.find((d) => d.id === name) ??
      file.devices.find((d) => [d.id, d.name.en, d.name.zh, ...d.aliases].some((a) => squeeze(a) === squeeze(name)));
    if (device === undefined)
      throw new HandrailError('DEVICE_UNKNOWN', { detail: { device: name, known: file.devices.map((d) => d.id).join(', ') } });
    if (who.connection !== undefined && who.connection !== device.connection)
      throw invalid(`${device.id} is on connection ${device.connection}`, `${device.id} 在连接 ${device.connection} 上`);
    return { device, deviceId: device.id, connection: device.connection, unitId: device.unitId };
  }
  const unitId = who.unit!;
  const matches = file.devices.filter((d) => d.unitId === unitId && (who.connection === undefined || d.connection === who.connection));
  if (matches.length > 1) {
    const wires = matches.map((d) => d.connection).join(', ');
    throw invalid(
      `unit ${unitId} is on several connections (${wires}); name the connection or the device`,
      `站号 ${unitId} 在多个连接上（${wires}），请指明 connection 或 device`,
    );
  }
  const [device] = matches;
  if (device !== undefined) return { device, deviceId: device.id, connection: device.connection, unitId };
  const connection = who.connection ?? (file.connections.length === 1 ? file.connections[0]!.id : undefined);
  if (connection === undefined) {
    const known = file.devices.map((d) => `${d.id} (${d.unitId})`).join(', ');
    throw invalid(
      `unit ${unitId} is not in the plant file; name the connection. Known: ${known}`,
      `工厂文件中没有站号 ${unitId}，请指明 connection。已知：${known}`,
    );
  }
  return { device: null, deviceId: `${connection}/${unitId}`, connection, unitId };
}

/** The tag a name means: its id exactly, or one full name or alias. Never a part of one, never two. */
export function tagOf(plant: Plant, name: string): TagConfig {
  const exact = plant.tag(name);
  if (exact !== undefined) return exact;
  const matches = plant.file.tags.filter((t) =>
    [t.id, t.name.en, t.name.zh, ...t.aliases.en, ...t.aliases.zh].some((a) => squeeze(a) === squeeze(name)),
  );
  if (matches.length === 1) return matches[0]!;
  const known = (matches.length > 1 ? matches : plant.file.tags).map((t) => t.id);
  throw new HandrailError('DEVICE_TAG_UNKNOWN', {
    detail: { tag: name, known: known.slice(0, 40).join(', ') + (known.length > 40 ? ' …' : '') },
  });
}

/** The tags whose registers touch these addresses. */
export function tagsTouching(plant: Plant, station: Station, table: ModbusTable, address: number, length: number): TagConfig[] {
  return plant.file.tags.filter(
    (t) => t.device === station.device?.id && t.table === table && t.address < address + length && address < t.address + widthOf(t),
  );
}

export const invalid = (en: string, zh: string): HandrailError =>
  new HandrailError('ARGS_INVALID', {
    detail: { reason: en },
    message: { en: `The arguments do not fit: ${en}.`, zh: `参数不符合要求：${zh}。` },
  });
