import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createAgent } from './agent/index.ts';
import {
  createArming,
  createArmingRecord,
  createExactConsent,
  createGateway,
  defaultPolicy,
  guardWires,
  systemClock,
} from './gateway/index.ts';
import { createDevices, framesToPcap, listPorts } from './devices/index.ts';
import { createLivePlant, createSimulator, loadPlantFile, localTime, neverWritten, worldOf, type Simulator } from './plant/index.ts';
import type { HiddenRenderer } from '../shared/contracts/hiddenPage.ts';
import { createSandbox } from './sandbox/index.ts';
import { openStore, verifyFile, type Store } from './store/index.ts';
import { createTools } from './tools/index.ts';
import { startPtyPair } from './workers/ptyPair.ts';
import { runWorker } from './workers/runWorker.ts';
import { defaultSettings } from '../shared/contracts/settings.ts';
import type { CoreApi } from '../shared/contracts/api.ts';
import type { Clock } from '../shared/contracts/tools.ts';
import type { PlantFile } from '../shared/contracts/plant.ts';
import type { Lang } from '../shared/errors.ts';
import { interpret } from '../shared/planner/index.ts';
import { createUlids } from '../shared/ulid.ts';
import { createApi } from './core/api.ts';
import { createApprovalDesk } from './core/approvalDesk.ts';
import { openFileDesk } from './core/fileDesk.ts';
import { fileRooms } from './core/files.ts';
import type { HealthWatch } from './core/health.ts';
import { createPlantDesk } from './core/plantDesk.ts';
import { lockOnLineLoss, retainHistory, retainRecord } from './core/housekeeping.ts';
import { choosePlanner, modelChoice } from './core/models.ts';
import type { CoreParts, Door } from './core/parts.ts';
import { openSettings } from './core/settings.ts';
import { resumeTurns } from './core/unfinished.ts';
import { handrailVersion } from './entries.ts';

export { createSandbox as createSandboxForCli } from './sandbox/index.ts';
export { listFaults as listSimulatorFaults } from './plant/index.ts';
export { recoveredInWords } from './core/unfinished.ts';
export { diagnoseConnection } from './core/diagnose.ts';
export { openInBrowser } from './workers/openInBrowser.ts';

export type CoreOptions = {
  door: Door;
  dataFolder: string;
  /** Absent: the file of the settings, else the simulated plant. */
  plantFile?: string | undefined;
  lang: Lang;
  /** `builtin`, `ollama:NAME` or `openai:NAME`; absent: as in the settings. */
  model?: string | undefined;
  baseUrl?: string | undefined;
  /** A person's exact consents (`TAG=VALUE`); given by the command line only. */
  approve?: readonly string[];
  /** Reads beside a process that owns the data folder; nothing can be recorded, so nothing can be done. */
  readOnlyStore?: boolean;
  polling?: boolean;
  clock?: Clock;
  /** Where the door has a browser engine: pages for the sandbox's level wasm-renderer. */
  hiddenRenderer?: HiddenRenderer;
};

export type Core = CoreParts & {
  api: CoreApi;
  /** What `health.report` answers; see there. */
  healthReport: HealthWatch['report'];
  readonly simulator: Simulator | null;
  /** Ends every turn, queued frame and child process; the core stays usable. */
  stopAll(why: string): Promise<void>;
  close(): Promise<void>;
};

/** Builds the object graph once; `close` takes it down in reverse. Knows no window, socket or terminal. */
export async function createCore(options: CoreOptions): Promise<Core> {
  const down: (() => void | Promise<void>)[] = [];
  const takeDown = async (): Promise<void> => {
    for (const step of down.splice(0).reverse()) await step();
  };
  try {
    return await joinRooms(options, down, takeDown);
  } catch (error) {
    await takeDown();
    throw error;
  }
}

type Down = (() => void | Promise<void>)[];

