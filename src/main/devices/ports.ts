import { readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { SerialPort } from 'serialport';

export type PortInfo = {
  path: string;
  /** Maker and serial number or driver name, for a person to recognise the plug. */
  description: string;
  manufacturer: string | null;
  serialNumber: string | null;
  vendorId: string | null;
  productId: string | null;
  byId: string | null;
};

type Listed = { path: string; manufacturer?: string; serialNumber?: string; vendorId?: string; productId?: string };

/**
 * The serial ports of this machine. serialport asks udev and fails without it, and leaves out whole families of names, so
 * on Linux the kernel's own list is read as well. What nobody lists (a pty) can still be given by its path.
 */
export async function listPorts(): Promise<PortInfo[]> {
  const found = new Map<string, PortInfo>();
  try {
    for (const port of (await SerialPort.list()) as unknown as readonly Listed[]) {
      found.set(port.path, {
        path: port.path,
        description: describe(port),
        manufacturer: port.manufacturer ?? null,
        serialNumber: port.serialNumber ?? null,
        vendorId: port.vendorId ?? null,
        productId: port.productId ?? null,
        byId: null,
      });
    }
  } catch {
    // No udev here; the kernel's list below is what there is.
  }
  if (process.platform === 'linux') {
    for (const name of await namesOf('/sys/class/tty')) {
      const isReal = /^tty(USB|ACM|AMA|S|O|XRUSB|mxc|THS|MAX|AP|SC|HS)\d/.test(name) || /^rfcomm\d/.test(name);
      const path = `/dev/${name}`;
      if (isReal && !found.has(path) && (await hasHardware(name)))
        found.set(path, {
          path,
          description: name.replace(/\d+$/, ''),
          manufacturer: null,
          serialNumber: null,
          vendorId: null,
          productId: null,
          byId: null,
        });
    }
    for (const link of await namesOf('/dev/serial/by-id')) {
      const byId = join('/dev/serial/by-id', link);
      const port = found.get(await realpath(byId).catch(() => ''));
      if (port) port.byId = byId;
    }
  }
  for (const port of found.values()) if (port.byId && port.description === '') port.description = port.byId.replace(/^.*\//, '');
  return [...found.values()].sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
}

const describe = (port: Listed): string => [port.manufacturer, port.serialNumber].filter((part) => part).join(' ');

const namesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** Every PC has ttyS0 to ttyS3 in its list, wired or not; without a driver behind it there is no port. */
async function hasHardware(name: string): Promise<boolean> {
  const driver = await readlink(`/sys/class/tty/${name}/device/driver`).catch(() => '');
  return driver !== '' && !driver.endsWith('/serial8250');
}
