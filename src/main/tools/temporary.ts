import type { ConnectionConfig, Devices } from '../../shared/contracts/devices.ts';

export type Wanted = { host: string; port: number } | { serial: NonNullable<ConnectionConfig['serial']> };

/** A connection that the plant file does not name: made for a question, kept until Handrail ends or it is released. */
export function ensureConnection(devices: Devices, wanted: Wanted): { config: ConnectionConfig; isNew: boolean } {
  const known = devices.connections();
  const same = known.find((c) =>
    'host' in wanted
      ? c.serial === undefined && c.host === wanted.host && (c.port ?? 502) === wanted.port
      : c.serial?.path === wanted.serial.path,
  );
  if (same !== undefined && ('host' in wanted || sameLine(same.serial!, wanted.serial))) return { config: same, isNew: false };
  const config: ConnectionConfig =
    'host' in wanted
      ? { id: `tcp:${wanted.host}:${wanted.port}`, kind: 'tcp', host: wanted.host, port: wanted.port }
      : { id: `serial:${wanted.serial.path}`, kind: 'rtu', serial: wanted.serial };
  // A port has one line: other settings on the same path replace the temporary ones, never those of the plant file.
  devices.configure([...known.filter((c) => c.id !== config.id), config]);
  return { config, isNew: true };
}

export function dropConnection(devices: Devices, id: string): void {
  devices.configure(devices.connections().filter((c) => c.id !== id));
}

function sameLine(a: NonNullable<ConnectionConfig['serial']>, b: NonNullable<ConnectionConfig['serial']>): boolean {
  return a.baud === b.baud && a.dataBits === b.dataBits && a.parity === b.parity && a.stopBits === b.stopBits;
}
