import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PlugMemory } from './usbIdentity.ts';

// A sysfs of our own: real adapters cannot be pulled in a test.
let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'handrail-sys-'));
  await mkdir(join(root, 'sys'));
  await mkdir(join(root, 'dev'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function plug(name: string, serial: string | null): Promise<void> {
  const usb = join(root, `usb-${name}`);
  await mkdir(join(usb, 'interface', 'port'), { recursive: true });
  await writeFile(join(usb, 'idVendor'), '0403\n');
  await writeFile(join(usb, 'idProduct'), '6001\n');
  if (serial) await writeFile(join(usb, 'serial'), `${serial}\n`);
  await mkdir(join(root, 'sys', name));
  await symlink(join(usb, 'interface', 'port'), join(root, 'sys', name, 'device'));
  await writeFile(join(root, 'dev', name), '');
}
const pull = async (name: string): Promise<void> => {
  await rm(join(root, 'sys', name), { recursive: true });
  await rm(join(root, `usb-${name}`), { recursive: true });
  await rm(join(root, 'dev', name));
};
const memory = (): PlugMemory => new PlugMemory({ sys: join(root, 'sys'), dev: join(root, 'dev') });
const linux = process.platform === 'linux';

test.runIf(linux)('a plug that came back under another name is followed', async () => {
  const plugs = memory();
  const path = join(root, 'dev', 'ttyUSB0');
  await plug('ttyUSB0', 'A1');
  expect(await plugs.pathFor('line', path)).toEqual({ path });
  await plugs.opened('line', path);
  await pull('ttyUSB0');
  await plug('ttyUSB1', 'A1');
  expect(await plugs.pathFor('line', path)).toEqual({ path: join(root, 'dev', 'ttyUSB1') });
});

test.runIf(linux)('another adapter under the old name is refused', async () => {
  const plugs = memory();
  const path = join(root, 'dev', 'ttyUSB0');
  await plug('ttyUSB0', 'A1');
  await plugs.opened('line', path);
  await pull('ttyUSB0');
  await plug('ttyUSB0', 'B2');
  expect(await plugs.pathFor('line', path)).toEqual({ refused: expect.stringContaining('another adapter') as string });
});

test.runIf(linux)('an adapter without a serial number is looked for at its own name only', async () => {
  const plugs = memory();
  const path = join(root, 'dev', 'ttyUSB0');
  await plug('ttyUSB0', null);
  await plugs.opened('line', path);
  await pull('ttyUSB0');
  await plug('ttyUSB1', null);
  expect(await plugs.pathFor('line', path)).toEqual({ path });
});
