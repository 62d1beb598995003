import type { Devices, Priority, SerialSettings } from '../../../shared/contracts/devices.ts';
import { probe } from './probe.ts';
import { listen, scanRules } from './scan.ts';

export type LineSettings = Pick<SerialSettings, 'baud' | 'dataBits' | 'parity' | 'stopBits'>;
/** By how often they are met; each is tried with the parities behind it. */
export const usualSettings: readonly LineSettings[] = [9600, 19200, 115200, 38400, 57600, 4800, 2400].flatMap((baud) => [
  { baud, dataBits: 8, parity: 'none', stopBits: 1 } as const,
  { baud, dataBits: 8, parity: 'even', stopBits: 1 } as const,
  { baud, dataBits: 8, parity: 'odd', stopBits: 1 } as const,
  { baud, dataBits: 8, parity: 'none', stopBits: 2 } as const,
]);

/**
 * Baud rate and parity of a line: a few units are asked with each usual setting until one gives a whole answer; null when none
 * does. Garbled answers are those of wrong settings. `open` configures a connection with the given settings.
 */
export async function findSerialSettings(
  devices: Pick<Devices, 'request' | 'health' | 'open'>,
  open: (settings: LineSettings) => { connection: string; close: () => Promise<void> },
  options: {
    units: readonly number[];
    priority: Priority;
    signal: AbortSignal;
    settings?: readonly LineSettings[];
    progress?(done: number, total: number): void;
    listenMs?: number;
  },
): Promise<LineSettings | null> {
  const { units, priority, signal, settings = usualSettings } = options;
  for (const [index, setting] of settings.entries()) {
    const { connection, close } = open(setting);
    try {
      if (index === 0) await listen(devices, connection, options.listenMs ?? scanRules.listenMs, signal);
      for (const unitId of units) {
        const presence = await probe(devices, { connection, unitId, timeoutMs: scanRules.line.timeoutMs, priority, signal });
        if (presence !== null && presence.answered !== 'garbled') return setting;
      }
      options.progress?.(index + 1, settings.length);
    } finally {
      await close();
    }
  }
  return null;
}
