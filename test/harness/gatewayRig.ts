import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalCard, ApprovalDecision, Approver } from '../../src/shared/contracts/approvals.ts';
import type { CallRequest, ResultEnvelope } from '../../src/shared/contracts/calls.ts';
import type { PlantFile, TagConfig } from '../../src/shared/contracts/plant.ts';
import type { Sandbox } from '../../src/shared/contracts/sandbox.ts';
import type { ToolDefinition, WriteResult } from '../../src/shared/contracts/tools.ts';
import {
  createArming,
  createArmingRecord,
  createGateway,
  defaultPolicy,
  guardWires,
  systemClock,
  type HandrailGateway,
  type GatewayDeps,
  type PolicyRules,
} from '../../src/main/gateway/index.ts';
import { createPlant } from '../../src/main/plant/index.ts';
import { openStore } from '../../src/main/store/index.ts';
import { createTools, type ToolDeps } from '../../src/main/tools/index.ts';
import { createUlids } from '../../src/shared/ulid.ts';
import { createFakeWires } from './fakeWires.ts';
import { createManualClock, type ManualClock } from './manualClock.ts';

const tag = (id: string, address: number, zh: string, en: string, parts: Partial<TagConfig> = {}): TagConfig => ({
  id,
  name: { en, zh },
  aliases: { en: [], zh: [] },
  device: 'plc1',
  table: 'holding',
  address,
  type: 'int16',
  order: 'ABCD',
  scale: 1,
  offset: 0,
  decimals: 1,
  unit: '',
  range: { min: null, max: null },
  write: { allowed: true, min: null, max: null, maxStep: null },
  pollMs: 1000,
  deadband: 0,
  ...parts,
});

/** A small plant: a boiler setpoint with range and step, pumps, a coil, a pulse, a critical value, a safety word. */
export const rigPlant: PlantFile = {
  name: { en: 'Rig', zh: '试验台' },
  simulated: true,
  connections: [{ id: 'wire', kind: 'rtu_over_tcp', host: '127.0.0.1', port: 1 }],
  devices: [
    { id: 'plc1', name: { en: 'Boiler PLC', zh: '锅炉PLC' }, aliases: [], connection: 'wire', unitId: 1 },
    { id: 'vfd2', name: { en: 'Drive 2', zh: '2号变频器' }, aliases: [], connection: 'wire', unitId: 2 },
  ],
  tags: [
    tag('boiler_sp', 0, '锅炉温度设定', 'boiler setpoint', {
      scale: 0.1,
      unit: '°C',
      write: { allowed: true, min: 50, max: 200, maxStep: 20 },
    }),
    tag('boiler_temp', 0, '锅炉温度', 'boiler temperature', {
      table: 'input',
      scale: 0.1,
      unit: '°C',
      write: { allowed: false, min: null, max: null, maxStep: null },
    }),
    tag('pump1_freq', 1, '1号泵频率', 'pump 1 frequency', { unit: 'Hz', write: { allowed: true, min: 0, max: 50, maxStep: null } }),
    tag('pump2_freq', 1, '2号泵频率', 'pump 2 frequency', {
      device: 'vfd2',
      unit: 'Hz',
      write: { allowed: true, min: 0, max: 50, maxStep: null },
    }),
    tag('flow', 2, '流量', 'flow', { type: 'float32', unit: 'm3/h' }),
    tag('pump1_run', 0, '1号泵', 'pump 1', { table: 'coil', type: 'bool' }),
    tag('reset', 1, '复位', 'reset', {
      table: 'coil',
      type: 'bool',
      write: { allowed: true, min: null, max: null, maxStep: null, pulse: true },
    }),
    tag('trip_level', 4, '跳闸液位', 'trip level', { write: { allowed: true, min: null, max: null, maxStep: null, critical: true } }),
    tag('serial_no', 5, '序列号', 'serial number', { write: { allowed: false, min: null, max: null, maxStep: null } }),
    tag('sis_word', 60, '安全字', 'safety word'),
    tag('batch_count', 80, '批次计数', 'batch count', { type: 'uint64', write: { allowed: true, min: 0, max: 1000, maxStep: null } }),
    tag('pulse_count', 84, '脉冲计数', 'pulse count', { type: 'uint64', write: { allowed: true, min: null, max: null, maxStep: 100 } }),
    tag('valve_bit', 70, '阀门位', 'valve bit', { type: 'bit', bit: 3 }),
  ],
};

