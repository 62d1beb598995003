import { HandrailError } from '../../shared/errors.ts';
import type { CallNews, CallRequest, Gateway, ResultEnvelope } from '../../shared/contracts/calls.ts';
import { cycleOf, groupWrites } from './batch.ts';
import { createConduct } from './conduct.ts';
import type { Job } from './job.ts';
import { createPrepare } from './prepare.ts';
import { createWorkshop, type GatewayDeps } from './workshop.ts';
import type { WriteRequest } from './writeRequest.ts';

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

export type HandrailGateway = Gateway & {
  /** Sizes of what is held, for health and for tests that look for leaks. */
  state(): { open: number; remembered: number; pieces: number; running: number; waiting: number; wires: number; queues: number };
};

/** The one way in. Every door, the loop, the sandbox and other agents act through `call`, and nothing acts beside it. */
export function createGateway(deps: GatewayDeps): HandrailGateway {
  const listeners = new Set<(news: CallNews) => void>();
  const shop = createWorkshop(deps, (call, phase, result) => {
    for (const listener of listeners) listener({ call, phase, result });
  });
  const { book } = shop;
  const { prepare, refuse, waiting } = createPrepare(shop);
  const { conduct } = createConduct(shop);

  /** Opens a job and conducts it; the promise never rejects. */
  function start(job: Job, group: WriteRequest | null): Promise<ResultEnvelope> {
    const { call } = job;
    // Not before the whole batch is open: a call may wait for one that is listed after it.
    const settled = Promise.resolve()
      .then(() => conduct(job, group))
      .then((envelope) => {
        book.open.delete(call.call_id);
        book.remember(call.call_id, envelope.ok);
        group?.leave(call.call_id, envelope);
        shop.tell(call, 'ended', envelope);
        return envelope;
      });
    book.open.set(call.call_id, { job, settled, dependsOn: call.depends_on, parent: call.parent_call_id });
    return settled;
  }

  async function callAll(requests: readonly CallRequest[]): Promise<ResultEnvelope[]> {
    const ids = requests.map((request) => request.callId ?? deps.ids());
    const cycle = cycleOf(requests, ids, book);
    if (cycle !== null) {
      const error = new HandrailError('TOOL_CYCLE', { detail: { path: cycle.join(' → ') } });
      return requests.map((request, i) => refuse(request, ids[i]!, 'dependencies', error));
    }
    const answers = new Array<Promise<ResultEnvelope>>(requests.length);
    const jobs = new Map<number, Job>();
    const refused: { callId: string; error: HandrailError }[] = [];
    requests.forEach((request, at) => {
      const callId = ids[at]!;
      const prepared = prepare(request, callId);
      if ('job' in prepared) {
        jobs.set(at, prepared.job);
        return;
      }
      answers[at] = Promise.resolve(prepared.ended);
      if (prepared.error === null) return;
      if (!book.isKnown(callId)) book.remember(callId, false);
      if (writesPlant(request.tool) && request.dryRun !== true) refused.push({ callId, error: prepared.error });
    });
    const groups = groupWrites({ requests, ids, jobs: [...jobs.values()], refused }, shop.writing);
    for (const [at, job] of jobs) answers[at] = start(job, groups.get(job.call.call_id) ?? null);
    return Promise.all(answers);
  }

  function writesPlant(tool: string): boolean {
    return shop.registry.list().some((r) => r.contract.name === tool && r.contract.effect === 'write-plant');
  }

  const call = async (request: CallRequest): Promise<ResultEnvelope> => (await callAll([request]))[0]!;
  shop.call = call;

  return {
    call,
    callAll,
    contracts: (options) =>
      shop.registry
        .list()
        .map((r) => r.contract)
        .filter((c) => options?.declared !== true || c.effect !== 'write-plant' || deps.arming.list().length > 0),
    capabilities: () => ({
      tools: shop.registry.list().map((r) => r.contract.name),
      protocols: [...protocols],
      unsupported: [...unsupported],
    }),
    async cancel(scope, reason) {
      const { turnId, sessionId } = scope;
      if (turnId === undefined) {
        shop.stops.stop(sessionId ?? null, reason);
        deps.arming.lock(reason);
      }
      const isAll = turnId === undefined && sessionId === undefined;
      const mine = [...book.open.values()].filter(
        ({ job }) =>
          isAll || (turnId !== undefined && job.call.turn_id === turnId) || (sessionId !== undefined && job.call.session_id === sessionId),
      );
      for (const { job } of mine) job.deadline.abort(new HandrailError('CANCELLED', { detail: { reason } }));
      await Promise.all(mine.map((m) => m.settled));
    },
    onNews(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => ({ ...book.state(), pieces: waiting(), ...shop.scheduler.state() }),
  };
}
