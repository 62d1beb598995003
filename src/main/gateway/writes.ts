import { asHandrailError, HandrailError } from '../../shared/errors.ts';
import type { ApprovalItem, ScalarValue, WriteVerdict } from '../../shared/contracts/approvals.ts';
import type { WireRequest } from '../../shared/contracts/devices.ts';
import type { Clock, Observed, PlannedWrite, WireImage, WriteOutcome } from '../../shared/contracts/tools.ts';
import { describeWrite, type Consent } from './approvals.ts';
import { pause } from './clock.ts';
import { nameOf } from './policy.ts';
import { judgeReadBack, sameImage, verdictText, type ReadBack } from './verdict.ts';

export const writeTimes = {
  /** After the answer: a device that takes, then drops a value is caught by the later looks. */
  readBackMs: [0, 200, 1000] as readonly number[],
  /** After exception 05 ("accepted, takes long"): a look every second, this long. */
  acknowledgedMs: 30_000,
  /** One read-back may take this long. */
  oneReadMs: 2000,
};

/**
 * Error codes that say for certain that no byte of the write left: the devices room answers WRITE_UNCONFIRMED for what did
 * leave. Every code that is not listed leaves the write unknown.
 */
const neverLeft = new Set([
  'PORT_NOT_FOUND',
  'PORT_BUSY',
  'PORT_PERMISSION',
  'PORT_NOT_SERIAL',
  'PORT_REFUSED',
  'PORT_UNREACHABLE',
  'PORT_SETTINGS',
  'PORT_CLOSED',
  'CANCELLED',
  'POLICY_READ_ONLY',
  'FRAME_LIMIT',
  'ARGS_INVALID',
  'DEVICE_UNKNOWN',
]);

export type WriteDeps = {
  clock: Clock;
  wire: { request(request: WireRequest): Promise<unknown> };
  /** Records what happens to this item; `aboutToSend` waits for the disk and throws when it cannot, and then nothing is sent. */
  steps: {
    aboutToSend(): void;
    sent(): void;
    answered(acknowledged: boolean, exception: number | null): void;
    unanswered(reason: string): void;
    readBack(seen: { delay_ms: number; value: ScalarValue | null; raw: WireImage | null; reason: string | null }): void;
    verdict(verdict: WriteVerdict, now: ScalarValue | null): void;
    notSent(reason: string): void;
  };
  /** Counts the write against the rate limits. */
  spend(): void;
  /** The last look before the frame: still armed, not stopped? Throws. */
  mayStill(write: PlannedWrite): void;
  /** From here the call is not cut off any more. */
  leaving(): void;
  waiting(seconds: number, ofSeconds: number): void;
};

type Sent = { state: 'acknowledged' | 'in-progress' } | { state: 'never-left' | 'refused' | 'unknown'; error: HandrailError };

/**
 * The one way a value reaches the plant: look again, compare with what was shown, use the consent, commit the intent,
 * send once, read back. Throws while nothing was sent; afterwards the outcome says what is known.
 */
export async function performWrite(
  write: PlannedWrite,
  consent: Consent,
  shown: ApprovalItem,
  signal: AbortSignal,
  deps: WriteDeps,
): Promise<{ outcome: WriteOutcome; error: HandrailError | null }> {
  const before = await write.read(signal);
  judgeUnchanged(write, shown, before);
  const item = describeWrite(write, before);
  consent.useItem(item);
  deps.mayStill(write);
  signal.throwIfAborted();
  if (sameImage(before.raw, write.after.raw) && !write.target.pulse) {
    // The device already holds it: a setpoint in an EEPROM has only so many writes.
    deps.steps.notSent('it already reads so');
    return {
      outcome: outcomeOf(write, before, { verdict: 'confirmed', now: before, sent: false, reads: [{ after_ms: 0, value: before.value }] }),
      error: null,
    };
  }
  deps.spend();
  deps.steps.aboutToSend();
  deps.leaving();
  const sent = await send(write, deps);
  if (sent.state === 'never-left') {
    deps.steps.verdict('not-taken', before.value); // known for certain, so that nobody has to ask the plant later
    throw sent.error;
  }
  const { reads, last } = await readBack(write, sent, deps);
  const verdict = verdictOf(write, before, sent, reads);
  deps.steps.verdict(verdict, last?.value ?? null);
  const outcome = outcomeOf(write, before, {
    verdict,
    now: last,
    sent: true,
    reads: reads.map((r) => ({ after_ms: r.afterMs, value: r.shown })),
  });
  return { outcome, error: errorOf(write, verdict, outcome, sent, reads) };
}

