/** What the host and its broker say to each other. The broker starts, feeds, limits and ends; the host judges. */
import type { AskedFunction, PoolHealth, RunLang, RunLevel } from '../../shared/contracts/sandbox.ts';

export type Input = { name: string; bytes: Uint8Array };

export type BrokerRun = {
  lang: RunLang;
  level: RunLevel;
  code: string;
  check: boolean;
  /** Functions that must be defined for the program to run; part of the check. */
  defines: AskedFunction[];
  inputs: Input[];
  timeoutMs: number;
  memoryMb: number;
  tools: boolean;
};

/** Why a run ended, as the broker saw it; the program has no say in this. */
export type RunEnd = 'reported' | 'exit' | 'timeout' | 'memory' | 'output_limit' | 'result_limit' | 'cancelled' | 'unavailable';

export type KeptStream = { bytes: Uint8Array; total: number };

export type RawRun = {
  end: RunEnd;
  /** The untrusted report of the runner, as JSON text. */
  report: string | null;
  foreignBytes: number;
  exitCode: number | null;
  signal: string | null;
  stdout: KeptStream;
  stderr: KeptStream;
  execMs: number;
  startMs: number;
  memoryMb: number | null;
  memorySource: 'cgroup' | 'vmhwm' | 'wasm-heap' | 'unknown';
  runtime: string;
  reason: string | null;
};

export type ToBroker =
  | { t: 'run'; id: number; run: BrokerRun }
  | { t: 'answer'; id: number; call: number; value: string | null; error: string | null }
  | { t: 'cancel'; id: number }
  | { t: 'warm'; lang: RunLang; level: RunLevel; variant: 'plain' | 'data'; size: number }
  | { t: 'health'; id: number };

export type FromBroker =
  | { t: 'started'; id: number; pid: number; ready: boolean }
  | { t: 'running'; id: number }
  | { t: 'ask'; id: number; call: number; name: string; args: string }
  | { t: 'done'; id: number; raw: RawRun }
  | { t: 'busy'; id: number; waiting: number }
  | { t: 'health'; id: number; pools: PoolHealth[] };
