import type { Devices, Priority } from '../../../shared/contracts/devices.ts';
import { HandrailError } from '../../../shared/errors.ts';
import { identifyObjects, type Identity } from '../identify/identify.ts';
import { pause } from './pause.ts';
import { probe, type Presence } from './probe.ts';

/** A line with machines on it is not to be filled with questions: read-only probes at a polite rate, after some listening. */
export const scanRules = {
  listenMs: 2000,
  line: { probesPerSecond: 10, timeoutMs: 300 },
  tcp: { probesPerSecond: 50, timeoutMs: 500 },
} as const;

export type FoundUnit = NonNullable<Presence> & { unit: number; identity: Identity | null };
type ScanDevices = Pick<Devices, 'request' | 'connections' | 'health' | 'open'>;
export type ScanOptions = {
  connection: string;
  units: readonly number[];
  priority: Priority;
  signal: AbortSignal;
  progress?(done: number, total: number): void;
  /** Enough when so many were found; default: all units are asked. */
  most?: number;
  listenMs?: number;
};

/** Units of one connection, one after the other. Not started when somebody else talks on the line (PORT_BUSY). */
export async function scanUnits(devices: ScanDevices, options: ScanOptions): Promise<FoundUnit[]> {
  const { connection, units, priority, signal } = options;
  const isLine = devices.connections().find((config) => config.id === connection)?.kind !== 'tcp';
  const { probesPerSecond, timeoutMs } = isLine ? scanRules.line : scanRules.tcp;
  if (isLine) await listen(devices, connection, options.listenMs ?? scanRules.listenMs, signal);
  const found: FoundUnit[] = [];
  for (const [index, unitId] of units.entries()) {
    const startedAt = performance.now();
    const at = { connection, unitId, timeoutMs, priority, signal };
    const presence = await probe(devices, at);
    if (presence) found.push({ unit: unitId, ...presence, identity: await identifyObjects(devices, at) });
    options.progress?.(index + 1, units.length);
    if (found.length >= (options.most ?? Infinity)) break;
    await pause(1000 / probesPerSecond - (performance.now() - startedAt), signal);
  }
  return found;
}

/** Whoever is heard before we have asked anything is another client's conversation; a scan into it would spoil both. */
export async function listen(
  devices: Pick<Devices, 'health' | 'open'>,
  connection: string,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const strays = (): number => devices.health().find((health) => health.connection === connection)?.counters.strays ?? 0;
  const before = strays();
  devices.open(connection); // a closed line hears nothing
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
