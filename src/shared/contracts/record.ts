import type { LedgerReport } from '../ledger.ts';
import type { AgentState, StateLogEntry, TokenCount, TranscriptMessage, TurnReport } from './agent.ts';
import type { ApprovalCard, ApprovalDecision, ApprovalItem, Armed, ScalarValue, WriteVerdict } from './approvals.ts';
import type { CallEnvelope, ResultEnvelope } from './calls.ts';
import type { RunResult } from './sandbox.ts';
import type { WireError } from '../errors.ts';

// What may stand in the record, kind by kind. A reader of the file finds exactly these shapes as canonical JSON, after
// secrets and personal data were masked. Times of the event itself are in its row; ids are ULIDs (src/shared/ulid.ts).

/** The first event of a session: who and on what. The optional fields make a replay name its circumstances. */
export type SessionStarted = {
  door: string;
  operator: string;
  title: string;
  version?: string;
  plant_digest?: string;
  model?: { name: string; digest: string | null; params: Record<string, unknown> } | null;
  clock_source?: string;
};
export type TurnStarted = { text: string; planner: string; lang?: string };
/** TurnReport; `calls` may be replaced by their ids, since each call and result is an event of its own. */
export type TurnEnded = Omit<TurnReport, 'calls'> & { calls: TurnReport['calls'] | string[] };

/** A file that write_file replaced: its old content is kept by digest (`Blobs`). `before` null: there was none. */
export type FileWriteItem = {
  kind: 'file';
  path: string;
  before: { sha256: string; bytes: number } | null;
  after: { sha256: string; bytes: number };
  can_undo: boolean;
};
/** One plant value of a write: what the card showed, and whether the before-value may be written back (no pulse, no counter). */
export type PlantWriteItem = ApprovalItem & { kind: 'plant'; can_undo: boolean };
export type WriteItem = PlantWriteItem | FileWriteItem;

/** Committed (durable) before anything leaves. `undoes`: the call whose write this one takes back. */
export type Intent = {
  call_id: string;
  items: WriteItem[];
  undoes: string | null;
  consent: { card_id: string; digest: string; by: string; how: string } | null;
};

/**
 * What happened to item `item` of an intent, in the order it happens. `about-to-send` is appended durable: after it a
 * crash leaves the write unknown, before it the write was not sent. Use `writeSteps` to make them.
 */
export type WriteStep = { call_id: string; item: number } & (
  | { step: 'about-to-send'; frame: string | null }
  | { step: 'sent' }
  | { step: 'answered'; acknowledged: boolean; exception: number | null; frame: string | null }
  | { step: 'unanswered'; reason: string }
  | { step: 'read-back'; delay_ms: number; value: ScalarValue | null; raw: number[] | boolean[] | null; reason: string | null }
  | { step: 'verdict'; verdict: WriteVerdict; now: ScalarValue | null }
  | { step: 'not-sent'; reason: string }
);

/** A call that ended before its tool ran, or that a crash left open. `step` is the gateway's step of design section 5. */
export type CallStopped = {
  call_id: string;
  step:
    | 'name'
    | 'chunks'
    | 'schema'
    | 'dependencies'
    | 'deadline'
    | 'policy'
    | 'approval'
    | 'cache'
    | 'intent'
    | 'run'
    | 'cancelled'
    | 'interrupted';
  error: WireError | null;
};

export type RecordedFrame = {
  at: string;
  t: number;
  connection: string;
  direction: 'tx' | 'rx';
  hex: string;
  verdict: string;
  crc_valid: boolean | null;
  note: string | null;
};

/** A cut of the oldest events: their digest stays in the chain, so what remains still proves itself. */
export type RetentionCut = {
  from_seq: number;
  to_seq: number;
  events: number;
  /** prev_hash of the first and hash of the last record that went. */
  first_prev_hash: string;
  last_hash: string;
  /** SHA-256 over the hashes of all records that went, in order, as hex text with a line feed each. */
  segment_sha256: string;
  /** Last hash of each session that goes on behind the cut: what its next record links to. */
  links: Record<string, string>;
  oldest_at: string;
  newest_at: string;
};

