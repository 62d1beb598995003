import { HandrailError } from '../../shared/errors.ts';
import type { CallEnvelope, CallPhase, CallRequest, ResultEnvelope, ResultMeta } from '../../shared/contracts/calls.ts';
import type { Priority } from '../../shared/contracts/devices.ts';
import type { CallStopped } from '../../shared/contracts/record.ts';
import type { ToolContext } from '../../shared/contracts/tools.ts';
import type { Deadline } from './deadline.ts';
import type { Registered } from './registry.ts';
import type { Check } from './schemas.ts';
import type { CallFrames } from './wireGuard.ts';

/** Where in the pipeline a call is; the record keeps where it stopped. */
export type GatewayStep = Exclude<CallStopped['step'], 'interrupted'>;

/** One call on its way through the pipeline. */
export type Job = {
  request: CallRequest;
  call: CallEnvelope;
  registered: Registered;
  /** Arguments as the schema and the tool see them: absent keys absent. */
  args: Record<string, unknown>;
  expected: Check | null;
  deadline: Deadline;
  depth: number;
  step: GatewayStep;
  startedAt: number;
  frames: CallFrames;
  noted: Partial<ResultMeta>;
  unrecorded: string | null;
  context: ToolContext;
  say(phase: CallPhase): void;
};

export const priorityOf = (caller: string): Priority => (caller.startsWith('person:') ? 'person' : caller === 'poll' ? 'poll' : 'agent');

/** What ends a call at a step, with a result that must not get lost (a write that was not confirmed). */
export class Stopped extends Error {
  readonly error: HandrailError;
  readonly result: unknown;
  constructor(error: HandrailError, result: unknown) {
    super(error.message, { cause: error });
    this.error = error;
    this.result = result;
  }
}

/** The promise, or the signal's reason if that comes first. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(signal.reason as Error);
  }
  return new Promise((done, failed) => {
    const onAbort = (): void => failed(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(done, failed).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

export function makeMeta(now: number, durationMs: number, parts: Partial<ResultMeta>): ResultMeta {
  return {
    timestamp: new Date(now).toISOString(),
    duration_ms: Math.round(durationMs),
    exit_code: null,
    status_code: null,
    crc_valid: null,
    truncated: false,
    fallback: null,
    attempts: 1,
    cached: false,
    ...parts,
  };
}

export const failure = (
  callId: string,
  error: HandrailError,
  request: CallRequest,
  meta: ResultMeta,
  result: unknown = null,
): ResultEnvelope => ({
  call_id: callId,
  ok: false,
  result,
  error: error.toWire(request.lang),
  meta,
});

export const invalid = (en: string, zh: string, detail: Record<string, unknown> = {}): HandrailError =>
  new HandrailError('ARGS_INVALID', {
    detail: { reason: en, ...detail },
    message: { en: `The arguments do not fit: ${en}.`, zh: `参数不符合要求：${zh}。` },
  });
