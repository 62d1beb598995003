import type { HandrailError } from '../../shared/errors.ts';
import type { ResultEnvelope, ResultMeta } from '../../shared/contracts/calls.ts';
import { failure, type Job } from './job.ts';
import { recordable } from './recordable.ts';
import type { Workshop } from './workshop.ts';

/** Errors of the plant, for which an older value is better than none. Refusals, wrong arguments and Stop are not among them. */
const ofThePlant = /^(DEVICE_(NO_ANSWER|EXCEPTION)|PORT_|FRAME_|TIMEOUT)/;

/** What the contract lets stand in for a result that failed; always with its age, and always said. */
export function degrade(shop: Workshop, job: Job, error: HandrailError, meta: ResultMeta): ResultEnvelope | null {
  const { contract, tool } = job.registered;
  if (contract.fallback === 'none' || job.step !== 'run' || !ofThePlant.test(error.code)) return null;
  const reason = error.text.message[job.request.lang];
  if (contract.fallback === 'ask-person') {
    return failure(job.call.call_id, error, job.request, { ...meta, fallback: { kind: 'ask-person', age_ms: null, reason } });
  }
  try {
    const stand = contract.fallback === 'last-known' ? tool.lastKnown!(job.args, job.context) : cached(shop, job);
    if (stand === undefined) return null;
    const result = recordable(stand.result);
    // What stands in must fit the contract, and what the caller expects, like any result.
    if (job.registered.checkResult(result) !== null || (job.expected?.(result) ?? null) !== null) return null;
    const fallback = { kind: contract.fallback, age_ms: Math.round(stand.ageMs), reason };
    return { call_id: job.call.call_id, ok: true, result, error: null, meta: { ...meta, fallback } };
  } catch {
    return null; // the error that was to be softened stands
  }
}

function cached(shop: Workshop, job: Job): { result: unknown; ageMs: number } | undefined {
  const found = shop.lastGood.get(job.registered.contract.name, job.args);
  return found === undefined ? undefined : { result: found.result, ageMs: Math.max(0, shop.clock.now() - found.at) };
}
