import { asHandrailError, HandrailError } from '../../shared/errors.ts';
import type { Approver, Arming } from '../../shared/contracts/approvals.ts';
import type { CallEnvelope, CallNews, CallPhase, CallRequest, Gateway, ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { WireRequest } from '../../shared/contracts/devices.ts';
import type { RecordStore } from '../../shared/contracts/record.ts';
import type { Clock, PlannedWrite, ToolDefinition, WriteResult } from '../../shared/contracts/tools.ts';
import { askConsent, makeCard } from './approvals.ts';
import { createResultCache } from './cache.ts';
import { createChunks } from './chunks.ts';
import { createDeadline } from './deadline.ts';
import { findCycleInBatch } from './graph.ts';
import { failure, makeMeta, orAbort, priorityOf, Stopped, type GatewayStep, type Job } from './job.ts';
import { judgeCaller, type PolicyRules } from './policy.ts';
import { createRates, type rateLimits } from './rates.ts';
import { createRecorder } from './recorder.ts';
import { recordable } from './recordable.ts';
import { createRegistry, type Registered } from './registry.ts';
import { compileForeignSchema } from './schemas.ts';
import { createScheduler, type SchedulerLimits } from './scheduler.ts';
import { collectFrames, newCallFrames } from './wireGuard.ts';
import { createWriteRequest, needsOf, planMember, type WriteRequest, type WriteRequestDeps } from './writeRequest.ts';

export type GatewayDeps = {
  tools: readonly ToolDefinition[];
  record: Pick<RecordStore, 'append'> & Partial<Pick<RecordStore, 'call'>>;
  approver: Approver;
  arming: Arming;
  /** Throws or gives null when the policy cannot be read: then nothing but reading is done. */
  policy(): PolicyRules | null;
  /** The writing end of `guardWires`; nobody else has one. */
  wire: { request(request: WireRequest): Promise<unknown> };
  /** Does a person's exact consent name this very register? */
  named?(write: PlannedWrite): boolean;
  clock: Clock;
  ids(): string;
  limits?: { scheduler?: SchedulerLimits; rates?: Partial<typeof rateLimits> };
};

export const gatewayLimits = {
  /** After Stop no write starts for this long. */
  stopHoldsMs: 3000,
  /** A tool that ignores its signal keeps its place this long, then it is given to others. */
  stragglerMs: 2000,
  depth: 4,
  rememberedCalls: 20_000,
};

const protocols = ['Modbus RTU', 'Modbus TCP', 'Modbus RTU over TCP', 'Modbus ASCII'];
const unsupported = [
  'OPC UA',
  'MQTT',
  'Siemens S7',
  'EtherNet/IP',
  'PROFINET',
  'PROFIBUS',
  'EtherCAT',
  'CANopen',
  'BACnet',
  'DNP3',
  'IEC 60870-5-104',
  'Modbus over UDP',
];

type Open = { job: Job; settled: Promise<ResultEnvelope>; dependsOn: readonly string[]; parent: string | null };

/** The one way in. Every door, the loop, the sandbox and other agents act through `call`, and nothing acts beside it. */
export function createGateway(deps: GatewayDeps): Gateway & { state(): Record<string, number> } {
  const { clock } = deps;
  const registry = createRegistry(deps.tools);
  const recorder = createRecorder(deps.record);
  const scheduler = createScheduler(deps.limits?.scheduler);
  const rates = createRates({ clock, limits: deps.limits?.rates });
  const deterministic = createResultCache();
  const lastGood = createResultCache();
  const listeners = new Set<(news: CallNews) => void>();
  const open = new Map<string, Open>();
  const finished = new Map<string, boolean>();
  let stoppedUntil = -Infinity;

  const chunks = createChunks({
    clock,
    expired(callId, received, total) {
      const error = new HandrailError('TOOL_CHUNKS', {
        detail: { reason: `${received} of ${total} came within 60 s` },
        message: {
          en: `Only ${received} of ${total} argument chunks came within 60 s; the call was dropped.`,
          zh: `60 秒内只收到 ${received}/${total} 个参数分块，调用已丢弃。`,
        },
      });
      const request = pieces.get(callId);
      pieces.delete(callId);
      if (request !== undefined) close(stopEarly(request, callId, 'chunks', error));
    },
  });
  const pieces = new Map<string, CallRequest>();

  const rules = (): PolicyRules | null => {
    try {
      return deps.policy();
    } catch {
      return null;
    }
  };
  const writeDeps: WriteRequestDeps = {
    clock,
    approver: deps.approver,
    arming: deps.arming,
    rates,
    recorder,
    wire: deps.wire,
    rules() {
      const read = rules();
      if (read === null) throw new HandrailError('POLICY_REFUSED', { detail: { reason: 'the policy cannot be read' } });
      if (read.readOnly) throw new HandrailError('POLICY_READ_ONLY', { detail: { target: 'Handrail' } });
      return read;
    },
    named: (write) => deps.named?.(write) ?? false,
    cardId: deps.ids,
    notStopped() {
      if (clock.elapsed() < stoppedUntil) throw new HandrailError('CANCELLED');
    },
  };

  const tell = (call: CallEnvelope, phase: CallPhase, result: ResultEnvelope | null): void => {
    for (const listener of listeners) listener({ call, phase, result });
  };

  /** The envelope of a call that never became a job. */
  function stopEarly(
    request: CallRequest,
    callId: string,
    step: GatewayStep,
    error: HandrailError,
  ): { call: CallEnvelope; step: GatewayStep; result: ResultEnvelope } {
    const call = envelopeOf(request, callId, request.tool.slice(0, 200), recordable(plainArgs(request.args)) as Record<string, unknown>, 0);
    return { call, step, result: failure(callId, error, request, makeMeta(clock.now(), 0, {})) };
  }
  function close(stopped: { call: CallEnvelope; step: GatewayStep; result: ResultEnvelope }): ResultEnvelope {
    const { call, step, result } = stopped;
    const trouble =
      recorder.attempt(call, 'call', call) ??
      recorder.attempt(call, 'call-stopped', { call_id: call.call_id, step, error: result.error }) ??
      recorder.attempt(call, 'result', result);
    if (trouble !== null) stopped.result.meta.unrecorded = trouble.message;
    tell(stopped.call, 'ended', stopped.result);
    return stopped.result;
  }
  function envelopeOf(request: CallRequest, callId: string, tool: string, args: Record<string, unknown>, timeoutMs: number): CallEnvelope {
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
      meta: { timestamp: new Date(clock.now()).toISOString(), caller: request.caller },
    };
  }

  /** Name, chunks, schema: what can be said without waiting. Gives a job, or the answer that ends the call here. */
  function prepare(request: CallRequest, callId: string): { job: Job } | { ended: ResultEnvelope; error: HandrailError | null } {
    let step: GatewayStep = 'name';
    try {
      const registered = registry.find(request.tool);
      step = 'chunks';
      if (open.has(callId) || finished.has(callId) || (request.callId !== undefined && deps.record.call?.(callId) !== undefined)) {
        throw invalid(`the call id ${callId} was used already`, `调用编号 ${callId} 已被使用`);
      }
      const piece = chunks.take({ ...request, callId });
      if (!piece.complete) {
        pieces.set(callId, request);
        tell(envelopeOf(request, callId, registered.contract.name, {}, 0), 'preparing', null);
        return {
          ended: {
            call_id: callId,
            ok: true,
            result: { received: piece.received, total: piece.total },
            error: null,
            meta: makeMeta(clock.now(), 0, {}),
          },
          error: null,
        };
      }
      pieces.delete(callId);
      step = 'schema';
      const args = withoutNulls(piece.args);
      const fault = registered.checkArgs(args);
      if (fault !== null)
        throw new HandrailError('ARGS_INVALID', {
          detail: { reason: fault.en, tool: registered.contract.name },
          message: { en: `The arguments do not fit: ${fault.en}.`, zh: `参数不符合要求：${fault.zh}。` },
        });
      const expected = request.expectedOutputSchema ? compileExpected(request.expectedOutputSchema) : null;
      return { job: makeJob(request, callId, registered, args, expected) };
    } catch (thrown) {
      const error = asHandrailError(thrown);
      pieces.delete(callId);
      return { ended: close(stopEarly(request, callId, step, error)), error };
    }
  }

  function makeJob(
    request: CallRequest,
    callId: string,
    registered: Registered,
    args: Record<string, unknown>,
    expected: Job['expected'],
  ): Job {
    const { contract } = registered;
    const parent = request.parentCallId == null ? undefined : open.get(request.parentCallId);
    const asked = request.timeoutMs ?? Infinity;
    const budgetMs = Math.max(
      0,
      Math.floor(Math.min(contract.executionTimeoutMs, asked, parent?.job.deadline.restMs() ?? Infinity, request.turnRestMs ?? Infinity)),
    );
    const explicit = Object.fromEntries(registered.parameters.map((name) => [name, args[name] ?? null]));
    const call = envelopeOf(request, callId, contract.name, recordable(explicit) as Record<string, unknown>, budgetMs);
    const outer = [request.signal, parent?.job.deadline.signal].filter((s) => s !== undefined);
    const deadline = createDeadline({ clock, what: contract.name, budgetMs, outer });
    const job: Job = {
      request,
      call,
      registered,
      args,
      expected,
      deadline,
      depth: (parent?.job.depth ?? -1) + 1,
      step: 'dependencies',
      startedAt: clock.elapsed(),
      frames: newCallFrames(),
      noted: {},
      unrecorded: null,
      say: (phase) => tell(call, phase, null),
      context: {
        call,
        lang: request.lang,
        words: request.words ?? '',
        signal: deadline.signal,
        priority: priorityOf(request.caller),
        restMs: () => deadline.restMs(),
        child: (tool, childArgs) =>
          gateway.call({
            tool,
            args: childArgs,
            caller: `program:${callId}`,
            sessionId: request.sessionId,
            turnId: request.turnId ?? null,
            parentCallId: callId,
            lang: request.lang,
            taint: request.taint,
            signal: deadline.signal,
          }),
        note: (meta) => Object.assign(job.noted, meta),
      },
    };
    return job;
  }

  /** One prepared call to its end. Never throws. */
  async function conduct(job: Job, group: WriteRequest | null): Promise<ResultEnvelope> {
    const { call, request } = job;
    let envelope: ResultEnvelope;
    let stoppedAt: GatewayStep | null = null;
    try {
      const trouble = recorder.attempt(call, 'call', call);
      if (trouble !== null) {
        if (job.registered.contract.effect !== 'none' && job.registered.contract.effect !== 'read') throw trouble;
        job.unrecorded = trouble.message;
      }
      job.say('ready');
      await awaitDependencies(job);
      job.step = 'deadline';
      judgeDeadline(job);
      job.step = 'policy';
      judgeCaller(rules(), job.registered.contract, call.meta.caller);
      const result = request.dryRun === true ? await dryRun(job) : group !== null ? await write(job, group) : await execute(job);
      envelope = { call_id: call.call_id, ok: true, result, error: null, meta: meta(job) };
    } catch (thrown) {
      const stopped = thrown instanceof Stopped ? thrown : null;
      const error = stopped?.error ?? asHandrailError(thrown);
      stoppedAt = stopped === null ? job.step : null;
      envelope =
        degrade(job, error) ?? failure(call.call_id, error, request, meta(job), stopped === null ? null : recordable(stopped.result));
      if (envelope.ok) stoppedAt = null;
    }
    job.deadline.end();
    if (job.frames.frames.length > 0) recorder.attempt(call, 'frames', { call_id: call.call_id, frames: job.frames.frames });
    const stopped =
      stoppedAt === null ? null : recorder.attempt(call, 'call-stopped', { call_id: call.call_id, step: stoppedAt, error: envelope.error });
    const trouble = stopped ?? recorder.attempt(call, 'result', envelope);
    if (trouble !== null) job.unrecorded = trouble.message;
    if (job.unrecorded !== null) envelope.meta.unrecorded = job.unrecorded;
    return envelope;
  }

  const meta = (job: Job) =>
    makeMeta(clock.now(), clock.elapsed() - job.startedAt, {
      crc_valid: job.frames.crcValid,
      attempts: Math.max(1, job.noted.attempts ?? 1),
      ...job.noted,
    });

  async function awaitDependencies(job: Job): Promise<void> {
    for (const id of job.call.depends_on) {
      const ok = open.has(id) ? (await orAbort(open.get(id)!.settled, job.deadline.signal)).ok : finished.get(id);
      if (ok !== true) {
        const why = ok === undefined ? { en: 'is not known', zh: '不存在' } : { en: 'failed', zh: '失败' };
        throw new HandrailError('TOOL_DEPENDENCY', {
          detail: { tool: job.call.tool, failed: id },
          message: {
            en: `${job.call.tool} was not run because call ${id} ${why.en}.`,
            zh: `由于调用 ${id} ${why.zh}，未执行 ${job.call.tool}。`,
          },
        });
      }
    }
  }

  function judgeDeadline(job: Job): void {
    const { request, call } = job;
    job.deadline.signal.throwIfAborted();
    if (request.timeoutMs !== undefined && !(request.timeoutMs >= 1)) throw invalid('timeout_ms must be at least 1', 'timeout_ms 至少为 1');
    if (request.parentCallId != null && !open.has(request.parentCallId)) {
      throw new HandrailError('TOOL_DEPENDENCY', { detail: { tool: call.tool, failed: request.parentCallId } });
    }
    if (job.depth > gatewayLimits.depth)
      throw new HandrailError('POLICY_REFUSED', { detail: { reason: `calls inside calls go ${gatewayLimits.depth} deep at most` } });
    if (job.deadline.budgetMs < 1) throw new HandrailError('TIMEOUT', { detail: { what: call.tool, timeout_ms: job.deadline.budgetMs } });
  }

  /** Holds a place on the call's wires while the work runs; the deadline runs just as long. */
  async function inPlace<T>(job: Job, work: () => Promise<T>): Promise<T> {
    const wires = job.registered.tool.wires?.(job.args) ?? [];
    const leave = await scheduler.enter(wires, job.depth > 0, job.deadline.signal);
    job.deadline.run();
    const running = collectFrames(job.frames, work);
    let over = false;
    const give = (): void => {
      if (!over) leave();
      over = true;
    };
    try {
      return await orAbort(running, job.deadline.signal);
    } finally {
      job.deadline.hold();
      // A tool that ignores its signal still works on its wire: its place is given on when it ends, or at last after a grace.
      const forget = clock.after(gatewayLimits.stragglerMs, give);
      void running
        .catch(() => undefined)
        .finally(() => {
          forget();
          give();
        });
    }
  }

  async function execute(job: Job): Promise<unknown> {
    const { contract, tool } = job.registered;
    const files = contract.effect === 'write-file' ? await approveFiles(job) : null;
    job.step = 'cache';
    if (contract.isDeterministic) {
      const hit = deterministic.get(contract.name, job.args);
      if (hit !== undefined) {
        job.noted.cached = true;
        return judged(job, hit.result);
      }
    }
    job.step = 'run';
    job.say('running');
    if (files !== null) for (const file of files.items) files.consent.useFile(file);
    const raw = await inPlace(job, () => tool.run!(job.args, job.context));
    const result = judged(job, recordable(raw));
    if (contract.isDeterministic && !job.noted.truncated) deterministic.set(contract.name, job.args, result, clock.now());
    if (contract.fallback === 'cached') lastGood.set(contract.name, job.args, result, clock.now());
    return result;
  }

  function judged(job: Job, result: unknown): unknown {
    const fault = job.registered.checkResult(result) ?? job.expected?.(result) ?? null;
    if (fault !== null) throw new HandrailError('TOOL_RESULT_INVALID', { detail: { tool: job.call.tool, reason: fault.en } });
    return result;
  }

  async function approveFiles(job: Job) {
    job.step = 'approval';
    const items = await inPlace(job, () => job.registered.tool.files!(job.args, job.context));
    const card = makeCard(
      {
        callId: job.call.call_id,
        sessionId: job.call.session_id,
        items: [],
        files: items,
        words: job.context.words,
        taint: job.request.taint ?? [],
      },
      { clock, cardId: deps.ids() },
    );
    recorder.must(job.call, 'approval-asked', card);
    job.say('waiting-approval');
    const consent = await askConsent(card, {
      approver: deps.approver,
      clock,
      signal: job.deadline.signal,
      decided: (decision) => recorder.must(job.call, 'approval-decided', { ...decision, card_id: card.cardId, call_id: job.call.call_id }),
    });
    return { items, consent };
  }

  async function write(job: Job, group: WriteRequest): Promise<unknown> {
    const { call_id: callId } = job.call;
    group.arrive(callId, job, null);
    const consent = await inRequest(job, () => group.consent(callId));
    job.say('running');
    const result = await inPlace(job, () => performGuarded(group, callId, consent));
    const fault = job.registered.checkResult(result);
    if (fault !== null)
      throw new Stopped(new HandrailError('TOOL_RESULT_INVALID', { detail: { tool: job.call.tool, reason: fault.en } }), result);
    return result;
  }
  const performGuarded = async (
    group: WriteRequest,
    callId: string,
    consent: Awaited<ReturnType<WriteRequest['consent']>>,
  ): Promise<WriteResult> => recordable(await group.perform(callId, consent)) as WriteResult;

  /** The time for looking at the plant before the card counts; the time a person takes does not (the request holds it). */
  async function inRequest<T>(job: Job, work: () => Promise<T>): Promise<T> {
    job.deadline.run();
    try {
      return await orAbort(collectFrames(job.frames, work), job.deadline.signal);
    } finally {
      job.deadline.hold();
    }
  }

  async function dryRun(job: Job): Promise<unknown> {
    const { contract, tool } = job.registered;
    if (contract.effect === 'write-plant') {
      const planned = await inPlace(job, () => planMember(job, writeDeps));
      rates.judge(job.call.session_id, job.call.turn_id, planned.length);
      return { dry_run: true, would_write: planned.map((p) => p.item), needs: needsOf(planned, deps.arming) };
    }
    const files = contract.effect === 'write-file' ? await inPlace(job, () => tool.files!(job.args, job.context)) : undefined;
    return {
      dry_run: true,
      tool: contract.name,
      effect: contract.effect,
      args: job.call.args,
      ...(files === undefined ? {} : { would_write: files, needs: ['approval'] }),
    };
  }

  /** What the contract lets stand in for a failed read; always with its age, and always said. */
  function degrade(job: Job, error: HandrailError): ResultEnvelope | null {
    const { contract, tool } = job.registered;
    const worthIt = job.step === 'run' && /^(DEVICE_(NO_ANSWER|EXCEPTION)|PORT_|FRAME_|TIMEOUT)/.test(error.code);
    if (contract.fallback === 'none' || !worthIt) return null;
    const reason = error.text.message[job.request.lang];
    if (contract.fallback === 'ask-person') {
      return failure(job.call.call_id, error, job.request, { ...meta(job), fallback: { kind: 'ask-person', age_ms: null, reason } });
    }
    const now = clock.now();
    const cached = contract.fallback === 'cached' ? lastGood.get(contract.name, job.args) : undefined;
    const stand =
      contract.fallback === 'last-known'
        ? tool.lastKnown!(job.args, job.context)
        : cached === undefined
          ? undefined
          : { result: cached.result, ageMs: Math.max(0, now - cached.at) };
    if (stand === undefined) return null;
    try {
      const result = judged(job, recordable(stand.result));
      return {
        call_id: job.call.call_id,
        ok: true,
        result,
        error: null,
        meta: { ...meta(job), fallback: { kind: contract.fallback, age_ms: Math.round(stand.ageMs), reason } },
      };
    } catch {
      return null; // what stands in must fit the contract too
    }
  }

  /** Registers a job as open and conducts it; the returned promise never rejects. */
  function start(job: Job, group: WriteRequest | null): Promise<ResultEnvelope> {
    const { call } = job;
    const settled = conduct(job, group).then((envelope) => {
      open.delete(call.call_id);
      remember(call.call_id, envelope.ok);
      group?.arrive(call.call_id, null, envelope.ok ? null : asStopped(envelope));
      group?.leave(call.call_id);
      tell(call, 'ended', envelope);
      return envelope;
    });
    open.set(call.call_id, { job, settled, dependsOn: call.depends_on, parent: call.parent_call_id });
    return settled;
  }
  const asStopped = (envelope: ResultEnvelope): HandrailError =>
    new HandrailError(envelope.error?.code ?? 'INTERNAL', {
      message: { en: envelope.error?.message ?? '', zh: envelope.error?.message ?? '' },
      detail: envelope.error?.detail ?? {},
    });
  function remember(callId: string, ok: boolean): void {
    finished.set(callId, ok);
    if (finished.size > gatewayLimits.rememberedCalls) finished.delete(finished.keys().next().value!);
  }

  const gateway = {
    async call(request: CallRequest): Promise<ResultEnvelope> {
      return (await gateway.callAll([request]))[0]!;
    },

    async callAll(requests: readonly CallRequest[]): Promise<ResultEnvelope[]> {
      const ids = requests.map((request) => request.callId ?? deps.ids());
      const cycle = cycleOf(requests, ids);
      if (cycle !== null) {
        const error = new HandrailError('TOOL_CYCLE', { detail: { path: cycle.join(' → ') } });
        return requests.map((request, i) => close(stopEarly(request, ids[i]!, 'dependencies', error)));
      }
      const answers = new Array<Promise<ResultEnvelope>>(requests.length);
      const jobs: { at: number; job: Job }[] = [];
      const refused: { callId: string; error: HandrailError }[] = [];
      requests.forEach((request, at) => {
        const prepared = prepare(request, ids[at]!);
        if ('job' in prepared) jobs.push({ at, job: prepared.job });
        else {
          answers[at] = Promise.resolve(prepared.ended);
          if (prepared.error !== null && writesPlant(request.tool)) refused.push({ callId: ids[at]!, error: prepared.error });
          if (prepared.error !== null) remember(ids[at]!, false);
        }
      });
      const groups = groupWrites(requests, ids, jobs, refused);
      for (const { at, job } of jobs) answers[at] = start(job, groups.get(job.call.call_id) ?? null);
      return Promise.all(answers);
    },

    contracts: (options?: { declared?: boolean }) =>
      registry
        .list()
        .map((r) => r.contract)
        .filter((c) => options?.declared !== true || c.effect !== 'write-plant' || deps.arming.list().length > 0),
    capabilities: () => ({ tools: registry.list().map((r) => r.contract.name), protocols: [...protocols], unsupported: [...unsupported] }),

    async cancel(scope: { turnId?: string; sessionId?: string }, reason: string): Promise<void> {
      if (scope.sessionId !== undefined) {
        stoppedUntil = clock.elapsed() + gatewayLimits.stopHoldsMs;
        deps.arming.lock(reason);
      }
      const mine = [...open.values()].filter(
        ({ job }) =>
          (scope.turnId !== undefined && job.call.turn_id === scope.turnId) ||
          (scope.sessionId !== undefined && job.call.session_id === scope.sessionId),
      );
      for (const { job } of mine) job.deadline.abort(new HandrailError('CANCELLED', { detail: { reason } }));
      await Promise.all(mine.map((m) => m.settled));
    },

    onNews(listener: (news: CallNews) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => ({ open: open.size, remembered: finished.size, pieces: pieces.size, ...scheduler.state() }),
  };

  function writesPlant(tool: string): boolean {
    try {
      return registry.find(tool).contract.effect === 'write-plant';
    } catch {
      return false;
    }
  }

  /** A call waits for its dependencies; an open parent waits for its children. */
  function cycleOf(requests: readonly CallRequest[], ids: readonly string[]): string[] | null {
    if (requests.every((r) => (r.dependsOn ?? []).length === 0)) return null;
    const inBatch = new Map(requests.map((r, i) => [ids[i]!, r]));
    const children = new Map<string, string[]>();
    requests.forEach((r, i) => {
      for (let parent = r.parentCallId ?? null; parent !== null; parent = open.get(parent)?.parent ?? null)
        children.set(parent, [...(children.get(parent) ?? []), ids[i]!]);
    });
    return findCycleInBatch(ids, (id) => [...(inBatch.get(id)?.dependsOn ?? open.get(id)?.dependsOn ?? []), ...(children.get(id) ?? [])]);
  }

  /** The plant writes of one batch, turn by turn, are one request; dry runs stand alone. Sent in the order of their dependencies. */
  function groupWrites(
    requests: readonly CallRequest[],
    ids: readonly string[],
    jobs: readonly { at: number; job: Job }[],
    refused: readonly { callId: string; error: HandrailError }[],
  ) {
    const groups = new Map<string, WriteRequest>();
    const writing = jobs.filter(({ job }) => job.registered.contract.effect === 'write-plant' && job.request.dryRun !== true);
    if (writing.length === 0) return groups;
    const order = inOrder(requests, ids);
    const byTurn = Map.groupBy(writing, ({ job }) => `${job.call.session_id} ${job.call.turn_id}`);
    for (const listed of byTurn.values()) {
      const members = [...listed.map(({ job }) => job.call.call_id), ...refused.map((r) => r.callId)].sort(
        (a, b) => order.get(a)! - order.get(b)!,
      );
      const group = createWriteRequest(members, writeDeps);
      for (const { callId, error } of refused) {
        group.arrive(callId, null, error);
        group.leave(callId);
      }
      for (const { job } of listed) groups.set(job.call.call_id, group);
    }
    return groups;
  }

  return gateway;
}

/** Place of each call in an order where whoever is waited for comes first, else as listed. */
function inOrder(requests: readonly CallRequest[], ids: readonly string[]): Map<string, number> {
  const at = new Map(ids.map((id, i) => [id, i]));
  const order = new Map<string, number>();
  for (const root of ids) {
    const stack = [root];
    while (stack.length > 0) {
      const id = stack[stack.length - 1]!;
      const next = order.has(id) ? undefined : (requests[at.get(id)!]!.dependsOn ?? []).find((d) => at.has(d) && !order.has(d));
      if (next !== undefined) stack.push(next);
      else {
        if (!order.has(id)) order.set(id, order.size);
        stack.pop();
      }
    }
  }
  return order;
}

const invalid = (en: string, zh: string): HandrailError =>
  new HandrailError('ARGS_INVALID', {
    detail: { reason: en },
    message: { en: `The arguments do not fit: ${en}.`, zh: `参数不符合要求：${zh}。` },
  });

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
