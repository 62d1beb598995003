import type { PlanInput, Planner, PlannerEvent } from '../../shared/contracts/agent.ts';
import type { CallNews, CallRequest, Gateway, ResultEnvelope, ToolContract } from '../../shared/contracts/calls.ts';
import type { NewEvent, NewSnapshot, Snapshot, SnapshotStore } from '../../shared/contracts/record.ts';
import type { Clock } from '../../shared/contracts/tools.ts';
import type { World } from '../../shared/planner/types.ts';
import { createAgent } from './agent.ts';
import type { AgentDeps } from './ports.ts';

// Scripted neighbours of the loop for its tests: a clock that is moved by hand, a gateway that answers as told, a planner
// that says what the test wrote down. Nothing of the loop itself is replaced.

export function handClock() {
  let now = 0;
  let seq = 0;
  const timers = new Map<number, { at: number; run: () => void }>();
  const clock: Clock = {
    now: () => 1_773_800_000_000 + now,
    elapsed: () => now,
    after(ms, run) {
      const id = ++seq;
      timers.set(id, { at: now + ms, run });
      return () => void timers.delete(id);
    },
  };
  return {
    clock,
    pending: () => timers.size,
    /** Moves time on, firing what falls due in order, and lets promises run between. */
    async advance(ms: number): Promise<void> {
      const until = now + ms;
      for (;;) {
        await settle();
        const due = [...timers].filter(([, t]) => t.at <= until).sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
        if (due === undefined) break;
        now = Math.max(now, due[1].at);
        timers.delete(due[0]);
        due[1].run();
      }
      now = until;
      await settle();
    },
  };
}

/** Lets every promise that can go on go on. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

const anything = { type: 'object', properties: {}, additionalProperties: true };
export function contract(
  name: string,
  effect: ToolContract['effect'],
  parameters: ToolContract['parameters'] = anything,
  executionTimeoutMs = 3000,
): ToolContract {
  const text = { en: name, zh: name };
  return {
    name,
    title: text,
    description: text,
    parameters,
    returnSchema: {},
    executionTimeoutMs,
    isDeterministic: false,
    effect,
    fallback: 'none',
    undo: 'none',
  };
}

export const someContracts = [
  contract('tag_read', 'read'),
  contract('modbus_read', 'read'),
  contract('tag_write', 'write-plant', anything, 10_000),
  contract('undo', 'write-plant', anything, 10_000),
  contract('execute', 'execute', anything, 30_000),
  contract('read_file', 'read'),
];

export function okResult(callId: string, result: unknown): ResultEnvelope {
  return {
    call_id: callId,
    ok: true,
    result,
    error: null,
    meta: {
      timestamp: '2026-03-18T10:30:00.000Z',
      duration_ms: 1,
      exit_code: null,
      status_code: null,
      crc_valid: null,
      truncated: false,
      fallback: null,
      attempts: 1,
      cached: false,
    },
  };
}

export type Answer = (request: CallRequest, news: (phase: CallNews['phase']) => void) => Promise<ResultEnvelope> | ResultEnvelope;

export function scriptedGateway(answer: Answer, contracts: ToolContract[] = someContracts) {
  const listeners = new Set<(news: CallNews) => void>();
  const calls: CallRequest[] = [];
  const cancelled: string[] = [];
  const one = async (request: CallRequest): Promise<ResultEnvelope> => {
    calls.push(request);
    const call: CallNews['call'] = {
      call_id: request.callId ?? '',
      parent_call_id: null,
      session_id: request.sessionId,
      turn_id: request.turnId ?? null,
      tool: request.tool,
      args: request.args as Record<string, unknown>,
      depends_on: [...(request.dependsOn ?? [])],
      expected_output_schema: null,
      timeout_ms: 3000,
      meta: { timestamp: '', caller: request.caller },
    };
    const news = (phase: CallNews['phase'], result: ResultEnvelope | null = null): void =>
      listeners.forEach((l) => l({ call, phase, result }));
    news('running');
    const result = await answer(request, news);
    news('ended', result);
    return result;
  };
  const gateway: Gateway = {
    call: one,
    callAll: (requests) => Promise.all(requests.map(one)),
    contracts: () => contracts,
    capabilities: () => ({ tools: [], protocols: [], unsupported: [] }),
    cancel: async (scope, reason) => void cancelled.push(`${scope.sessionId === undefined ? 'turn' : 'session'}: ${reason}`),
    onNews(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return { gateway, calls, cancelled };
}

/** A planner whose n-th step is the n-th entry; the last one repeats. */
export function scriptedPlanner(
  steps: ((input: PlanInput, signal: AbortSignal) => AsyncIterable<PlannerEvent> | PlannerEvent[])[],
  kind: Planner['kind'] = 'model',
) {
  const inputs: PlanInput[] = [];
  const planner: Planner = {
    name: 'scripted',
    kind,
    async *plan(input, signal) {
      const step = steps[Math.min(inputs.length, steps.length - 1)]!;
      inputs.push({ ...input, transcript: input.transcript.map((m) => structuredClone(m)), results: [...input.results] });
      yield* step(input, signal);
    },
    close: async () => undefined,
  };
  return { planner, inputs };
}

export function memorySnapshots(): SnapshotStore & { all: Snapshot[] } {
  const all: Snapshot[] = [];
  return {
    all,
    save(snapshot: NewSnapshot) {
      const saved: Snapshot = { ...structuredClone(snapshot), id: `s${all.length + 1}`, at: '' };
      all.push(saved);
      return saved;
    },
    markGood(id) {
      for (const s of all) if (s.id === id) s.good = true;
    },
    lastGood: (turnId) => all.findLast((s) => s.turnId === turnId && s.good),
    latest: (turnId) => all.findLast((s) => s.turnId === turnId),
    unfinishedTurns: () => [],
    drop: () => undefined,
  };
}

export const emptyWorld: World = { now: '2026-03-18T10:30:00', serial_ports: [], devices: [], tags: [] };

export function testAgent(parts: {
  planner: Planner;
  answer?: Answer;
  fuses?: AgentDeps['fuses'];
  contracts?: ToolContract[];
  deps?: Partial<AgentDeps>;
}) {
  const time = handClock();
  const events: NewEvent[] = [];
  const gateway = scriptedGateway(parts.answer ?? ((r) => okResult(r.callId ?? '', { values: [1] })), parts.contracts);
  const snapshots = memorySnapshots();
  let ids = 0;
  const agent = createAgent({
    gateway: gateway.gateway,
    plannerFor: () => parts.planner,
    record: {
      append: (event) => (
        events.push(event),
        { seq: events.length, at: '', session: null, turn: null, call: null, kind: event.kind, payload: '', prev_hash: '', hash: '' }
      ),
      events: () => [],
      calls: () => [],
    },
    snapshots,
    clock: time.clock,
    ids: () => `id${++ids}`,
    world: () => emptyWorld,
    armedDevices: () => [],
    fuses: parts.fuses,
    ...parts.deps,
  });
  return { agent, time, events, gateway, snapshots };
}