function judgeUnchanged(write: PlannedWrite, shown: ApprovalItem, before: Observed): void {
  const target = nameOf(write.target);
  const { takesBack } = write;
  if (takesBack !== undefined && !sameImage(before.raw, takesBack.raw)) {
    throw new HandrailError('WRITE_UNDO_GONE', { detail: { target, now: before.value ?? '?', value: takesBack.value } });
  }
  if (shown.raw.before === null || !sameImage(before.raw, shown.raw.before)) {
    throw new HandrailError('APPROVAL_VOID', { detail: { target, shown: shown.now ?? '?', now: before.value ?? '?' } });
  }
}

async function send(write: PlannedWrite, deps: WriteDeps): Promise<Sent> {
  try {
    // No signal: a frame that has begun is never torn. Person's priority: nothing polls between the look and the write.
    await deps.wire.request({ ...write.request, priority: 'person' });
    deps.steps.answered(true, null);
    return { state: 'acknowledged' };
  } catch (thrown) {
    const error = asHandrailError(thrown);
    const exception = error.code === 'DEVICE_EXCEPTION' ? Number(error.detail.exception) : null;
    if (exception !== null) deps.steps.answered(exception === 5, exception);
    if (exception === 5) return { state: 'in-progress' };
    // 0B: the gateway heard nothing of the device behind it; the device may still have taken it.
    if (exception !== null && exception !== 11) return { state: 'refused', error };
    const left = error.detail.sent !== false && !(neverLeft.has(error.code) && error.detail.sent !== true);
    deps.steps.unanswered(error.code);
    return { state: left ? 'unknown' : 'never-left', error };
  }
}

type Look = ReadBack & { shown: ScalarValue | null };

async function readBack(write: PlannedWrite, sent: Sent, deps: WriteDeps): Promise<{ reads: Look[]; last: Observed | null }> {
  const { clock } = deps;
  const reads: Look[] = [];
  let last: Observed | null = null;
  const startedAt = clock.elapsed();
  const look = async (): Promise<void> => {
    const limit = new AbortController();
    const forget = clock.after(writeTimes.oneReadMs, () =>
      limit.abort(new HandrailError('TIMEOUT', { detail: { what: 'read-back', timeout_ms: writeTimes.oneReadMs } })),
    );
    try {
      last = await write.read(limit.signal);
      const afterMs = Math.round(clock.elapsed() - startedAt);
      reads.push({ afterMs, raw: last.raw, value: typeof last.value === 'number' ? last.value : null, shown: last.value });
      deps.steps.readBack({ delay_ms: afterMs, value: last.value, raw: last.raw, reason: null });
    } catch (thrown) {
      // A look that fails shows nothing; the verdict rests on those that saw something.
      deps.steps.readBack({
        delay_ms: Math.round(clock.elapsed() - startedAt),
        value: null,
        raw: null,
        reason: asHandrailError(thrown).code,
      });
    } finally {
      forget();
    }
  };
  if (sent.state === 'in-progress') {
    for (let waited = 0; waited < writeTimes.acknowledgedMs; waited = clock.elapsed() - startedAt) {
      await look();
      if (sameImage(reads[reads.length - 1]?.raw ?? [], write.after.raw)) break;
      deps.waiting(Math.round(waited / 1000), writeTimes.acknowledgedMs / 1000);
      await pause(clock, 1000);
    }
    await pause(clock, 200);
    await look();
    return { reads, last };
  }
  for (const at of sent.state === 'refused' ? [0] : writeTimes.readBackMs) {
    const rest = at - (clock.elapsed() - startedAt);
    if (rest > 0) await pause(clock, rest);
    await look();
  }
  return { reads, last };
}

