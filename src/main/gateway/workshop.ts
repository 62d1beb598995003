import { HandrailError } from '../../shared/errors.ts';
import type { Approver, Arming } from '../../shared/contracts/approvals.ts';
import type { CallEnvelope, CallPhase, CallRequest, ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { WireRequest } from '../../shared/contracts/devices.ts';
import type { RecordStore } from '../../shared/contracts/record.ts';
import type { Clock, PlannedWrite, ToolDefinition } from '../../shared/contracts/tools.ts';
import { createResultCache } from './cache.ts';
import { createCallBook } from './callBook.ts';
import type { PolicyRules } from './policy.ts';
import { createRates, type rateLimits } from './rates.ts';
import { createRecorder } from './recorder.ts';
import { createRegistry } from './registry.ts';
import { createScheduler, type SchedulerLimits } from './scheduler.ts';
import { createStops } from './stops.ts';
import type { WriteRequestDeps } from './writeRequest.ts';

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
  /** Calls inside calls. */
  depth: 4,
};

/** What the steps of the pipeline share: one set for one gateway. */
export function createWorkshop(deps: GatewayDeps, tell: (call: CallEnvelope, phase: CallPhase, result: ResultEnvelope | null) => void) {
  const { clock } = deps;
  const recorder = createRecorder(deps.record);
  const rates = createRates({ clock, limits: deps.limits?.rates });
  const stops = createStops({ clock, holdMs: gatewayLimits.stopHoldsMs });
  const rules = (): PolicyRules | null => {
    try {
      return deps.policy();
    } catch {
      return null;
    }
  };
  const writing: WriteRequestDeps = {
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
    cardId: () => deps.ids(),
    notStopped: () => stops.judge(),
  };
  return {
    deps,
    clock,
    registry: createRegistry(deps.tools),
    recorder,
    scheduler: createScheduler(deps.limits?.scheduler),
    rates,
    stops,
    deterministic: createResultCache(),
    lastGood: createResultCache(),
    book: createCallBook(),
    rules,
    writing,
    tell,
    /** Set once the gateway stands: calls inside calls come in by the same door. */
    call: (_request: CallRequest): Promise<ResultEnvelope> => Promise.reject(new Error('the gateway is not built yet')),
  };
}
export type Workshop = ReturnType<typeof createWorkshop>;
