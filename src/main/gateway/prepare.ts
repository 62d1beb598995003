import { asHandrailError, HandrailError } from '../../shared/errors.ts';
import type { CallEnvelope, CallRequest, ResultEnvelope } from '../../shared/contracts/calls.ts';
import { createChunks } from './chunks.ts';
import { createDeadline } from './deadline.ts';
import { failure, invalid, makeMeta, priorityOf, type GatewayStep, type Job } from './job.ts';
import { recordable } from './recordable.ts';
import type { Registered } from './registry.ts';
import { compileForeignSchema } from './schemas.ts';
import { newCallFrames } from './wireGuard.ts';
import type { Workshop } from './workshop.ts';

export type Prepared = { job: Job } | { ended: ResultEnvelope; error: HandrailError | null };

/** Name, chunks, schema: what can be said of a call without waiting for anything. */
export function createPrepare(shop: Workshop) {
  const { clock, book, recorder, tell } = shop;
  const pieces = new Map<string, CallRequest>();
  const chunks = createChunks({
    clock,
    expired(callId, received, total) {
      const request = pieces.get(callId);
      pieces.delete(callId);
      if (request === undefined) return;
      const error = new HandrailError('TOOL_CHUNKS', {
        detail: { reason: `${received} of ${total} came within 60 s` },
        message: {
          en: `Only ${received} of ${total} argument chunks came within 60 s; the call was dropped.`,
          zh: `60 秒内只收到 ${received}/${total} 个参数分块，调用已丢弃。`,
        },
      });
      refuse(request, callId, 'chunks', error);
    },
  });

  /** Ends a call that never became a job; it is recorded with the step where it stopped. */
  function refuse(request: CallRequest, callId: string, step: GatewayStep, error: HandrailError): ResultEnvelope {
    const call = envelopeOf(
      shop,
      request,
      callId,
      request.tool.slice(0, 200),
      recordable(plainArgs(request.args)) as Record<string, unknown>,
      0,
    );
    const result = failure(callId, error, request, makeMeta(clock.now(), 0, {}));
    const trouble =
      recorder.attempt(call, 'call', call) ??
      recorder.attempt(call, 'call-stopped', { call_id: callId, step, error: result.error }) ??
      recorder.attempt(call, 'result', result);
    if (trouble !== null) result.meta.unrecorded = trouble.message;
    tell(call, 'ended', result);
    return result;
  }

  function isUsed(request: CallRequest, callId: string): boolean {
    // An id that comes from outside may be a repeated delivery: what was done once is not done again.
    return book.isKnown(callId) || (request.callId !== undefined && shop.deps.record.call?.(callId) !== undefined);
  }

  function prepare(request: CallRequest, callId: string): Prepared {
    let step: GatewayStep = 'name';
    try {
      const registered = shop.registry.find(request.tool);
      step = 'chunks';
      if (isUsed(request, callId)) throw invalid(`the call id ${callId} was used already`, `调用编号 ${callId} 已被使用`);
      const piece = chunks.take({ ...request, callId });
      if (!piece.complete) {
        pieces.set(callId, request);
        tell(envelopeOf(shop, request, callId, registered.contract.name, {}, 0), 'preparing', null);
        const result = { received: piece.received, total: piece.total };
        return { ended: { call_id: callId, ok: true, result, error: null, meta: makeMeta(clock.now(), 0, {}) }, error: null };
      }
      pieces.delete(callId);
      step = 'schema';
      const args = withoutNulls(piece.args);
      const fault = registered.checkArgs(args);
      if (fault !== null) throw invalid(fault.en, fault.zh, { tool: registered.contract.name });
      const expected = request.expectedOutputSchema ? compileExpected(request.expectedOutputSchema) : null;
      return { job: makeJob(shop, request, callId, registered, args, expected) };
    } catch (thrown) {
      const error = asHandrailError(thrown);
      pieces.delete(callId);
      return { ended: refuse(request, callId, step, error), error };
    }
  }

  return { prepare, refuse, waiting: () => pieces.size, close: () => chunks.close() };
}

function envelopeOf(
  shop: Workshop,
  request: CallRequest,
  callId: string,
  tool: string,
  args: Record<string, unknown>,
  timeoutMs: number,
): CallEnvelope {
  return {
    call_id: callId,
    parent_call_id: request.parentCallId ?? null,
    session_id: request.sessionId,
    turn_id: request.turnId ?? null,
    tool,
    args,
    depends_on: [...(request.dependsOn ?? [])],
    expected_output_schema: request.expectedOutputSchema ?? null,
    timeout_ms: timeoutMs,
    meta: { timestamp: new Date(shop.clock.now()).toISOString(), caller: request.caller },
  };
}

function makeJob(
  shop: Workshop,
  request: CallRequest,
  callId: string,
  registered: Registered,
  args: Record<string, unknown>,
  expected: Job['expected'],
): Job {
  const { clock } = shop;
  const { contract } = registered;
  const parent = shop.book.open.get(request.parentCallId ?? '')?.job;
  const budgets = [contract.executionTimeoutMs, request.timeoutMs, parent?.deadline.restMs(), request.turnRestMs].filter(
    (ms) => ms !== undefined,
  );
  const budgetMs = Math.max(0, Math.floor(Math.min(...budgets)));
  const explicit = Object.fromEntries(registered.parameters.map((name) => [name, args[name] ?? null]));
  const call = envelopeOf(
    shop,
    request,
    callId,
    contract.name,
    recordable(explicit) as Record<string, unknown>,
    Number.isNaN(budgetMs) ? 0 : budgetMs,
  );
  const outer = [request.signal, parent?.deadline.signal].filter((s) => s !== undefined);
  const deadline = createDeadline({ clock, what: contract.name, budgetMs, outer });
  const inside = {
    sessionId: request.sessionId,
    turnId: request.turnId ?? null,
    parentCallId: callId,
    lang: request.lang,
    signal: deadline.signal,
  };
  const job: Job = {
    request,
    call,
    registered,
    args,
    expected,
    deadline,
    depth: (parent?.depth ?? -1) + 1,
    step: 'dependencies',
    startedAt: clock.elapsed(),
    frames: newCallFrames(),
    noted: {},
    unrecorded: null,
    say: (phase) => shop.tell(call, phase, null),
    context: {
      call,
      lang: request.lang,
      words: request.words ?? '',
      signal: deadline.signal,
      stop: shop.stops.signalOf(request.sessionId),
      priority: priorityOf(request.caller),
      restMs: () => deadline.restMs(),
      child: (tool, childArgs) => shop.call({ ...inside, tool, args: childArgs, caller: `program:${callId}`, taint: request.taint }),
      note: (meta) => Object.assign(job.noted, meta),
    },
  };
  return job;
}

function plainArgs(args: unknown): Record<string, unknown> {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as Record<string, unknown>) : { value: args };
}

/** Absent is absent: a null on the top level, as records show it, is the same as no key. Anything but an object is refused. */
function withoutNulls(args: unknown): Record<string, unknown> {
  if (args === undefined || args === null) return {};
  if (typeof args !== 'object' || Array.isArray(args)) throw invalid('they must be an object', '必须是对象');
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined));
}

function compileExpected(schema: Record<string, unknown>) {
  try {
    return compileForeignSchema(schema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(`expected_output_schema: ${reason}`, `expected_output_schema：${reason}`);
  }
}
