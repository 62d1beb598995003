import type { ErrorCode } from '../../shared/errors.ts';
import type { Fuses } from './fuses.ts';
import type { BatchOutcome, Effect, Ending, Event, OpenCall, PlanPhase, State, Step, TimerName, Work } from './states.ts';

/**
 * The loop's table: what each event means in each state, as a pure function. Timers are effects, every reply names its
 * question, and an event that its state does not expect changes nothing and is reported with the reason.
 */
export function transition(state: State, event: Event, fuses: Fuses): Step {
  if (event.type === 'stop') return state.at === 'IDLE' ? stay(state, 'stop with no turn running') : end(state, { kind: 'stopped' });
  if (event.type === 'timer' && event.timer === 'turn' && state.at !== 'IDLE') {
    if (event.id !== state.work.turnId) return stay(state, 'budget timer of another turn');
    if (state.work.budgetSince === null) return stay(state, 'the turn budget stands still while a person decides');
    return end(state, { kind: 'budget', why: `the turn's budget of ${fuses.turnMs} ms is spent` });
  }
  switch (state.at) {
    case 'IDLE':
      return idle(state, event, fuses);
    case 'PLANNING':
      return planning(state, event, fuses);
    case 'TOOL_CALLING':
      return toolCalling(state, event, fuses);
    case 'SANDBOX_EXECUTION':
      return sandbox(state, event, fuses);
    case 'VERIFICATION':
      return verification(state, event, fuses);
    default:
      return state satisfies never;
  }
}

type In<At extends State['at']> = Extract<State, { at: At }>;
const stay = (state: State, why: string): Step => ({ state, effects: [], ignored: why });
const unexpected = (state: State, event: Event): Step => stay(state, `${event.type} is not expected in ${state.at}`);

function idle(state: In<'IDLE'>, event: Event, fuses: Fuses): Step {
  if (event.type !== 'user-message') return unexpected(state, event);
  const work: Work = {
    turnId: event.turnId,
    seq: 0,
    rounds: 0,
    replans: 0,
    refutations: 0,
    budgetLeftMs: fuses.turnMs,
    budgetSince: event.at,
    goodSnapshot: 0,
    snapshots: 0,
  };
  const step = enterPlanning(work, 'a message came', null, fuses);
  return { state: step.state, effects: [{ do: 'set-timer', timer: 'turn', id: work.turnId, ms: fuses.turnMs }, ...step.effects] };
}

function planning(state: In<'PLANNING'>, event: Event, fuses: Fuses): Step {
  if ('planId' in event && event.planId !== state.planId) return stay(state, `${event.type} of an older plan`);
  switch (event.type) {
    case 'plan-progress': {
      const hasOutput = state.hasOutput || event.phase === 'thinking';
      const next: State = { ...state, phase: event.phase, hasOutput };
      // Loading and reading the prompt have one budget each, so news of the same phase do not stretch it; tokens do.
      if (event.phase === state.phase && event.phase !== 'thinking') return { state: next, effects: [] };
      if (event.phase !== 'thinking' && state.hasOutput) return stay(state, `${event.phase} after output had begun`);
      return { state: next, effects: [fuse(state.planId, planFuse(event.phase, fuses))] };
    }
    case 'plan-calls':
      if (event.calls.length === 0) return stay(state, 'a plan of no calls');
      return enterToolCalling(state.work, event, fuses);
    case 'plan-code':
      return enterSandbox(state.work, event, fuses);
    case 'plan-answer':
      return enterVerification(state.work, 'answer', 'an answer is drafted', fuses.verificationMs);
    case 'ask-back':
      return end(state, { kind: 'asked-back' });
    case 'plan-refused':
      return end(state, { kind: 'refused', code: event.code });
    case 'plan-failed':
      return end(state, { kind: 'failed', code: event.code, why: 'the planner failed' });
    case 'timer': {
      if (event.timer !== 'fuse' || event.id !== state.planId) return stay(state, 'a timer of something else');
      const ms = planFuse(state.phase, fuses);
      const why = state.phase === 'thinking' ? `no progress for ${ms} ms` : `${state.phase} took longer than ${ms} ms`;
      // Only a planner that gave no sign at all is asked again; half an answer is kept and marked.
      if (state.phase !== 'thinking' || state.hasOutput) return end(state, { kind: 'failed', code: 'MODEL_TIMEOUT', why });
      return replan(state, why, 'MODEL_TIMEOUT', fuses, [{ do: 'abort-plan', planId: state.planId }], true);
    }
    case 'user-message':
    case 'call-waiting':
    case 'call-running':
    case 'call-ended':
    case 'calls-settled':
    case 'code-finished':
    case 'verified':
    case 'refuted':
    case 'stop':
      return unexpected(state, event);
    default:
      return event satisfies never;
  }
}

