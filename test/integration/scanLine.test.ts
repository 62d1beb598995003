import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createDevices } from '../../src/main/devices/index.ts';
import { createPlant, createSimulator, simulatedPlantFile } from '../../src/main/plant/index.ts';
import { guardWires, systemClock } from '../../src/main/gateway/index.ts';
import { createTools } from '../../src/main/tools/index.ts';
import { startPtyPair } from '../../src/main/workers/ptyPair.ts';
import type { ToolContext } from '../../src/shared/contracts/tools.ts';

test.skipIf(!existsSync('/usr/bin/socat'))('a serial port whose settings nobody said is searched, then its units are found', async () => {
  const simulator = await createSimulator({ startPtyPair });
  expect(simulator.rtuPath).not.toBeNull();
  // A plant that knows nothing of this line.
  const file = { ...simulatedPlantFile({ port: simulator.port }), connections: [], devices: [], tags: [] };
  const room = createDevices();
  const { reading: devices } = guardWires(room);
  const plant = createPlant({ file, devices });
  try {
    const tools = createTools({
      plant,
      devices,
      clock: systemClock,
      ids: () => 'job-1',
      listPorts: () => Promise.resolve([]),
      record: { undoable: () => [], sessions: () => [], calls: () => [] },
      history: { read: () => [], series: () => [], last: () => undefined },
    });
    const scan = tools.find((tool) => tool.contract.name === 'scan_devices')!;
    const stop = new AbortController();
    const context = {
      call: { call_id: 'c', session_id: 's', meta: { caller: 'person:test', timestamp: '' } },
      lang: 'en',
      words: '',
      signal: stop.signal,
      stop: stop.signal,
      priority: 'person',
      restMs: () => 28_000,
      child: () => Promise.reject(new Error('none')),
      note: () => undefined,
    } as unknown as ToolContext;
    const view = await scan.run!({ port: simulator.rtuPath, from: 1, to: 4 }, context);
    expect(view).toMatchObject({ state: 'done', result: { settings: { baud: 9600, dataBits: 8, parity: 'none', stopBits: 1 } } });
    const { found } = (view as { result: { found: { unit: number }[] } }).result;
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((f) => f.unit >= 1 && f.unit <= 4)).toBe(true);
  } finally {
    await plant.close();
    await room.close();
    await simulator.close();
  }
});
