import type { ModbusTable } from '../../shared/contracts/approvals.ts';
import type { PlantFile, TagConfig } from '../../shared/contracts/plant.ts';
import { widthOf } from '../../shared/plant/tagValue.ts';

export type NeverWritten = { device: string; table: ModbusTable; from: number; to: number };

/** The two tables that can be written at all. */
const writable: readonly ModbusTable[] = ['holding', 'coil'];
const lastAddress = 65_535;

/**
 * What the plant file marks as belonging to a safety function: whole devices, ranges of a device, single tags. Nothing of it is
 * ever written by Handrail, armed or not, consented to or not (it is no safety system; see the limits in the README).
 */
export function neverWritten({ devices, tags }: Pick<PlantFile, 'devices' | 'tags'>): NeverWritten[] {
  const marked = [
    ...devices.flatMap(({ id, safety, neverWrite = [] }): NeverWritten[] => [
      ...(safety === true ? writable.map((table) => ({ device: id, table, from: 0, to: lastAddress })) : []),
      ...neverWrite.map((range) => ({ device: id, ...range })),
    ]),
    ...tags.filter((tag) => tag.safety === true).map((tag) => ({ device: tag.device, ...spanOf(tag) })),
  ];
  // The same station under another name is the same station.
  const station = new Map(devices.map((device) => [device.id, `${device.connection}\0${device.unitId}`]));
  return marked.flatMap((range) =>
    devices.filter((d) => station.get(d.id) === station.get(range.device)).map((d) => ({ ...range, device: d.id })),
  );
}

/** Does a tag lie, even in part, in what is never written? */
export function isNeverWritten(ranges: readonly NeverWritten[], tag: TagConfig): boolean {
  const { table, from, to } = spanOf(tag);
  return ranges.some((range) => range.device === tag.device && range.table === table && range.from <= to && from <= range.to);
}

const spanOf = (tag: TagConfig): Omit<NeverWritten, 'device'> => ({
  table: tag.table,
  from: tag.address,
  to: tag.address + widthOf(tag) - 1,
});