function toolCalling(state: In<'TOOL_CALLING'>, event: Event, fuses: Fuses): Step {
  if ('batchId' in event && event.batchId !== state.batchId) return stay(state, `${event.type} of an older batch`);
  if ('batchId' in event && state.backingOff) return stay(state, `${event.type} while waiting to try again`);
  const known = (callId: string): boolean => state.open.some((c) => c.callId === callId);
  switch (event.type) {
    case 'call-waiting': {
      if (!known(event.callId) || state.waiting.includes(event.callId)) return stay(state, 'a call that is not open, or waits already');
      const waiting = [...state.waiting, event.callId];
      if (state.waiting.length > 0) return { state: { ...state, waiting }, effects: [] };
      const work = pause(state.work, event.at);
      return {
        state: { ...state, work, waiting },
        effects: [clear('fuse'), clear('turn'), { do: 'set-timer', timer: 'person', id: state.batchId, ms: fuses.personMs }],
      };
    }
    case 'call-running': {
      if (!known(event.callId)) return stay(state, 'a call that is not open');
      const open = state.open.map((c) => (c.callId === event.callId ? { ...c, timeoutMs: c.timeoutMs + event.extraMs } : c));
      return afterPerson({ ...state, open }, event.callId, event.at, fuses);
    }
    case 'call-ended': {
      if (!known(event.callId)) return stay(state, 'a call that is not open');
      const open = state.open.filter((c) => c.callId !== event.callId);
      return afterPerson({ ...state, open }, event.callId, event.at, fuses);
    }
    case 'calls-settled':
      return settled(resumeBudget(state, event.at), event.outcome, fuses);
    case 'timer':
      return toolTimer(state, event, fuses);
    case 'user-message':
    case 'plan-progress':
    case 'plan-calls':
    case 'plan-code':
    case 'plan-answer':
    case 'ask-back':
    case 'plan-refused':
    case 'plan-failed':
    case 'code-finished':
    case 'verified':
    case 'refuted':
    case 'stop':
      return unexpected(state, event);
    default:
      return event satisfies never;
  }
}

function toolTimer(state: In<'TOOL_CALLING'>, event: Extract<Event, { type: 'timer' }>, fuses: Fuses): Step {
  if (event.id !== state.batchId) return stay(state, 'a timer of something else');
  if (event.timer === 'backoff' && state.backingOff) {
    return {
      state: { ...state, backingOff: false },
      effects: [
        fuse(state.batchId, toolFuse(state.open, fuses)),
        { do: 'rerun-calls', batchId: state.batchId, callIds: state.open.map((c) => c.callId), attempt: state.attempt },
      ],
    };
  }
  if (event.timer === 'person' && state.waiting.length > 0) {
    const why = `no decision within ${fuses.personMs} ms`;
    const resumed = resumeBudget(state, event.at);
    return replan(
      resumed,
      why,
      'APPROVAL_EXPIRED',
      fuses,
      [{ do: 'cancel-calls', batchId: state.batchId, code: 'APPROVAL_EXPIRED', why }, turnTimer(resumed.work)],
      false,
    );
  }
  if (event.timer === 'fuse' && state.waiting.length === 0 && !state.backingOff) {
    const why = `calls took longer than ${toolFuse(state.open, fuses)} ms`;
    return replan(state, why, 'TIMEOUT', fuses, [{ do: 'cancel-calls', batchId: state.batchId, code: 'TIMEOUT', why }], false);
  }
  return stay(state, `the ${event.timer} timer means nothing now`);
}

