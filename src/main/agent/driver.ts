import type { TranscriptMessage, TurnEvent, TurnReport } from '../../shared/contracts/agent.ts';
import type { CallEnvelope, ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { NewEvent } from '../../shared/contracts/record.ts';
import { HandrailError, asHandrailError } from '../../shared/errors.ts';
import { createCallRunner } from './callRunner.ts';
import type { Fuses } from './fuses.ts';
import { createPlanRunner } from './planRunner.ts';
import type { AgentDeps } from './ports.ts';
import { turnReport } from './report.ts';
import type { Effect, Event, TimerName } from './states.ts';
import { digestOf } from './resume.ts';
import { wellFormed } from './wellFormed.ts';
import { transition } from './transition.ts';
import type { Session, Turn } from './turn.ts';
import { checkAnswer, checkResults, checkWrites } from './verify.ts';

type NewsOf<T> = T extends unknown ? Omit<T, 'at'> : never;
/** An event without its time; the driver stamps it. */
export type News = NewsOf<Event>;

export type DriverPort = {
  session: Session;
  /** Feeds an event; false when the state refused it. */
  dispatch(news: News): boolean;
  emit(event: TurnEvent): void;
};

/**
 * Runs one session: feeds events to the transition, performs its effects one after another, and feeds back what comes of
 * them. It decides nothing; whatever it must not do twice or too late is refused by the transition.
 */
export function createDriver(deps: AgentDeps, session: Session, fuses: Fuses, emit: (event: TurnEvent) => void) {
  const timers = new Map<TimerName, () => void>();
  let queue: Promise<void> = Promise.resolve();
  let finish: ((report: TurnReport) => void) | null = null;
  let check: { id: string } | null = null;

  const iso = (): string => new Date(deps.clock.now()).toISOString();
  const port: DriverPort = { session, dispatch, emit };
  const plans = createPlanRunner(deps, port, fuses);
  const calls = createCallRunner(deps, port, fuses);

  function dispatch(news: News): boolean {
    const event = { ...news, at: deps.clock.elapsed() };
    const step = transition(session.state, event, fuses);
    session.state = step.state;
    if (step.ignored !== undefined) {
      record({ kind: 'note', payload: { text: `ignored: ${event.type} in ${session.state.at}: ${step.ignored}` } });
      return false;
    }
    for (const effect of step.effects) queue = queue.then(() => perform(effect)).catch(failed);
    return true;
  }

  async function perform(effect: Effect): Promise<void> {
    const { turn } = session;
    if (turn === null) return;
    switch (effect.do) {
      case 'set-timer':
        timers.get(effect.timer)?.();
        timers.set(
          effect.timer,
          deps.clock.after(effect.ms, () => dispatch({ type: 'timer', timer: effect.timer, id: effect.id })),
        );
        return;
      case 'clear-timer':
        timers.get(effect.timer)?.();
        timers.delete(effect.timer);
        return;
      case 'snapshot':
        return snapshot(turn, effect);
      case 'rollback':
        return rollback(turn, effect.to);
      case 'note-replan':
        emit({ type: 'replan', turnId: turn.id, attempt: effect.attempt, reason: effect.reason });
        return;
      case 'plan':
        void plans.run(turn, effect.planId, effect.reason, effect.attempt);
        return;
      case 'abort-plan':
        return plans.abort(effect.planId);
      case 'run-calls':
        void calls.run(turn, effect.batchId, effect.calls);
        return;
      case 'rerun-calls':
        void calls.rerun(turn, effect.batchId, effect.callIds);
        return;
      case 'cancel-calls':
        return calls.cancel(turn, effect.batchId, effect.code, effect.why);
      case 'run-code':
        void calls.runCode(turn, effect.runId, effect.lang, effect.code, effect.callId);
        return;
      case 'cancel-code':
        return calls.cancel(turn, effect.runId, effect.code, effect.why);
      case 'check':
        check = { id: effect.checkId };
        void runCheck(turn, effect.checkId, effect.subject).catch(failed);
        return;
      case 'drop-check':
        check = null;
        return;
      case 'end-turn':
        return endTurn(turn, effect.ending);
      default:
        return effect satisfies never;
    }
  }

  function failed(thrown: unknown): void {
    // An effect that throws is a fault of ours; the turn ends with it rather than hang.
    const { turn } = session;
    if (turn === null) return;
    turn.answerError = asHandrailError(thrown);
    if (session.state.at === 'PLANNING') dispatch({ type: 'plan-failed', planId: session.state.planId, code: turn.answerError.code });
    else if (session.state.at !== 'IDLE') dispatch({ type: 'stop' });
  }

  function snapshot(turn: Turn, effect: Extract<Effect, { do: 'snapshot' }>): void {
    closeState(turn);
    const at = iso();
    turn.states.push({ state: effect.state, at, duration_ms: null, why: effect.why, fuse_ms: effect.fuseMs });
    turn.stateSince = deps.clock.elapsed();
    turn.snapshots.set(effect.n, { messages: session.messages.length, answered: turn.answered.length });
    record({ kind: 'state', payload: turn.states.at(-1)! });
    guarded(() =>
      deps.snapshots.save({
        sessionId: session.id,
        turnId: turn.id,
        state: effect.state,
        good: effect.good,
        messages: wellFormed(session.messages) as TranscriptMessage[],
        calls: turn.answered.map((a) => ({ call: wellFormed(a.call) as CallEnvelope, result: wellFormed(a.result) as ResultEnvelope })),
        workspaceDigest: workspaceDigest(turn),
        tokens: { ...turn.tokens, classic: null },
        extra: { n: effect.n, plan_step: turn.planStep, lang: turn.lang },
      }),
    );
    emit({ type: 'state', turnId: turn.id, state: effect.state, why: effect.why, fuseMs: effect.fuseMs, at });
  }

  function closeState(turn: Turn): void {
    const open = turn.states.at(-1);
    if (open !== undefined && open.duration_ms === null)
      open.duration_ms = Math.max(0, Math.round((deps.clock.elapsed() - turn.stateSince) * 10) / 10);
  }

  function rollback(turn: Turn, to: number): void {
    const good = turn.snapshots.get(to);
    if (good === undefined) throw new HandrailError('INTERNAL', { detail: { reason: `there is no snapshot ${to}` } });
    session.messages.length = Math.min(session.messages.length, good.messages);
    turn.answered.length = Math.min(turn.answered.length, good.answered);
    turn.draft = '';
    turn.marks = [];
  }

  async function runCheck(turn: Turn, checkId: string, subject: 'answer' | 'write' | 'results'): Promise<void> {
    let verdict =
      subject === 'answer' ? checkAnswer(session, turn, deps.world()) : subject === 'write' ? checkWrites(turn) : checkResults(turn);
    if (subject === 'answer' && verdict.ok && deps.verify !== undefined) {
      const against = await deps.verify(turn.draft, turn.answered);
      if (against !== null) verdict = { ok: false, reason: against };
    }
    if (check?.id !== checkId) return;
    dispatch(verdict.ok ? { type: 'verified', checkId } : { type: 'refuted', checkId, reason: verdict.reason });
  }

  function endTurn(turn: Turn, ending: Extract<Effect, { do: 'end-turn' }>['ending']): void {
    closeState(turn);
    turn.states.push({ state: 'IDLE', at: iso(), duration_ms: null, why: ending.kind, fuse_ms: null });
    if (ending.kind === 'exhausted') turn.wireError ??= turn.answered.findLast((a) => !a.result.ok)?.result.error ?? null;
    const report = turnReport(session, turn, ending, fuses);
    const said = report.error === null ? report.answer : `${report.answer}\n[${report.error.code}]`.trim();
    session.messages.push({ role: 'assistant', content: said === '' ? '[-]' : said, calls: [] });
    record({ kind: 'message', payload: session.messages.at(-1)! });
    record({ kind: 'turn-ended', payload: { ...report, calls: report.calls.map((c) => c.call.call_id) } });
    guarded(() => deps.snapshots.drop(turn.id));
    session.earlier = [...session.earlier, ...turn.answered].slice(-100);
    session.turn = null;
    emit({ type: 'state', turnId: turn.id, state: 'IDLE', why: ending.kind, fuseMs: null, at: iso() });
    emit({ type: 'turn-ended', turnId: turn.id, report });
    finish?.(report);
    finish = null;
  }

  /** The record may fail (disk full): a turn that reads goes on and says so; writes are refused by the gateway itself. */
  function guarded(write: () => unknown): void {
    try {
      write();
    } catch (thrown) {
      const { message } = asHandrailError(thrown).text;
      const { turn } = session;
      if (turn !== null && !turn.notices.some((n) => n.en === message.en)) turn.notices.push(message);
    }
  }

  function record(event: Pick<NewEvent, 'kind' | 'payload'>): void {
    guarded(() =>
      deps.record.append({ session: session.id, turn: session.turn?.id ?? null, ...event, payload: wellFormed(event.payload) } as NewEvent),
    );
  }

  return {
    start(turn: Turn): Promise<TurnReport> {
      session.turn = turn;
      const done = new Promise<TurnReport>((resolve) => (finish = resolve));
      record({ kind: 'turn-started', payload: { text: turn.text, lang: turn.lang, planner: turn.planner.name } });
      record({ kind: 'message', payload: { role: 'user', content: turn.text } });
      emit({ type: 'turn-started', sessionId: session.id, turnId: turn.id, text: turn.text, planner: turn.planner.name, at: iso() });
      dispatch({ type: 'user-message', turnId: turn.id });
      return done;
    },
    /** Goes on with a turn of which a crash left the context: straight to planning, with what is known. */
    resume(turn: Turn): Promise<TurnReport> {
      session.turn = turn;
      const done = new Promise<TurnReport>((resolve) => (finish = resolve));
      record({ kind: 'note', payload: { text: `resumed turn ${turn.id} with ${turn.answered.length} finished calls` } });
      emit({ type: 'turn-started', sessionId: session.id, turnId: turn.id, text: turn.text, planner: turn.planner.name, at: iso() });
      dispatch({ type: 'user-message', turnId: turn.id });
      return done;
    },
    stop(): void {
      dispatch({ type: 'stop' });
    },
    /** News of calls that the gateway runs for this session. */
    onNews: calls.onNews,
  };
}

export type Driver = ReturnType<typeof createDriver>;

/** The files that programs of this turn made, as one digest: null while there are none. */
function workspaceDigest(turn: Turn): string | null {
  const files = turn.answered.flatMap((a) => (a.result.result as { files?: { name: string; sha256: string }[] } | null)?.files ?? []);
  return files.length === 0 ? null : digestOf(files);
}
