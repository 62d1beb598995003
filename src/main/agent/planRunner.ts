import type { PlanInput, PlannedCall, PlannerEvent } from '../../shared/contracts/agent.ts';
import { HandrailError, asHandrailError } from '../../shared/errors.ts';
import { askedFunctions } from './askedShape.ts';
import type { DriverPort } from './driver.ts';
import type { Fuses } from './fuses.ts';
import type { AgentDeps } from './ports.ts';
import { runOf } from './envelopes.ts';
import { assertTranscript } from './transcript.ts';
import type { Turn } from './turn.ts';

type Decision = Extract<PlannerEvent, { type: 'calls' | 'code' | 'clarify' | 'refuse' | 'answer' }>;

/** Asks the planner for the next step and turns what it says into events. Knows nothing of what kind of planner it is. */
export function createPlanRunner(deps: AgentDeps, port: DriverPort, fuses: Fuses) {
  const { session } = port;
  let running: { planId: string; abort: AbortController } | null = null;

  const current = (planId: string): boolean => session.state.at === 'PLANNING' && session.state.planId === planId;

  async function run(turn: Turn, planId: string, reason: string | null, attempt: number): Promise<void> {
    if (!current(planId)) return;
    const abort = new AbortController();
    running = { planId, abort };
    turn.draft = '';
    turn.planStep += 1;
    try {
      assertTranscript(session.messages);
      const decision = await listen(turn, planId, input(turn, reason, attempt), abort.signal);
      if (!current(planId)) return;
      if (decision === null) throw new HandrailError('MODEL_EMPTY');
      decide(turn, planId, decision);
    } catch (thrown) {
      if (!current(planId)) return;
      turn.answerError = asHandrailError(thrown);
      port.dispatch({ type: 'plan-failed', planId, code: turn.answerError.code });
    }
  }

  async function listen(turn: Turn, planId: string, planInput: PlanInput, signal: AbortSignal): Promise<Decision | null> {
    let decision: Decision | null = null;
    for await (const event of turn.planner.plan(planInput, signal)) {
      if (!current(planId)) return null;
      switch (event.type) {
        case 'progress':
          port.dispatch({ type: 'plan-progress', planId, phase: event.phase });
          port.emit({ type: 'model-loading', turnId: turn.id, seconds: event.seconds, ofSeconds: event.ofSeconds });
          break;
        case 'text':
          turn.draft += event.delta;
          port.dispatch({ type: 'plan-progress', planId, phase: 'thinking' });
          port.emit({ type: 'text', turnId: turn.id, delta: event.delta });
          break;
        case 'thinking':
          port.dispatch({ type: 'plan-progress', planId, phase: 'thinking' });
          port.emit({ type: 'thinking', turnId: turn.id, delta: event.delta });
          break;
        case 'usage':
          turn.tokens.sent += event.sent;
          turn.tokens.received += event.received;
          break;
        case 'calls':
        case 'code':
        case 'clarify':
        case 'refuse':
        case 'answer':
          decision ??= event;
          break;
        default:
          event satisfies never;
      }
    }
    return decision;
  }

  function decide(turn: Turn, planId: string, decision: Decision): void {
    switch (decision.type) {
      case 'calls':
        return decideCalls(turn, planId, decision);
      case 'code': {
        const call: PlannedCall = {
          callId: deps.ids(),
          tool: 'execute',
          args: withAsked(turn, { lang: decision.lang, code: decision.code }),
          fromText: true,
          ...(decision.returns === undefined ? {} : { expects: runOf(decision.returns) }),
        };
        session.messages.push({ role: 'assistant', content: decision.text ?? turn.draft, calls: [call] });
        port.dispatch({
          type: 'plan-code',
          planId,
          lang: decision.lang,
          code: decision.code,
          callId: call.callId,
          limitMs: timeoutOf('execute'),
          last: decision.last,
        });
        return;
      }
      case 'clarify':
        turn.draft = decision.question;
        turn.clarification = { question: decision.question, candidates: decision.candidates, reason: decision.reason };
        port.dispatch({ type: 'ask-back', planId });
        return;
      case 'refuse':
        turn.draft = decision.text;
        turn.wireError = decision.error;
        port.dispatch({ type: 'plan-refused', planId, code: decision.error.code });
        return;
      case 'answer':
        turn.draft = decision.text;
        turn.shows = decision.shows ?? [];
        turn.wireError = decision.error ?? null;
        if (decision.notice !== undefined) turn.notices.push(decision.notice);
        turn.diagnosis = decision.diagnosis ?? null;
        port.dispatch({ type: 'plan-answer', planId });
        return;
      default:
        return decision satisfies never;
    }
  }

  /** A program that a person asked for by its functions must define them; the call says so, and with it the record. */
  function withAsked(turn: Turn, args: Record<string, unknown>): Record<string, unknown> {
    const defines = args['lang'] === 'python' || args['lang'] === 'javascript' ? askedFunctions(turn.text) : [];
    return defines.length === 0 ? args : { ...args, defines };
  }

  /** Ids of a model are its own business and may repeat; ours are fresh. */
  function decideCalls(turn: Turn, planId: string, decision: Extract<Decision, { type: 'calls' }>): void {
    const fresh = decision.calls.map(() => deps.ids());
    const ids = new Map(decision.calls.map((c, i) => [c.callId, fresh[i]!]));
    const calls = decision.calls.map((c, i): PlannedCall => {
      const callId = fresh[i]!;
      const dependsOn = (c.dependsOn ?? []).flatMap((id) => ids.get(id) ?? []);
      const args = c.tool === 'execute' && c.rejected === undefined ? withAsked(turn, c.args) : c.args;
      return { ...c, callId, args, ...(dependsOn.length > 0 ? { dependsOn } : {}) };
    });
    session.messages.push({ role: 'assistant', content: decision.text ?? turn.draft, calls });
    const only = calls.length === 1 ? calls[0] : undefined;
    const lang = only?.args['lang'];
    const code = only?.args['code'];
    if (
      only?.tool === 'execute' &&
      only.rejected === undefined &&
      typeof code === 'string' &&
      (lang === 'python' || lang === 'javascript' || lang === 'sql' || lang === 'shell')
    ) {
      port.dispatch({ type: 'plan-code', planId, lang, code, callId: only.callId, limitMs: timeoutOf('execute'), last: decision.last });
      return;
    }
    const timeouts = calls.filter((c) => c.rejected === undefined).map((c) => ({ callId: c.callId, timeoutMs: timeoutOf(c.tool) }));
    port.dispatch({ type: 'plan-calls', planId, calls, timeouts, last: decision.last });
  }

  function timeoutOf(tool: string): number {
    return deps.gateway.contracts().find((c) => c.name === tool)?.executionTimeoutMs ?? fuses.toolCallingMs;
  }

  function input(turn: Turn, replanReason: string | null, attempt: number): PlanInput {
    return {
      sessionId: session.id,
      turnId: turn.id,
      lang: turn.lang,
      text: turn.text,
      transcript: session.messages,
      results: turn.answered.map((a) => ({ call: a.call, result: a.result })),
      tools: deps.gateway.contracts(),
      world: deps.world(),
      armedDevices: deps.armedDevices(),
      replanReason,
      files: turn.files,
      attempt,
    };
  }

  return {
    run,
    abort(planId: string): void {
      if (running?.planId === planId) running.abort.abort(new HandrailError('CANCELLED'));
    },
  };
}
