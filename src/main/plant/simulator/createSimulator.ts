import type { PlantFile } from '../../../shared/contracts/plant.ts';
import { simulatedPlantFile } from '../simulated.ts';
import { SimulatedDevices } from './device.ts';
import { parseFault, troublesOf, type Fault } from './faults.ts';
import { startRtuServer, type PtyPair } from './rtuServer.ts';
import { loadState, saveState } from './savedState.ts';
import { startTcpGuard } from './tcpGuard.ts';

export type SimulatorOptions = {
  /** Where writable values and clock are kept between runs; absent: nowhere. */
  stateFile?: string;
  /** 0, the default: any free port. */
  port?: number;
  host?: string;
  clock?: { now(): number };
  faults?: readonly string[];
  /** Makes a serial line out of nothing; from `workers`, where child processes may be started. Absent: no RTU. */
  startPtyPair?: (options: { link?: string }) => Promise<PtyPair>;
  /** Path of the serial line to offer. */
  rtuLink?: string;
};

export type Simulator = {
  readonly port: number;
  /** Path a client opens for RTU, or null where none could be had; `rtuNote` then says why. */
  readonly rtuPath: string | null;
  readonly rtuNote: string | null;
  readonly stateNote: string | null;
  /** The plant file for this plant as it listens now. */
  readonly file: PlantFile;
  plantTime(): number;
  /** `NAME[:PARAM][@UNIT][xTIMES]`; returns what takes it away again. */
  inject(fault: string): Promise<() => Promise<void>>;
  clearFaults(): Promise<void>;
  activeFaults(): readonly Fault[];
  close(): Promise<void>;
};

/** The plant that ships with the program. With a clock that stands still it stands still too, so a test sees the same values twice. */
export async function createSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const clock = options.clock ?? { now: () => Date.now() };
  const host = options.host ?? '127.0.0.1';
  const { state, note } = loadState(options.stateFile);
  let faults: Fault[] = (options.faults ?? []).map(parseFault);
  const devices: SimulatedDevices = new SimulatedDevices(simulatedPlantFile({ port: 1, host }), clock, state, () =>
    saveState(options.stateFile, devices.state()),
  );
  const guard = await startTcpGuard(devices, { port: options.port ?? 0, host });
  const line = await openLine(options, devices);
  const apply = async (): Promise<void> => {
    devices.troubles = troublesOf(faults);
    line.server?.setFaults(faults);
    await guard.setFaults(faults);
  };
  await apply();
  const rtuPath = line.server?.path ?? null;
  return {
    port: guard.port,
    rtuPath,
    rtuNote: line.note,
    stateNote: note,
    file: simulatedPlantFile({ port: guard.port, host, rtuPath }),
    plantTime: () => devices.plantTime,
    async inject(text) {
      const fault = parseFault(text);
      faults = [...faults, fault];
      await apply();
      return async () => {
        faults = faults.filter((other) => other !== fault);
        await apply();
      };
    },
    async clearFaults() {
      faults = [];
      await apply();
    },
    activeFaults: () => faults,
    async close() {
      await guard.close();
      await line.server?.close();
      saveState(options.stateFile, devices.state());
    },
  };
}

async function openLine(
  options: SimulatorOptions,
  devices: SimulatedDevices,
): Promise<{ server: Awaited<ReturnType<typeof startRtuServer>> | null; note: string | null }> {
  if (!options.startPtyPair) return { server: null, note: 'no serial line was asked for' };
  try {
    const pair = await options.startPtyPair({ link: options.rtuLink });
    return { server: startRtuServer(devices, pair), note: null };
  } catch (cause) {
    // Where there is no pty (Windows, no socat) the plant is whole over TCP; the reason is shown, not hidden.
    return { server: null, note: cause instanceof Error ? cause.message : String(cause) };
  }
}
