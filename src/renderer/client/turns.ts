import { create } from 'zustand';
import type { AgentState, TurnEvent, TurnReport } from '../../shared/contracts/agent.ts';
import type { CallEnvelope, CallPhase, ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { HandrailError } from '../../shared/errors.ts';

export type ShownCall = { call: CallEnvelope; phase: CallPhase; result: ResultEnvelope | null; startedAt: number };
export type ShownStep = {
  state: Exclude<AgentState, 'IDLE'>;
  at: number;
  endedAt: number | null;
  fuseMs: number | null;
  again: { attempt: number; reason: string } | null;
};
export type ShownTurn = {
  turnId: string;
  text: string;
  startedAt: number;
  planner: string;
  streamed: string;
  thinking: string;
  calls: ShownCall[];
  steps: ShownStep[];
  loading: { seconds: number; ofSeconds: number } | null;
  report: TurnReport | null;
  endedAt: number | null;
};
/** Words that could not be sent: kept, with the reason. */
export type FailedSend = { id: string; text: string; error: HandrailError };
export type Transcript = {
  sessionId: string | null;
  turns: ShownTurn[];
  failed: FailedSend | null;
  /** What was sent while a turn runs: it comes next. */
  queued: { text: string; files: string[] } | null;
  stopping: boolean;
};

export const emptyTranscript: Transcript = { sessionId: null, turns: [], failed: null, queued: null, stopping: false };

const inTurn = (transcript: Transcript, turnId: string, change: (turn: ShownTurn) => ShownTurn): Transcript => ({
  ...transcript,
  turns: transcript.turns.map((turn) => (turn.turnId === turnId ? change(turn) : turn)),
});

/** What the page knows after an event. Pure; an event of another session or of an unknown turn changes nothing. */
export function afterEvent(transcript: Transcript, event: TurnEvent, now: number): Transcript {
  switch (event.type) {
    case 'turn-started':
      if (event.sessionId !== transcript.sessionId || transcript.turns.some((turn) => turn.turnId === event.turnId)) return transcript;
      return {
        ...transcript,
        turns: [
          ...transcript.turns,
          {
            turnId: event.turnId,
            text: event.text,
            startedAt: now,
            planner: event.planner,
            streamed: '',
            thinking: '',
            calls: [],
            steps: [],
            loading: null,
            report: null,
            endedAt: null,
          },
        ],
      };
    case 'state':
      return inTurn(transcript, event.turnId, (turn) => {
        const closed = turn.steps.map((step) => (step.endedAt === null ? { ...step, endedAt: now } : step));
        if (event.state === 'IDLE') return { ...turn, steps: closed, loading: null };
        return {
          ...turn,
          loading: null,
          steps: [...closed, { state: event.state, at: now, endedAt: null, fuseMs: event.fuseMs, again: null }],
        };
      });
    case 'model-loading':
      return inTurn(transcript, event.turnId, (turn) => ({ ...turn, loading: { seconds: event.seconds, ofSeconds: event.ofSeconds } }));
    case 'text':
      return inTurn(transcript, event.turnId, (turn) => ({ ...turn, streamed: turn.streamed + event.delta, loading: null }));
    case 'thinking':
      return inTurn(transcript, event.turnId, (turn) => ({ ...turn, thinking: turn.thinking + event.delta, loading: null }));
    case 'call':
      return inTurn(transcript, event.turnId, (turn) => {
        const known = turn.calls.some((shown) => shown.call.call_id === event.call.call_id);
        const next = (startedAt: number): ShownCall => ({ call: event.call, phase: event.phase, result: event.result, startedAt });
        return {
          ...turn,
          calls: known
            ? turn.calls.map((shown) =>
                shown.call.call_id === event.call.call_id
                  ? next(event.phase === 'running' && shown.phase !== 'running' ? now : shown.startedAt)
                  : shown,
              )
            : [...turn.calls, next(now)],
        };
      });
    case 'replan':
      // What was said before the replan was rolled back; the answer starts anew.
      return inTurn(transcript, event.turnId, (turn) => ({
        ...turn,
        streamed: '',
        steps: turn.steps.map((step, i) =>
          i === turn.steps.length - 1 ? { ...step, again: { attempt: event.attempt, reason: event.reason } } : step,
        ),
      }));
    case 'turn-ended':
      return {
        ...inTurn(transcript, event.turnId, (turn) => ({
          ...turn,
          report: event.report,
          endedAt: now,
          loading: null,
          calls: settled(turn.calls, event.report),
          steps: turn.steps.map((step) => (step.endedAt === null ? { ...step, endedAt: now } : step)),
        })),
        stopping: false,
      };
    case 'approval':
      return transcript; // the card comes through its own stream, outside the conversation
    default:
      return event satisfies never;
  }
}

/** The report has the last word about each call; one it does not know keeps what was last heard. */
function settled(calls: readonly ShownCall[], report: TurnReport): ShownCall[] {
  const byId = new Map(report.calls.map((entry) => [entry.call.call_id, entry.result]));
  return calls.map((shown) => {
    const result = byId.get(shown.call.call_id);
    return result ? { ...shown, result, phase: 'ended' } : shown;
  });
}

export const runningTurn = (transcript: Transcript): ShownTurn | null => transcript.turns.find((turn) => turn.report === null) ?? null;

export const useTranscript = create<Transcript>()(() => emptyTranscript);
