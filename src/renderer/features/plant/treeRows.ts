import type { ConnectionConfig } from '../../../shared/contracts/devices.ts';
import type { DeviceConfig, PlantFile, TagConfig } from '../../../shared/contracts/plant.ts';
import { parseAddress, toReference } from '../../../shared/modbus/addresses.ts';

export type TreeRow =
  | { kind: 'connection'; id: string; connection: ConnectionConfig; open: boolean }
  | { kind: 'device'; id: string; device: DeviceConfig; tags: TagConfig[]; open: boolean }
  | { kind: 'tag'; id: string; tag: TagConfig };

/** Connections, their devices, their tags; a search opens everything and keeps the way to what it found. */
export function treeRows(plant: PlantFile, view: { closed: ReadonlySet<string>; search: string; lang: 'zh' | 'en' }): TreeRow[] {
  const searching = view.search.trim() !== '';
  const fits = searching ? searchFor(view.search) : () => true;
  return plant.connections.flatMap((connection): TreeRow[] => {
    const id = `c:${connection.id}`;
    const open = searching || !view.closed.has(id);
    const devices = plant.devices.filter((device) => device.connection === connection.id);
    const below = devices.flatMap((device): TreeRow[] => {
      const tags = plant.tags.filter((tag) => tag.device === device.id);
      const found = tags.filter((tag) => fits(tag));
      if (searching && found.length === 0 && !nameFits(device, view.search)) return [];
      const deviceId = `d:${device.id}`;
      const deviceOpen = searching || !view.closed.has(deviceId);
      const shown = searching && found.length === 0 ? tags : found;
      return [
        { kind: 'device', id: deviceId, device, tags, open: deviceOpen },
        ...(deviceOpen ? shown.map((tag): TreeRow => ({ kind: 'tag', id: `t:${tag.id}`, tag })) : []),
      ];
    });
    if (searching && below.length === 0) return [];
    return [{ kind: 'connection', id, connection, open }, ...(open ? below : [])];
  });
}

const nameFits = (device: DeviceConfig, search: string): boolean =>
  [device.id, device.name.en, device.name.zh, ...device.aliases].some((name) => name.toLowerCase().includes(search.trim().toLowerCase()));

/** By name in either language, by reference or by wire address; an ambiguous number finds every tag it can mean. */
function searchFor(search: string): (tag: TagConfig) => boolean {
  const wanted = search.trim().toLowerCase();
  const read = /^\d+$/.test(wanted) ? parseAddress(wanted) : null;
  const places = read?.kind === 'one' ? [read.at] : read?.kind === 'ambiguous' ? read.readings : [];
  return (tag) =>
    [tag.id, tag.name.en, tag.name.zh, ...tag.aliases.en, ...tag.aliases.zh].some((name) => name.toLowerCase().includes(wanted)) ||
    toReference(tag.table, tag.address) === wanted ||
    places.some((place) => (place.table === null || place.table === tag.table) && place.address === tag.address);
}