async function joinRooms(options: CoreOptions, down: Down, takeDown: () => Promise<void>): Promise<Core> {
  const { door, lang, dataFolder } = options;
  const clock = options.clock ?? systemClock;
  const ids = createUlids({ now: () => clock.now(), random: () => randomBytes(16) });
  const settings = openSettings(join(dataFolder, 'settings.json'), { ...defaultSettings, lang, operator: osUser() });
  const operator = (): string => settings.get().operator;

  const store = openStore({
    folder: dataFolder,
    clock,
    ids,
    lang,
    readOnly: options.readOnlyStore ?? false,
    version: handrailVersion(),
    runJob: runWorker,
  });
  down.push(() => store.close());

  const first = await openPlantFile(options, options.plantFile ?? settings.get().plantFile, clock);
  let simulator = first.simulator;
  down.push(() => simulator?.close());

  const devices = createDevices({ isReadOnly: () => settings.get().readOnly });
  down.push(() => devices.close());
  devices.configure(first.file.connections);
  const wires = guardWires(devices);

  const plant = createLivePlant({
    file: first.file,
    devices: wires.reading,
    clock,
    ...(options.readOnlyStore ? {} : { history: store.history }),
  });
  down.push(() => plant.close());

  const sandbox = createSandbox(options.hiddenRenderer === undefined ? {} : { renderer: options.hiddenRenderer });
  down.push(() => sandbox.close());

  const files = openFileDesk(join(dataFolder, 'work'));
  const rooms = fileRooms({ files, record: store.record });
  const arming = createArming({ clock, record: createArmingRecord(store.record) });
  const desk = createApprovalDesk({ now: () => clock.now() });
  const consent = createExactConsent(
    options.approve ?? [],
    { deviceOfTag: (tag) => plant.tag(tag)?.device, deviceOfUnit: (unit) => deviceOfUnit(plant.file, unit) },
    operator(),
  );
  const gateway = createGateway({
    tools: createTools({
      plant,
      devices: wires.reading,
      record: store.record,
      history: store.history,
      clock,
      ids,
      listPorts,
      sandbox,
      analyzeLog: rooms.analyzeLog,
      root: files.root,
      blobs: store.blobs,
      httpHosts: settings.get().httpHosts.map(httpHost),
    }),
    record: store.record,
    approver: door === 'cli' ? consent.approver : desk,
    arming,
    policy: () => ({ ...defaultPolicy, never: neverWritten(plant.file), readOnly: settings.get().readOnly }),
    wire: wires.writing,
    named: (write) => consent.names(write.target),
    clock,
    ids,
  });
  down.push(async () => {
    await gateway.cancel({}, 'the program ended'); // jobs too, a scan say
    arming.lock('the program ended');
  });
  // A person's consent on the command line opens writing for this run and these devices only.
  if (consent.devices.length > 0) arming.arm(consent.devices, consentMinutes, operator(), 'consent on the command line');

  const ports = await listPorts().then(
    (found) => found.map((port) => port.path),
    () => [],
  );
  const world = (): ReturnType<typeof worldOf> => worldOf(plant.file, ports, localTime(clock.now()));
  interpret('help', world()); // builds the planner's index of this plant, so that the first question does not wait for it
  const planners = choosePlanner({ choice: () => modelChoice(options.model, options.baseUrl, settings.get()), clock });
  down.push(() => planners.close());
  const agent = createAgent({
    gateway,
    plannerFor: () => planners.current(),
    record: store.record,
    snapshots: store.snapshots,
    clock,
    ids,
    world,
    armedDevices: () => arming.list().map((armed) => armed.device),
  });
  down.push(() => agent.close());

  const plants = createPlantDesk({
    dataFolder,
    path: options.plantFile ?? settings.get().plantFile,
    settings,
    plant,
    devices,
    record: store.record,
    beforeChange(why) {
      arming.lock(why);
      desk.closeAll();
    },
    async simulated() {
      const opened = await openPlantFile(options, null, clock);
      return { file: opened.file, taken: () => (simulator = opened.simulator) };
    },
    async left() {
      const old = simulator;
      simulator = null;
      await old?.close();
    },
  });

  const parts: CoreParts = {
    door,
    dataFolder,
    lang,
    operator,
    agent,
    gateway,
    arming,
    desk,
    devices,
    plant,
    record: store.record,
    history: store.history,
    sandbox,
    settings,
    files,
    plants,
    world,
    modelState: () => planners.state(),
  };
  const served = createApi(parts, {
    pcap: framesToPcap,
    preview: rooms.preview,
    listModels: (kind, baseUrl) => planners.list(kind, baseUrl),
  });
  down.push(() => served.close());
  down.push(lockOnLineLoss({ devices, arming, plant }));
  if (options.polling ?? door !== 'cli') {
    plant.startPolling();
    if (!options.readOnlyStore)
      void resumeTurns({ agent, snapshots: store.snapshots, record: store.record, now: () => clock.now() }).catch(() => undefined); // a turn's own trouble is in its report
    if (!options.readOnlyStore) down.push(retainRecord({ store, settings, now: () => clock.now() }));
    down.push(retainHistory({ history: store.history, days: () => settings.get().historyDays, now: () => clock.now() }));
  }

  return {
    ...parts,
    api: served.api,
    healthReport: served.healthReport,
    get simulator() {
      return simulator;
    },
    async stopAll(why) {
      desk.closeAll();
      arming.lock(why);
      await gateway.cancel({}, why);
    },
    close: takeDown,
  };
}

