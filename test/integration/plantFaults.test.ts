import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDevices } from '../../src/main/devices/index.ts';
import { createPlant, createSimulator, listFaults, type Simulator } from '../../src/main/plant/index.ts';
import { startPtyPair } from '../../src/main/workers/ptyPair.ts';
import type { Plant } from '../../src/shared/contracts/plant.ts';
import type { Reading } from '../../src/shared/contracts/devices.ts';

// The plant's clock stands still, so the true value of every tag is known and any other number is a lie.
const clock = { now: () => Date.parse('2026-03-18T10:30:00Z') };
const tcpTags = ['boiler_temp', 'boiler_pressure', 'boiler_temp_sp', 'tank1_level', 'energy_total', 'pump1_run', 'plc_model'];
const rtuTags = ['pump2_freq', 'motor_current', 'drive_dc_bus', 'pump2_run', 'drive_ready'];
/** These change what the devices hold, so another value is the truth. */
const changesPlant = new Set(['sensor-broken', 'motor-tripped']);

let sim: Simulator;
let plant: Plant;
let stop: () => Promise<void>;
const truth = new Map<string, unknown>();

beforeAll(async () => {
  sim = await createSimulator({ clock, startPtyPair });
  if (sim.rtuPath === null) throw new Error(sim.rtuNote ?? 'no serial line');
  const devices = createDevices({});
  devices.configure(sim.file.connections.map((c) => ({ ...c, timing: { ...c.timing, timeoutMs: 120 } })));
  plant = createPlant({ file: sim.file, devices });
  stop = async () => {
    await plant.close();
    await devices.close();
    await sim.close();
  };
  const { readings, crcValid } = await plant.readTags([...tcpTags, ...rtuTags], { priority: 'person' });
  expect(readings.filter((r) => r.quality !== 'good')).toEqual([]);
  expect(crcValid).toBe(true); // the serial half has a checksum
  for (const reading of readings) truth.set(reading.tag, reading.value);
});
afterAll(() => stop());
afterEach(() => sim.clearFaults());

const lies = (readings: readonly Reading[]): Reading[] => readings.filter((r) => r.quality !== 'bad' && r.value !== truth.get(r.tag));

describe.each(listFaults().map((f) => [f.name, f.about.en, f.transports] as const))('%s: %s', (name, _about, transports) => {
  test('no tag ever shows a value that is not its own, and afterwards all is well', async () => {
    const tags = [...(transports.includes('tcp') ? tcpTags : []), ...(transports.includes('rtu') ? rtuTags : [])];
    const take = await sim.inject(name);
    for (let round = 0; round < 2; round++) {
      const { readings } = await plant.readTags(tags, { priority: 'agent' });
      if (!changesPlant.has(name)) expect(lies(readings)).toEqual([]);
    }
    await take();
    await expect
      .poll(
        async () =>
          (await plant.readTags(tags, { priority: 'agent' })).readings.filter((r) => r.quality !== 'good' || r.value !== truth.get(r.tag)),
        { timeout: 8000 },
      )
      .toEqual([]);
  });
});

test('a fault on one unit leaves the other alone', async () => {
  await sim.inject('timeout@2');
  const { readings } = await plant.readTags(['pump2_freq', 'boiler_temp'], { priority: 'agent' });
  expect(readings[0]).toMatchObject({ quality: 'bad', error: { code: 'DEVICE_NO_ANSWER' } });
  expect(readings[1]).toMatchObject({ quality: 'good' });
});

test('a wrong checksum is told as such, and not one of the other blocks is given up for it', async () => {
  await sim.inject('crcx1');
  const { readings, crcValid } = await plant.readTags(rtuTags, { priority: 'agent' });
  expect(crcValid).toBe(false);
  expect(readings.filter((r) => r.quality === 'bad').length).toBeGreaterThan(0);
  expect(readings.filter((r) => r.quality === 'good').length).toBeGreaterThan(0);
});
