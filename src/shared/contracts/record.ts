import type { CallEnvelope, ResultEnvelope } from './calls.ts';

/** Kinds of events in the append-only record. */
export type EventKind =
  | 'session-started' | 'session-ended' | 'turn-started' | 'turn-ended' | 'state' | 'snapshot' | 'call' | 'call-stopped' | 'intent' | 'result'
  | 'approval-asked' | 'approval-decided' | 'armed' | 'locked' | 'frames' | 'message' | 'run' | 'retention' | 'note';

export type RecordEvent = {
  seq: number;
  at: string;
  session: string | null;
  turn: string | null;
  call: string | null;
  kind: EventKind;
  /** Canonical JSON text. */
  payload: string;
  prev_hash: string;
  hash: string;
};

export type NewEvent = { session?: string | null; turn?: string | null; call?: string | null; kind: EventKind; payload: unknown };

export type SessionRow = { id: string; startedAt: string; endedAt: string | null; title: string; turns: number; calls: number; writes: number; door: string; operator: string };
export type CallRow = {
  call: CallEnvelope;
  result: ResultEnvelope | null;
  /** open: no result yet; interrupted: the process ended before it; unknown: a write was on its way. */
  state: 'open' | 'ended' | 'interrupted' | 'unknown';
  undoes: string | null;
};

export type VerifyReport = { ok: boolean; events: number; firstBroken: { seq: number; reason: string } | null; headHash: string };

export interface RecordStore {
  /** Appends and commits. `durable` waits for the disk (an intent before a plant write). Throws STORE_WRITE. */
  append(event: NewEvent, options?: { durable?: boolean }): RecordEvent;
  sessions(options?: { limit?: number; search?: string }): SessionRow[];
  events(sessionId: string, options?: { afterSeq?: number; limit?: number }): RecordEvent[];
  calls(sessionId: string): CallRow[];
  call(callId: string): CallRow | undefined;
  /** Confirmed plant writes of all sessions, newest first, that can still be undone. */
  undoable(limit: number): CallRow[];
  verify(): Promise<VerifyReport>;
  exportSession(sessionId: string, file: string): Promise<{ events: number; sha256: string }>;
  close(): void;
}

export type Sample = { tag: string; at: number; value: number | null; quality: 'good' | 'uncertain' | 'bad' };
export type SeriesPoint = { at: number; min: number; max: number; avg: number; count: number };

export interface HistoryStore {
  add(samples: readonly Sample[]): void;
  /** Raw points, half-open [from, to) in ms since epoch, at most `limit`. */
  read(tag: string, from: number, to: number, limit: number): Sample[];
  /** Min/max/avg per bucket; empty buckets are absent, so a gap stays a gap. */
  series(tag: string, from: number, to: number, buckets: number): SeriesPoint[];
  close(): void;
}