export type Rig = Awaited<ReturnType<typeof createRig>>;
export type RigOptions = {
  auto?: boolean;
  /** The machine's own time, for tests with real files, sockets and child processes. */
  realTime?: boolean;
  approver?: Approver;
  policy?: () => PolicyRules | null;
  armed?: string[];
  tools?: (deps: ToolDeps) => ToolDefinition[];
  sandbox?: Sandbox;
  gateway?: Partial<GatewayDeps>;
  toolDeps?: Partial<ToolDeps>;
  /** Gives the file tools a work folder, `work` in the rig's folder. */
  work?: boolean;
};

/** The real gateway, tools, plant and store over registers in memory, with a clock the test owns and a scripted person. */
export async function createRig(options: RigOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-rig-'));
  const manual = createManualClock({ auto: options.auto ?? true });
  const clock: ManualClock = options.realTime === true ? { ...manual, ...systemClock } : manual;
  if (options.work === true) mkdirSync(join(folder, 'work'));
  let seed = 0;
  const ids = createUlids({
    now: () => clock.now(),
    random: () => Uint8Array.from({ length: 16 }, (_, i) => (i === 15 ? ++seed : seed >> 5)),
  });
  const store = openStore({ folder, clock, ids, lang: 'en' });
  const wires = createFakeWires();
  wires.set(1, 'holding', 0, 800);
  wires.set(1, 'holding', 1, 30);
  wires.set(2, 'holding', 1, 40);
  wires.set(1, 'input', 0, 853);
  const guard = guardWires(wires);
  const plant = createPlant({ file: rigPlant, devices: guard.reading, clock });
  const arming = createArming({ clock, record: createArmingRecord(store.record) });
  if (options.armed !== undefined && options.armed.length > 0) arming.arm(options.armed, 10, 'li', 'test');
  const cards: ApprovalCard[] = [];
  const approver: Approver = {
    async ask(card, signal) {
      cards.push(card);
      return options.approver === undefined
        ? { approved: true, by: 'person:li', digest: card.digest, how: 'hold' }
        : options.approver.ask(card, signal);
    },
  };
  const toolDeps: ToolDeps = {
    plant,
    devices: guard.reading,
    record: store.record,
    history: store.history,
    clock,
    ids,
    sandbox: options.sandbox,
    listPorts: async () => [{ path: '/dev/ttyS0', manufacturer: 'test', serialNumber: null }],
    ...(options.work === true ? { root: join(folder, 'work'), blobs: store.blobs } : {}),
    ...options.toolDeps,
  };
  let gateway: HandrailGateway;
  try {
    gateway = createGateway({
      tools: options.tools?.(toolDeps) ?? createTools(toolDeps),
      record: store.record,
      approver,
      arming,
      policy: options.policy ?? (() => ({ ...defaultPolicy, never: [{ device: 'plc1', table: 'holding', from: 60, to: 69 }] })),
      wire: guard.writing,
      clock,
      ids,
      ...options.gateway,
    });
  } catch (error) {
    store.close();
    throw error;
  }
  const request = (tool: string, args: unknown, more: Partial<CallRequest> = {}): CallRequest => ({
    tool,
    args,
    caller: 'agent:test',
    sessionId: 's1',
    turnId: ids(),
    lang: 'en',
    ...more,
  });
  return {
    folder,
    clock,
    ids,
    store,
    wires,
    guard,
    plant,
    arming,
    cards,
    gateway,
    toolDeps,
    request,
    call: (tool: string, args: unknown, more: Partial<CallRequest> = {}): Promise<ResultEnvelope> =>
      gateway.call(request(tool, args, more)),
    write: (tagName: string, value: unknown, more: Partial<CallRequest> = {}): Promise<ResultEnvelope> =>
      gateway.call(request('tag_write', { tag: tagName, value }, more)),
    events: () => store.record.events('s1').map((e) => ({ kind: e.kind, payload: JSON.parse(e.payload) as Record<string, unknown> })),
    async close() {
      await plant.close();
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const outcome = (envelope: ResultEnvelope) => (envelope.result as WriteResult | null)?.writes[0];
export const approve = (card: ApprovalCard, parts: Partial<ApprovalDecision> = {}): ApprovalDecision => ({
  approved: true,
  by: 'person:li',
  digest: card.digest,
  how: 'hold',
  ...parts,
});
