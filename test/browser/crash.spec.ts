import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, outFolder, startServe, stopServe, test } from './harness.ts';

test('after a crash in a write the page says that its outcome is unknown, sends nothing again, and reads it back on request', async ({
  page,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-crash-'));
  let writes = 0;
  let written: () => void = () => undefined;
  const firstWrite = new Promise<void>((done) => (written = done));
  // A device that answers reads with 7 and takes a write without ever answering it.
  const device = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (frame) => {
      const functionCode = frame[7]!;
      if (functionCode === 6 || functionCode === 16) {
        writes++;
        return written();
      }
      const quantity = frame.readUInt16BE(10);
      const body = Buffer.alloc(2 * quantity);
      for (let i = 0; i < quantity; i++) body.writeUInt16BE(7, 2 * i);
      const head = Buffer.from(frame.subarray(0, 9));
      head.writeUInt16BE(3 + body.length, 4);
      head[8] = body.length;
      socket.write(Buffer.concat([head, body]));
    });
  });
  await new Promise<void>((up) => device.listen(0, '127.0.0.1', up));
  const plant = join(folder, 'plant.json');
  writeFileSync(plant, JSON.stringify(onePump((device.address() as AddressInfo).port)));
  const data = join(folder, 'data');
  const cli = spawn(
    process.execPath,
    [join(outFolder, 'main', 'cli.js'), 'ask', 'set pump speed to 9', '--approve', 'pump_speed=9', '--plant', plant, '--data', data],
    { stdio: 'ignore' },
  );
  const gone = new Promise<void>((done) => cli.once('close', () => done()));
  await firstWrite;
  cli.kill('SIGKILL');
  await gone;

  const served = await startServe(data, ['--plant', plant]);
  try {
    await page.goto(served.url);
    const band = page.locator('.unknown-writes');
    await expect(band).toContainText('unknown');
    await expect(band).toContainText('pump speed');
    await band.getByRole('button', { name: 'Read it back' }).click();
    await expect(band).toContainText('It now reads 7');
    expect(writes).toBe(1);
  } finally {
    await page.goto('about:blank'); // else the page reports the refused reconnects of a server that is meant to go
    await stopServe(served.child);
    await new Promise<void>((done) => device.close(() => done()));
  }
});

function onePump(port: number): unknown {
  return {
    name: { en: 'pump house', zh: '泵房' },
    simulated: false,
    connections: [{ id: 'net', kind: 'tcp', host: '127.0.0.1', port, timing: { timeoutMs: 3000 } }],
    devices: [{ id: 'drive', name: { en: 'drive', zh: '变频器' }, aliases: ['drive'], connection: 'net', unitId: 1 }],
    tags: [
      {
        id: 'pump_speed',
        name: { en: 'pump speed', zh: '泵速' },
        aliases: { en: ['pump speed'], zh: ['泵速'] },
        device: 'drive',
        table: 'holding',
        address: 0,
        type: 'uint16',
        order: 'ABCD',
        scale: 1,
        offset: 0,
        decimals: 0,
        unit: 'Hz',
        range: { min: 0, max: 50 },
        write: { allowed: true, min: 0, max: 50, maxStep: null },
        pollMs: 1000,
        deadband: 0,
      },
    ],
  };
}
