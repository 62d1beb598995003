import { create } from 'zustand';
import type { ConnectionConfig } from '../../../shared/contracts/devices.ts';
import type { DeviceConfig, PlantFile, PlantProblem, TagConfig } from '../../../shared/contracts/plant.ts';

/** The plant file as it is being edited. `base` is the digest of what was edited; null: a file that does not exist yet. */
export type Draft = { file: PlantFile; base: string | null };

type DraftState = { draft: Draft | null; changed: boolean; problems: readonly PlantProblem[] };
/** Kept while other things are looked at: an edit is not lost because its sheet was closed. */
export const useDraft = create<DraftState>()(() => ({ draft: null, changed: false, problems: [] }));

export const beginDraft = (draft: Draft, changed = false): void => useDraft.setState({ draft, changed, problems: [] });
export const dropDraft = (): void => useDraft.setState({ draft: null, changed: false, problems: [] });
export function edit(change: (file: PlantFile) => PlantFile): void {
  useDraft.setState(({ draft }) => (draft ? { draft: { ...draft, file: change(draft.file) }, changed: true } : {}));
}

export const emptyPlant = (): PlantFile => ({
  name: { en: 'My plant', zh: '我的工厂' },
  simulated: false,
  connections: [],
  devices: [],
  tags: [],
});

/** `base`, or `base-2` and so on: the first name that nobody has. */
export function freeId(taken: readonly string[], base: string): string {
  const used = new Set(taken.map((id) => id.toLowerCase()));
  let id = base;
  for (let n = 2; used.has(id.toLowerCase()); n++) id = `${base}-${n}`;
  return id;
}

export type Kind = ConnectionConfig['kind'];
export const kinds: readonly Kind[] = ['tcp', 'rtu', 'rtu_over_tcp', 'ascii', 'ascii_over_tcp'];
export const isSerial = (kind: Kind): boolean => kind === 'rtu' || kind === 'ascii';

/** Another kind keeps what still has a meaning and starts the rest with what is usual. */
export function withKind(connection: ConnectionConfig, kind: Kind): ConnectionConfig {
  const { id, timing } = connection;
  const rest = timing === undefined ? {} : { timing };
  if (isSerial(kind))
    return {
      id,
      kind,
      serial: {
        path: connection.serial?.path ?? '',
        baud: connection.serial?.baud ?? 9600,
        dataBits: kind === 'ascii' ? 7 : 8,
        parity: connection.serial?.parity ?? (kind === 'ascii' ? 'even' : 'none'),
        stopBits: connection.serial?.stopBits ?? 1,
      },
      ...rest,
    };
  return { id, kind, host: connection.host ?? '', port: connection.port ?? 502, ...rest };
}

export function addConnection(file: PlantFile, made: Partial<ConnectionConfig> = {}): PlantFile {
  const kind = made.kind ?? 'tcp';
  const id = freeId(
    file.connections.map((connection) => connection.id),
    made.id ?? (isSerial(kind) ? 'line' : 'net'),
  );
  return { ...file, connections: [...file.connections, { ...withKind({ id, kind }, kind), ...made, id }] };
}

/** A renamed connection keeps its devices. */
export function changeConnection(file: PlantFile, index: number, next: ConnectionConfig): PlantFile {
  const before = file.connections[index];
  if (!before) return file;
  return {
    ...file,
    connections: file.connections.map((connection, i) => (i === index ? next : connection)),
    devices: file.devices.map((device) => (device.connection === before.id ? { ...device, connection: next.id } : device)),
  };
}

/** A device without its wire and a tag without its device are nothing: they go with it. */
export function removeConnection(file: PlantFile, id: string): PlantFile {
  const gone = file.devices.filter((device) => device.connection === id).map((device) => device.id);
  return {
    ...file,
    connections: file.connections.filter((connection) => connection.id !== id),
    devices: file.devices.filter((device) => device.connection !== id),
    tags: file.tags.filter((tag) => !gone.includes(tag.device)),
  };
}

export function addDevice(file: PlantFile, connection: string, unitId?: number): PlantFile {
  const used = file.devices.filter((device) => device.connection === connection).map((device) => device.unitId);
  const unit = unitId ?? Array.from({ length: 247 }, (_v, i) => i + 1).find((n) => !used.includes(n)) ?? 1;
  const id = freeId(
    file.devices.map((device) => device.id),
    `unit${unit}`,
  );
  const device: DeviceConfig = { id, name: { en: `Unit ${unit}`, zh: `站号 ${unit}` }, aliases: [], connection, unitId: unit };
  return { ...file, devices: [...file.devices, device] };
}

/** A renamed device keeps its tags. */
export function changeDevice(file: PlantFile, index: number, next: DeviceConfig): PlantFile {
  const before = file.devices[index];
  if (!before) return file;
  return {
    ...file,
    devices: file.devices.map((device, i) => (i === index ? next : device)),
    tags: file.tags.map((tag) => (tag.device === before.id ? { ...tag, device: next.id } : tag)),
  };
}

export const removeDevice = (file: PlantFile, id: string): PlantFile => ({
  ...file,
  devices: file.devices.filter((device) => device.id !== id),
  tags: file.tags.filter((tag) => tag.device !== id),
});

export function addTag(file: PlantFile, device: string, made: Partial<TagConfig> = {}): PlantFile {
  const table = made.table ?? 'holding';
  const address = made.address ?? 0;
  const id = freeId(
    file.tags.map((tag) => tag.id),
    made.id ?? `${device}_${table}_${address}`,
  );
  const tag: TagConfig = {
    name: { en: id, zh: id },
    aliases: { en: [], zh: [] },
    device,
    table,
    address,
    type: table === 'coil' || table === 'discrete' ? 'bool' : 'uint16',
    order: 'ABCD',
    scale: 1,
    offset: 0,
    decimals: 0,
    unit: '',
    range: { min: null, max: null },
    write: { allowed: false, min: null, max: null, maxStep: null },
    pollMs: 1000,
    deadband: 0,
    ...made,
    id,
  };
  return { ...file, tags: [...file.tags, tag] };
}

export const changeTag = (file: PlantFile, index: number, next: TagConfig): PlantFile => ({
  ...file,
  tags: file.tags.map((tag, i) => (i === index ? next : tag)),
});
export const removeTag = (file: PlantFile, index: number): PlantFile => ({ ...file, tags: file.tags.filter((_tag, i) => i !== index) });