/** A call went on or ended: if nobody is waited for any more, the clock runs again; either way the fuse starts anew. */
function afterPerson(state: In<'TOOL_CALLING'>, callId: string, at: number, fuses: Fuses): Step {
  const waiting = state.waiting.filter((id) => id !== callId);
  if (waiting.length > 0) return { state: { ...state, waiting }, effects: [] };
  const effects: Effect[] = [fuse(state.batchId, toolFuse(state.open, fuses))];
  const next = resumeBudget({ ...state, waiting }, at);
  if (state.waiting.length > 0) effects.unshift(clear('person'), turnTimer(next.work));
  return { state: next, effects };
}

function settled(state: In<'TOOL_CALLING'>, outcome: BatchOutcome, fuses: Fuses): Step {
  const worked: In<'TOOL_CALLING'> = { ...state, waiting: [] };
  if (outcome.loop !== null) return end(worked, { kind: 'loop', ...outcome.loop });
  // The clock stood still if somebody was waited for when the batch ended; it runs again now.
  const restart = state.waiting.length > 0 ? [turnTimer(state.work)] : [];
  const retry = outcome.failures.filter((f) => f.mayRetry);
  if (retry.length > 0 && state.attempt < fuses.readRetries) {
    const open: OpenCall[] = retry.map((f) => ({ callId: f.callId, timeoutMs: fuses.toolCallingMs }));
    return {
      state: { ...worked, open, attempt: state.attempt + 1, backingOff: true },
      effects: [
        ...restart,
        clear('fuse'),
        clear('person'),
        { do: 'set-timer', timer: 'backoff', id: state.batchId, ms: fuses.backoffMs * 2 ** state.attempt },
      ],
    };
  }
  const first = outcome.failures[0];
  if (first !== undefined) {
    const why = `${first.tool}: ${first.message}`;
    return replan(worked, why, first.code, fuses, restart, false);
  }
  const step = outcome.wrote
    ? enterVerification(state.work, 'write', 'a write is done', fuses.readBackMs)
    : state.last
      ? enterVerification(state.work, 'results', 'the last results are in', fuses.verificationMs)
      : enterPlanning(state.work, 'the results are in', null, fuses);
  return { state: step.state, effects: [...restart, clear('person'), ...step.effects] };
}

function sandbox(state: In<'SANDBOX_EXECUTION'>, event: Event, fuses: Fuses): Step {
  if (event.type === 'code-finished') {
    if (event.runId !== state.runId) return stay(state, 'the end of an older run');
    if (event.loop !== null) return end(state, { kind: 'loop', ...event.loop });
    if (event.failure !== null) return replan(state, event.failure.message, event.failure.code, fuses, [], false);
    return state.last
      ? enterVerification(state.work, 'results', 'the program is done', fuses.verificationMs)
      : enterPlanning(state.work, 'the program is done', null, fuses);
  }
  if (event.type === 'timer' && event.timer === 'fuse' && event.id === state.runId) {
    const why = 'the program ran longer than its limit';
    return replan(state, why, 'TIMEOUT', fuses, [{ do: 'cancel-code', runId: state.runId, code: 'TIMEOUT', why }], false);
  }
  return unexpected(state, event);
}