export type Recovered = {
  /** Calls that had no result when the process ended. */
  interrupted: string[];
  /** Writes that were under way, item by item, as far as the record knows. */
  writes: { call_id: string; items: WriteItemState[] }[];
  approvals_closed: string[];
};

/** Payload by kind of event. */
export type EventPayloads = {
  'session-started': SessionStarted;
  'session-ended': { why: string };
  'turn-started': TurnStarted;
  'turn-ended': TurnEnded;
  state: StateLogEntry;
  snapshot: SnapshotMark;
  call: CallEnvelope;
  'call-stopped': CallStopped;
  intent: Intent;
  'write-step': WriteStep;
  result: ResultEnvelope;
  'approval-asked': ApprovalCard;
  'approval-decided': ApprovalDecision & { card_id: string; call_id: string };
  armed: { devices: Armed[] };
  locked: { why: string };
  /** The call's own questions and answers, the first 64; `dropped`: how many came after them. A poll's answer is never a call's. */
  frames: { call_id: string | null; frames: RecordedFrame[]; dropped?: number };
  message: TranscriptMessage;
  run: { call_id: string | null; lang: string; code: string; result: RunResult };
  recovery: Recovered;
  retention: RetentionCut;
  /** Anything a reader should know; `text` is searched. */
  note: { text: string; [key: string]: unknown };
};

/** Kinds of events in the append-only record. */
export type EventKind = keyof EventPayloads;

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

export type NewEvent = {
  [K in EventKind]: { session?: string | null; turn?: string | null; call?: string | null; kind: K; payload: EventPayloads[K] };
}[EventKind];

/** Makes the steps of a write, so that every place that records one says it the same way. */
export const writeSteps = {
  aboutToSend: (call_id: string, item: number, frame: string | null = null): WriteStep => ({ call_id, item, step: 'about-to-send', frame }),
  sent: (call_id: string, item: number): WriteStep => ({ call_id, item, step: 'sent' }),
  answered: (
    call_id: string,
    item: number,
    answer: { acknowledged: boolean; exception: number | null; frame?: string | null },
  ): WriteStep => ({
    call_id,
    item,
    step: 'answered',
    acknowledged: answer.acknowledged,
    exception: answer.exception,
    frame: answer.frame ?? null,
  }),
  unanswered: (call_id: string, item: number, reason: string): WriteStep => ({ call_id, item, step: 'unanswered', reason }),
  readBack: (
    call_id: string,
    item: number,
    seen: { delay_ms: number; value: ScalarValue | null; raw: number[] | boolean[] | null; reason?: string | null },
  ): WriteStep => ({
    call_id,
    item,
    step: 'read-back',
    delay_ms: seen.delay_ms,
    value: seen.value,
    raw: seen.raw,
    reason: seen.reason ?? null,
  }),
  verdict: (call_id: string, item: number, verdict: WriteVerdict, now: ScalarValue | null): WriteStep => ({
    call_id,
    item,
    step: 'verdict',
    verdict,
    now,
  }),
  notSent: (call_id: string, item: number, reason: string): WriteStep => ({ call_id, item, step: 'not-sent', reason }),
};

/**
 * What the record knows of one item of a write. `not-sent`: it never left. `refused`: the device answered with an
 * exception. `unknown`: it may have left and nothing proves what became of it; reading back is the way to find out.
 * `done`: a verdict stands.
 */
export type WriteItemState = {
  item: number;
  write: WriteItem;
  state: 'not-sent' | 'refused' | 'unknown' | 'done';
  verdict: WriteVerdict | null;
  exception: number | null;
  /** The last value read back, if any. */
  now: ScalarValue | null;
  reason: string | null;
};

