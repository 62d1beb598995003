import type { Bilingual, WireError } from '../errors.ts';
import type { ModbusTable, ScalarValue } from './approvals.ts';
import type { WireType, WordOrder } from './plant.ts';

// What the tools answer, as their return schemas say it. A value never comes without its quality, time and age.

/** A 64-bit integer beyond 2^53 comes as its decimal digits: JSON numbers would change it. */
export type ShownValue = ScalarValue;

export type ReadingResult = {
  tag: string;
  name: Bilingual;
  value: ShownValue | null;
  unit: string;
  quality: 'good' | 'uncertain' | 'stale' | 'bad';
  /** When the value was read; null: there is none. */
  read_at: string | null;
  age_ms: number | null;
  reason: string | null;
  device: string;
  unit_id: number;
  table: ModbusTable;
  address: number;
  reference: string;
  raw: number[] | boolean[] | null;
  type: WireType;
  order: WordOrder;
  error: WireError | null;
  /** Of a bad reading: what was read last, when, and how old it is now. Never the present value. */
  last_known: { value: ShownValue; read_at: string; age_ms: number } | null;
};
export type TagReadResult = { readings: ReadingResult[] };

export type ModbusReadResult = {
  device: string | null;
  connection: string;
  unit: number;
  table: ModbusTable;
  address: number;
  reference: string;
  count: number;
  type: WireType;
  order: WordOrder;
  values: {
    address: number;
    reference: string;
    value: ShownValue | null;
    raw: number[] | boolean[];
    quality: 'good' | 'uncertain' | 'bad';
    reason: string | null;
    /** The tag that lies exactly here, if the plant file has one, with its engineering value. */
    tag: string | null;
  }[];
  read_at: string;
  age_ms: number;
};

export type ListTagsResult = {
  total: number;
  tags: {
    tag: string;
    name: Bilingual;
    unit: string;
    type: WireType;
    writable: boolean;
    min: number | null;
    max: number | null;
    max_step: number | null;
    device: string;
    unit_id: number;
    table: ModbusTable;
    address: number;
    reference: string;
  }[];
};

export type ListPortsResult = {
  ports: { path: string; description: string; present: boolean }[];
  connections: { connection: string; kind: string; where: string; state: string; devices: string[]; error: WireError | null }[];
};

export type TrendResult = {
  from: string;
  to: string;
  series: {
    tag: string;
    name: Bilingual;
    unit: string;
    points: { at: string; min: number; max: number; avg: number; count: number }[];
    min: number | null;
    max: number | null;
    avg: number | null;
    first: number | null;
    last: number | null;
    samples: number;
    bad_samples: number;
    /** Stretches without a value; a line must not be drawn over them. */
    gaps: { from: string; to: string }[];
  }[];
};

export type AggregateResult = {
  fn: 'max' | 'min' | 'avg' | 'count_above' | 'count_below';
  threshold: number | null;
  from: string;
  to: string;
  results: {
    tag: string;
    name: Bilingual;
    unit: string;
    /** null: no good sample in the range. */
    value: number | null;
    /** When the extreme was, or the first crossing. */
    at: string | null;
    samples: number;
    bad_samples: number;
    /** For counts: how long the condition held. */
    duration_ms: number | null;
  }[];
};
