import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SerialPort } from 'serialport';

/** Which plug it is, whatever name the system gives it today: after a replug COM7 may be COM9, and ttyUSB0 another adapter. */
export type UsbIdentity = { vendorId: string; productId: string; serialNumber: string | null };

export type TtyPlaces = { sys: string; dev: string };
const linuxPlaces: TtyPlaces = { sys: '/sys/class/tty', dev: '/dev' };

export const sameIdentity = (a: UsbIdentity, b: UsbIdentity): boolean =>
  a.vendorId === b.vendorId && a.productId === b.productId && a.serialNumber === b.serialNumber;

/** Null for what is no USB adapter (built-in ports, ptys): those keep their names. */
export async function identityOf(path: string, places: TtyPlaces = linuxPlaces): Promise<UsbIdentity | null> {
  if (process.platform !== 'linux') return (await listed()).find((port) => port.path === path)?.identity ?? null;
  const name = basename(await realpath(path).catch(() => path));
  return readSys(join(places.sys, name, 'device'));
}

/**
 * Where the same plug is now. Only with a serial number: two adapters of one model without one cannot be told apart, and
 * opening the wrong one would talk to another machine.
 */
export async function findIdentity(identity: UsbIdentity, places: TtyPlaces = linuxPlaces): Promise<string | null> {
  if (identity.serialNumber === null) return null;
  if (process.platform !== 'linux')
    return (await listed()).find((port) => port.identity && sameIdentity(port.identity, identity))?.path ?? null;
  for (const name of await readdir(places.sys).catch(() => [])) {
    const found = await readSys(join(places.sys, name, 'device'));
    if (found && sameIdentity(found, identity)) return join(places.dev, name);
  }
  return null;
}

/** The USB device lies a few folders above its tty in sysfs. */
async function readSys(device: string): Promise<UsbIdentity | null> {
  let folder = await realpath(device).catch(() => null);
  for (let up = 0; up < 5 && folder && folder !== '/'; up++, folder = dirname(folder)) {
    const at = folder;
    const read = (file: string): Promise<string | null> =>
      readFile(join(at, file), 'utf8').then(
        (text) => text.trim() || null,
        () => null,
      );
    const [vendorId, productId] = [await read('idVendor'), await read('idProduct')];
    if (vendorId && productId) return { vendorId, productId, serialNumber: await read('serial') };
  }
  return null;
}

type Listed = { path: string; vendorId?: string; productId?: string; serialNumber?: string };
async function listed(): Promise<{ path: string; identity: UsbIdentity | null }[]> {
  const ports = (await SerialPort.list().catch(() => [])) as unknown as readonly Listed[];
  return ports.map(({ path, vendorId, productId, serialNumber }) => ({
    path,
    identity: vendorId && productId ? { vendorId, productId, serialNumber: serialNumber ?? null } : null,
  }));
}

/**
 * Remembers the plug of a connection. Gives the path to open: the configured one while the same plug is in it, the plug's new
 * path after a replug, and a reason where another adapter now has the old name.
 */
export class PlugMemory {
  private readonly known = new Map<string, UsbIdentity>();
  private readonly places: TtyPlaces;

  constructor(places: TtyPlaces = linuxPlaces) {
    this.places = places;
  }

  async pathFor(connection: string, configured: string): Promise<{ path: string } | { refused: string }> {
    const before = this.known.get(connection);
    if (!before) return { path: configured };
    const now = await identityOf(configured, this.places);
    if (now && sameIdentity(now, before)) return { path: configured };
    const moved = await findIdentity(before, this.places);
    if (moved) return { path: moved };
    return now ? { refused: `another adapter (${now.vendorId}:${now.productId}) is plugged in at ${configured}` } : { path: configured };
  }

  async opened(connection: string, path: string): Promise<void> {
    const identity = await identityOf(path, this.places);
    if (identity) this.known.set(connection, identity);
  }

  forget(connection: string): void {
    this.known.delete(connection);
  }
}
