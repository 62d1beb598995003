import type { EventKind, RecordEvent } from '../../../shared/contracts/record.ts';
import type { Say, WordKey } from '../../words/words.ts';

export type Lane = 'person' | 'state' | 'calls' | 'frames' | 'writes';
export const lanes: Lane[] = ['person', 'state', 'calls', 'frames', 'writes'];

const laneOf: Partial<Record<EventKind, Lane>> = {
  'turn-started': 'person',
  'turn-ended': 'state',
  message: 'person',
  state: 'state',
  call: 'calls',
  result: 'calls',
  'call-stopped': 'calls',
  run: 'calls',
  frames: 'frames',
  intent: 'writes',
  'write-step': 'writes',
  'approval-asked': 'writes',
  'approval-decided': 'writes',
  armed: 'writes',
  locked: 'writes',
};
export const isHand = (kind: EventKind): boolean => laneOf[kind] === 'writes';

export type Step = { event: RecordEvent; at: number; lane: Lane | null; payload: Record<string, unknown> };

/** The record as it stands, with payloads parsed; a payload that cannot be read is kept as its text. */
export function stepsOf(events: readonly RecordEvent[]): Step[] {
  return events.map((event) => ({ event, at: Date.parse(event.at), lane: laneOf[event.kind] ?? null, payload: parsed(event.payload) }));
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : { value };
  } catch {
    return { unreadable: text };
  }
}

/** What an event says in one line, from its own payload; control characters are made visible where it is shown. */
export function gist({ event, payload }: Step, say: Say): string {
  const text = (value: unknown): string =>
    typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  switch (event.kind) {
    case 'turn-started':
      return text(payload.text);
    case 'turn-ended':
      return text(payload.answer);
    case 'state':
      return [stateWord(payload.state, say), text(payload.why)].filter(Boolean).join(': ');
    case 'call':
      return `${text(payload.tool)} ${text(payload.args)}`;
    case 'result': {
      const error = payload.error as { code?: string; message?: string } | null | undefined;
      return error ? `${error.code ?? ''} ${error.message ?? ''}` : resultGist(payload.result);
    }
    case 'write-step':
      return `${text(payload.step)} ${text(payload.verdict ?? payload.reason ?? payload.value)}`;
    case 'approval-asked':
      return text((payload.title as { en?: string } | undefined)?.en ?? payload.words);
    case 'approval-decided':
      return `${payload.approved === true ? '✓' : '✗'} ${text(payload.by)} ${text(payload.how)}`;
    case 'message':
      return `${text(payload.role)}: ${text(payload.content)}`;
    case 'note':
      return text(payload.text);
    case 'frames':
      return `${Array.isArray(payload.frames) ? payload.frames.length : 0} × ${text((payload.frames as { hex?: string }[] | undefined)?.[0]?.hex)}`;
    case 'session-started':
      return [text(payload.operator), text(payload.door)].filter(Boolean).join(' · ');
    case 'snapshot':
      return text(payload.digest).slice(0, 12);
    case 'session-ended':
    case 'call-stopped':
    case 'intent':
    case 'armed':
    case 'locked':
    case 'run':
    case 'recovery':
    case 'retention':
      return text(payload);
    default:
      return event.kind satisfies never;
  }
}

const stateWords: Record<string, WordKey> = {
  IDLE: 'state.idle',
  PLANNING: 'step.plan',
  TOOL_CALLING: 'step.calls',
  SANDBOX_EXECUTION: 'step.sandbox',
  VERIFICATION: 'step.verify',
};
const stateWord = (state: unknown, say: Say): string =>
  typeof state === 'string' ? (stateWords[state] ? say(stateWords[state]) : state) : '';

/** Values before structure: what was read, in the order of the answer. Anything of another shape is shown as it is. */
function resultGist(result: unknown): string {
  const { readings, values } = (result ?? {}) as { readings?: unknown; values?: unknown };
  const list = Array.isArray(readings) ? readings : Array.isArray(values) ? values : null;
  if (list === null) return typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
  return list
    .map((entry: unknown) => {
      if (typeof entry !== 'object' || entry === null) return String(entry);
      const { tag, reference, value, unit } = entry as Record<string, unknown>;
      return [tag ?? reference, value ?? '—', unit]
        .filter((part) => part !== undefined && part !== '')
        .map(String)
        .join(' ');
    })
    .join(' · ');
}

/** A fault to step to: a call that failed, a write that is not confirmed, a frame with a bad verdict. */
export function isFaulty({ event, payload }: Step): boolean {
  if (event.kind === 'result') return payload.ok === false;
  if (event.kind === 'call-stopped') return true;
  if (event.kind === 'write-step') return payload.step === 'unanswered' || (payload.step === 'verdict' && payload.verdict !== 'confirmed');
  if (event.kind === 'frames')
    return (
      Array.isArray(payload.frames) &&
      (payload.frames as { verdict?: string }[]).some((frame) => frame.verdict !== 'ok' && frame.verdict !== undefined)
    );
  return false;
}

/** The next step in a direction that fits, or the one we are at. */
export function seek(steps: readonly Step[], at: number, direction: 1 | -1, fits: (step: Step) => boolean): number {
  for (let i = at + direction; i >= 0 && i < steps.length; i += direction) if (fits(steps[i]!)) return i;
  return at;
}

/** How long to wait before the next step when playing; a pause of more than two seconds is jumped. */
export const longestPause = 2000;
export const waitBefore = (steps: readonly Step[], next: number, speed: number): number =>
  Math.min(longestPause, Math.max(0, (steps[next]?.at ?? 0) - (steps[next - 1]?.at ?? 0))) / speed;