function verdictOf(write: PlannedWrite, before: Observed, sent: Sent, reads: readonly Look[]): WriteVerdict {
  if (sent.state === 'unknown') return 'unknown'; // whatever stands there now, the frame may still be under way
  const value = { before: numeric(before.value), after: numeric(write.after.value) };
  if (sent.state === 'refused')
    return reads.length === 0 || sameImage(reads[reads.length - 1]!.raw, before.raw) ? 'not-taken' : 'different';
  if (reads.length === 0) return 'unknown';
  return judgeReadBack({ before: before.raw, after: write.after.raw }, value, reads);
}

const numeric = (value: ScalarValue | null): number | null => (typeof value === 'number' ? value : null);

function outcomeOf(
  write: PlannedWrite,
  before: Observed,
  known: { verdict: WriteVerdict; now: Observed | null; sent: boolean; reads: WriteOutcome['read_back'] },
): WriteOutcome {
  const { target } = write;
  return {
    tag: target.tag,
    device: target.device,
    connection: target.connection,
    unit_id: target.unitId,
    table: target.table,
    address: target.address,
    reference: target.reference,
    unit: target.unit,
    before: before.value,
    after: write.after.value,
    now: known.now?.value ?? null,
    raw: { before: before.raw, after: write.after.raw, now: known.now?.raw ?? null },
    sent: known.sent,
    verdict: known.verdict,
    read_back: known.reads,
    undoable: known.sent && known.verdict === 'confirmed' && !target.pulse && write.takesBack === undefined,
    undoes: write.takesBack?.callId ?? null,
  };
}

function errorOf(
  write: PlannedWrite,
  verdict: WriteVerdict,
  outcome: WriteOutcome,
  sent: Sent,
  reads: readonly Look[],
): HandrailError | null {
  const target = nameOf(write.target);
  const now = outcome.now ?? '?';
  const detail = { target, verdict, verdict_text: verdictText[verdict], before: outcome.before, after: outcome.after, now };
  switch (verdict) {
    case 'confirmed':
      return null;
    case 'not-taken':
      if (sent.state === 'refused')
        return new HandrailError(sent.error.code, {
          detail: { ...sent.error.detail, ...detail },
          message: sent.error.text.message,
          advice: sent.error.text.advice,
          retry: 'after-check',
          cause: sent.error,
        });
      return new HandrailError('WRITE_NOT_TAKEN', { detail });
    case 'overwritten':
      return new HandrailError('WRITE_OVERWRITTEN', { detail: { ...detail, first: outcome.after } });
    case 'clamped':
    case 'different':
      return new HandrailError('WRITE_DIFFERENT', { detail: { ...detail, value: outcome.after } });
    case 'unknown': {
      const seen =
        reads.length === 0
          ? { en: 'It could not be read back.', zh: '无法回读。' }
          : { en: `It now reads ${now}.`, zh: `现在读数为 ${now}。` };
      return new HandrailError('WRITE_UNCONFIRMED', {
        detail: { ...detail, reason: sent.state === 'unknown' ? sent.error.code : 'read-back failed' },
        message: {
          en: `The write to ${target} was not confirmed. ${seen.en} It was not sent again.`,
          zh: `对 ${target} 的写入未得到确认。${seen.zh}未重发。`,
        },
        cause: sent.state === 'unknown' ? sent.error : undefined,
      });
    }
    default:
      return verdict satisfies never;
  }
}
