import type { Bilingual, Lang, WireError } from '../errors.ts';
import type { CallEnvelope, CallPhase, JsonSchema, ResultEnvelope, ToolContract } from './calls.ts';
import type { ApprovalCard } from './approvals.ts';
import type { RunLang } from './sandbox.ts';
import type { World } from '../planner/types.ts';

export type AgentState = 'IDLE' | 'PLANNING' | 'TOOL_CALLING' | 'SANDBOX_EXECUTION' | 'VERIFICATION';

export type StateLogEntry = { state: AgentState; at: string; duration_ms: number | null; why: string; fuse_ms: number | null };

/** A number of the answer and where it comes from. `start` and `end` are indices into the answer text. */
export type NumberMark = {
  start: number;
  end: number;
  text: string;
  source: string | null;
  kind: 'sourced' | 'old' | 'computed' | 'unsourced';
  age_ms?: number;
};

export type TokenCount = { sent: number; received: number; classic: number | null };

/** One turn, as `ask --json` prints it. */
export type TurnReport = {
  turn_id: string;
  session_id: string;
  answer: string;
  grounded: boolean;
  needs_clarification: boolean;
  clarification: { question: string; candidates: { value: string; label: string }[]; reason: string | null } | null;
  marks: NumberMark[];
  states: StateLogEntry[];
  calls: { call: CallEnvelope; result: ResultEnvelope }[];
  tokens: TokenCount;
  /** A trend, a table or a file the answer points at; the window opens it. */
  shows: { kind: 'trend'; tags: string[]; from: string; to: string }[];
  error: WireError | null;
  /** Our own words beside the answer: what is missing, what was cut off, why no tool was called. Never the model's. */
  notice: string | null;
  /** Why the model did not call a tool, where that can be said. */
  diagnosis: NoCallReason | null;
  planner: string;
  taint: string[];
};

/** Why a model answered without a tool, or why its calls did not run. */
export type NoCallReason = 'truncated-window' | 'cut-off' | 'no-capability' | 'call-as-text' | 'refused' | 'loop' | 'empty';

/** What happens during a turn, for whoever watches. */
export type TurnEvent =
  | { type: 'turn-started'; sessionId: string; turnId: string; text: string; planner: string; at: string }
  | { type: 'state'; turnId: string; state: AgentState; why: string; fuseMs: number | null; at: string }
  | { type: 'model-loading'; turnId: string; seconds: number; ofSeconds: number }
  | { type: 'text'; turnId: string; delta: string }
  | { type: 'thinking'; turnId: string; delta: string }
  | { type: 'call'; turnId: string; call: CallEnvelope; phase: CallPhase; result: ResultEnvelope | null }
  | { type: 'approval'; turnId: string; card: ApprovalCard }
  | { type: 'replan'; turnId: string; attempt: number; reason: string }
  | { type: 'turn-ended'; turnId: string; report: TurnReport };

/** A message of the transcript that a planner sees. `result` texts of tools are fenced when untrusted. */
export type TranscriptMessage =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; calls: PlannedCall[] }
  | { role: 'tool'; callId: string; tool: string; content: string };

export type PlannedCall = {
  callId: string;
  tool: string;
  args: Record<string, unknown>;
  dependsOn?: string[];
  /** What its result must be, as a JSON schema: checked by the gateway, and on record with the call. */
  expects?: JsonSchema;
  /** The model printed it as text instead of using the wire's own form. */
  fromText?: boolean;
  /** Why it must not run; it is answered with these words and never reaches the gateway. */
  rejected?: { code: 'unknown_tool' | 'invalid_arguments'; tellModel: string };
};

export type PlanInput = {
  sessionId: string;
  turnId: string;
  lang: Lang;
  /** The person's words of this turn. */
  text: string;
  transcript: readonly TranscriptMessage[];
  /** Calls of this turn with their results, in order. */
  results: readonly { call: CallEnvelope; result: ResultEnvelope }[];
  tools: readonly ToolContract[];
  world: World;
  armedDevices: readonly string[];
  replanReason: string | null;
  /** Names, in the work folder, of files the person dropped or named with this question. */
  files?: readonly string[];
  attempt: number;
};

export type PlannerEvent =
  | { type: 'progress'; phase: 'loading-model' | 'first-token'; seconds: number; ofSeconds: number }
  | { type: 'text'; delta: string }
  | { type: 'thinking'; delta: string }
  | { type: 'calls'; calls: PlannedCall[]; last: boolean; text?: string }
  /** `returns`: a JSON schema of the program's value. */
  | { type: 'code'; lang: RunLang; code: string; last: boolean; text?: string; returns?: JsonSchema }
  | { type: 'clarify'; question: string; candidates: { value: string; label: string }[]; reason: string | null }
  | { type: 'refuse'; text: string; error: WireError }
  | { type: 'answer'; text: string; shows?: TurnReport['shows']; error?: WireError; notice?: Bilingual; diagnosis?: NoCallReason }
  | { type: 'usage'; sent: number; received: number };

/** The loop cannot tell its planners apart. Failures throw HandrailError with a MODEL_ or CONTEXT_ code. */
export interface Planner {
  readonly name: string;
  /** `model`: its numbers are checked and its words are untrusted; `rules`: ours, deterministic. */
  readonly kind: 'model' | 'rules';
  plan(input: PlanInput, signal: AbortSignal): AsyncIterable<PlannerEvent>;
  close(): Promise<void>;
}

export interface Agent {
  /** One turn. Events reach the listeners while it runs; the report comes at its end. Never throws for what a turn can do wrong. */
  ask(request: { sessionId: string; text: string; lang?: Lang; files?: string[] }): Promise<TurnReport>;
  stop(sessionId: string): Promise<void>;
  onEvent(listener: (event: TurnEvent) => void): () => void;
  startSession(options: { door: string; operator: string }): string;
  /** Goes on with a turn that a crash cut off; finished calls are taken from the record, never run again. Null: nothing open. */
  resume(sessionId: string): Promise<TurnReport | null>;
  close(): Promise<void>;
}
