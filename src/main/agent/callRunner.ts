import type { PlannedCall } from '../../shared/contracts/agent.ts';
import type { CallEnvelope, CallNews, CallRequest, Effect, ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { RunLang } from '../../shared/contracts/sandbox.ts';
import { HandrailError, asHandrailError, type ErrorCode } from '../../shared/errors.ts';
import type { DriverPort } from './driver.ts';
import { callEnvelope, failedResult, rejectedResult } from './envelopes.ts';
import type { Fuses } from './fuses.ts';
import { callKey } from './resume.ts';
import type { AgentDeps } from './ports.ts';
import { resultText } from './resultText.ts';
import { mayRetry } from './retry.ts';
import type { CallFailure } from './states.ts';
import { taintOf } from './taint.ts';
import { wellFormedText } from './wellFormed.ts';
import type { Answered, Turn } from './turn.ts';

/** Calls of one batch (or the one call of a program) on their way through the gateway. */
type Batch = {
  id: string;
  calls: PlannedCall[];
  results: Map<string, ResultEnvelope>;
  envelopes: Map<string, CallEnvelope>;
  /** Ids under which the gateway knows a call: a second try has an id of its own. */
  tries: Map<string, string>;
  /** Results as the gateway told them one by one: after Stop they are the truth about each call, whatever the others do. */
  ended: Map<string, ResultEnvelope>;
  abort: AbortController;
  settled: boolean;
  pending: Promise<void>;
};

export function createCallRunner(deps: AgentDeps, port: DriverPort, fuses: Fuses) {
  const { session } = port;
  let batch: Batch | null = null;

  const iso = (): string => new Date(deps.clock.now()).toISOString();
  const contractOf = (tool: string) => deps.gateway.contracts().find((c) => c.name === tool);
  const effectOf = (tool: string): Effect | undefined => contractOf(tool)?.effect;

  function open(turn: Turn, id: string, calls: PlannedCall[]): Batch {
    const about = { sessionId: session.id, turnId: turn.id, caller: `agent:${turn.planner.name}`, at: iso() };
    batch = {
      id,
      calls,
      results: new Map(),
      envelopes: new Map(calls.map((c) => [c.callId, callEnvelope(c, contractOf(c.tool), about)])),
      tries: new Map(calls.map((c) => [c.callId, c.callId])),
      ended: new Map(),
      abort: new AbortController(),
      settled: false,
      pending: Promise.resolve(),
    };
    return batch;
  }

  async function run(turn: Turn, batchId: string, calls: PlannedCall[]): Promise<void> {
    const mine = open(turn, batchId, calls);
    const known = deps.gateway.contracts().map((c) => c.name);
    for (const call of calls) {
      const finished = turn.finished.get(callKey(turn.id, call.tool, call.args))?.shift();
      if (finished !== undefined) keep(turn, mine, call, { ...finished, call_id: call.callId });
      else if (call.rejected !== undefined) keep(turn, mine, call, rejectedResult(call, known, turn.lang, iso()));
    }
    mine.pending = send(
      turn,
      mine,
      calls.filter((c) => !mine.results.has(c.callId)),
    );
    await mine.pending;
    settle(turn, mine);
  }

  async function rerun(turn: Turn, batchId: string, callIds: string[]): Promise<void> {
    const mine = batch;
    if (mine?.id !== batchId) return;
    const again = mine.calls.filter((c) => callIds.includes(c.callId));
    for (const call of again) {
      mine.results.delete(call.callId);
      mine.tries.set(call.callId, deps.ids());
    }
    turn.answered = turn.answered.filter((a) => !callIds.includes(a.planned.callId));
    session.messages = session.messages.filter((m) => m.role !== 'tool' || !callIds.includes(m.callId));
    mine.settled = false;
    mine.pending = send(turn, mine, again);
    await mine.pending;
    settle(turn, mine);
  }

  async function send(turn: Turn, mine: Batch, calls: PlannedCall[]): Promise<void> {
    if (calls.length === 0) return;
    const requests = calls.map((call): CallRequest => {
      const id = mine.tries.get(call.callId)!;
      const dependsOn = (call.dependsOn ?? []).map((d) => mine.tries.get(d) ?? d);
      return {
        tool: call.tool,
        args: call.args,
        caller: `agent:${turn.planner.name}`,
        sessionId: session.id,
        turnId: turn.id,
        callId: id,
        dependsOn,
        ...(call.expects === undefined ? {} : { expectedOutputSchema: call.expects }),
        lang: turn.lang,
        words: turn.text,
        taint: [...session.taint],
        signal: mine.abort.signal,
        turnRestMs: turnRest(),
      };
    });
    try {
      const results = await deps.gateway.callAll(requests);
      calls.forEach((call, i) => {
        const result = results[i];
        if (!mine.settled && result !== undefined) keep(turn, mine, call, { ...result, call_id: call.callId }, result);
      });
    } catch (thrown) {
      const error = asHandrailError(thrown);
      for (const call of calls)
        if (!mine.settled && !mine.results.has(call.callId)) keep(turn, mine, call, failedResult(call.callId, error, turn.lang, iso()));
    }
  }

  /** What is left of the turn's budget; while a person decides it stands still. */
  function turnRest(): number {
    if (session.state.at === 'IDLE') return 0;
    const { budgetLeftMs, budgetSince } = session.state.work;
    return Math.max(0, budgetLeftMs - (budgetSince === null ? 0 : deps.clock.elapsed() - budgetSince));
  }

  function keep(turn: Turn, mine: Batch, call: PlannedCall, result: ResultEnvelope, asSent: ResultEnvelope = result): void {
    mine.results.set(call.callId, result);
    const envelope = mine.envelopes.get(call.callId)!;
    turn.callLog.push({ call: { ...envelope, call_id: asSent.call_id }, result: asSent });
    if (call.rejected !== undefined) {
      deps.record.append({
        session: session.id,
        turn: turn.id,
        kind: 'note',
        payload: { text: wellFormedText(`not a usable call: ${call.tool}: ${call.rejected.tellModel}`) },
      });
      port.emit({ type: 'call', turnId: turn.id, call: envelope, phase: 'ended', result });
    }
  }

  /** Answers every call of the batch in the transcript, then says how it went. */
  function settle(turn: Turn, mine: Batch): void {
    if (mine.settled || batch !== mine) return;
    const answered = commit(turn, mine);
    const failures = answered.flatMap((a): CallFailure[] =>
      a.result.ok || a.result.error === null
        ? []
        : [
            {
              callId: a.planned.callId,
              tool: a.call.tool,
              code: a.result.error.code,
              message: a.result.error.message,
              mayRetry: mayRetry(a.result.error, effectOf(a.call.tool)),
            },
          ],
    );
    const wrote = answered.some((a) => a.result.ok && effectOf(a.call.tool) === 'write-plant');
    const retrying = failures.some((f) => f.mayRetry) && session.state.at === 'TOOL_CALLING' && session.state.attempt < fuses.readRetries;
    const loop = retrying ? null : turn.guard.add(answered.map((a) => ({ tool: a.call.tool, args: a.planned.args, result: a.result })));
    if (mine.id.includes('/run-')) {
      const failure = failures[0] === undefined ? runFailure(answered[0]) : { code: failures[0].code, message: failures[0].message };
      port.dispatch({ type: 'code-finished', runId: mine.id, failure, loop });
    } else port.dispatch({ type: 'calls-settled', batchId: mine.id, outcome: { failures, wrote, loop } });
  }

  function commit(turn: Turn, mine: Batch): Answered[] {
    mine.settled = true;
    const answered = mine.calls.map((planned): Answered => ({
      planned,
      call: mine.envelopes.get(planned.callId)!,
      result: mine.results.get(planned.callId)!,
    }));
    for (const a of answered) {
      turn.answered.push(a);
      session.messages.push({ role: 'tool', callId: a.planned.callId, tool: a.planned.tool, content: resultText(a.result) });
      for (const fragment of taintOf(a.planned.tool, a.result, deps.taintedTools)) {
        turn.taint.add(fragment);
        session.taint.add(fragment);
      }
    }
    return answered;
  }

  /** Ends what is open, waits for the truth about it as long as Stop allows, and answers the rest itself. */
  async function cancel(turn: Turn, batchId: string, code: ErrorCode, why: string): Promise<void> {
    const mine = batch;
    if (mine === null || mine.id !== batchId || mine.settled) return;
    const asked = deps.gateway.cancel(code === 'CANCELLED' ? { sessionId: session.id } : { turnId: turn.id }, why).catch(() => undefined);
    mine.abort.abort(new HandrailError(code === 'CANCELLED' ? 'CANCELLED' : 'TIMEOUT', { detail: { what: why } }));
    await Promise.race([Promise.all([asked, mine.pending]), new Promise<void>((done) => deps.clock.after(fuses.stopMs, done))]);
    if (mine.settled) return;
    for (const call of mine.calls) {
      if (mine.results.has(call.callId)) continue;
      const told = mine.ended.get(call.callId);
      if (told !== undefined) {
        keep(turn, mine, call, { ...told, call_id: call.callId }, told);
        continue;
      }
      const detail = { what: call.tool, timeout_ms: fuses.toolCallingMs, target: call.tool };
      keep(turn, mine, call, failedResult(call.callId, new HandrailError(code, { detail }), turn.lang, iso()));
    }
    commit(turn, mine);
  }

  async function runCode(turn: Turn, runId: string, lang: RunLang, code: string, callId: string): Promise<void> {
    const call = planned(callId) ?? { callId, tool: 'execute', args: { lang, code }, fromText: true };
    const mine = open(turn, runId, [call]);
    const finished = turn.finished.get(callKey(turn.id, call.tool, call.args))?.shift();
    if (finished !== undefined) keep(turn, mine, call, { ...finished, call_id: callId });
    else mine.pending = send(turn, mine, [call]);
    await mine.pending;
    settle(turn, mine);
  }

  /** The call as the planner said it, with all that the state machine has no need to know. */
  function planned(callId: string): PlannedCall | undefined {
    return session.messages.flatMap((m) => (m.role === 'assistant' ? m.calls : [])).find((c) => c.callId === callId);
  }

  /** The gateway's live news: cards in the window, and the clock that stops while a person decides. */
  function onNews(news: CallNews): void {
    const { turn } = session;
    if (turn === null || news.call.turn_id !== turn.id) return;
    port.emit({ type: 'call', turnId: turn.id, call: news.call, phase: news.phase, result: news.result });
    if (news.call.parent_call_id !== null && news.result !== null) turn.innerLog.push({ call: news.call, result: news.result });
    if (batch === null || batch.settled) return;
    const planned = [...batch.tries].find(([, id]) => id === news.call.call_id)?.[0];
    if (planned === undefined) return;
    batch.envelopes.set(planned, { ...news.call, call_id: planned });
    if (news.phase === 'waiting-approval') port.dispatch({ type: 'call-waiting', batchId: batch.id, callId: planned });
    if (news.phase === 'running') {
      const extraMs = effectOf(news.call.tool) === 'write-plant' ? fuses.readBackMs : 0;
      port.dispatch({ type: 'call-running', batchId: batch.id, callId: planned, extraMs });
    }
    if (news.phase === 'ended' && news.result !== null) batch.ended.set(planned, news.result);
    if (news.phase === 'ended') port.dispatch({ type: 'call-ended', batchId: batch.id, callId: planned });
  }

  return { run, rerun, cancel, runCode, onNews };
}

/** A program that ended badly is a result with a status, not a failed call. */
function runFailure(answered: Answered | undefined): { code: ErrorCode; message: string } | null {
  const run = answered?.result.result as { status?: unknown; error?: { name?: string; message?: string } | null } | null;
  if (run === null || run === undefined || run.status === undefined || run.status === 'ok') return null;
  const code: ErrorCode =
    run.status === 'rejected'
      ? 'SANDBOX_REJECTED'
      : run.status === 'error'
        ? 'SANDBOX_FAILED'
        : run.status === 'unavailable'
          ? 'SANDBOX_UNAVAILABLE'
          : 'SANDBOX_LIMIT';
  return {
    code,
    message:
      `program ${typeof run.status === 'string' ? run.status : 'failed'}: ${run.error?.name ?? ''} ${run.error?.message ?? ''}`.trim(),
  };
}
