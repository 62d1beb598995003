import type { Bilingual } from '../errors.ts';

/** What a program may ask for while it runs; the arguments are those of the tool behind it. None of them writes. */
export type ProgramCall = 'read' | 'trend' | 'aggregate' | 'list_tags' | 'propose_write' | 'read_file';

/** The result contract of every runtime; the host writes the envelope, the jail only delivers an untrusted output. */
export type RunLang = 'python' | 'javascript' | 'sql' | 'shell';
export type RunLevel = 'kernel' | 'kernel-lite' | 'wasm-renderer' | 'wasm' | 'engine';
export type RunStatus =
  | 'ok'
  | 'error'
  | 'rejected'
  | 'timeout'
  | 'memory'
  | 'killed'
  | 'crashed'
  | 'output_limit'
  | 'result_limit'
  | 'no_result'
  | 'exit'
  | 'rate_limited'
  | 'unavailable';

export type RunOutput =
  | {
      type: 'table';
      data: { columns: string[]; rows: unknown[][]; total_rows: number | null };
      summary: string;
      truncated: { shown: number; total: number } | null;
    }
  | { type: 'image'; data: { mime: 'image/png'; base64: string }; summary: string; truncated: null }
  | { type: 'text'; data: string; summary: string; truncated: null }
  | { type: 'json'; data: unknown; summary: string; truncated: null };

export type RunStream = { text: string; bytes: number; truncated: boolean };

export type RunResult = {
  status: RunStatus;
  level: RunLevel;
  runtime: string;
  output: RunOutput | null;
  stdout: RunStream;
  stderr: RunStream;
  error: { name: string; message: string; trace: { line: number; in: string }[] } | null;
  violations: { line: number; what: string }[];
  notes: string[];
  files: { name: string; size: number; sha256: string }[];
  metadata: {
    exec_time_ms: number;
    start_ms: number;
    memory_used_mb: number | null;
    memory_source: 'cgroup' | 'vmhwm' | 'wasm-heap' | 'unknown';
    cached: boolean;
    redactions: number;
  };
};

/** A function a program was asked to define, and how many values it must take; null: any number. */
export type AskedFunction = { name: string; parameters: number | null };

export type RunRequest = {
  lang: RunLang;
  code: string;
  /** Files and tables by name that the program finds; bytes are copied in, never a host path. */
  inputs?: { name: string; bytes: Uint8Array }[];
  limits?: { timeoutMs?: number; memoryMb?: number };
  level?: RunLevel;
  check?: boolean;
  /** Python and JavaScript: a program that does not define these is rejected by the check, before it runs. Names are `[A-Za-z_][A-Za-z0-9_]*`. */
  defines?: readonly AskedFunction[];
  useCache?: boolean;
  sessionId?: string;
  signal?: AbortSignal;
  /** Answers `plant.read(...)` and its kin (the name is a ProgramCall); absent: the program has no `plant`. Returns JSON values only. */
  onToolCall?: (name: string, args: Record<string, unknown>) => Promise<unknown>;
};

/** By which means each kind of thing is kept from a run; a means that does not hold says so. */
export type Enforcement = { files: Bilingual; network: Bilingual; processes: Bilingual; memory: Bilingual; processorShare: Bilingual };

/** One kind of interpreters that wait ready. Started without end, or failing starts, show a refill that does not keep up. */
export type PoolHealth = {
  key: string;
  waiting: number;
  running: number;
  queued: number;
  started: number;
  failedStarts: number;
  lastError: string | null;
};

export interface Sandbox {
  run(request: RunRequest): Promise<RunResult>;
  /** What this machine gives, found by real attempts at start. */
  levels(): Promise<{ lang: RunLang; level: RunLevel | null; reason: string | null }[]>;
  close(): Promise<void>;
}
