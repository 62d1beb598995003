import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createCore, type Core } from '../../src/main/core.ts';
import { createSimulator, parsePlantFile, savePlantFile } from '../../src/main/plant/index.ts';
import type { PlantFile } from '../../src/shared/contracts/plant.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The real core on a plant file made from the simulated plant, with a person's consents of the command line. */
async function start(change: (file: PlantFile) => void, approve: string[]): Promise<Core> {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-never-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const simulator = await createSimulator({ stateFile: join(folder, 'plant-state.json') });
  ends.push(() => simulator.close());
  const file = structuredClone(simulator.file);
  change(file);
  const plantFile = join(folder, 'plant.json');
  savePlantFile(plantFile, file);
  const core = await createCore({ door: 'cli', dataFolder: join(folder, 'data'), plantFile, lang: 'en', approve });
  ends.push(() => core.close());
  return core;
}

const write = async (core: Core, tool: string, args: Record<string, unknown>) => {
  const sessionId = core.agent.startSession({ door: 'cli', operator: 'test' });
  return core.gateway.call({ tool, args, caller: 'person:test', sessionId, lang: 'en' });
};
const tagOf = (file: PlantFile, id: string) => file.tags.find((tag) => tag.id === id)!;

test(
  'a range of the plant file is never written, by tag, by register or under another name of the station',
  { timeout: 60_000 },
  async () => {
    const at = { address: 0 };
    const core = await start(
      (file) => {
        const tag = tagOf(file, 'boiler_temp_sp');
        const device = file.devices.find((d) => d.id === tag.device)!;
        at.address = tag.address;
        device.neverWrite = [{ table: 'holding', from: tag.address, to: tag.address }];
        file.devices.push({ ...device, id: 'twin', name: { en: 'twin', zh: '孪生' }, aliases: [], neverWrite: [] });
        tag.write.allowed = false;
      },
      ['boiler_temp_sp=120', 'pump1_freq=31'],
    );
    const raw = { device: 'twin', table: 'holding', address: at.address, values: [1200] };
    for (const dryRun of [true, false]) {
      const sessionId = core.agent.startSession({ door: 'cli', operator: 'test' });
      const answer = await core.gateway.call({ tool: 'modbus_write', args: raw, caller: 'person:test', sessionId, lang: 'en', dryRun });
      expect(answer.error).toMatchObject({
        code: 'POLICY_REFUSED',
        message: expect.stringContaining('belongs to a safety function') as string,
      });
    }
    // Two registers of which only the first is in the range.
    const across = await write(core, 'modbus_write', { ...raw, values: [1, 2] });
    expect(across.error?.message).toContain('belongs to a safety function');
    expect((await write(core, 'tag_write', { tag: 'boiler_temp_sp', value: 120 })).error?.code).toBe('POLICY_READ_ONLY');
    // What lies outside is written as ever.
    const free = await write(core, 'tag_write', { tag: 'pump1_freq', value: 31 });
    expect(free.ok, JSON.stringify(free.error)).toBe(true);
  },
);

test('a safety controller is read and never written', { timeout: 60_000 }, async () => {
  const core = await start((file) => {
    const tag = tagOf(file, 'pump1_freq');
    const device = file.devices.find((d) => d.id === tag.device)!;
    device.safety = true;
    file.devices.push({ ...device, id: 'twin', name: { en: 'twin', zh: '孪生' }, aliases: [], safety: false });
    for (const other of file.tags) if (other.device === tag.device) other.write.allowed = false;
  }, []);
  const { address } = core.plant.tag('pump1_freq')!;
  const answer = await write(core, 'modbus_write', { device: 'twin', table: 'holding', address, values: [1] });
  expect(answer.error?.message).toMatch(/safety function/);
  expect((await write(core, 'tag_read', { tags: ['pump1_freq'] })).ok).toBe(true);
});

test('a plant file that lets safety be written is refused at its place, in both languages', () => {
  const file = {
    name: { en: 'x', zh: 'x' },
    connections: [{ id: 'net', kind: 'tcp', host: '127.0.0.1', port: 502 }],
    devices: [
      { id: 'plc', name: { en: 'p', zh: 'p' }, connection: 'net', unitId: 1, neverWrite: [{ table: 'holding', from: 10, to: 12 }] },
    ],
    tags: [
      {
        id: 'wide',
        name: { en: 'w', zh: 'w' },
        device: 'plc',
        table: 'holding',
        address: 9,
        type: 'float32',
        order: 'ABCD',
        write: { allowed: true },
      },
    ],
  };
  expect(() => parsePlantFile(JSON.stringify(file), 'p.json')).toThrow(/\/tags\/0\/write\/allowed: wide lies in what is never written/);
  file.tags[0]!.write.allowed = false;
  expect(parsePlantFile(JSON.stringify(file), 'p.json').tags).toHaveLength(1);
  file.devices[0]!.neverWrite[0]!.from = 13;
  expect(() => parsePlantFile(JSON.stringify(file), 'p.json')).toThrow(/"from" is above "to"/);
});