function verification(state: In<'VERIFICATION'>, event: Event, fuses: Fuses): Step {
  if ('checkId' in event && event.checkId !== state.checkId) return stay(state, `${event.type} of an older check`);
  if (event.type === 'verified') {
    return state.subject === 'answer'
      ? end(state, { kind: 'answered' })
      : enterPlanning(state.work, `the ${state.subject} is verified`, null, fuses);
  }
  if (event.type === 'refuted') {
    const work = { ...state.work, refutations: state.work.refutations + 1 };
    // An answer is asked for once more; the second time it is shown, with its marks.
    if (state.subject === 'answer' && state.work.refutations > 0) return end({ ...state, work }, { kind: 'marked', why: event.reason });
    return replan({ ...state, work }, event.reason, 'INTERNAL', fuses, [], state.subject === 'answer');
  }
  if (event.type === 'timer' && event.timer === 'fuse' && event.id === state.checkId) {
    const why = 'the check did not end in time';
    return end(state, { kind: 'marked', why });
  }
  return unexpected(state, event);
}

// Entering a state: a snapshot, its fuse, its work.

function enterPlanning(from: Work, why: string, reason: string | null, fuses: Fuses): Step {
  if (from.rounds >= fuses.maxRounds)
    return endWork(from, { kind: 'exhausted', code: 'TOOL_LOOP', why: `${from.rounds} rounds without an answer` });
  const { work, id } = nextId({ ...from, rounds: from.rounds + 1 }, 'plan');
  const snap = snapshot(work, 'PLANNING', why, fuses.planningMs, true);
  return {
    state: { at: 'PLANNING', work: snap.work, planId: id, phase: 'thinking', hasOutput: false },
    effects: [snap.effect, fuse(id, fuses.planningMs), { do: 'plan', planId: id, reason, attempt: from.replans }],
  };
}

function enterToolCalling(from: Work, event: Extract<Event, { type: 'plan-calls' }>, fuses: Fuses): Step {
  const { work, id } = nextId(from, 'calls');
  const ms = toolFuse(event.timeouts, fuses);
  const snap = snapshot(work, 'TOOL_CALLING', `calls: ${event.calls.map((c) => c.tool).join(', ')}`, ms, false);
  return {
    state: {
      at: 'TOOL_CALLING',
      work: snap.work,
      batchId: id,
      open: event.timeouts,
      waiting: [],
      attempt: 0,
      last: event.last,
      backingOff: false,
    },
    effects: [snap.effect, fuse(id, ms), { do: 'run-calls', batchId: id, calls: event.calls }],
  };
}

function enterSandbox(from: Work, event: Extract<Event, { type: 'plan-code' }>, fuses: Fuses): Step {
  const { work, id } = nextId(from, 'run');
  const ms = Math.max(fuses.sandboxMs, event.limitMs + fuses.sandboxGraceMs);
  const snap = snapshot(work, 'SANDBOX_EXECUTION', `a program in ${event.lang}`, ms, false);
  return {
    state: { at: 'SANDBOX_EXECUTION', work: snap.work, runId: id, last: event.last },
    effects: [snap.effect, fuse(id, ms), { do: 'run-code', runId: id, lang: event.lang, code: event.code, callId: event.callId }],
  };
}

function enterVerification(from: Work, subject: 'answer' | 'write' | 'results', why: string, ms: number): Step {
  const { work, id } = nextId(from, 'check');
  const snap = snapshot(work, 'VERIFICATION', why, ms, false);
  return {
    state: { at: 'VERIFICATION', work: snap.work, checkId: id, subject },
    effects: [snap.effect, fuse(id, ms), { do: 'check', checkId: id, subject }],
  };
}

/**
 * Back to PLANNING with one short reason. `forget` rolls the context back to the last good snapshot (half a plan, a refuted
 * draft); calls that were answered stay, with their errors, because the planner must see them.
 */
function replan(
  state: Exclude<State, { at: 'IDLE' }>,
  why: string,
  code: ErrorCode,
  fuses: Fuses,
  before: Effect[],
  forget: boolean,
): Step {
  const reason = shortReason(why);
  const { work } = state;
  if (work.replans >= fuses.maxReplans) {
    const ended = end(state, { kind: 'exhausted', code, why: reason });
    return { state: ended.state, effects: [...before, ...ended.effects] };
  }
  const replans = work.replans + 1;
  const step = enterPlanning({ ...work, replans }, `replan ${replans}: ${reason}`, reason, fuses);
  const rollback: Effect[] = forget ? [{ do: 'rollback', to: work.goodSnapshot }] : [];
  return {
    state: step.state,
    effects: [...before, clear('person'), ...rollback, { do: 'note-replan', attempt: replans, reason }, ...step.effects],
  };
}

