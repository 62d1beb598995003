import type {
  NoCallReason,
  NumberMark,
  PlannedCall,
  Planner,
  StateLogEntry,
  TranscriptMessage,
  TurnReport,
} from '../../shared/contracts/agent.ts';
import type { CallEnvelope, ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { Bilingual, HandrailError, Lang } from '../../shared/errors.ts';
import { createLoopGuard, type LoopGuard } from './loopGuard.ts';
import type { State } from './states.ts';

export type Answered = { planned: PlannedCall; call: CallEnvelope; result: ResultEnvelope };

/** Everything one turn gathers. The state machine decides; this is what it decides about. */
export type Turn = {
  id: string;
  text: string;
  lang: Lang;
  files: readonly string[];
  planner: Planner;
  states: StateLogEntry[];
  stateSince: number;
  /** Every call with its final result, in the order they were planned. */
  answered: Answered[];
  /** Calls as they went through the gateway, tries included. */
  callLog: { call: CallEnvelope; result: ResultEnvelope }[];
  /** Calls that programs of this turn made; their results never passed through the model. */
  innerLog: { call: CallEnvelope; result: ResultEnvelope }[];
  /** Text of the model message that is being said, or was said last. */
  draft: string;
  answerError: HandrailError | null;
  wireError: TurnReport['error'];
  notices: Bilingual[];
  diagnosis: NoCallReason | null;
  clarification: TurnReport['clarification'];
  marks: NumberMark[];
  grounded: boolean;
  shows: TurnReport['shows'];
  tokens: { sent: number; received: number };
  guard: LoopGuard;
  taint: Set<string>;
  /** Number of the snapshot to the length of the transcript and of `answered` at that moment. */
  snapshots: Map<number, { messages: number; answered: number }>;
  /** After a crash: results of calls that ended without reaching a snapshot, by their key. Each is taken once, never run again. */
  finished: Map<string, ResultEnvelope[]>;
  planStep: number;
};

export type Session = {
  id: string;
  state: State;
  messages: TranscriptMessage[];
  turn: Turn | null;
  closing: Promise<void> | null;
  taint: Set<string>;
  /** Calls of the turns before, newest last: a number they hold is an old one. */
  earlier: Answered[];
  lastTurn: Promise<TurnReport> | null;
};

export function newSession(id: string): Session {
  return { id, state: { at: 'IDLE' }, messages: [], turn: null, closing: null, taint: new Set(), earlier: [], lastTurn: null };
}

export function newTurn(id: string, text: string, lang: Lang, files: readonly string[], planner: Planner, now: number): Turn {
  return {
    id,
    text,
    lang,
    files,
    planner,
    states: [],
    stateSince: now,
    answered: [],
    callLog: [],
    innerLog: [],
    draft: '',
    answerError: null,
    wireError: null,
    notices: [],
    diagnosis: null,
    clarification: null,
    marks: [],
    grounded: true,
    shows: [],
    tokens: { sent: 0, received: 0 },
    guard: createLoopGuard(),
    taint: new Set(),
    snapshots: new Map(),
    finished: new Map(),
    planStep: 0,
  };
}

/** Chinese characters in the words mean a Chinese answer. */
export function langOf(text: string): Lang {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}
