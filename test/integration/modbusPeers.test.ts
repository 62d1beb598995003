import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createDevices, framesToPcap, identifyDevice, pcapPorts, runDoctor } from '../../src/main/devices/index.ts';
import type { ConnectionConfig, Devices, WireRequest } from '../../src/shared/contracts/devices.ts';
import type { HandrailError } from '../../src/shared/errors.ts';
import { createSimulator } from '../../src/main/plant/index.ts';
import { compileC, startPeer } from '../harness/cPrograms.ts';
import { openPtyPair } from '../harness/ptyLine.ts';

/** Independent peers: pymodbus, libmodbus, and tshark's dissector as judge of our frames. What is not installed here fails loudly. */
const exec = promisify(execFile);
const python = '/usr/bin/python3'; // Debian's own interpreter has pymodbus
const pymodbus = fileURLToPath(new URL('../harness/peers/pymodbusServer.py', import.meta.url));
const ends: (() => Promise<unknown>)[] = [];
let serverPath = '';
let clientPath = '';

beforeAll(async () => {
  const c = await compileC(['modbusServer', 'modbusClient']);
  if ('missing' in c) throw new Error(c.missing);
  serverPath = c.path('modbusServer');
  clientPath = c.path('modbusClient');
  return () => c.close();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

function open(config: Omit<ConnectionConfig, 'id'>): Devices {
  const devices = createDevices();
  ends.push(() => devices.close());
  devices.configure([{ id: 'a', timing: { timeoutMs: 1000 }, ...config }]);
  return devices;
}
const ask = (more: Partial<WireRequest>): WireRequest => ({
  connection: 'a',
  unitId: 1,
  functionCode: 3,
  address: 0,
  quantity: 1,
  priority: 'person',
  ...more,
});
const onLine = (path: string, kind: 'rtu' | 'ascii' = 'rtu'): Omit<ConnectionConfig, 'id'> => ({
  kind,
  serial: { path, baud: 115_200, dataBits: 8, parity: 'none', stopBits: 1 },
});

/** A python server prints `ready` before it listens; asked until it answers. */
async function settled(devices: Devices): Promise<void> {
  for (let i = 0; i < 60; i++) {
    if (
      await devices.request(ask({ timeoutMs: 200 })).then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the peer never answered');
}

/** The same questions to every server. */
async function judge(devices: Devices, knows: { identification: boolean; masks: boolean }): Promise<void> {
  expect((await devices.request(ask({ address: 100, quantity: 125 }))).words).toEqual(Array.from({ length: 125 }, (_, i) => 100 + i));
  expect((await devices.request(ask({ functionCode: 4, address: 7, quantity: 2 }))).words).toEqual([65528, 65527]);
  expect((await devices.request(ask({ functionCode: 1, address: 0, quantity: 10 }))).bits).toEqual(
    Array.from({ length: 10 }, (_, i) => i % 3 === 0),
  );
  expect((await devices.request(ask({ functionCode: 2, address: 5, quantity: 7 }))).bits).toEqual(
    Array.from({ length: 7 }, (_, i) => (i + 5) % 5 === 0),
  );
  await devices.request(ask({ functionCode: 6, address: 300, words: [1234] }));
  await devices.request(ask({ functionCode: 16, address: 301, words: [1, 65535] }));
  expect((await devices.request(ask({ address: 300, quantity: 3 }))).words).toEqual([1234, 1, 65535]);
  await devices.request(ask({ functionCode: 5, address: 20, bits: [true] }));
  await devices.request(ask({ functionCode: 15, address: 21, bits: [false, true, true] }));
  expect((await devices.request(ask({ functionCode: 1, address: 20, quantity: 4 }))).bits).toEqual([true, false, true, true]);
  expect((await devices.request(ask({ functionCode: 23, address: 300, quantity: 2, writeAddress: 301, words: [77] }))).words).toEqual([
    1234, 77,
  ]);
  if (knows.masks) {
    await devices.request(ask({ functionCode: 6, address: 310, words: [0x12] }));
    await devices.request(ask({ functionCode: 22, address: 310, andMask: 0xf2, orMask: 0x25 }));
    expect((await devices.request(ask({ address: 310 }))).words).toEqual([0x17]);
  }
  if (knows.identification)
    expect(await identifyDevice(devices, { connection: 'a', unitId: 1, priority: 'person' })).toMatchObject({
      vendor: 'pymodbus',
      product: 'PM',
      revision: '3.0.0',
    });
}

test('pymodbus over TCP', async () => {
  const port = await freePort();
  const peer = await startPeer(python, [pymodbus, 'tcp', String(port)]);
  ends.push(() => peer.stop());
  const devices = open({ kind: 'tcp', host: '127.0.0.1', port });
  await settled(devices);
  await judge(devices, { identification: true, masks: true });
});

test('pymodbus over RTU in TCP', async () => {
  const port = await freePort();
  const peer = await startPeer(python, [pymodbus, 'rtutcp', String(port)]);
  ends.push(() => peer.stop());
  const devices = open({ kind: 'rtu_over_tcp', host: '127.0.0.1', port });
  await settled(devices);
  await judge(devices, { identification: true, masks: true });
  expect((await devices.request(ask({}))).crcValid).toBe(true);
});

test.each(['rtu', 'ascii'] as const)('pymodbus on a line in %s', async (mode) => {
  const pair = await openPtyPair();
  ends.push(() => pair.close());
  const peer = await startPeer(python, [pymodbus, mode, pair.b, '115200']);
  ends.push(() => peer.stop());
  const devices = open(onLine(pair.a, mode));
  await settled(devices);
  await judge(devices, { identification: mode === 'rtu', masks: true });
  const silent = await devices.request(ask({ unitId: 9, timeoutMs: 150 })).catch((error: HandrailError) => error);
  expect(silent).toMatchObject({ code: 'DEVICE_NO_ANSWER', detail: { failure: 'TIMEOUT', crc_valid: null } });
});

test('libmodbus over TCP, one at a time and eight in flight', async () => {
  const peer = await startPeer(serverPath, ['tcp', '0']);
  ends.push(() => peer.stop());
  const devices = open({ kind: 'tcp', host: '127.0.0.1', port: Number(peer.line.split(' ')[1]), timing: { inFlight: 8 } });
  await judge(devices, { identification: false, masks: true });
  const all = await Promise.all(Array.from({ length: 200 }, (_, i) => devices.request(ask({ address: 1000 + i }))));
  expect(all.map((reply) => reply.words![0])).toEqual(Array.from({ length: 200 }, (_, i) => 1000 + i));
  const refused = await devices
    .request(ask({ address: 65535, quantity: 1, functionCode: 43, deviceId: { category: 1, object: 0 } }))
    .catch((error: HandrailError) => error);
  expect(refused).toMatchObject({ code: 'DEVICE_EXCEPTION', detail: { exception: 1 } });
});

test('libmodbus on an RTU line', async () => {
  const pair = await openPtyPair();
  ends.push(() => pair.close());
  const peer = await startPeer(serverPath, ['rtu', pair.b, '115200', '1']);
  ends.push(() => peer.stop());
  const devices = open(onLine(pair.a));
  await judge(devices, { identification: false, masks: true });
});

test('the libmodbus client writes to the simulated plant and reads back what it wrote', async () => {
  const simulator = await createSimulator();
  ends.push(() => simulator.close());
  const { stdout } = await exec(clientPath, ['tcp', String(simulator.port), 'write', '20', '43', '2']);
  expect(JSON.parse(stdout)).toEqual({ read_back: 43 });
});

test('our own client finds no fault in the simulated plant', async () => {
  const simulator = await createSimulator();
  ends.push(() => simulator.close());
  const devices = open({ kind: 'tcp', host: '127.0.0.1', port: simulator.port });
  const diagnosis = await runDoctor(devices, { connection: 'a', units: [{ unitId: 1 }, { unitId: 2 }] });
  expect(diagnosis).toMatchObject({ healthy: true });
});

test('tshark reads our traffic export: every frame dissected, every checksum right, fields as we sent them', async () => {
  const peer = await startPeer(serverPath, ['tcp', '0']);
  const pair = await openPtyPair();
  const linePeer = await startPeer(serverPath, ['rtu', pair.b, '115200', '1']);
  const folder = await mkdtemp(join(tmpdir(), 'handrail-pcap-'));
  ends.push(
    () => peer.stop(),
    () => pair.close(),
    () => linePeer.stop(),
    () => rm(folder, { recursive: true, force: true }),
  );
  const devices = createDevices();
  ends.push(() => devices.close());
  devices.configure([
    { id: 'net', kind: 'tcp', host: '127.0.0.1', port: Number(peer.line.split(' ')[1]) },
    { id: 'line', ...onLine(pair.a) },
  ]);
  const requests: Partial<WireRequest>[] = [
    { functionCode: 1, quantity: 2000 },
    { functionCode: 2, quantity: 9 },
    { functionCode: 3, address: 107, quantity: 125 },
    { functionCode: 4, quantity: 3 },
    { functionCode: 5, bits: [true] },
    { functionCode: 6, words: [450] },
    { functionCode: 15, bits: [true, false, true] },
    { functionCode: 16, address: 40, words: [1, 2, 3] },
    { functionCode: 22, address: 4, andMask: 1, orMask: 2 },
    { functionCode: 23, quantity: 2, writeAddress: 9, words: [5] },
  ];
  for (const connection of ['net', 'line']) for (const request of requests) await devices.request({ ...ask(request), connection });
  const frames = devices.recentFrames();
  expect(frames).toHaveLength(40);
  const file = join(folder, 'traffic.pcap');
  await writeFile(file, framesToPcap(frames));
  const fields = async (filter: string, ...names: string[]): Promise<string[][]> => {
    const args = [
      '-r',
      file,
      '-d',
      `tcp.port==${pcapPorts.rtu},mbrtu`,
      '-o',
      'mbrtu.crc_verification:TRUE',
      '-o',
      'tcp.check_checksum:TRUE',
      '-Y',
      filter,
      '-T',
      'fields',
      ...names.flatMap((name) => ['-e', name]),
    ];
    return (await exec('tshark', args)).stdout
      .trim()
      .split('\n')
      .map((row) => row.split('\t'));
  };
  const net = await fields('mbtcp && tcp.dstport==502', 'modbus.func_code', 'mbtcp.unit_id', 'mbtcp.len');
  expect(net.map((row) => Number(row[0]))).toEqual(requests.map((request) => request.functionCode));
  expect(net.map((row) => Number(row[2]))).toEqual(
    frames.filter((frame) => frame.connection === 'net' && frame.direction === 'tx').map((frame) => frame.bytes.length - 6),
  );
  const line = await fields('mbrtu', 'modbus.func_code', 'mbrtu.unit_id', 'mbrtu.crc16.status');
  expect(line).toHaveLength(20);
  expect(line.every((row) => Number(row[1]) === 1 && /^(1|Good)$/.test(row[2]!))).toBe(true);
  expect(await fields('_ws.malformed || tcp.checksum.status == 0', 'frame.number')).toEqual([['']]);
  const reads = await fields('mbtcp && tcp.dstport==502 && modbus.func_code==3', 'modbus.reference_num', 'modbus.word_cnt');
  expect(reads).toEqual([['107', '125']]);
});
