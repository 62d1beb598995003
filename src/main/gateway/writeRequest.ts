import { asHandrailError, HandrailError } from '../../shared/errors.ts';
import type { ApprovalItem, Approver, Arming } from '../../shared/contracts/approvals.ts';
import type { ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { Clock, PlannedWrite, WriteOutcome, WriteResult } from '../../shared/contracts/tools.ts';
import { askConsent, describeWrite, makeCard, type Consent } from './approvals.ts';
import { Stopped, type Job } from './job.ts';
import { consentKey, judgeTarget, judgeValue, nameOf, type PolicyRules } from './policy.ts';
import type { createRates } from './rates.ts';
import { intentItem, writeSteps, type Recorder } from './recorder.ts';
import { performWrite, type WriteDeps } from './writes.ts';

export type WriteRequestDeps = {
  clock: Clock;
  approver: Approver;
  arming: Arming;
  rates: ReturnType<typeof createRates>;
  recorder: Recorder;
  wire: WriteDeps['wire'];
  rules(): PolicyRules;
  named(write: PlannedWrite): boolean;
  cardId(): string;
  /** Throws while a Stop holds writing back. */
  notStopped: () => void;
};

type Planned = { write: PlannedWrite; item: ApprovalItem };
type Member = {
  callId: string;
  job: Job | null;
  planned: Planned[];
  error: HandrailError | null;
  done: Promise<boolean>;
  settle(confirmed: boolean): void;
  outcomes: WriteOutcome[];
};

/**
 * The writes of one request: judged together, shown on one card, consented to once, sent in the order of the card, and
 * stopped at the first that is not confirmed. A single write is a request of one.
 */
export function createWriteRequest(callIds: readonly string[], deps: WriteRequestDeps) {
  const members = callIds.map((callId): Member => {
    let settle: (confirmed: boolean) => void = () => undefined;
    const done = new Promise<boolean>((resolve) => (settle = resolve));
    return { callId, job: null, planned: [], error: null, done, settle, outcomes: [] };
  });
  const memberOf = (callId: string): Member => members.find((m) => m.callId === callId)!;
  /** Until the card is made, a member that ends refuses the request; later it only fails itself. */
  let gathering = true;
  const arrived = members.map(() => Promise.withResolvers<void>());
  let opening: Promise<{ consent: Consent; cardId: string; digest: string }> | null = null;

  async function open(): Promise<{ consent: Consent; cardId: string; digest: string }> {
    await Promise.all(arrived.map((a) => a.promise));
    gathering = false;
    const jobs = members.flatMap((m) => (m.job === null ? [] : [m.job]));
    const signal = AbortSignal.any(jobs.map((job) => job.deadline.signal));
    for (const member of members) {
      if (member.job === null || member.error !== null) continue;
      member.job.step = 'policy';
      try {
        member.planned = await planMember(member.job, deps);
      } catch (error) {
        member.error = asHandrailError(error);
      }
    }
    const refused = members.find((m) => m.error !== null);
    if (refused !== undefined) throw refused.error!;
    const planned = members.flatMap((m) => m.planned);
    const first = jobs[0]!;
    judgeArmed(planned, deps.arming);
    deps.notStopped();
    deps.rates.judge(first.call.session_id, first.call.turn_id, planned.length);
    const card = makeCard(
      {
        callId: first.call.call_id,
        sessionId: first.call.session_id,
        items: planned.map((p) => p.item),
        words: first.context.words,
        taint: [...new Set(jobs.flatMap((j) => [...(j.request.taint ?? [])]))],
      },
      { clock: deps.clock, cardId: deps.cardId() },
    );
    for (const job of jobs) job.step = 'approval';
    deps.recorder.must(first.call, 'approval-asked', card);
    deps.rates.proposed(first.call.turn_id);
    for (const job of jobs) {
      job.deadline.hold();
      job.say('waiting-approval');
    }
    const consent = await askConsent(card, {
      approver: deps.approver,
      clock: deps.clock,
      signal,
      decided: (decision) =>
        deps.recorder.must(first.call, 'approval-decided', { ...decision, card_id: card.cardId, call_id: first.call.call_id }),
    });
    return { consent, cardId: card.cardId, digest: card.digest };
  }

  return {
    callIds,
    /** A listed call came as far as policy, or never will (`error`): then the whole request is refused. */
    arrive(callId: string, job: Job | null, error: HandrailError | null): void {
      const at = members.findIndex((m) => m.callId === callId);
      members[at]!.job = job;
      members[at]!.error ??= error;
      arrived[at]!.resolve();
    },
    /** Judges and asks, once for all. Each call gets its own reason, the others the name of the one that was refused. */
    async consent(callId: string): Promise<Consent> {
      opening ??= open();
      try {
        return (await opening).consent;
      } catch (thrown) {
        const mine = memberOf(callId);
        const error = asHandrailError(thrown);
        const culprit = members.find((m) => m.error !== null);
        if (culprit === undefined || culprit === mine) throw mine.error ?? error;
        throw new HandrailError('POLICY_REFUSED', {
          detail: { reason: 'another write of the same request was refused', refused: culprit.callId, code: culprit.error!.code },
          message: {
            en: `Not proposed, because another write of the same request was refused: ${culprit.error!.text.message.en}`,
            zh: `未提出，因为同一请求中的另一写入被拒绝：${culprit.error!.text.message.zh}`,
          },
        });
      }
    },
    /** Sends this call's values once those before it are confirmed. Throws `Stopped` with what is known when not all are. */
    async perform(callId: string, consent: Consent): Promise<WriteResult> {
      const mine = memberOf(callId);
      const job = mine.job!;
      let confirmed = false;
      try {
        for (const earlier of members.slice(0, members.indexOf(mine))) {
          if (!(await earlier.done)) throw notReached(members, earlier);
        }
        job.step = 'intent';
        const { cardId, digest } = await opening!;
        deps.recorder.must(job.call, 'intent', {
          call_id: callId,
          items: mine.planned.map(({ write, item }) => intentItem(item, !write.target.pulse)),
          undoes: mine.planned[0]?.write.takesBack?.callId ?? null,
          consent: { card_id: cardId, digest, by: consent.by, how: consent.how },
        });
        for (const [at, { write, item }] of mine.planned.entries()) {
          const { outcome, error } = await performWrite(write, consent, item, job.deadline.signal, {
            clock: deps.clock,
            wire: deps.wire,
            steps: stepsOf(deps.recorder, job, at),
            spend: () => deps.rates.spend(job.call.session_id),
            mayStill(w) {
              deps.notStopped();
              judgeArmed([{ write: w, item }], deps.arming);
              judgeTarget(deps.rules(), w, deps.named(w));
            },
            leaving() {
              job.step = 'run';
              job.deadline.release();
            },
            waiting: () => job.say('running'),
          });
          mine.outcomes.push(outcome);
          if (error !== null) throw new Stopped(withUndoOffer(error, members), resultOf(mine, consent));
        }
        confirmed = true;
        return resultOf(mine, consent);
      } catch (thrown) {
        if (thrown instanceof Stopped || mine.outcomes.length === 0) throw thrown;
        throw new Stopped(withUndoOffer(asHandrailError(thrown), members), resultOf(mine, consent));
      } finally {
        mine.settle(confirmed);
      }
    },
    /** This call is over and will send nothing any more; one that ended before it came to policy refuses the request. */
    leave(callId: string, envelope: ResultEnvelope | null): void {
      const mine = memberOf(callId);
      const { error } = envelope ?? { error: null };
      if (error !== null && gathering)
        mine.error ??= new HandrailError(error.code, { detail: error.detail, message: { en: error.message, zh: error.message } });
      arrived[members.indexOf(mine)]!.resolve();
      mine.settle(envelope?.ok === true);
    },
    planned: (callId: string): Planned[] => memberOf(callId).planned,
  };
}

/** The pen for one item. Only what comes before the frame may stop the write; afterwards the plant is what matters. */
function stepsOf(recorder: Recorder, job: Job, item: number): WriteDeps['steps'] {
  const id = job.call.call_id;
  const note = (step: ReturnType<typeof writeSteps.sent>): void => {
    const trouble = recorder.attempt(job.call, 'write-step', step);
    if (trouble !== null) job.unrecorded = trouble.message;
  };
  return {
    aboutToSend: () => recorder.must(job.call, 'write-step', writeSteps.aboutToSend(id, item)),
    sent: () => note(writeSteps.sent(id, item)),
    answered: (acknowledged, exception) => note(writeSteps.answered(id, item, { acknowledged, exception })),
    unanswered: (reason) => note(writeSteps.unanswered(id, item, reason)),
    readBack: (seen) => note(writeSteps.readBack(id, item, seen)),
    verdict: (verdict, now) => note(writeSteps.verdict(id, item, verdict, now)),
    notSent: (reason) => note(writeSteps.notSent(id, item, reason)),
  };
}
export type WriteRequest = ReturnType<typeof createWriteRequest>;

/** What a write would do, through the very checks the write itself passes. Throws what would refuse it. */
export async function planMember(job: Job, deps: Pick<WriteRequestDeps, 'rules' | 'named'>): Promise<Planned[]> {
  const writes = await job.registered.tool.plan!(job.args, job.context);
  const planned: Planned[] = [];
  for (const write of writes) {
    judgeTarget(deps.rules(), write, deps.named(write));
    const now = await write.read(job.deadline.signal);
    judgeValue(write, now, job.context.words);
    planned.push({ write, item: describeWrite(write, now) });
  }
  return planned;
}

export function needsOf(planned: readonly Planned[], arming: Arming): ('arming' | 'approval')[] {
  return planned.every((p) => arming.isArmed(p.write.target.device)) ? ['approval'] : ['arming', 'approval'];
}

function judgeArmed(planned: readonly Planned[], arming: Arming): void {
  const locked = planned.find((p) => !arming.isArmed(p.write.target.device));
  if (locked === undefined) return;
  const { write, item } = locked;
  const unit = item.unit === '' ? '' : ` ${item.unit}`;
  const change = `${item.now === null ? '?' : String(item.now)}${unit} → ${String(item.after)}${unit}`;
  const key = consentKey(write);
  throw new HandrailError('POLICY_LOCKED', {
    detail: { device: write.target.device, tag: nameOf(write.target), now: item.now, after: item.after, unit: item.unit, approve: key },
    message: {
      en: `Writing is locked for ${write.target.device}; ${nameOf(write.target)} ${change} was not written.`,
      zh: `${write.target.device} 的写入已锁定；${nameOf(write.target)} ${change} 未写入。`,
    },
    advice: {
      en: `Open writing for this device in the title bar, or on the command line give exact consent with --approve ${key}.`,
      zh: `请在标题栏为该设备开放写入，或在命令行用 --approve ${key} 明确同意。`,
    },
  });
}

const resultOf = (member: Member, consent: Consent): WriteResult => ({ writes: member.outcomes, approved_by: consent.by });

function doneBefore(members: readonly Member[]): { call_id: string; target: string; value: WriteOutcome['after'] }[] {
  return members.flatMap((m) =>
    m.outcomes
      .filter((o) => o.sent && o.verdict === 'confirmed')
      .map((o) => ({ call_id: m.callId, target: o.tag ?? o.reference, value: o.after })),
  );
}

function withUndoOffer(error: HandrailError, members: readonly Member[]): HandrailError {
  const done = doneBefore(members);
  if (done.length === 0) return error;
  const names = done.map((d) => d.target).join(', ');
  return new HandrailError(error.code, {
    detail: { ...error.detail, done, undo_offer: { steps: done.length } },
    message: error.text.message,
    advice: {
      en: `${error.text.advice.en} Already done and confirmed: ${names}; "undo the last ${done.length}" takes it back.`,
      zh: `${error.text.advice.zh}已完成并确认：${names}；“撤销最近 ${done.length} 次写入”可恢复。`,
    },
    retry: error.retry,
    cause: error,
  });
}

function notReached(members: readonly Member[], failed: Member): HandrailError {
  const error = new HandrailError('TOOL_DEPENDENCY', {
    detail: { tool: 'write', failed: failed.callId },
    message: {
      en: `Not sent, because the write before it (${failed.callId}) was not confirmed.`,
      zh: `未发送，因为前一个写入（${failed.callId}）未得到确认。`,
    },
    advice: { en: 'Look at that write first.', zh: '请先处理那个写入。' },
  });
  return withUndoOffer(error, members);
}
