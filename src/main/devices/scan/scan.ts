import type { ConnectionConfig, Devices, SerialSettings } from '../../../shared/contracts/devices.ts';
import { asHandrailError, HandrailError } from '../../../shared/errors.ts';
import { responseFloorMs } from '../line/timing.ts';

/** Read-only probes at a polite rate: at most ten a second on a line, after two seconds of listening. */
export const scanRules = { listenMs: 2000, probesPerSecond: 10, probeTimeoutMs: 200 } as const;
/** By how often they are met; each is tried with the parities behind it. */
export const usualSettings: readonly Pick<SerialSettings, 'baud' | 'dataBits' | 'parity' | 'stopBits'>[] = [
  9600, 19200, 115200, 38400, 57600, 4800, 2400,
].flatMap((baud) => [
  { baud, dataBits: 8, parity: 'none', stopBits: 1 } as const,
  { baud, dataBits: 8, parity: 'even', stopBits: 1 } as const,
  { baud, dataBits: 8, parity: 'odd', stopBits: 1 } as const,
  { baud, dataBits: 8, parity: 'none', stopBits: 2 } as const,
]);

export type Presence = { unit: number; answered: 'value' | 'exception'; exception: number | null };
export type SettingsFound = { settings: Pick<SerialSettings, 'baud' | 'dataBits' | 'parity' | 'stopBits'>; units: Presence[] };
type ScanDevices = Devices & { open?(connection: string): void };
export type ScanProgress = { done: number; total: number; found: readonly Presence[] };

/** How long a scan may take at most, for asking before it starts: a silent unit costs its time-out and the quiet time behind it. */
export function estimateScanMs(config: ConnectionConfig, probes: number): number {
  const timeout = Math.max(scanRules.probeTimeoutMs, responseFloorMs(config, 8, 7));
  const isLine = config.kind !== 'tcp';
  return (isLine ? scanRules.listenMs : 0) + probes * Math.max(isLine ? 2 * timeout : timeout, 1000 / scanRules.probesPerSecond);
}

/** Anything that answers is there: a value, or an exception (but not the gateway's own 0A and 0B). */
export async function probe(
  devices: Pick<Devices, 'request'>,
  connection: string,
  unitId: number,
  signal: AbortSignal,
  timeoutMs: number = scanRules.probeTimeoutMs,
): Promise<Presence | null> {
  try {
    await devices.request({
      connection,
      unitId,
      functionCode: 3,
      address: 0,
      quantity: 1,
      priority: 'agent',
      once: true,
      timeoutMs,
      signal,
    });
    return { unit: unitId, answered: 'value', exception: null };
  } catch (thrown) {
    const error = asHandrailError(thrown);
    if (error.code === 'DEVICE_EXCEPTION') {
      const exception = Number(error.detail['exception']);
      return exception === 10 || exception === 11 ? null : { unit: unitId, answered: 'exception', exception };
    }
    if (error.code === 'DEVICE_NO_ANSWER' || error.code.startsWith('FRAME_')) return null;
    throw error;
  }
}

/** Units of one connection, one after the other. Stops when somebody else talks on the line. */
export async function scanUnits(
  devices: Devices,
  options: {
    connection: string;
    from: number;
    to: number;
    signal: AbortSignal;
    progress?(progress: ScanProgress): void;
    listenMs?: number;
  },
): Promise<Presence[]> {
  const { connection, from, to, signal } = options;
  const found: Presence[] = [];
  const isLine = devices.connections().find((config) => config.id === connection)?.kind !== 'tcp';
  if (isLine) await listen(devices, connection, options.listenMs ?? scanRules.listenMs, signal);
  for (let unit = from; unit <= to; unit++) {
    const startedAt = performance.now();
    const presence = await probe(devices, connection, unit, signal);
    if (presence) found.push(presence);
    options.progress?.({ done: unit - from + 1, total: to - from + 1, found });
    await pause(1000 / scanRules.probesPerSecond - (performance.now() - startedAt), signal);
  }
  return found;
}

/** Whoever is heard before we have asked anything is another client's conversation; a scan into it would spoil both. */
async function listen(devices: ScanDevices, connection: string, ms: number, signal: AbortSignal): Promise<void> {
  const strays = (): number => devices.health().find((health) => health.connection === connection)?.counters.strays ?? 0;
  const before = strays();
  devices.open?.(connection); // a closed line hears nothing
  await pause(ms, signal);
  if (strays() > before) {
    throw new HandrailError('PORT_BUSY', {
      detail: { port: connection, failure: 'PORT_BUSY' },
      message: {
        en: `Another client talks on ${connection}; the scan was not started.`,
        zh: `${connection} 上有其他主站在通信，扫描未开始。`,
      },
    });
  }
}

/** Baud rate and parity of a line, by asking a few units with each usual setting until somebody answers. */
export async function findSerialSettings(
  open: (serial: SerialSettings) => { devices: Devices; close(): Promise<void> },
  options: {
    path: string;
    units: readonly number[];
    signal: AbortSignal;
    settings?: typeof usualSettings;
    progress?(done: number, total: number): void;
    listenMs?: number;
  },
): Promise<SettingsFound | null> {
  const settings = options.settings ?? usualSettings;
  for (const [index, setting] of settings.entries()) {
    const opened = open({ path: options.path, ...setting });
    const { devices } = opened;
    try {
      if (index === 0) await pause(options.listenMs ?? scanRules.listenMs, options.signal);
      const units: Presence[] = [];
      for (const unit of options.units) {
        const presence = await probe(devices, devices.connections()[0]!.id, unit, options.signal);
        if (presence) units.push(presence);
      }
      options.progress?.(index + 1, settings.length);
      if (units.length > 0) return { settings: setting, units };
    } finally {
      await opened.close();
    }
  }
  return null;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(new HandrailError('CANCELLED'));
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new HandrailError('CANCELLED'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
