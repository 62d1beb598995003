import type { Agent, TurnEvent, TurnReport } from '../../shared/contracts/agent.ts';
import { HandrailError } from '../../shared/errors.ts';
import { createDriver, type Driver } from './driver.ts';
import { settleFuses } from './fuses.ts';
import type { AgentDeps } from './ports.ts';
import { finishedCalls, restoreTurn, saidBefore } from './resume.ts';
import { langOf, newSession, newTurn, type Session } from './turn.ts';

/** The agent: sessions, each with one state machine, behind one gateway. */
export function createAgent(deps: AgentDeps): Agent {
  const fuses = settleFuses(deps.fuses);
  const listeners = new Set<(event: TurnEvent) => void>();
  const sessions = new Map<string, { session: Session; driver: Driver }>();
  const emit = (event: TurnEvent): void => listeners.forEach((listener) => listener(event));
  const stopNews = deps.gateway.onNews((news) => sessions.get(news.call.session_id)?.driver.onNews(news));

  function open(id: string): { session: Session; driver: Driver } {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session = newSession(id);
    // A session of an earlier run: what was said in it is in the record.
    session.messages = saidBefore(deps.record.events(id), null);
    const made = { session, driver: createDriver(deps, session, fuses, emit) };
    sessions.set(id, made);
    return made;
  }

  return {
    startSession({ door, operator }) {
      const id = deps.ids();
      deps.record.append({ session: id, kind: 'session-started', payload: { door, operator, title: '' } });
      open(id);
      return id;
    },
    async ask({ sessionId, text, lang, files }) {
      const { session, driver } = open(sessionId);
      const planner = deps.plannerFor(sessionId);
      const turn = newTurn(deps.ids(), text, lang ?? langOf(text), files ?? [], planner, deps.clock.elapsed());
      if (session.turn !== null) {
        const error = new HandrailError('TOOL_BUSY', {
          message: { en: 'This session is still at the request before.', zh: '本会话仍在处理上一个请求。' },
          advice: { en: 'Wait for it, or press Stop.', zh: '请等待，或按“停止”。' },
        });
        return refusal(sessionId, turn.id, planner.name, error.toWire(turn.lang));
      }
      session.messages.push({ role: 'user', content: text });
      session.lastTurn = driver.start(turn);
      return session.lastTurn;
    },
    async stop(sessionId) {
      const known = sessions.get(sessionId);
      if (known === undefined || known.session.turn === null) return;
      known.driver.stop();
      await known.session.lastTurn;
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async resume(sessionId) {
      const left = deps.snapshots.unfinishedTurns().find((t) => t.sessionId === sessionId);
      const { session, driver } = open(sessionId);
      if (left === undefined || session.turn !== null) return null;
      const planner = deps.plannerFor(sessionId);
      const turn = newTurn(left.turnId, left.text, langOf(left.text), [], planner, deps.clock.elapsed());
      const snapshot = deps.snapshots.latest(left.turnId);
      if (snapshot === undefined)
        session.messages = [...saidBefore(deps.record.events(sessionId), left.turnId), { role: 'user', content: left.text }];
      else {
        const restored = restoreTurn(snapshot, deps.record.calls(sessionId), turn.lang, new Date(deps.clock.now()).toISOString());
        session.messages = restored.messages;
        turn.answered = restored.answered;
        turn.callLog = restored.answered.map(({ call, result }) => ({ call, result }));
        turn.finished = finishedCalls(turn.id, deps.record.calls(sessionId), new Set(restored.answered.map((a) => a.call.call_id)));
        turn.planStep = typeof snapshot.extra['plan_step'] === 'number' ? snapshot.extra['plan_step'] : 0;
      }
      session.lastTurn = driver.resume(turn);
      return session.lastTurn;
    },
    async close() {
      await Promise.all([...sessions.keys()].map((id) => this.stop(id)));
      stopNews();
    },
  };
}

function refusal(sessionId: string, turnId: string, planner: string, error: TurnReport['error']): TurnReport {
  return {
    turn_id: turnId,
    session_id: sessionId,
    answer: '',
    grounded: false,
    needs_clarification: false,
    clarification: null,
    marks: [],
    states: [],
    calls: [],
    tokens: { sent: 0, received: 0, classic: null },
    shows: [],
    error,
    notice: null,
    diagnosis: null,
    planner,
    taint: [],
  };
}
