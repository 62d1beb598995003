import { asHandrailError, HandrailError } from '../../shared/errors.ts';
import type { FileItem } from '../../shared/contracts/approvals.ts';
import type { CallStopped, EventPayloads } from '../../shared/contracts/record.ts';
import type { ResultEnvelope, ResultMeta } from '../../shared/contracts/calls.ts';
import { askConsent, makeCard, type Consent } from './approvals.ts';
import { degrade } from './degrade.ts';
import { failure, invalid, makeMeta, orAbort, Stopped, type Job } from './job.ts';
import { judgeCaller } from './policy.ts';
import { recordable } from './recordable.ts';
import { writeSteps } from './recorder.ts';
import { collectFrames } from './wireGuard.ts';
import { gatewayLimits, type Workshop } from './workshop.ts';
import { needsOf, planMember, type WriteRequest } from './writeRequest.ts';

/** Takes one prepared call through the rest of the pipeline: dependencies, deadline, policy, approval, cache, run, result, record. */
export function createConduct(shop: Workshop) {
  const { clock, book, recorder } = shop;
  const metaOf = (job: Job): ResultMeta =>
    makeMeta(clock.now(), clock.elapsed() - job.startedAt, {
      crc_valid: job.frames.crcValid,
      ...job.noted,
      attempts: Math.max(1, job.noted.attempts ?? 1),
    });

  /** Never throws. */
  async function conduct(job: Job, group: WriteRequest | null): Promise<ResultEnvelope> {
    const { call, request } = job;
    let envelope: ResultEnvelope;
    let stoppedAt: CallStopped['step'] | null = null;
    try {
      recordCall(job);
      job.say('ready');
      // A listed write joins its request before it waits for anything: the card shows all of them or none.
      const other = group === null || request.dryRun === true ? null : await join(job, group);
      await awaitDependencies(job);
      job.step = 'deadline';
      judgeDeadline(job);
      job.step = 'policy';
      judgeCaller(shop.rules(), job.registered.contract, call.meta.caller);
      const result = await act(job, group, other);
      envelope = { call_id: call.call_id, ok: true, result, error: null, meta: metaOf(job) };
    } catch (thrown) {
      const stopped = thrown instanceof Stopped ? thrown : null;
      const error = stopped?.error ?? asHandrailError(thrown);
      const result = stopped === null ? null : recordable(stopped.result);
      envelope = degrade(shop, job, error, metaOf(job)) ?? failure(call.call_id, error, request, metaOf(job), result);
      if (stopped === null && !envelope.ok) stoppedAt = job.step;
    }
    job.deadline.end();
    recordEnd(job, envelope, stoppedAt);
    return envelope;
  }

  type Other = { tool: string; args: Record<string, unknown> };
  async function join(job: Job, group: WriteRequest): Promise<Other | null> {
    job.step = 'policy';
    judgeCaller(shop.rules(), job.registered.contract, job.call.meta.caller);
    job.step = 'dependencies';
    const other = (await job.registered.tool.instead?.(job.args, job.context)) ?? null;
    if (other === null) group.arrive(job.call.call_id, job, null);
    return other;
  }

  function act(job: Job, group: WriteRequest | null, other: Other | null): Promise<unknown> {
    if (job.request.dryRun === true) return dryRun(job);
    if (other !== null) return elsewhere(job, other);
    return group === null ? execute(job) : write(job, group);
  }

  function recordCall(job: Job): void {
    const { effect } = job.registered.contract;
    const trouble = recorder.attempt(job.call, 'call', job.call);
    if (trouble === null) return;
    if (effect !== 'none' && effect !== 'read') throw trouble;
    job.unrecorded = trouble.message;
  }

  function recordEnd(job: Job, envelope: ResultEnvelope, stoppedAt: CallStopped['step'] | null): void {
    const { call, frames } = job;
    const framesTrouble = frames.frames.length === 0 ? null : recorder.attempt(call, 'frames', framesOf(job));
    const stopTrouble =
      stoppedAt === null ? null : recorder.attempt(call, 'call-stopped', { call_id: call.call_id, step: stoppedAt, error: envelope.error });
    const trouble = framesTrouble ?? stopTrouble ?? recorder.attempt(call, 'result', envelope);
    if (trouble !== null) job.unrecorded = trouble.message;
    if (job.unrecorded !== null) envelope.meta.unrecorded = job.unrecorded;
  }

  function framesOf({ call, frames }: Job): EventPayloads['frames'] {
    return { call_id: call.call_id, frames: frames.frames, ...(frames.dropped === 0 ? {} : { dropped: frames.dropped }) };
  }

  async function awaitDependencies(job: Job): Promise<void> {
    const { tool } = job.call;
    for (const id of job.call.depends_on) {
      const waited = book.open.get(id);
      const ok = waited === undefined ? book.ended(id) : (await orAbort(waited.settled, job.deadline.signal)).ok;
      if (ok === true) continue;
      const why = ok === undefined ? { en: 'is not known', zh: '不存在' } : { en: 'failed', zh: '失败' };
      throw new HandrailError('TOOL_DEPENDENCY', {
        detail: { tool, failed: id },
        message: { en: `${tool} was not run because call ${id} ${why.en}.`, zh: `由于调用 ${id} ${why.zh}，未执行 ${tool}。` },
      });
    }
  }

  function judgeDeadline(job: Job): void {
    const { request, call, deadline } = job;
    deadline.signal.throwIfAborted();
    if (request.timeoutMs !== undefined && !(request.timeoutMs >= 1)) throw invalid('timeout_ms must be at least 1', 'timeout_ms 至少为 1');
    if (call.parent_call_id !== null && !book.open.has(call.parent_call_id)) {
      throw new HandrailError('TOOL_DEPENDENCY', { detail: { tool: call.tool, failed: call.parent_call_id } });
    }
    if (job.depth > gatewayLimits.depth) {
      throw new HandrailError('POLICY_REFUSED', { detail: { reason: `calls inside calls go ${gatewayLimits.depth} deep at most` } });
    }
    if (!(deadline.budgetMs >= 1)) throw new HandrailError('TIMEOUT', { detail: { what: call.tool, timeout_ms: deadline.budgetMs } });
  }

  /** Holds a place on the call's wires while the work runs; the deadline runs just as long. */
  async function inPlace<T>(job: Job, work: () => Promise<T>): Promise<T> {
    const wires = job.registered.tool.wires?.(job.args) ?? [];
    const leave = await shop.scheduler.enter(wires, job.depth > 0, job.deadline.signal);
    job.deadline.run();
    const running = collectFrames(job.frames, work);
    try {
      return await orAbort(running, job.deadline.signal);
    } finally {
      job.deadline.hold();
      // A tool that ignores its signal still works on its wire: its place is given on when it ends, or at last after a grace.
      const forget = clock.after(gatewayLimits.stragglerMs, leave);
      const end = (): void => {
        forget();
        leave();
      };
      running.then(end, end);
    }
  }

  async function execute(job: Job): Promise<unknown> {
    const { contract, tool } = job.registered;
    const approved = contract.effect === 'write-file' ? await approveFiles(job) : null;
    job.step = 'cache';
    if (contract.isDeterministic) {
      const hit = shop.deterministic.get(contract.name, job.args);
      if (hit !== undefined) {
        job.noted.cached = true;
        return judged(job, hit.result);
      }
    }
    job.say('running');
    const raw = approved === null ? await run(job) : await writeFiles(job, approved);
    const result = judged(job, recordable(raw));
    if (contract.isDeterministic && job.noted.truncated !== true) shop.deterministic.set(contract.name, job.args, result, clock.now());
    if (contract.fallback === 'cached') shop.lastGood.set(contract.name, job.args, result, clock.now());
    return result;

    function run(of: Job): Promise<unknown> {
      of.step = 'run';
      return inPlace(of, () => tool.run!(of.args, of.context));
    }
    /** Intent on the disk, then the files, then what became of them; a crash between leaves them to be looked at by digest. */
    async function writeFiles(of: Job, { items, consent, cardId, digest }: Approved): Promise<unknown> {
      of.step = 'intent';
      const { call } = of;
      for (const item of items) consent.useFile(item);
      recorder.must(call, 'intent', {
        call_id: call.call_id,
        items: items.map((f) => ({
          kind: 'file' as const,
          path: f.path,
          before: f.replaces,
          after: { sha256: f.sha256, bytes: f.bytes },
          can_undo: true,
        })),
        undoes: items[0]?.takesBack ?? null,
        consent: { card_id: cardId, digest, by: consent.by, how: consent.how },
      });
      items.forEach((_, i) => recorder.must(call, 'write-step', writeSteps.aboutToSend(call.call_id, i)));
      const written = await run(of);
      items.forEach((item, i) => recorder.attempt(call, 'write-step', writeSteps.verdict(call.call_id, i, 'confirmed', item.sha256)));
      return written;
    }
  }

  function judged(job: Job, result: unknown): unknown {
    const fault = job.registered.checkResult(result) ?? job.expected?.(result) ?? null;
    if (fault !== null) throw new HandrailError('TOOL_RESULT_INVALID', { detail: { tool: job.call.tool, reason: fault.en } });
    return result;
  }

  type Approved = { items: FileItem[]; consent: Consent; cardId: string; digest: string };
  async function approveFiles(job: Job): Promise<Approved> {
    job.step = 'approval';
    const { call, context } = job;
    const items = await inPlace(job, () => job.registered.tool.files!(job.args, context));
    shop.stops.judge();
    const facts = {
      callId: call.call_id,
      sessionId: call.session_id,
      items: [],
      files: items,
      words: context.words,
      taint: job.request.taint ?? [],
    };
    const card = makeCard(facts, { clock, cardId: shop.deps.ids() });
    recorder.must(call, 'approval-asked', card);
    job.say('waiting-approval');
    const consent = await askConsent(card, {
      approver: shop.deps.approver,
      clock,
      signal: job.deadline.signal,
      decided: (decision) => recorder.must(call, 'approval-decided', { ...decision, card_id: card.cardId, call_id: call.call_id }),
    });
    return { items, consent, cardId: card.cardId, digest: card.digest };
  }

  async function write(job: Job, group: WriteRequest): Promise<unknown> {
    const { call } = job;
    const consent = await beforeCard(job, () => group.consent(call.call_id));
    job.say('running');
    const result = recordable(await inPlace(job, () => group.perform(call.call_id, consent)));
    const fault = job.registered.checkResult(result);
    if (fault !== null)
      throw new Stopped(new HandrailError('TOOL_RESULT_INVALID', { detail: { tool: call.tool, reason: fault.en } }), result);
    return result;
  }

  /** The call that does what this one asks; its person, its card, its record. */
  async function elsewhere(job: Job, other: Other): Promise<unknown> {
    const { request, call } = job;
    const { caller, sessionId, turnId, lang, words, taint } = request;
    const envelope = await shop.call({
      ...other,
      caller,
      sessionId,
      turnId,
      lang,
      words,
      taint,
      parentCallId: call.call_id,
      signal: job.deadline.signal,
    });
    if (envelope.ok) return envelope.result;
    const { code, message, advice, retry, detail } = envelope.error!;
    throw new HandrailError(code, { detail, retry, message: { en: message, zh: message }, advice: { en: advice, zh: advice } });
  }

  /** The looks at the plant before the card take time from the budget; what a person takes does not (the request holds the clock). */
  async function beforeCard<T>(job: Job, work: () => Promise<T>): Promise<T> {
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
      const planned = await inPlace(job, () => planMember(job, shop.writing));
      shop.rates.judge(job.call.session_id, job.call.turn_id, planned.length);
      return { dry_run: true, would_write: planned.map((p) => p.item), needs: needsOf(planned, shop.deps.arming) };
    }
    const files = contract.effect === 'write-file' ? await inPlace(job, () => tool.files!(job.args, job.context)) : undefined;
    const what = { dry_run: true, tool: contract.name, effect: contract.effect, args: job.call.args };
    return files === undefined ? what : { ...what, would_write: files, needs: ['approval'] };
  }

  return { conduct };
}
