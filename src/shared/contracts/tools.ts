import type { Bilingual, Lang } from '../errors.ts';
import type { FileItem, ModbusTable, ScalarValue, WriteVerdict } from './approvals.ts';
import type { CallEnvelope, ResultEnvelope, ResultMeta, ToolContract } from './calls.ts';
import type { Priority, WireRequest } from './devices.ts';

/** Time as the gateway and the tools need it, so that a test can own it. */
export type Clock = {
  /** Wall clock, ms since epoch. */
  now(): number;
  /** Monotonic, ms; never set back. */
  elapsed(): number;
  /** Calls back once after `ms`; the answer takes it back. */
  after(ms: number, callback: () => void): () => void;
};

/** What a tool is given beside its arguments. */
export type ToolContext = {
  call: CallEnvelope;
  lang: Lang;
  /** The person's own words of this turn; '' where there are none. */
  words: string;
  /** Ends with the deadline, with Stop, and with the caller. Must reach every wire request and child process. */
  signal: AbortSignal;
  /** Ends with a person's Stop only: for work that outlives its call, like a scan that became a job. */
  stop: AbortSignal;
  priority: Priority;
  restMs(): number;
  /** Another call through the same gateway, as a child of this one. */
  child(tool: string, args: Record<string, unknown>): Promise<ResultEnvelope>;
  /** What the envelope's meta should say. */
  note(meta: Partial<Pick<ResultMeta, 'exit_code' | 'status_code' | 'crc_valid' | 'truncated' | 'fallback' | 'attempts'>>): void;
};

export type WireImage = number[] | boolean[];

/** Where a write goes and what the plant file says of it. */
export type WriteTarget = {
  tag: string | null;
  label: Bilingual;
  /** Names and aliases in both languages, to find the target in the person's words. */
  aliases: readonly string[];
  device: string;
  connection: string;
  unitId: number;
  table: ModbusTable;
  /** Zero-based. */
  address: number;
  reference: string;
  unit: string;
  range: { min: number | null; max: number | null; maxStep: number | null };
  /** `listed`: a writable tag covers it; `read-only`: a tag forbids it; `unlisted`: no tag covers it. */
  standing: 'listed' | 'read-only' | 'unlisted';
  critical: boolean;
  /** A pulse, reset or counter: cannot be undone, and is sent even where it already reads so. */
  pulse: boolean;
};

export type Observed = { value: ScalarValue | null; raw: WireImage; readAt: string };

/** One write, planned by a tool from parsed arguments. The tool cannot send it: only the gateway holds the writing end. */
export type PlannedWrite = {
  target: WriteTarget;
  after: { value: ScalarValue; raw: WireImage };
  request: Omit<WireRequest, 'priority' | 'signal'>;
  read(signal: AbortSignal): Promise<Observed>;
  undo: Bilingual;
  /** An undo: what we wrote then must still stand there. */
  takesBack?: { callId: string; raw: WireImage; value: ScalarValue };
};

/** One value of a write's result. `now` is what was read last; null: it could not be read. */
export type WriteOutcome = {
  tag: string | null;
  device: string;
  connection: string;
  unit_id: number;
  table: ModbusTable;
  address: number;
  reference: string;
  unit: string;
  before: ScalarValue | null;
  after: ScalarValue;
  now: ScalarValue | null;
  raw: { before: WireImage | null; after: WireImage; now: WireImage | null };
  /** false: it already read so, and nothing was sent. */
  sent: boolean;
  verdict: WriteVerdict;
  read_back: { after_ms: number; value: ScalarValue | null }[];
  undoable: boolean;
  /** The call this write takes back. */
  undoes: string | null;
};

export type WriteResult = { writes: WriteOutcome[]; approved_by: string | null; dry_run?: { needs: ('arming' | 'approval')[] } };

/** A tool: its contract and what it does. A tool with effect `write-plant` plans and never runs by itself. */
export type ToolDefinition = {
  contract: ToolContract;
  /** The wires a call will use, so that a dead wire holds up only its own calls. */
  wires?(args: Record<string, unknown>): string[];
  run?(args: Record<string, unknown>, context: ToolContext): Promise<unknown>;
  plan?(args: Record<string, unknown>, context: ToolContext): Promise<PlannedWrite[]>;
  /** Another call that does what this one asks, or null: to undo a file write is to write the file. Same caller, same policy. */
  instead?(args: Record<string, unknown>, context: ToolContext): Promise<{ tool: string; args: Record<string, unknown> } | null>;
  /** For `write-file`: what the card shows; `run` must then write exactly this or refuse. */
  files?(args: Record<string, unknown>, context: ToolContext): Promise<FileItem[]>;
  /** For fallback `last-known`. */
  lastKnown?(args: Record<string, unknown>, context: ToolContext): { result: unknown; ageMs: number } | undefined;
};