/** Folds the recorded steps of one intent into what is known of each of its items. Pure; steps of other calls are ignored. */
export function knownOfWrite(intent: Intent, steps: readonly WriteStep[]): WriteItemState[] {
  const known = intent.items.map((write, item): WriteItemState => ({
    item,
    write,
    state: 'not-sent',
    verdict: null,
    exception: null,
    now: null,
    reason: null,
  }));
  const left = new Set<number>();
  for (const step of steps) {
    const item = step.call_id === intent.call_id ? known[step.item] : undefined;
    if (item === undefined) continue;
    if (step.step === 'sent' || step.step === 'answered') left.add(step.item);
    applyStep(item, step, left.has(step.item));
  }
  return known;
}

/** 05: accepted, still working. 0B: a gateway heard nothing of the device. Neither says what became of the write. */
const undecided: readonly number[] = [5, 11];

function applyStep(item: WriteItemState, step: WriteStep, left: boolean): void {
  switch (step.step) {
    case 'about-to-send':
    case 'sent':
      item.state = 'unknown';
      item.reason = null;
      return;
    case 'answered':
      item.exception = step.exception;
      if (step.exception !== null && !undecided.includes(step.exception)) item.state = 'refused';
      return;
    case 'unanswered':
      item.reason = step.reason;
      return;
    case 'read-back':
      item.now = step.value;
      if (step.reason !== null) item.reason = step.reason;
      return;
    case 'verdict':
      item.verdict = step.verdict;
      item.now = step.now;
      item.state = step.verdict === 'unknown' ? 'unknown' : 'done';
      return;
    case 'not-sent':
      // The line may find that its port was closed before the first byte. What has left stays left.
      if (left || item.state === 'done') return;
      item.state = 'not-sent';
      item.reason = step.reason;
      return;
    default:
      step satisfies never;
  }
}

export type SessionRow = {
  id: string;
  startedAt: string;
  endedAt: string | null;
  title: string;
  turns: number;
  calls: number;
  writes: number;
  door: string;
  operator: string;
};
export type CallRow = {
  call: CallEnvelope;
  result: ResultEnvelope | null;
  /** open: no result yet; interrupted: the process ended before it; unknown: a write was on its way. */
  state: 'open' | 'ended' | 'interrupted' | 'unknown';
  /** The call whose write this one took back, and the call that took this one back. */
  undoes: string | null;
  undoneBy: string | null;
  stopped: CallStopped | null;
  /** Item by item what is known of its writes; empty for a call that writes nothing. */
  writes: WriteItemState[];
};
export type TurnRow = {
  id: string;
  session: string;
  startedAt: string;
  endedAt: string | null;
  text: string;
  planner: string;
  answer: string | null;
  grounded: boolean | null;
  calls: number;
};
export type SearchHit = { session: string; turn: string | null; seq: number; at: string; kind: EventKind; text: string };

export type VerifyReport = {
  ok: boolean;
  events: number;
  firstBroken: { seq: number; reason: string } | null;
  headHash: string;
  /** Seq of the last record, for a person to write down: `verify({ anchor })` then proves that none was cut off since. */
  headSeq: number;
  /** Up to here retention took the records, covered by their digest; 0: nothing. */
  cut: number;
};
export type Anchor = { seq: number; hash: string };

/** A replayed event: when it happened from the session's start, and, where it carries a verdict, what it is when judged again. */
export type ReplayStep = {
  event: RecordEvent;
  offsetMs: number;
  checks: { name: string; recorded: string; again: string; same: boolean }[];
};
export type Replay = {
  session: SessionRow;
  steps: ReplayStep[];
  same: boolean;
  firstDifference: { seq: number; name: string; recorded: string; again: string } | null;
};

