import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, type AgentDeps } from '../../src/main/agent/index.ts';
import { createArming, createArmingRecord, createGateway, defaultPolicy, guardWires } from '../../src/main/gateway/index.ts';
import { createDevices, listPorts } from '../../src/main/devices/index.ts';
import { createPlant, createSimulator, localTime, worldOf } from '../../src/main/plant/index.ts';
import { createSandbox } from '../../src/main/sandbox/index.ts';
import { openStore } from '../../src/main/store/index.ts';
import { createTools } from '../../src/main/tools/index.ts';
import { createUlids } from '../../src/shared/ulid.ts';
import type { Agent, Planner } from '../../src/shared/contracts/agent.ts';
import type { ApprovalCard } from '../../src/shared/contracts/approvals.ts';
import type { Clock, ToolDefinition } from '../../src/shared/contracts/tools.ts';

export type LabOptions = {
  /** Local plant time at the start, `YYYY-MM-DDTHH:MM:SS`. */
  now?: string;
  plannerFor(): Planner;
  /** A person's answer to a card. */
  decide?(card: ApprovalCard): boolean;
  /** Lets a test put its own results in a tool's place. */
  tools?(tools: ToolDefinition[]): ToolDefinition[];
  /** Around the gateway as the agent sees it. */
  gateway?(gateway: ReturnType<typeof createGateway>): AgentDeps['gateway'];
  fuses?: AgentDeps['fuses'];
  /** Tools whose results count as text from outside, beside the usual ones. */
  taintedTools?: readonly string[];
};

/** The real rooms on a fresh simulated plant, with a clock that starts where the test says; only the model is scripted. */
export async function openLab(options: LabOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-lab-'));
  const clock = labClock(options.now);
  const ids = createUlids({ now: () => clock.now(), random: () => randomBytes(16) });
  const store = openStore({ folder, clock, ids, lang: 'en', readOnly: false, version: 'test' });
  const simulator = await createSimulator({ clock });
  const devices = createDevices({ isReadOnly: () => false });
  devices.configure(simulator.file.connections);
  const wires = guardWires(devices);
  const plant = createPlant({ file: simulator.file, devices: wires.reading, clock, history: store.history });
  const sandbox = createSandbox();
  const arming = createArming({ clock, record: createArmingRecord(store.record) });
  const cards: ApprovalCard[] = [];
  const tools = createTools({
    plant,
    devices: wires.reading,
    record: store.record,
    history: store.history,
    clock,
    ids,
    listPorts,
    sandbox,
    blobs: store.blobs,
    root: folder,
  });
  const gateway = createGateway({
    tools: options.tools?.(tools) ?? tools,
    record: store.record,
    approver: {
      ask: async (card) => {
        cards.push(card);
        const approved = options.decide?.(card) ?? false;
        return { approved, by: 'test person', digest: card.digest, how: approved ? 'hold' : 'reject' };
      },
    },
    arming,
    policy: () => ({ ...defaultPolicy, readOnly: false }),
    wire: wires.writing,
    clock,
    ids,
  });
  const world = (): ReturnType<typeof worldOf> => worldOf(simulator.file, [], localTime(clock.now()));
  const agent: Agent = createAgent({
    gateway: options.gateway?.(gateway) ?? gateway,
    plannerFor: () => options.plannerFor(),
    record: store.record,
    snapshots: store.snapshots,
    clock,
    ids,
    world,
    armedDevices: () => arming.list().map((a) => a.device),
    fuses: options.fuses,
    taintedTools: options.taintedTools,
  });
  return {
    agent,
    gateway,
    arming,
    cards,
    simulator,
    store,
    plant,
    world,
    folder,
    armAll: () =>
      arming.arm(
        simulator.file.devices.map((d) => d.id),
        15,
        'test person',
        'test',
      ),
    async close(): Promise<void> {
      await agent.close();
      await plant.close();
      await sandbox.close();
      await devices.close();
      await simulator.close();
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Lab = Awaited<ReturnType<typeof openLab>>;

function labClock(start: string | undefined): Clock {
  const offset = start === undefined ? 0 : new Date(start).getTime() - Date.now();
  return {
    now: () => Date.now() + offset,
    elapsed: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
}
