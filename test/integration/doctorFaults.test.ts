import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDevices, runDoctor, type Condition } from '../../src/main/devices/index.ts';
import { createSimulator, listFaults, type FaultName, type Simulator } from '../../src/main/plant/index.ts';
import { startPtyPair } from '../../src/main/workers/ptyPair.ts';

/**
 * What the doctor must find for each fault the plant can play. `faults` are all of its faults, so that a wrong cause beside the
 * right one fails too; `notes` must be among its notes. No fault: it reads only and judges no values, and says so.
 */
type Right = { faults: readonly Condition[]; notes?: readonly Condition[] };
const sound: Right = { faults: [] };
const is = (...faults: Condition[]): Right => ({ faults });
const right: Record<FaultName, Right | { tcp: Right; rtu: Right }> = {
  timeout: { tcp: is('silent-unit'), rtu: is('silent-line') },
  late: is('late-answers'),
  slow: sound, // within the time-out
  crc: is('flipped-bit'),
  'bit-flip': is('flipped-bit'),
  truncated: is('cut-short'),
  torn: sound,
  dribble: sound,
  merged: { tcp: { faults: [], notes: ['repeated-answers'] }, rtu: sound },
  duplicate: sound,
  noise: { faults: [], notes: ['stray-bytes'] },
  trailing: { faults: [], notes: ['stray-bytes'] },
  'missing-head': is('missing-head'),
  'xon-xoff': sound, // the answer to this question holds neither 11h nor 13h
  echo: { faults: [], notes: ['echo'] },
  'echo-only': is('echo-only'),
  'foreign-unit': is('foreign-unit'),
  'second-client': is('second-client', 'foreign-unit'), // its question, and the answer to it
  'wrong-function': is('unfit-answer'),
  'byte-count': is('unfit-answer'),
  'short-answer': is('unfit-answer'),
  'write-mismatch': sound,
  exception: { faults: [], notes: ['exception'] },
  busy: { faults: [], notes: ['exception'] },
  acknowledge: sound,
  'wrong-id': is('shifted-id'),
  'stale-id': is('shifted-id'),
  'protocol-id': is('protocol'),
  length: is('wrong-length'),
  'length-ffff': is('wrong-length'),
  http: is('http'),
  reset: is('one-client'),
  finish: is('one-client'),
  deaf: is('deaf-connection'),
  'one-client': is('one-client'), // another client is the one
  down: is('refused'),
  holes: sound,
  'ignore-writes': sound,
  'clamp-writes': sound,
  overwritten: sound,
  'locked-writes': sound,
  'lost-confirmation': sound,
  frozen: sound,
  'sensor-broken': sound,
  'valve-stuck': sound,
  'motor-tripped': sound,
  'flame-failure': sound,
  overheating: sound,
};

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ startPtyPair });
  if (sim.rtuPath === null) throw new Error(sim.rtuNote ?? 'no serial line');
});
afterAll(() => sim.close());
afterEach(() => sim.clearFaults());

async function holdConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(Buffer.from('000100000006010300000001', 'hex'));
  await once(socket, 'data'); // served, so the plant knows of it
  return socket;
}

const functions = { holding: 3, input: 4, coil: 1, discrete: 2 } as const;
const rows = listFaults().flatMap(({ name, transports }) => transports.map((transport) => [name, transport] as const));

describe.each(rows)('%s over %s', (name, transport) => {
  test(
    'the doctor names what it is, with evidence, or finds the line sound where reading cannot show it',
    { timeout: 60_000 },
    async () => {
      const connection = sim.file.connections.find((one) => (one.kind === 'tcp') === (transport === 'tcp'))!;
      const units = sim.file.devices
        .filter((device) => device.connection === connection.id)
        .map((device) => {
          const tag = sim.file.tags.find((one) => one.device === device.id)!;
          return { unitId: device.unitId, functionCode: functions[tag.table], address: tag.address };
        });
      const held = name === 'one-client' ? await holdConnection(sim.port) : null;
      const devices = createDevices();
      devices.configure([{ ...connection, timing: { ...connection.timing, timeoutMs: 900 } }]);
      try {
        await sim.inject(name);
        const { healthy, findings, probes } = await runDoctor(devices, { connection: connection.id, units });
        const row = right[name];
        const { faults, notes = [] } = 'faults' in row ? row : row[transport];
        expect(
          findings
            .filter((one) => one.severity === 'fault')
            .map((one) => one.condition)
            .sort(),
        ).toEqual([...faults].sort());
        expect(findings.filter((one) => one.severity === 'note').map((one) => one.condition)).toEqual(expect.arrayContaining([...notes]));
        expect(findings.filter((one) => one.evidence.length === 0)).toEqual([]);
        expect(healthy).toBe(faults.length === 0);
        if (healthy) expect(probes.every((one) => one.ok)).toBe(true); // what failed is never called sound
      } finally {
        await devices.close();
        held?.destroy();
      }
    },
  );
});

test('a failure that nothing explains is said to be unexplained, never sound', async () => {
  const config = { id: 'a', kind: 'tcp', host: '127.0.0.1' } as const;
  const diagnosis = await runDoctor(
    {
      connections: () => [config],
      health: () => [],
      recentFrames: () => [],
      request: () => Promise.reject(new Error('something new')),
    },
    { connection: 'a', units: [{ unitId: 1 }] },
  );
  expect(diagnosis).toMatchObject({ healthy: false, findings: [{ condition: 'unexplained' }] });
});
