import type { ModbusTable } from './approvals.ts';
import type { HandrailError } from '../errors.ts';

export type { ModbusTable } from './approvals.ts';

export type SerialSettings = {
  path: string;
  baud: number;
  dataBits: 7 | 8;
  parity: 'none' | 'even' | 'odd';
  stopBits: 1 | 2;
  echo?: boolean;
};
export type ConnectionConfig = {
  id: string;
  kind: 'tcp' | 'rtu' | 'ascii' | 'rtu_over_tcp' | 'ascii_over_tcp';
  host?: string;
  port?: number;
  serial?: SerialSettings;
  timing?: { timeoutMs?: number; betweenRequestsMs?: number; inFlight?: number; idleReleaseMs?: number };
};

export type Priority = 'person' | 'agent' | 'poll';

/** One request to a unit on a wire. `address` is zero-based. */
export type WireRequest = {
  connection: string;
  unitId: number;
  functionCode: number;
  address?: number;
  quantity?: number;
  /** Register words (0..65535) or coil states to write. */
  words?: readonly number[];
  bits?: readonly boolean[];
  andMask?: number;
  orMask?: number;
  writeAddress?: number;
  data?: Uint8Array;
  subFunction?: number;
  deviceId?: { category: 1 | 2 | 3 | 4; object: number };
  /** Pieces of FC20 (length) and FC21 (words). */
  records?: readonly { file: number; record: number; length?: number; words?: readonly number[] }[];
  /** One frame and its answer as they come: no second try when the device says it is busy (scan, doctor, tests). */
  once?: boolean;
  priority: Priority;
  /** Response time-out, ms; raised to the physical floor of the line. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

export type FrameRecord = {
  at: string;
  /** Monotonic, ms, for deltas. */
  t: number;
  connection: string;
  direction: 'tx' | 'rx';
  bytes: Uint8Array;
  /** ok; bad checksum; garbage; stray: not an answer to what was asked. */
  verdict: 'ok' | 'crc' | 'garbage' | 'stray' | 'exception' | 'incomplete';
  crcValid: boolean | null;
  note?: string;
};

export type WireReply = {
  words?: number[];
  bits?: boolean[];
  data?: Uint8Array;
  objects?: Record<number, string>;
  /** FC20: the words of each piece. */
  records?: number[][];
  /** FC43/14: the object to ask for next; null when all have come. */
  next?: number | null;
  /** Sent to unit 0 of a line: nobody answers, nothing is confirmed. */
  broadcast?: boolean;
  /** A question before went unanswered and its answer may be this one: show the value as doubtful, never act on it. */
  unverified?: boolean;
  readAt: string;
  durationMs: number;
  attempts: number;
  crcValid: boolean | null;
  tx: Uint8Array;
  rx: Uint8Array | null;
};

export type LineState = 'closed' | 'opening' | 'open' | 'waiting-retry' | 'released';
export type LineHealth = {
  connection: string;
  state: LineState;
  since: string;
  epoch: number;
  error: HandrailError | null;
  nextTryAt: string | null;
  /** Share of the last 10 s that the wire was busy, 0..1. */
  load: number;
  latencyMs: { p50: number; p99: number } | null;
  counters: { requests: number; answers: number; timeouts: number; crcErrors: number; exceptions: number; strays: number };
};

/** The room `devices` as others see it. Failures throw HandrailError; nothing is retried for a write. */
export interface Devices {
  configure(connections: readonly ConnectionConfig[]): void;
  connections(): readonly ConnectionConfig[];
  request(request: WireRequest): Promise<WireReply>;
  health(): LineHealth[];
  onHealth(listener: (health: LineHealth) => void): () => void;
  /** Batched tap: every frame of every wire, at most every 50 ms. */
  onFrames(listener: (frames: readonly FrameRecord[]) => void): () => void;
  /** The ring of the last ten minutes. */
  recentFrames(connection?: string): readonly FrameRecord[];
  /** Opens a connection without asking anything, to hear who else talks there. */
  open(connection: string): void;
  release(connection: string): Promise<void>;
  close(): Promise<void>;
}

/** Value as decoded for a tag. A bad reading has no value to misuse. */
export type Reading =
  | {
      tag: string;
      quality: 'good' | 'uncertain' | 'stale';
      value: number | boolean | string | bigint;
      unit: string;
      readAt: string;
      raw: number[] | boolean[];
      reason?: string;
    }
  | {
      tag: string;
      quality: 'bad';
      value: null;
      unit: string;
      readAt: null;
      lastTriedAt: string;
      raw: null;
      reason: string;
      error: HandrailError | null;
    };

export type TableAddress = { table: ModbusTable; address: number };