export interface RecordStore {
  /** Appends and commits. `durable` waits for the disk (an intent before a plant write). Throws STORE_WRITE, or STORE_LOCKED for a reader. */
  append(event: NewEvent, options?: { durable?: boolean }): RecordEvent;
  /** Commits what is still waiting in memory. Throws STORE_WRITE. */
  flush(): void;
  /** May the record be written right now? Ask before a plant write is even proposed. */
  health(): {
    writable: boolean;
    reason: string | null;
    pending: number;
    freeBytes: number | null;
    events: number;
    bytes: number;
    faults?: readonly { seq: number; reason: string }[];
  };
  sessions(options?: { limit?: number; search?: string }): SessionRow[];
  session(id: string): SessionRow | undefined;
  turns(sessionId: string): TurnRow[];
  search(text: string, options?: { limit?: number }): SearchHit[];
  events(sessionId: string, options?: { afterSeq?: number; limit?: number }): RecordEvent[];
  calls(sessionId: string): CallRow[];
  call(callId: string): CallRow | undefined;
  /** Confirmed writes of all sessions, newest first, that can still be undone. */
  undoable(limit: number): CallRow[];
  /** Cards that were asked and not decided. */
  openApprovals(): ApprovalCard[];
  /** What the last unclean end left: interrupted calls and unknown writes; null after a clean one. */
  recovered(): Recovered | null;
  /** Writes whose outcome is still unknown (of any session), with the offer to read them back. */
  unknownWrites(): CallRow[];
  /** Walks the whole chain in another thread. `anchor`: a head that was written down earlier must still stand there. */
  verify(options?: { anchor?: Anchor; signal?: AbortSignal }): Promise<VerifyReport>;
  /** Tokens and program runs of everything on record, counted in another thread; with the turns of one session if asked for. */
  ledger(options?: { sessionId?: string }): Promise<LedgerReport>;
  exportSession(sessionId: string, file: string): Promise<{ events: number; sha256: string }>;
  replaySession(sessionId: string): Replay;
  close(): void;
}

/** The mark in the chain for a snapshot; its content lies beside the chain and is checked against `digest`. */
export type SnapshotMark = { snapshot_id: string; state: AgentState; digest: string; tokens: TokenCount; workspace_digest: string | null };
export type Snapshot = {
  id: string;
  sessionId: string;
  turnId: string;
  state: AgentState;
  at: string;
  /** Good: a later failure may roll back to here. */
  good: boolean;
  messages: TranscriptMessage[];
  calls: { call: CallEnvelope; result: ResultEnvelope }[];
  workspaceDigest: string | null;
  tokens: TokenCount;
  /** What the loop wants to find again (replans used, planner state); plain JSON. */
  extra: Record<string, unknown>;
};
export type NewSnapshot = Omit<Snapshot, 'id' | 'at'>;

/** Snapshots of the agent loop (A3). Messages and calls are stored once each and shared by the snapshots that hold them. */
export interface SnapshotStore {
  save(snapshot: NewSnapshot): Snapshot;
  markGood(id: string): void;
  lastGood(turnId: string): Snapshot | undefined;
  latest(turnId: string): Snapshot | undefined;
  /** Turns that began and did not end, each with its last good snapshot: what a start after a crash may resume. */
  unfinishedTurns(): { sessionId: string; turnId: string; text: string; snapshot: Snapshot | null }[];
  /** Drops the snapshots of a turn; the marks in the chain stay. */
  drop(turnId: string): void;
}

/** Old contents of files, by SHA-256, so that write_file can be undone. */
export interface Blobs {
  put(bytes: Uint8Array): string;
  get(sha256: string): Uint8Array | undefined;
}

export type Sample = { tag: string; at: number; value: number | null; quality: 'good' | 'uncertain' | 'bad' };
/** Of the good and uncertain samples of a bucket; `bad` counts the others. `first` and `last` draw steep edges truly. */
export type SeriesPoint = { at: number; min: number; max: number; avg: number; count: number; bad?: number; first?: number; last?: number };

export interface HistoryStore {
  add(samples: readonly Sample[]): void;
  /** Raw points, half-open [from, to) in ms since epoch, at most `limit`. */
  read(tag: string, from: number, to: number, limit: number): Sample[];
  /** Min/max/avg per bucket; empty buckets are absent, so a gap stays a gap. Buckets wider than a minute are rounded up to whole minutes. */
  series(tag: string, from: number, to: number, buckets: number): SeriesPoint[];
  /** The newest sample at or before `at`. */
  last(tag: string, at?: number): Sample | undefined;
  tags(): { tag: string; from: number; to: number; samples: number }[];
  /** Drops samples before `before`; returns how many. */
  retain(before: number): number;
  close(): void;
}
