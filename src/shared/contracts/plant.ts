import type { ConnectionConfig, ModbusTable, Reading } from './devices.ts';

export type WireType =
  'bool' | 'int16' | 'uint16' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'float32' | 'float64' | 'string' | 'bcd16' | 'bcd32' | 'bit';
/** Order of the bytes of a wide value, big-endian as written: ABCD, low word first: CDAB, bytes swapped: BADC, both: DCBA. */
export type WordOrder = 'ABCD' | 'CDAB' | 'BADC' | 'DCBA';

export type DeviceConfig = {
  id: string;
  name: { en: string; zh: string };
  aliases: string[];
  connection: string;
  unitId: number;
  /** `maxGap`: unused registers that may be read along; without it the line decides. `holes`: never read along. */
  limits?: { maxRegisters?: number; maxBits?: number; maxGap?: number; holes?: { table: ModbusTable; from: number; to: number }[] };
  /** A safety controller: nothing of it is ever written. */
  safety?: boolean;
  /** Addresses (as on the wire) that are never written, whatever a tag says. */
  neverWrite?: { table: 'holding' | 'coil'; from: number; to: number }[];
  /** fc15-only, fc16-only, no-fc22, even-quantity. */
  quirks?: string[];
};

export type TagConfig = {
  id: string;
  name: { en: string; zh: string };
  aliases: { en: string[]; zh: string[] };
  device: string;
  table: ModbusTable;
  address: number;
  type: WireType;
  order: WordOrder;
  length?: number;
  bit?: number;
  scale: number;
  offset: number;
  decimals: number;
  unit: string;
  range: { min: number | null; max: number | null };
  normal?: { low: number | null; high: number | null };
  sentinels?: number[];
  write: { allowed: boolean; min: number | null; max: number | null; maxStep: number | null; critical?: boolean; pulse?: boolean };
  /** Belongs to a safety function: read, never written, and no other write may touch its registers. */
  safety?: boolean;
  pollMs: number;
  deadband: number;
  group?: string;
};

export type PlantFile = {
  name: { en: string; zh: string };
  simulated: boolean;
  connections: ConnectionConfig[];
  devices: DeviceConfig[];
  tags: TagConfig[];
};

/** One thing that keeps a plant file from being used; `pointer` is the place in it (JSON pointer). */
export type PlantProblem = { pointer: string; why: { en: string; zh: string } };

/** The plant as the rest of main uses it: configuration, decoding, live values. */
export interface Plant {
  readonly file: PlantFile;
  tag(id: string): TagConfig | undefined;
  device(id: string): DeviceConfig | undefined;
  /** Reads now, through the line, coalesced; one reading a tag, in the order given. */
  readTags(
    ids: readonly string[],
    options: { priority: 'person' | 'agent' | 'poll'; signal?: AbortSignal },
  ): Promise<{ readings: Reading[]; crcValid: boolean | null }>;
  /** What was last read, with stale computed for the moment of asking. */
  lastKnown(id: string): Reading | undefined;
  /** Polled readings in batches, at most 10 a second. */
  onReadings(listener: (batch: readonly Reading[]) => void): () => void;
  startPolling(): void;
  stopPolling(): void;
  close(): Promise<void>;
}