/** At most 60 tokens: a Chinese character counts one, four Latin letters count one. */
export function shortReason(text: string): string {
  let tokens = 0;
  let out = '';
  for (const char of text.replace(/\s+/g, ' ').trim()) {
    tokens += char.codePointAt(0)! < 0x80 ? (/[0-9]/.test(char) ? 1 : 0.3) : 1;
    if (tokens > 58) return `${out}…`;
    out += char;
  }
  return out;
}

// Leaving: every end clears all timers and whatever still runs.

function end(state: Exclude<State, { at: 'IDLE' }>, ending: Ending): Step {
  const stopWork: Effect[] = [];
  const why = ending.kind;
  const code = ending.kind === 'stopped' ? 'CANCELLED' : 'TIMEOUT';
  if (state.at === 'PLANNING') stopWork.push({ do: 'abort-plan', planId: state.planId });
  if (state.at === 'TOOL_CALLING') stopWork.push({ do: 'cancel-calls', batchId: state.batchId, code, why });
  if (state.at === 'SANDBOX_EXECUTION') stopWork.push({ do: 'cancel-code', runId: state.runId, code, why });
  if (state.at === 'VERIFICATION') stopWork.push({ do: 'drop-check', checkId: state.checkId });
  const done = endWork(state.work, ending);
  return { state: done.state, effects: [...stopWork, ...done.effects] };
}

function endWork(work: Work, ending: Ending): Step {
  return {
    state: { at: 'IDLE' },
    effects: [clear('fuse'), clear('turn'), clear('person'), clear('backoff'), { do: 'end-turn', turnId: work.turnId, ending }],
  };
}

// Small parts.

function nextId(work: Work, kind: string): { work: Work; id: string } {
  const seq = work.seq + 1;
  return { work: { ...work, seq }, id: `${work.turnId}/${kind}-${seq}` };
}

function snapshot(work: Work, state: State['at'], why: string, fuseMs: number, good: boolean): { work: Work; effect: Effect } {
  const n = work.snapshots + 1;
  return {
    work: { ...work, snapshots: n, goodSnapshot: good ? n : work.goodSnapshot },
    effect: { do: 'snapshot', n, state, why, fuseMs, good },
  };
}

const fuse = (id: string, ms: number): Effect => ({ do: 'set-timer', timer: 'fuse', id, ms });
const clear = (timer: TimerName): Effect => ({ do: 'clear-timer', timer });
const turnTimer = (work: Work): Effect => ({ do: 'set-timer', timer: 'turn', id: work.turnId, ms: Math.max(1, work.budgetLeftMs) });
const planFuse = (phase: PlanPhase, fuses: Fuses): number =>
  phase === 'loading-model' ? fuses.modelLoadMs : phase === 'first-token' ? fuses.firstTokenMs : fuses.planningMs;

/** Half a second over the longest contract, so that the gateway's own deadline, which knows more, speaks first. */
export function toolFuse(open: readonly OpenCall[], fuses: Fuses): number {
  return Math.max(fuses.toolCallingMs, ...open.map((c) => c.timeoutMs + 500));
}

function pause(work: Work, at: number): Work {
  if (work.budgetSince === null) return work;
  return { ...work, budgetLeftMs: Math.max(0, work.budgetLeftMs - (at - work.budgetSince)), budgetSince: null };
}

function resumeBudget<S extends In<'TOOL_CALLING'>>(state: S, at: number): S {
  return state.work.budgetSince === null ? { ...state, work: { ...state.work, budgetSince: at } } : state;
}
