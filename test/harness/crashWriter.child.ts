// A Handrail that writes one value and dies at the effect whose number it is given: before or after each append to the
// record, each request to the wire, each step of the person's consent.
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createArming, createArmingRecord, createGateway, defaultPolicy, guardWires, systemClock } from '../../src/main/gateway/index.ts';
import { createDevices } from '../../src/main/devices/devices.ts';
import { createPlant } from '../../src/main/plant/createPlant.ts';
import { simulatedPlantFile } from '../../src/main/plant/simulated.ts';
import { openStore } from '../../src/main/store/index.ts';
import { tagWrite } from '../../src/main/tools/tagWrite.ts';
import { createUlids } from '../../src/shared/ulid.ts';

const [folder, port, diesAt, value, callId] = process.argv.slice(2) as [string, string, string, string, string];
let effect = 0;
/** Counts an effect; the one asked for is the last thing this process does, without any farewell. */
function point(name: string): void {
  effect += 1;
  if (effect !== Number(diesAt)) return;
  writeSync(1, `died at ${effect} ${name}\n`);
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
}

const clock = systemClock;
const ids = createUlids({ now: () => clock.now(), random: () => randomBytes(16) });
const store = openStore({ folder, clock, ids, lang: 'en' });
const arming = createArming({ clock, record: createArmingRecord(store.record) });
arming.arm(['plc1'], 5, 'li', 'crash test');

const append = store.record.append.bind(store.record);
store.record.append = (event, options) => {
  point(`before ${event.kind}`);
  const appended = append(event, options);
  point(`after ${event.kind}`);
  return appended;
};
const devices = createDevices();
const file = simulatedPlantFile({ port: Number(port) });
devices.configure(file.connections);
const ask = devices.request.bind(devices);
devices.request = async (request) => {
  point(`before function ${request.functionCode}`);
  const reply = await ask(request);
  point(`after function ${request.functionCode}`);
  return reply;
};
const wires = guardWires(devices);
const plant = createPlant({ file, devices: wires.reading, clock });
const gateway = createGateway({
  tools: [tagWrite({ plant, devices: wires.reading })],
  record: store.record,
  approver: {
    async ask(card) {
      point('card shown');
      return { approved: true, by: 'person:li', digest: card.digest, how: 'hold' };
    },
  },
  arming,
  policy: () => defaultPolicy,
  wire: wires.writing,
  clock,
  ids,
});
const answer = await gateway.call({
  tool: 'tag_write',
  args: { tag: 'boiler_temp_sp', value: Number(value) },
  caller: 'person:li',
  sessionId: 's1',
  turnId: 't1',
  callId,
  lang: 'en',
});
process.stdout.write(`${JSON.stringify({ effects: effect, ok: answer.ok, error: answer.error?.code ?? null })}\n`);
await plant.close();
await devices.close();
store.close();
process.exit(0);