/** As long as arming may last; the run ends sooner. */
const consentMinutes = 15;

async function openPlantFile(
  options: CoreOptions,
  path: string | null,
  clock: Clock,
): Promise<{ file: PlantFile; simulator: Simulator | null }> {
  if (path !== null) return { file: loadPlantFile(path), simulator: null };
  const simulator = await createSimulator({
    stateFile: join(options.dataFolder, 'plant-state.json'),
    clock,
    // A pty line costs a child process: the window shows it, a single command has no use for it.
    ...(options.door === 'cli' ? {} : { startPtyPair }),
  });
  return { file: simulator.file, simulator };
}

function deviceOfUnit(file: PlantFile, unitOrDevice: string): string | undefined {
  return file.devices.find((device) => device.id === unitOrDevice || String(device.unitId) === unitOrDevice)?.id;
}

function httpHost(text: string): { host: string; port?: number; allowPrivate: boolean } {
  const match = /^(.*?)(?::(\d{1,5}))?$/.exec(text);
  // A host that a person typed into the allow list is meant, also where its address is a private one.
  return { host: match?.[1] ?? text, ...(match?.[2] === undefined ? {} : { port: Number(match[2]) }), allowPrivate: true };
}

function osUser(): string {
  try {
    return userInfo().username || 'operator';
  } catch {
    return 'operator'; // a container user without an entry
  }
}

/** Only the simulated plant, for `handrail simulate`. */
export async function startSimulator(options: {
  port: number;
  rtuLink: string | undefined;
  faults: readonly string[];
  dataFolder: string;
}): Promise<Simulator> {
  return createSimulator({
    stateFile: join(options.dataFolder, 'plant-state.json'),
    port: options.port,
    faults: options.faults,
    startPtyPair,
    ...(options.rtuLink === undefined ? {} : { rtuLink: options.rtuLink }),
  });
}

/** The record alone, for reading and proving; a process that writes it goes on undisturbed. */
export function openAudit(dataFolder: string, lang: Lang): { record: Store['record']; verifyFile: typeof verifyFile; close(): void } {
  const ids = createUlids({ now: () => Date.now(), random: () => randomBytes(16) });
  const store = openStore({ folder: dataFolder, clock: systemClock, ids, lang, readOnly: true, version: handrailVersion() });
  return { record: store.record, verifyFile, close: () => store.close() };
}
