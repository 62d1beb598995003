import type { PlannedCall } from '../../shared/contracts/agent.ts';
import type { RunLang } from '../../shared/contracts/sandbox.ts';
import type { ErrorCode } from '../../shared/errors.ts';

/** What a turn carries through its states. Times are ms of the clock that stamps the events. */
export type Work = {
  turnId: string;
  /** Gives the ids of plans, batches, runs and checks; an answer to an older question never fits a newer one. */
  seq: number;
  rounds: number;
  replans: number;
  refutations: number;
  /** Rest of the turn's budget at `budgetSince`; while a person decides it stands still (`budgetSince` null). */
  budgetLeftMs: number;
  budgetSince: number | null;
  /** Number of the last snapshot whose context is whole: nothing half-said, no call without its answer. */
  goodSnapshot: number;
  snapshots: number;
};

export type PlanPhase = 'thinking' | 'loading-model' | 'first-token';

export type State =
  | { at: 'IDLE' }
  | { at: 'PLANNING'; work: Work; planId: string; phase: PlanPhase; hasOutput: boolean }
  | {
      at: 'TOOL_CALLING';
      work: Work;
      batchId: string;
      open: OpenCall[];
      waiting: string[];
      attempt: number;
      last: boolean;
      backingOff: boolean;
    }
  | { at: 'SANDBOX_EXECUTION'; work: Work; runId: string; last: boolean }
  | { at: 'VERIFICATION'; work: Work; checkId: string; subject: 'answer' | 'write' | 'results' };

export type OpenCall = { callId: string; timeoutMs: number };

/** One failed call of a batch, as far as deciding what comes next needs it. */
export type CallFailure = { callId: string; tool: string; code: ErrorCode; message: string; mayRetry: boolean };

export type BatchOutcome = {
  failures: CallFailure[];
  /** A write was among the calls that succeeded: its read-back is checked before anything else. */
  wrote: boolean;
  /** The loop guard's verdict: the tool that gave the same result to the same call too often. */
  loop: { tool: string; times: number } | null;
};

/** Every event says when it happened, so that the transition needs no clock. */
export type Event = { at: number } & (
  | { type: 'user-message'; turnId: string }
  | { type: 'plan-progress'; planId: string; phase: PlanPhase }
  | { type: 'plan-calls'; planId: string; calls: PlannedCall[]; timeouts: OpenCall[]; last: boolean }
  | { type: 'plan-code'; planId: string; lang: RunLang; code: string; callId: string; limitMs: number; last: boolean }
  | { type: 'plan-answer'; planId: string }
  | { type: 'ask-back'; planId: string }
  | { type: 'plan-refused'; planId: string; code: ErrorCode }
  | { type: 'plan-failed'; planId: string; code: ErrorCode }
  | { type: 'call-waiting'; batchId: string; callId: string }
  | { type: 'call-running'; batchId: string; callId: string; extraMs: number }
  | { type: 'call-ended'; batchId: string; callId: string }
  | { type: 'calls-settled'; batchId: string; outcome: BatchOutcome }
  | { type: 'code-finished'; runId: string; failure: { code: ErrorCode; message: string } | null; loop: BatchOutcome['loop'] }
  | { type: 'verified'; checkId: string }
  | { type: 'refuted'; checkId: string; reason: string }
  | { type: 'timer'; timer: TimerName; id: string }
  | { type: 'stop' }
);

export type TimerName = 'fuse' | 'turn' | 'person' | 'backoff';

/** How a turn ends. */
export type Ending =
  | { kind: 'answered' }
  | { kind: 'marked'; why: string }
  | { kind: 'asked-back' }
  | { kind: 'refused'; code: ErrorCode }
  | { kind: 'failed'; code: ErrorCode; why: string }
  | { kind: 'exhausted'; code: ErrorCode; why: string }
  | { kind: 'loop'; tool: string; times: number }
  | { kind: 'budget'; why: string }
  | { kind: 'stopped' };

/** What the driver has to do; the transition itself does nothing. */
export type Effect =
  | { do: 'snapshot'; n: number; state: State['at']; why: string; fuseMs: number | null; good: boolean }
  | { do: 'set-timer'; timer: TimerName; id: string; ms: number }
  | { do: 'clear-timer'; timer: TimerName }
  | { do: 'plan'; planId: string; reason: string | null; attempt: number }
  | { do: 'abort-plan'; planId: string }
  | { do: 'run-calls'; batchId: string; calls: PlannedCall[] }
  | { do: 'rerun-calls'; batchId: string; callIds: string[]; attempt: number }
  | { do: 'cancel-calls'; batchId: string; code: ErrorCode; why: string }
  | { do: 'run-code'; runId: string; lang: RunLang; code: string; callId: string }
  | { do: 'cancel-code'; runId: string; code: ErrorCode; why: string }
  | { do: 'check'; checkId: string; subject: 'answer' | 'write' | 'results' }
  | { do: 'drop-check'; checkId: string }
  | { do: 'rollback'; to: number }
  | { do: 'note-replan'; attempt: number; reason: string }
  | { do: 'end-turn'; turnId: string; ending: Ending };

export type Step = { state: State; effects: Effect[]; ignored?: string };
