import { afterEach, expect, test } from 'vitest';
import { plainDevices } from '../../../test/harness/plainTcp.ts';
import type { Reading } from '../../shared/contracts/devices.ts';
import { createPlant } from './createPlant.ts';
import { createSimulator } from './simulator/createSimulator.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
const at = Date.parse('2026-03-18T10:30:00Z');

async function running(options: Parameters<typeof createSimulator>[0] = {}) {
  const sim = await createSimulator(options);
  const devices = await plainDevices(sim.port);
  const plant = createPlant({ file: sim.file, devices });
  ends.push(
    () => sim.close(),
    () => devices.close(),
    () => plant.close(),
  );
  return { sim, devices, plant };
}

test('every tag of the plant is read with a good value, in a handful of requests', async () => {
  const { plant, devices } = await running();
  const ids = plant.file.tags.map((t) => t.id);
  const { readings, crcValid } = await plant.readTags(ids, { priority: 'person' });
  expect(readings.map((r) => r.tag)).toEqual(ids);
  expect(readings.filter((r) => r.quality !== 'good')).toEqual([]);
  expect(crcValid).toBeNull(); // there is no checksum over TCP
  expect(devices.requests.length).toBeLessThanOrEqual(8); // one per unit and table that is used
});

test('values come in engineering units, in every type and order', async () => {
  const { plant } = await running({ clock: { now: () => at } });
  const { readings } = await plant.readTags(
    [
      'boiler_temp_sp',
      'boiler_temp',
      'boiler_pressure',
      'pump2_freq',
      'pump1_run',
      'gas_total',
      'water_total',
      'plc_model',
      'alarm_overheat',
      'energy_total',
      'o2_trim',
    ],
    { priority: 'agent' },
  );
  const values = Object.fromEntries(readings.map((r) => [r.tag, r.value]));
  expect(values).toMatchObject({
    boiler_temp_sp: 165,
    pump2_freq: 30,
    pump1_run: true,
    gas_total: 91204500,
    water_total: 40871.25,
    plc_model: 'BH-2000 R3',
    alarm_overheat: false,
    energy_total: 184302.4,
    o2_trim: 3,
  });
  expect(values['boiler_temp']).toBeCloseTo(164.6, 0);
  expect(values['boiler_pressure']).toBeCloseTo(0.58, 1);
});

test('a tag that is named twice is read once and given twice', async () => {
  const { plant, devices } = await running();
  const { readings } = await plant.readTags(['tank1_level', 'tank1_level'], { priority: 'person' });
  expect(readings.map((r) => r.tag)).toEqual(['tank1_level', 'tank1_level']);
  expect(devices.requests.length).toBe(1);
});

test('an unknown tag is refused by name and nothing is read', async () => {
  const { plant, devices } = await running();
  await expect(plant.readTags(['boiler_temp', 'nothing'], { priority: 'person' })).rejects.toMatchObject({
    code: 'DEVICE_TAG_UNKNOWN',
    detail: { tag: 'nothing' },
  });
  expect(devices.requests).toEqual([]);
});

test('a hole is found, remembered and read around; no tag beside it is lost', async () => {
  const { plant, devices } = await running({ faults: ['holes'] });
  const inputs = plant.file.tags.filter((t) => t.device === 'plc1' && t.table === 'input').map((t) => t.id);
  const first = await plant.readTags(inputs, { priority: 'agent' });
  expect(first.readings.filter((r) => r.quality !== 'good')).toEqual([]);
  const before = devices.requests.length;
  expect(before).toBeGreaterThan(2);
  await plant.readTags(inputs, { priority: 'agent' });
  expect(devices.requests.length - before).toBe(2);
});

test('a dead sensor is a bad reading without a value, and no old value stands in for it', async () => {
  const { sim, plant } = await running();
  await plant.readTags(['boiler_temp'], { priority: 'person' });
  await sim.inject('sensor-broken');
  const { readings } = await plant.readTags(['boiler_temp', 'tank1_level'], { priority: 'person' });
  expect(readings[0]).toMatchObject({ quality: 'bad', value: null, reason: 'not-a-number', error: null });
  expect(readings[1]).toMatchObject({ quality: 'good' });
  expect(plant.lastKnown('boiler_temp')).toMatchObject({ quality: 'bad', value: null });
});

test('after a silent device the last value is stale and keeps its own time; it is never shown as new', async () => {
  const { sim, plant } = await running();
  const {
    readings: [fresh],
  } = await plant.readTags(['tank1_level'], { priority: 'person' });
  await sim.inject('timeout');
  const {
    readings: [lost],
  } = await plant.readTags(['tank1_level'], { priority: 'person' });
  expect(lost).toMatchObject({ quality: 'bad', value: null, error: { code: 'DEVICE_NO_ANSWER' } });
  expect(plant.lastKnown('tank1_level')).toEqual({ ...fresh, quality: 'stale', reason: 'DEVICE_NO_ANSWER' });
});

test('polling delivers all tags in batches, and samples only what moved', async () => {
  const { sim, devices } = await running();
  const samples: string[] = [];
  const polled = createPlant({
    file: { ...sim.file, tags: sim.file.tags.map((t) => ({ ...t, pollMs: 50 })) },
    devices,
    history: { add: (some) => samples.push(...some.map((s) => s.tag)) },
  });
  ends.push(() => polled.close());
  const seen = new Map<string, Reading>();
  const batches: number[] = [];
  polled.onReadings((batch) => {
    batches.push(performance.now());
    for (const reading of batch) seen.set(reading.tag, reading);
  });
  polled.startPolling();
  await expect.poll(() => seen.size).toBe(sim.file.tags.length);
  await expect.poll(() => batches.length, { timeout: 5000 }).toBeGreaterThan(4);
  polled.stopPolling();
  expect(Math.min(...batches.slice(1).map((t, i) => t - batches[i]!))).toBeGreaterThan(90);
  expect(samples.filter((tag) => tag === 'op_mode').length).toBe(1);
  expect(samples).not.toContain('plc_model');
});

test('polling that is stopped asks nothing more', async () => {
  const { plant, devices } = await running();
  plant.startPolling();
  await expect.poll(() => devices.requests.length).toBeGreaterThan(0);
  await plant.close();
  const count = devices.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(devices.requests.length).toBe(count);
});

test('an answer that may belong to an earlier question gives uncertain values, and says why', async () => {
  const { sim, devices } = await running();
  const plant = createPlant({
    file: sim.file,
    devices: { ...devices, request: async (request) => ({ ...(await devices.request(request)), unverified: true }) },
  });
  ends.push(() => plant.close());
  const { readings } = await plant.readTags(['boiler_temp_sp', 'plc_model'], { priority: 'person' });
  expect(readings.map((r) => [r.value, r.quality, r.reason])).toEqual([
    [165, 'uncertain', 'unverified'],
    ['BH-2000 R3', 'uncertain', 'unverified'],
  ]);
});
