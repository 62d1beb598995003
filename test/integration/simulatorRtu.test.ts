import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { createSimulator } from '../../src/main/plant/index.ts';
import { startPtyPair } from '../../src/main/workers/ptyPair.ts';

const run = promisify(execFile);
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function line(faults: string[] = []) {
  const sim = await createSimulator({ startPtyPair, faults });
  ends.push(() => sim.close());
  if (sim.rtuPath === null) throw new Error(sim.rtuNote ?? 'no line');
  return { sim, path: sim.rtuPath };
}

/** Sends bytes on the line and gives back what came within the time. */
async function exchange(path: string, hex: string, ms = 150): Promise<string> {
  const port = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  try {
    writeSync(port, Buffer.from(hex, 'hex'));
    let came = '';
    const buffer = Buffer.alloc(512);
    for (const until = performance.now() + ms; performance.now() < until;) {
      try {
        came += buffer.subarray(0, readSync(port, buffer)).toString('hex');
      } catch {
        // nothing there yet
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return came;
  } finally {
    closeSync(port);
  }
}

test('mbpoll reads and writes the drive over the serial line', async () => {
  const { path } = await line();
  const read = await run('mbpoll', [
    '-m',
    'rtu',
    '-b',
    '19200',
    '-P',
    'none',
    '-a',
    '2',
    '-0',
    '-t',
    '4',
    '-r',
    '0',
    '-c',
    '2',
    '-1',
    path,
  ]);
  expect(read.stdout).toMatch(/\[0\]:\s+3000/);
  const wrote = await run('mbpoll', ['-m', 'rtu', '-b', '19200', '-P', 'none', '-a', '2', '-0', '-t', '4', '-r', '20', path, '42']);
  expect(wrote.stdout).toContain('Written 1 references');
});

test('mbpoll reads the boiler over TCP, floats in both word orders', async () => {
  const { sim } = await line();
  const tcp = (...args: string[]) =>
    run('mbpoll', ['-m', 'tcp', '-p', String(sim.port), '-a', '1', '-0', '-1', '-q', ...args, '127.0.0.1']);
  expect((await tcp('-t', '3:float', '-B', '-r', '0', '-c', '1')).stdout).toMatch(/\[0\]:\s+16\d\.\d/);
  expect((await tcp('-t', '3:float', '-r', '2', '-c', '1')).stdout).toMatch(/\[2\]:\s+0\.\d/);
  expect((await tcp('-t', '0', '-r', '0', '-c', '2')).stdout).toMatch(/\[0\]:\s+1/);
});

test('a wrong CRC and a strange unit are met with silence, a wrong CRC writes nothing', async () => {
  const { path } = await line();
  expect(await exchange(path, '020600140063ffff')).toBe('');
  expect(await exchange(path, '0903000000014282')).toBe('');
  expect(await exchange(path, '020300140001c43d')).toBe('0203020000fc44');
});

test('noise before a request does not hide it', async () => {
  const { path } = await line();
  expect(await exchange(path, '00ff0203000000018439')).toBe('0203020bb8fb06');
});

test('the echo and checksum faults are played on the line', async () => {
  const echo = await line(['echo']);
  expect(await exchange(echo.path, '0203000000018439')).toBe('02030000000184390203020bb8fb06');
  const crc = await line(['crc']);
  expect(await exchange(crc.path, '0203000000018439')).toBe('0203020bb8fb07');
});

test('where no line can be made the plant still runs over TCP and says why', async () => {
  const sim = await createSimulator({ startPtyPair: (options) => startPtyPair({ ...options, socat: 'no-such-program' }) });
  ends.push(() => sim.close());
  expect(sim.rtuPath).toBeNull();
  expect(sim.rtuNote).toContain('socat');
  expect(sim.port).toBeGreaterThan(0);
});
